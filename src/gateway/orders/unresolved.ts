// A request that is repeated while its outcome is still being found out: it joins the recovery and never executes again.
import type { StoredAnswer } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { refusalAnswer, stateAnswer } from './answers.ts';
import { type Gateway, viewOf } from './gateway.ts';
import { isBusy } from './model.ts';
import { orderGet } from './queries.ts';

/** The order's own state once nothing is in flight; the same 500 until then. `isNew`: the request made the order. */
export async function unresolvedAnswer(
  gateway: Gateway,
  project: Project,
  orderId: bigint | null,
  isNew: boolean,
): Promise<StoredAnswer> {
  const state = orderId === null ? null : await orderGet(gateway.db, project.id, orderId);
  if (!state) return refusalAnswer('error', null);
  const view = viewOf(gateway, project);
  return isBusy(state.order) || state.order.status === 'new'
    ? refusalAnswer('error', isNew ? view.outward(state.order.id) : null)
    : stateAnswer(view, state, { isNew });
}
