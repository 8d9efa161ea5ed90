// The payment page's door to an order: what a payer sees of it, and what he may do to it. The page itself (HTML) is another room's.
// Rule: each action is decided again on the locked order; what it is not allowed to do there changes nothing, and the answer is the view.
import { type BrowserDetails, isUsed } from '../../threeds/index.ts';
import { type AuthorizeRequest, authorize, complete, expire as lapse } from '../authorization/index.ts';
import type { Draft } from '../intake/index.ts';
import { abandon } from '../operations/index.ts';
import { type Gateway, type Order, type OrderState, orderGet, type Wallet } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { createOrder } from './create.ts';
import { orderOfTicket } from './landing.ts';
import { type PageCard, readCard, type WrongField } from './page-card.ts';
import { mayDo, type PageAction } from './page-states.ts';
import { ownPageToken, pageTokenHash, pageTokenOwner } from './page-token.ts';
import { type PageView, pageView } from './page-view.ts';
import { payLinkOrder } from './queries.ts';

/** Who stands before the page. */
export interface Payer {
  readonly ip: string;
  readonly browser: BrowserDetails | null;
  /** What our cookie says that it is, and a browser that keeps none says anew each time; null: nothing is known. */
  readonly session: string | null;
  /** The form that was sent: sent twice, it is still one order. */
  readonly form: string;
}

/** What a payer's step led to: the page of this token, or what he typed was wrong and nothing was done. */
export type PageStep =
  | { readonly kind: 'moved'; readonly token: string }
  | { readonly kind: 'wrong'; readonly fields: readonly WrongField[]; readonly view: PageView }
  /** He goes, and a link that is for many stays as it was. */
  | { readonly kind: 'left'; readonly view: PageView }
  /** The wallet's token could not be used. */
  | { readonly kind: 'wallet_refused'; readonly view: PageView }
  /** This card was tried too often just now: nothing was done. */
  | { readonly kind: 'too_often'; readonly retryAfterSeconds: number };

/** How long until this card may be tried again on a page, by the project and the card's fingerprint; 0: now. */
export type CardPacing = (projectId: bigint, fingerprint: string) => number;

export interface CheckoutDoor {
  /** null: no such page. */
  view(token: string): Promise<PageView | null>;
  pay(token: string, card: PageCard, payer: Payer): Promise<PageStep | null>;
  /** `walletToken` null: the sandbox makes one. */
  payByWallet(token: string, wallet: Wallet, walletToken: string | null, payer: Payer): Promise<PageStep | null>;
  cancel(token: string): Promise<PageStep | null>;
  /** The bank has answered: goes on with the payment. */
  finish(token: string): Promise<PageStep | null>;
}

interface Found {
  readonly token: string;
  readonly project: Project;
  readonly state: OrderState;
}

/** The static link that led here, also where its payer has a page of his own by now. */
const linkOf = ({ state: { order } }: Found): string | null =>
  order.options.static_link ? order.id.toString() : (order.visit?.link ?? null);

const draftOf = (order: Order): Draft => ({
  amount: order.amount,
  currency: order.currency,
  merchantOrderId: order.merchant_order_id,
  segment: order.segment,
  description: order.description,
  client: order.client,
  location: order.location,
  customFields: order.custom_fields,
  extraFields: null,
  terminal: order.terminal,
  options: order.options,
});

