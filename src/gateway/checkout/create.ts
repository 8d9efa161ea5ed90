// POST /orders/create: an empty order and the address of its payment page.
import { assert } from '../../base/index.ts';
import type { Change, Command, Once, StoredAnswer } from '../../store/index.ts';
import { type Draft, making, newOrder, uniqueId } from '../intake/index.ts';
import {
  closedTo,
  eventOf,
  type GatewayDeps,
  OPEN,
  orderAnswer,
  orderInsert,
  type RejectionCode,
  rejectionAnswer,
  rejectionRecord,
  stateAnswer,
  terminalFor,
  unknownAnswer,
  viewOf,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { newPageToken, pageTokenHash, repeatablePageToken, type TokenDeps } from './page-token.ts';
import { payLinkInsert, payLinkKind, payLinkOrder } from './queries.ts';

export interface CreateRequest {
  readonly project: Project;
  readonly draft: Draft;
  readonly once: Once | null;
  /** The page that the order is to have: one order a page. Its merchant_order_id is the link's, so it claims none. */
  readonly ownPage?: string;
}

export async function create(deps: GatewayDeps, request: CreateRequest): Promise<StoredAnswer> {
  const created = await createOrder(deps, request);
  return 'answer' in created ? created.answer : createdBefore(deps, request.project, created.existing);
}

const addressOf = (deps: Pick<GatewayDeps, 'publicUrl'>, token: string): string => `${deps.publicUrl}/pay/${token}`;

/** The answer of create with what it comes from: a rejection's code, or the order that has the merchant_order_id already. */
export type Created =
  | { readonly answer: StoredAnswer; readonly rejected: RejectionCode | null }
  | { readonly existing: bigint };

export async function createOrder(
  deps: GatewayDeps,
  { project, draft, once, ownPage }: CreateRequest,
): Promise<Created> {
  const view = viewOf(deps, project);
  const terminal = terminalFor(project, draft.terminal, draft.currency);
  const id = deps.ids.next();
  const unique = uniqueId(deps, project, ownPage ? { ...draft, merchantOrderId: null } : draft, id, () => draft);
  const repeatable = unique.needs.length > 0 ? repeatablePageToken(deps, project.id, id) : null;
  const token = ownPage ?? repeatable ?? newPageToken(deps, project.id);
  const tokenHash = pageTokenHash(deps, token);
  const page = { kind: payLinkKind, key: { owner: project.id, tokenHash } };
  const command: Command<Created> = {
    name: 'create',
    owner: project.id,
    needs: [...(once ? [once.need] : []), ...unique.needs, ...(ownPage ? [page] : [])],
    decide(loaded, told) {
      const { now } = told;
      const begun = once?.begin(loaded, now);
      if (begun && 'replay' in begun) return { value: { answer: begun.replay, rejected: null }, changes: [] };
      assert(!begun || 'changes' in begun, 'create has one phase');
      const ending = (answer: StoredAnswer): Change[] => [
        ...(begun?.changes ?? []),
        ...(once?.finish(answer, now) ?? []),
      ];
      const rejected = (code: RejectionCode) => {
        const answer = rejectionAnswer(code, null);
        return {
          value: { answer, rejected: code },
          changes: [rejectionRecord(project, null, 'create', code, told), ...ending(answer)],
        };
      };
      const closed = closedTo(project, terminal, draft.currency);
      if (!terminal || closed) return rejected(closed ?? 'currency_not_accepted');
      // Only behind a static link is there somebody who enters the amount.
      if (draft.amount === 0n && !draft.options.static_link) return rejected('amount_zero');
      if (draft.options.static_link && !project.settings.static_links) return rejected('static_links_disabled');
      const made = ownPage ? loaded.get(payLinkKind, page.key) : undefined;
      if (made) return { value: { existing: made.order_id }, changes: [] };
      const unused = unique.check(loaded);
      if ('existing' in unused) return { value: unused, changes: [] };
      if ('reject' in unused) return rejected(unused.reject);
      const order = withEvent(newOrder(project.id, draft, terminal, id, now));
      const answer = orderAnswer(view, { order, operations: [] }, { status: 201, location: addressOf(deps, token) });
      return {
        value: { answer, rejected: null },
        changes: [
          orderInsert(order),
          payLinkInsert({
            project_id: project.id,
            token_hash: tokenHash,
            order_id: id,
            created_at: now,
          }),
          ...eventOf(deps, project, { before: null, after: { order, operations: [] } }, told),
          ...unused.claim,
          ...ending(answer),
        ],
      };
    },
  };
  return making(deps, id, command);
}

/** What a create is told whose order an earlier one made: with its page while something can be paid there. */
async function createdBefore(
  deps: TokenDeps & Pick<GatewayDeps, 'db' | 'orderOf' | 'publicUrl'>,
  project: Project,
  orderId: bigint,
): Promise<StoredAnswer> {
  const state = await deps.orderOf(project.id, orderId);
  if (!state) return unknownAnswer(null);
  const view = viewOf(deps, project);
  if (!OPEN.has(state.order.status)) return stateAnswer(view, state, { isNew: true });
  const token = repeatablePageToken(deps, project.id, orderId);
  const known = await payLinkOrder(deps.db, project.id, pageTokenHash(deps, token));
  return orderAnswer(view, state, {
    status: 201,
    ...(known === orderId ? { location: addressOf(deps, token) } : {}),
  });
}
