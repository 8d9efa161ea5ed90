// POST /orders/create: an empty order and the address of its payment page.
import { assert } from '../../base/index.ts';
import type { Change, Command, Need, Once, StoredAnswer } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { orderAnswer, refusalAnswer, stateAnswer } from './answers.ts';
import { type Draft, newOrder } from './draft.ts';
import type { RefusalCode } from './errors.ts';
import { closedTo, type Gateway, terminalFor, viewOf } from './gateway.ts';
import { making } from './made.ts';
import { isBusy, type OrderStatus } from './model.ts';
import { refusalRecord } from './operate.ts';
import {
  merchantOrderIdInsert,
  merchantOrderIdKind,
  orderGet,
  orderInsert,
  payLinkInsert,
  payLinkKind,
  payLinkOrder,
} from './queries.ts';
import { eventOf } from './settle.ts';

/** A page token: the owner, then 128 random bits; only its keyed hash is stored. */
export function newPageToken(gateway: Gateway, owner: bigint): string {
  const token = Buffer.alloc(24);
  token.writeBigUInt64BE(BigInt(gateway.permutation.outward(owner)));
  gateway.random.bytes(16).copy(token, 8);
  return token.toString('base64url');
}

export const pageTokenHash = (gateway: Gateway, token: string): string =>
  gateway.vault.keyed('page-token', token).toString('hex');

/** The owner that a page token carries; null when it is no token in form. */
export function pageTokenOwner(gateway: Gateway, token: string): bigint | null {
  if (!/^[A-Za-z0-9_-]{32}$/.test(token)) return null;
  return gateway.permutation.inward(Buffer.from(token, 'base64url').readBigUInt64BE().toString());
}

function keyedPageToken(gateway: Gateway, owner: bigint, purpose: string, text: string): string {
  const token = Buffer.alloc(24);
  token.writeBigUInt64BE(BigInt(gateway.permutation.outward(owner)));
  gateway.vault.keyed(purpose, text).copy(token, 8, 0, 16);
  return token.toString('base64url');
}

/** The page of who pays by a link that is for many: the same for the same form, so that a form sent twice is one order. */
export const ownPageToken = (gateway: Gateway, owner: bigint, link: string, form: string): string =>
  keyedPageToken(gateway, owner, 'own-page', `${link}/${form}`);

/** The page of an order that a repeated create finds again: its address is told every time, though only its hash is stored. */
const repeatablePageToken = (gateway: Gateway, owner: bigint, orderId: bigint): string =>
  keyedPageToken(gateway, owner, 'page-of-order', orderId.toString());

export interface CreateRequest {
  readonly project: Project;
  readonly draft: Draft;
  readonly once: Once | null;
  /** The page that the order is to have: one order a page. Its merchant_order_id is the link's, so it claims none. */
  readonly ownPage?: string;
}

/** An earlier order under the same merchant_order_id (projects with unique_merchant_order_id), or how to claim the id. */
export interface UniqueId {
  readonly fingerprint: string;
  readonly needs: readonly Need[];
  check(loaded: Parameters<Once['begin']>[0]): { existing: bigint } | { refuse: RefusalCode } | { claim: Change[] };
}

export function uniqueId(
  gateway: Gateway,
  project: Project,
  draft: Draft,
  orderId: bigint,
  content: unknown,
): UniqueId {
  if (!project.settings.unique_merchant_order_id || !draft.merchantOrderId)
    return { fingerprint: '', needs: [], check: () => ({ claim: [] }) };
  const key = { owner: project.id, merchantOrderId: draft.merchantOrderId };
  const fingerprint = gateway.vault
    .keyed(
      'merchant-order-id',
      JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
    )
    .toString('hex');
  return {
    fingerprint,
    needs: [{ kind: merchantOrderIdKind, key }],
    check(loaded) {
      const known = loaded.get(merchantOrderIdKind, key);
      if (!known) {
        return {
          claim: [
            merchantOrderIdInsert({
              project_id: project.id,
              merchant_order_id: key.merchantOrderId,
              order_id: orderId,
              fingerprint,
            }),
          ],
        };
      }
      return known.fingerprint === fingerprint ? { existing: known.order_id } : { refuse: 'merchant_order_id_used' };
    },
  };
}

export async function create(gateway: Gateway, request: CreateRequest): Promise<StoredAnswer> {
  const created = await createOrder(gateway, request);
  return 'answer' in created ? created.answer : createdBefore(gateway, request.project, created.existing);
}

const addressOf = (gateway: Gateway, token: string): string => `${gateway.publicUrl}/pay/${token}`;

/** The answer of create with what it comes from: a refusal's code, or the order that has the merchant_order_id already. */
export type Created =
  | { readonly answer: StoredAnswer; readonly refused: RefusalCode | null }
  | { readonly existing: bigint };