export function checkoutDoor(gateway: Gateway, waitOf: CardPacing): CheckoutDoor {
  /** A page is found by its token, or by the ticket of who comes back from the bank: of the token only a hash is kept. */
  const whoseOf = async (token: string): Promise<{ owner: bigint; orderId: bigint } | null> => {
    const owner = pageTokenOwner(gateway, token);
    if (owner === null) return orderOfTicket(gateway, token);
    const orderId = await payLinkOrder(gateway.db, owner, pageTokenHash(gateway, token));
    return orderId === null ? null : { owner, orderId };
  };
  const read = async (token: string): Promise<Found | null> => {
    const whose = await whoseOf(token);
    if (!whose) return null;
    const { owner, orderId } = whose;
    const [project, state] = await Promise.all([gateway.project(owner), orderGet(gateway.db, owner, orderId)]);
    return project && state ? { token, project, state } : null;
  };
  /** A session whose time is over ends before anybody looks at it, whether a worker came by or not. */
  const find = async (token: string): Promise<Found | null> => {
    const found = await read(token);
    const { expire } = found?.state.order.due ?? {};
    const waits = found && ['new', 'prepared'].includes(found.state.order.status);
    if (!found || !waits || !expire || new Date(expire) > gateway.clock.now()) return found;
    await lapse(gateway, found.project, found.state);
    return read(token);
  };
  const viewOf = ({ project, state }: Found): Promise<PageView> => pageView(gateway, project, state);

  const sessionHash = (session: string): string =>
    gateway.vault.keyed('page-session', session).toString('base64url', 0, 16);

  /** The order that this payer pays, with its page: a static link makes one for each form. null: it can't be made. */
  async function ownOrder(
    found: Found,
    minor: bigint | null,
    form: string,
  ): Promise<{ order: Order; token: string } | null> {
    const { project, state } = found;
    if (!state.order.options.static_link) return { order: state.order, token: found.token };
    const { static_link: _, ...options } = state.order.options;
    const draft = { ...draftOf(state.order), amount: minor ?? state.order.amount, options };
    const token = ownPageToken(gateway, project.id, found.token, form);
    await createOrder(gateway, { project, draft, once: null, ownPage: token });
    const made = await read(token);
    return made && { order: made.state.order, token: made.token };
  }

  /** Runs `work` if the page is in a stage for it. */
  async function acting(
    token: string,
    action: PageAction,
    work: (found: Found, view: PageView) => Promise<PageStep>,
  ): Promise<PageStep | null> {
    const found = await find(token);
    if (!found) return null;
    const view = await viewOf(found);
    return mayDo(action, view.stage) ? work(found, view) : { kind: 'moved', token };
  }

  async function send(
    found: Found,
    minor: bigint | null,
    { ip, browser, form, session }: Payer,
    means: Pick<AuthorizeRequest, 'card' | 'external' | 'onceOnly'>,
    content: readonly string[],
  ): Promise<PageStep> {
    const { project } = found;
    const retryAfterSeconds = waitOf(project.id, gateway.vault.fingerprint(means.card.pan));
    if (retryAfterSeconds > 0) return { kind: 'too_often', retryAfterSeconds };
    const own = await ownOrder(found, minor, form);
    if (!own) return { kind: 'moved', token: found.token };
    const draft = draftOf(own.order);
    await authorize(gateway, {
      project,
      draft: { ...draft, location: draft.location?.ip ? draft.location : { ...draft.location, ip } },
      ...means,
      browser,
      visit: { address: ip, link: linkOf(found), session: session === null ? null : sessionHash(session) },
      initiator: 'customer',
      parentOrderId: null,
      cardId: null,
      refuse: null,
      pageOrder: own.order,
      once: gateway.onceForm(project.id, form, content),
    });
    return { kind: 'moved', token: own.token };
  }

  return {
    async view(token) {
      const found = await find(token);
      return found && viewOf(found);
    },
    pay: (token, typed, payer) =>
      acting(token, 'pay', async (found, view) => {
        const { cvvRequired, holderRequired, now } = view;
        const amountIn = view.minor === null ? view.currency : null;
        const read = readCard(typed, { cvvRequired, holderRequired, amountIn, now });
        if ('wrong' in read) return { kind: 'wrong', fields: read.wrong, view };
        const means = { card: read.card, external: null, onceOnly: null };
        return send(found, read.minor, payer, means, Object.values(typed));
      }),
    payByWallet: (token, wallet, walletToken, payer) =>
      acting(token, 'pay', async (found, view) => {
        const { wallets } = gateway;
        const refused: PageStep = { kind: 'wallet_refused', view };
        if (!wallets || view.minor === null || !view.wallets.includes(wallet)) return refused;
        const due = { minor: view.minor, currency: view.currency };
        const means = wallets.open(wallet, walletToken, due, view.now);
        // Two that bring one token at the same moment meet at the commit; who comes later still has his order to pay.
        const used = means && (await isUsed(gateway.db, found.project.id, means.onceOnly));
        return means && !used ? send(found, null, payer, means, [wallet, walletToken ?? '']) : refused;
      }),
    cancel: (token) =>
      acting(token, 'cancel', async ({ project, state: { order } }, view) => {
        if (order.options.static_link) return { kind: 'left', view };
        await abandon(gateway, { project, orderId: order.id, amount: null, once: null });
        return { kind: 'moved', token };
      }),
    finish: (token) =>
      acting(token, 'finish', async ({ project, state: { order } }) => {
        await complete(gateway, { project, orderId: order.id, returned: {}, once: null });
        return { kind: 'moved', token };
      }),
  };
}
