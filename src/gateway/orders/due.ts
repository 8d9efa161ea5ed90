// What is due on an order by itself: how it is done, and the one commit by which it is decided.
// Rule: `decideDue` asks the locked order whether it is still due.
import type { Decision, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import type { GatewayDeps } from './deps.ts';
import type { DueKind, OrderState } from './model.ts';
import { needOrder, orderKind } from './queries/orders.ts';

/** Does one kind of thing that is due. */
export type DueHandler = (deps: GatewayDeps, project: Project, state: OrderState) => Promise<void>;

/** How orders take their turns. */
export const OF_ORDERS = { about: 'order', owners: 'project' } as const;

/** One commit on the order, if `kind` is still due there. */
export function decideDue(
  deps: Pick<GatewayDeps, 'committer'>,
  { order }: OrderState,
  kind: DueKind,
  decide: (state: OrderState, told: Told) => Omit<Decision<null>, 'value'>,
): Promise<null> {
  const need = needOrder(order.project_id, order.id);
  return deps.committer.submit({
    name: `due.${kind}`,
    owner: order.project_id,
    needs: [need],
    decide(loaded, told) {
      const state = loaded.get(orderKind, need.key);
      const still = state && state.order.due[kind] === order.due[kind] && state.order.in_flight === null;
      return still ? { value: null, ...decide(state, told) } : { value: null, changes: [] };
    },
  });
}
