// The payment page's door to an order: what a payer sees of it, and what he may do to it. The page itself (HTML) is another room's.
// Rule: each action is decided again on the locked order; what it is not allowed to do there changes nothing, and the answer is the view.
import { type BrowserDetails, isUsed } from '../../threeds/index.ts';
import { type AuthorizeRequest, authorize, complete } from '../authorization/index.ts';
import { abandon } from '../operations/index.ts';
import type { GatewayDeps, Wallet } from '../orders/index.ts';
import { type PageCard, readCard, type WrongField } from './page-card.ts';
import { draftOf, type FoundPage, findPage, linkOf, ownOrder } from './page-order.ts';
import { mayDo, type PageAction } from './page-states.ts';
import { type PageView, pageView } from './page-view.ts';

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
export type CardPacing = (projectId: bigint, fingerprint: string) => Promise<number>;

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

export function checkoutDoor(deps: GatewayDeps, waitOf: CardPacing): CheckoutDoor {
  const viewOf = ({ project, state }: FoundPage): Promise<PageView> => pageView(deps, project, state);

  /** Runs `work` if the page is in a stage for it. */
  async function acting(
    token: string,
    action: PageAction,
    work: (found: FoundPage, view: PageView) => Promise<PageStep>,
  ): Promise<PageStep | null> {
    const found = await findPage(deps, token);
    if (!found) return null;
    const view = await viewOf(found);
    return mayDo(action, view.stage) ? work(found, view) : { kind: 'moved', token };
  }

  return {
    async view(token) {
      const found = await findPage(deps, token);
      return found && viewOf(found);
    },
    pay: (token, typed, payer) =>
      acting(token, 'pay', async (found, view) => {
        const { cvvRequired, holderRequired, now } = view;
        const amountIn = view.minor === null ? view.currency : null;
        const read = readCard(typed, { cvvRequired, holderRequired, amountIn, now });
        if ('wrong' in read) return { kind: 'wrong', fields: read.wrong, view };
        const means = { card: read.card, external: null, onceOnly: null };
        return pay(deps, waitOf, { found, minor: read.minor, payer, means, content: Object.values(typed) });
      }),
    payByWallet: (token, wallet, walletToken, payer) =>
      acting(token, 'pay', async (found, view) => {
        const { wallets } = deps;
        const refused: PageStep = { kind: 'wallet_refused', view };
        if (!wallets || view.minor === null || !view.wallets.includes(wallet)) return refused;
        const due = { minor: view.minor, currency: view.currency };
        const means = await wallets.open(wallet, walletToken, due, view.now);
        // Two that bring one token at the same moment meet at the commit; who comes later still has his order to pay.
        const used = means && (await isUsed(deps.db, found.project.id, means.onceOnly));
        if (!means || used) return refused;
        return pay(deps, waitOf, { found, minor: null, payer, means, content: [wallet, walletToken ?? ''] });
      }),
    cancel: (token) =>
      acting(token, 'cancel', async ({ project, state: { order } }, view) => {
        if (order.options.static_link) return { kind: 'left', view };
        await abandon(deps, { project, orderId: order.id, amount: null, once: null });
        return { kind: 'moved', token };
      }),
    finish: (token) =>
      acting(token, 'finish', async ({ project, state: { order } }) => {
        await complete(deps, { project, orderId: order.id, returned: {}, once: null });
        return { kind: 'moved', token };
      }),
  };
}

const sessionHash = (deps: Pick<GatewayDeps, 'vault'>, session: string): string =>
  deps.vault.keyed('page-session', session).toString('base64url', 0, 16);

interface Payment {
  readonly found: FoundPage;
  /** What the payer entered; null: the amount is fixed. */
  readonly minor: bigint | null;
  readonly payer: Payer;
  readonly means: Pick<AuthorizeRequest, 'card' | 'external' | 'onceOnly'>;
  /** What the form held: sent again with the same, it is the same request. */
  readonly content: readonly string[];
}

async function pay(
  deps: GatewayDeps,
  waitOf: CardPacing,
  { found, minor, payer, means, content }: Payment,
): Promise<PageStep> {
  const { ip, browser, form, session } = payer;
  const { project } = found;
  const retryAfterSeconds = await waitOf(project.id, deps.vault.fingerprint(means.card.pan));
  if (retryAfterSeconds > 0) return { kind: 'too_often', retryAfterSeconds };
  const own = await ownOrder(deps, found, minor, form);
  if (!own) return { kind: 'moved', token: found.token };
  const draft = draftOf(own.order);
  await authorize(deps, {
    project,
    draft: { ...draft, location: draft.location?.ip ? draft.location : { ...draft.location, ip } },
    ...means,
    browser,
    visit: { address: ip, link: linkOf(found), session: session === null ? null : sessionHash(deps, session) },
    initiator: 'customer',
    parentOrderId: null,
    cardId: null,
    reject: null,
    pageOrder: own.order,
    once: deps.onceForm(project.id, form, content),
  });
  return { kind: 'moved', token: own.token };
}
