// Operations on an order that exists: charge, reverse, refund, cancel. One way for all: the rule decides on the locked order and
// commits the intent, the message goes out with no transaction open, the answer is settled in a second commit.
import type { Change, Command, Once, StoredAnswer, Subject } from '../../store/index.ts';
import { carry, type Intended, startOperation, unresolvedAnswer } from '../flight/index.ts';
import {
  asSubject,
  closedOrder,
  type GatewayDeps,
  lapsedOrder,
  needOrder,
  type Order,
  orderAnswer,
  orderKind,
  refuse,
  rejectionAnswer,
  rejectionRecord,
  terminalOf,
  viewOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import * as rules from './rules.ts';

export interface OrderRequest {
  readonly project: Project;
  readonly orderId: bigint;
  /** Minor units of the order's currency, or its decimal text still to be read against that currency. */
  readonly amount: ((order: Order) => bigint) | null;
  readonly once: Once | null;
}

type Waiting = { readonly unresolved: Subject | null };

type Action = 'charge' | 'reverse' | 'refund' | 'cancel' | 'abandon';

export const charge = (deps: GatewayDeps, request: OrderRequest): Promise<StoredAnswer> =>
  operate(deps, 'charge', request);
export const reverse = (deps: GatewayDeps, request: OrderRequest): Promise<StoredAnswer> =>
  operate(deps, 'reverse', request);
export const refund = (deps: GatewayDeps, request: OrderRequest): Promise<StoredAnswer> =>
  operate(deps, 'refund', request);
export const cancel = (deps: GatewayDeps, request: OrderRequest): Promise<StoredAnswer> =>
  operate(deps, 'cancel', request);
/** By the payer: only before anything was sent. What is paid, he can't undo. */
export const abandon = (deps: GatewayDeps, request: OrderRequest): Promise<StoredAnswer> =>
  operate(deps, 'abandon', request);

async function operate(deps: GatewayDeps, action: Action, request: OrderRequest): Promise<StoredAnswer> {
  const intended = await deps.committer.submit(intent(deps, action, request));
  if ('unresolved' in intended)
    return unresolvedAnswer(deps, request.project, intended.unresolved, { isNew: false, once: request.once });
  return 'answer' in intended
    ? intended.answer
    : (await carry(deps, request.project, intended.state, intended.operation)).answer;
}

/** The first phase. Refuses with not_found an order that is not the project's. */
function intent(
  deps: Pick<GatewayDeps, 'events' | 'permutation' | 'stans' | 'vault'>,
  action: Action,
  { project, orderId, amount, once }: OrderRequest,
): Command<Intended | Waiting> {
  const need = needOrder(project.id, orderId);
  const stan = deps.stans.next();
  return {
    name: `${action}.intent`,
    owner: project.id,
    needs: once ? [need, once.need] : [need],
    decide(loaded, told) {
      const { now } = told;
      const begun = once?.begin(loaded, now, asSubject(orderId));
      if (begun && 'replay' in begun) return { value: { answer: begun.replay }, changes: [] };
      if (begun && 'unresolved' in begun) return { value: begun, changes: [] };
      const state = loaded.get(orderKind, need.key);
      if (!state) throw refuse('not_found');
      const terminal = terminalOf(project, state.order.terminal);
      const plan = rules[action](state, amount ? amount(state.order) : null, terminal, now);
      const ending = (answer: StoredAnswer): Change[] => [
        ...(begun?.changes ?? []),
        ...(once?.finish(answer, now) ?? []),
      ];
      if ('reject' in plan) {
        const answer = rejectionAnswer(plan.reject, null);
        return {
          value: { answer },
          changes: [rejectionRecord(project, orderId, action, plan.reject, told), ...ending(answer)],
        };
      }
      if ('close' in plan) {
        // A payer who goes after a decline leaves the decline behind.
        const closed =
          action === 'abandon'
            ? lapsedOrder(deps, project, state, plan.close, told)
            : closedOrder(deps, project, state, plan.close, told);
        const answer = orderAnswer(viewOf(deps, project), closed.state);
        return {
          value: { answer },
          changes: [...closed.changes, ...ending(answer)],
        };
      }
      const started = startOperation(state, plan, { onceKey: once?.key ?? null, stan }, told);
      return {
        value: started,
        changes: [...started.changes, ...(begun?.changes ?? [])],
      };
    },
  };
}
