// An operation without an answer, and what became of it: the acquirer is asked by our own reference, and sent again what never arrived.
// Rule: an authorization is not revived: it is reversed.
import { addMs } from '../../base/index.ts';
import { postingsOf } from '../../ledger/index.ts';
import { NoAnswer } from '../../network/index.ts';
import {
  type DueHandler,
  type GatewayDeps,
  needOrder,
  type Operation,
  type Order,
  type OrderState,
  operationUpdate,
  orderKind,
  orderUpdate,
  terminalOf,
  withDue,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { cardOf, carry } from './carry.ts';
import { recoveryAt } from './effects.ts';
import { SENT_LIMIT_MS } from './intent.ts';
import { replace, settle } from './result.ts';

/** One try: settles the operation, sends it again, or leaves it for later. */
export const recover: DueHandler = async (deps, project, { order }) => {
  const need = needOrder(order.project_id, order.id);
  // The claim: one process at a time goes out for this operation.
  const claimed = await deps.committer.submit<{ state: OrderState; operation: Operation } | null>({
    name: 'recover.claim',
    owner: order.project_id,
    needs: [need],
    decide(loaded, { now, process }) {
      const state = loaded.get(orderKind, need.key);
      const operation = state?.operations.find(({ id }) => id === state.order.in_flight);
      if (!state || !operation || state.order.due.recover !== order.due.recover) return { value: null, changes: [] };
      if (recoveryAt(operation, now) === null) {
        // An operator's task alone.
        deps.log.error({ operation: operation.reference }, 'the acquirer is not asked any more');
        return { value: null, changes: [orderUpdate(withDue(state.order, { recover: null }))] };
      }
      const mine = { ...operation, process };
      const waiting = withDue(state.order, { recover: addMs(now, SENT_LIMIT_MS) });
      const after = replace(state, waiting, mine);
      return {
        value: { state: after, operation: mine },
        changes: [orderUpdate(waiting), operationUpdate(mine)],
      };
    },
  });
  if (!claimed) return;
  const { state, operation } = claimed;
  if (operation.type === 'authorize') {
    const settled = await deps.committer.submit(settle(deps, { project, operation, answer: null }));
    if (settled.next) await carry(deps, project, settled.state, settled.next);
    return;
  }
  const found = await inquire(deps, project, operation, state.order);
  if (found === 'ask later') {
    await deps.committer.submit(settle(deps, { project, operation, answer: null }));
  } else if (found) {
    const postings = operation.details.void ? await postingsOf(deps.db, project.id, [order.id]) : [];
    const settled = await deps.committer.submit(settle(deps, { project, operation, answer: found, postings }));
    if (settled.next) await carry(deps, project, settled.state, settled.next);
  } else {
    const repeat = { ...operation, tries: Math.max(2, operation.tries) };
    await carry(deps, project, state, repeat, (await cardOf(deps, state.order)) ?? undefined);
  }
};

async function inquire(deps: Pick<GatewayDeps, 'links' | 'log'>, project: Project, operation: Operation, order: Order) {
  const link = deps.links.get(terminalOf(project, order.terminal)?.link ?? '');
  if (!link) return 'ask later';
  try {
    return await link.inquire(project.id, operation.reference);
  } catch (error) {
    if (!(error instanceof NoAnswer)) deps.log.error({ err: error }, 'inquiry failed');
    return 'ask later';
  }
}
