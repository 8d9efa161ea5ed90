// What the world is told of an order: one event for each change of it.
// Rule: written by the commit that makes the change, with the next number of the order's own sequence.
import { eventInsert } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import type { GatewayDeps } from './deps.ts';
import type { Operation, Order } from './model.ts';

/** The event of a change: the order's new status, or the operation where the status stays. */
export function eventOf(
  { permutation }: Pick<GatewayDeps, 'permutation'>,
  project: Project,
  before: Order | null,
  after: Order,
  operation: Operation | null,
  told: Told,
): Change {
  const type =
    before?.status !== after.status
      ? `order.${after.status}`
      : `operation.${operation?.type ?? 'none'}.${operation?.status ?? 'none'}`;
  return eventInsert({
    owner_id: after.project_id,
    id: told.ids.next(),
    subject_type: 'order',
    subject_id: after.id,
    sequence: after.events,
    type,
    data: {
      project: project.login,
      order_id: permutation.outward(after.id),
      merchant_order_id: after.merchant_order_id,
      status: after.status,
      currency: after.currency,
      amount: after.amount.toString(),
      amount_charged: after.amount_charged.toString(),
      amount_refunded: after.amount_refunded.toString(),
      ...(operation
        ? { operation: { type: operation.type, status: operation.status, amount: operation.amount.toString() } }
        : {}),
    },
    created_at: after.updated_at,
  });
}