export async function createOrder(
  gateway: Gateway,
  { project, draft, once, ownPage }: CreateRequest,
): Promise<Created> {
  const view = viewOf(gateway, project);
  const terminal = terminalFor(project, draft.terminal, draft.currency);
  const id = gateway.ids.next();
  const unique = uniqueId(gateway, project, ownPage ? { ...draft, merchantOrderId: null } : draft, id, draft);
  const repeatable = unique.needs.length > 0 ? repeatablePageToken(gateway, project.id, id) : null;
  const token = ownPage ?? repeatable ?? newPageToken(gateway, project.id);
  const tokenHash = pageTokenHash(gateway, token);
  const page = { kind: payLinkKind, key: { owner: project.id, tokenHash } };
  const command: Command<Created> = {
    name: 'create',
    needs: [...(once ? [once.need] : []), ...unique.needs, ...(ownPage ? [page] : [])],
    decide(loaded) {
      const now = gateway.clock.now();
      const begun = once?.begin(loaded, now);
      if (begun && 'replay' in begun) return { value: { answer: begun.replay, refused: null }, changes: [] };
      assert(!begun || 'changes' in begun, 'create has one phase');
      const ending = (answer: StoredAnswer): Change[] => [
        ...(begun?.changes ?? []),
        ...(once?.finish(answer, now) ?? []),
      ];
      const refused = (code: RefusalCode) => {
        const answer = refusalAnswer(code, null);
        return {
          value: { answer, refused: code },
          changes: [refusalRecord(gateway, project, null, 'create', code), ...ending(answer)],
        };
      };
      const closed = closedTo(project, terminal, draft.currency);
      if (!terminal || closed) return refused(closed ?? 'currency_not_accepted');
      // Only behind a static link is there somebody who enters the amount.
      if (draft.amount === 0n && !draft.options.static_link) return refused('amount_zero');
      if (draft.options.static_link && !project.settings.static_links) return refused('static_links_disabled');
      const made = ownPage ? loaded.get(payLinkKind, page.key) : undefined;
      if (made) return { value: { existing: made.order_id }, changes: [] };
      const unused = unique.check(loaded);
      if ('existing' in unused) return { value: unused, changes: [] };
      if ('refuse' in unused) return refused(unused.refuse);
      const order = newOrder(project.id, draft, terminal, id, now);
      const answer = orderAnswer(view, { order, operations: [] }, { status: 201, location: addressOf(gateway, token) });
      return {
        value: { answer, refused: null },
        changes: [
          orderInsert(order),
          payLinkInsert({
            project_id: project.id,
            token_hash: tokenHash,
            order_id: id,
            created_at: now,
          }),
          eventOf(gateway, project, null, order, null),
          ...unused.claim,
          ...ending(answer),
        ],
      };
    },
  };
  return making(gateway, id, command);
}

/** What a create is told whose order an earlier one made: with its page while something can be paid there. */
async function createdBefore(gateway: Gateway, project: Project, orderId: bigint): Promise<StoredAnswer> {
  const state = await orderGet(gateway.db, project.id, orderId);
  if (!state) return refusalAnswer('error', null);
  const view = viewOf(gateway, project);
  if (!PAYABLE.has(state.order.status)) return stateAnswer(view, state, { isNew: true });
  const token = repeatablePageToken(gateway, project.id, orderId);
  const known = await payLinkOrder(gateway.db, project.id, pageTokenHash(gateway, token));
  return orderAnswer(view, state, {
    status: 201,
    ...(known === orderId ? { location: addressOf(gateway, token) } : {}),
  });
}

const PAYABLE: ReadonlySet<OrderStatus> = new Set(['new', 'prepared']);

/**
 * What an authorization is told whose order an earlier one made. 200 is said of what is done, 201 with the form of what waits for the cardholder;
 * while the issuer, the bank or its directory is being asked nobody knows, and that is no refusal.
 */
export async function authorizedBefore(gateway: Gateway, project: Project, orderId: bigint): Promise<StoredAnswer> {
  const state = await orderGet(gateway.db, project.id, orderId);
  if (!state) return refusalAnswer('error', null);
  const view = viewOf(gateway, project);
  if (!PAYABLE.has(state.order.status)) return stateAnswer(view, state, { isNew: true });
  const waits =
    state.order.status === 'prepared' && !isBusy(state.order)
      ? await gateway.threeds.unfinished(project.id, orderId)
      : null;
  return waits?.kind === 'form'
    ? orderAnswer(view, state, { status: 201, form: { form: { ...waits.form }, html: waits.html } })
    : refusalAnswer('error', view.outward(orderId));
}
