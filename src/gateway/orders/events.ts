// What the world is told of an order: one event for each change of it.
// Rule: written by the commit that makes the change, with the next number of the order's own sequence.
import { assert } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { NO_CASHFLOWS, WHOLE } from './answers.ts';
import type { GatewayDeps } from './deps.ts';
import type { Operation, OperationType, Order, OrderState, OrderStatus } from './model.ts';
import { operationShown, orderWhole, viewOf } from './present.ts';

export type OrderEvent = EventType<'order'>;

/** The status that an order has come to → what happened. */
const BY_STATUS: Readonly<Record<OrderStatus, OrderEvent>> = {
  new: 'order.created',
  prepared: 'order.prepared',
  authorized: 'order.authorized',
  charged: 'order.charged',
  reversed: 'order.reversed',
  refunded: 'order.refunded',
  rejected: 'order.rejected',
  fraud: 'order.fraud_refused',
  declined: 'order.declined',
  chargedback: 'order.chargedback',
  credited: 'order.credited',
  error: 'order.failed',
};

/** Of an operation that leaves the status as it was: what its success is, and its failure. */
const BY_OPERATION: Readonly<Record<OperationType, Readonly<Record<'success' | 'failure', OrderEvent | null>>>> = {
  authorize: { success: null, failure: 'order.attempt_failed' },
  charge: { success: 'order.charged', failure: 'order.charge_failed' },
  reverse: { success: 'order.reversed', failure: 'order.reverse_failed' },
  refund: { success: 'order.partially_refunded', failure: 'order.refund_failed' },
  credit: { success: 'order.credited', failure: 'order.credit_failed' },
  chargeback: { success: 'order.chargedback', failure: null },
  representment: { success: 'order.represented', failure: null },
};

/** What happened, by the status that changed or the operation that was done. A won representment is no capture. */
export function orderEventType(before: Order | null, after: Order, operation: Operation | null): OrderEvent {
  if (operation?.type === 'representment') return 'order.represented';
  if (before?.status !== after.status) return BY_STATUS[after.status];
  const type = operation && BY_OPERATION[operation.type][operation.status === 'success' ? 'success' : 'failure'];
  assert(type, 'an event of an order that nothing happened to');
  return type;
}

interface OrderTold {
  readonly before: OrderState | null;
  /** With its event counted. */
  readonly after: OrderState;
  readonly operation?: Operation | null;
  /** Absent: what the status or the operation says. */
  readonly type?: OrderEvent;
}

/** The event of a change, with the order as a GET with every expand answers it, but for cashflow, which is a read of the ledger. */
export function eventOf(
  { events, permutation }: Pick<GatewayDeps, 'events' | 'permutation'>,
  project: Project,
  { before, after, operation = null, type }: OrderTold,
  told: Told,
): Change[] {
  const view = viewOf({ permutation }, project);
  const shown = (state: OrderState): object => orderWhole(view, state, WHOLE, NO_CASHFLOWS);
  const { order } = after;
  return events.of(told, {
    owner: project.id,
    type: type ?? orderEventType(before?.order ?? null, order, operation),
    resource: { type: 'order', id: order.id, sequence: order.events },
    object: shown(after),
    before: before && shown(before),
    operation: operation ? operationShown(view, operation) : undefined,
  });
}
