// What the world is told of an order: one event for each change of it.
// Rule: written by the commit that makes the change, with the next number of the order's own sequence.
import { assert, jsonText } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { NO_CASHFLOWS, WHOLE } from './answers.ts';
import type { GatewayDeps } from './deps.ts';
import type { Operation, OperationType, Order, OrderState, OrderStatus, ShownStatus } from './model.ts';
import { type OrderShown, operationShown, orderBefore, orderWhole, viewOf } from './present.ts';
import { OPEN } from './states.ts';

export type OrderEvent = EventType<'order'>;

/** What a result is called, by the order as it left it. */
type Name = OrderEvent | ((after: Order, operation: Operation) => OrderEvent);

/** What an operation's result is called. What comes from an issuer is booked as it comes: it never fails. */
const OF_OPERATION: Readonly<Record<OperationType, Readonly<Partial<Record<ShownStatus, Name>>>>> = {
  authorize: {
    success: 'order.authorized',
    // Behind an attempt the order waits for the next one.
    failure: ({ status }) => (OPEN.has(status) ? 'order.attempt_failed' : 'order.declined'),
    error: 'order.failed',
  },
  charge: { success: 'order.charged', failure: 'order.charge_failed', error: 'order.charge_failed' },
  reverse: {
    success: (_, { details }) => (details.by === 'expiry' ? 'order.authorization_expired' : 'order.reversed'),
    failure: 'order.reverse_failed',
    error: 'order.reverse_failed',
  },
  refund: {
    success: ({ status }) => (status === 'refunded' ? 'order.refunded' : 'order.partially_refunded'),
    failure: 'order.refund_failed',
    error: 'order.refund_failed',
  },
  credit: { success: 'order.credited', failure: 'order.credit_failed', error: 'order.credit_failed' },
  chargeback: { success: 'order.chargedback' },
  representment: { success: 'order.represented' },
};

/** What it is called that an order has come to a status without an operation. */
const WITHOUT_OPERATION: Readonly<Partial<Record<OrderStatus, OrderEvent>>> = {
  new: 'order.created',
  prepared: 'order.prepared',
  declined: 'order.declined',
  rejected: 'order.rejected',
  fraud: 'order.fraud_refused',
};

/** What happened, by the operation that has ended, or the status that was come to without one. */
export function orderEventType(after: Order, operation: Operation | null): OrderEvent {
  const name = operation
    ? OF_OPERATION[operation.type]?.[operation.status as ShownStatus]
    : WITHOUT_OPERATION[after.status];
  assert(name, 'an event of an order that nothing happened to');
  return typeof name === 'string' ? name : name(after, operation as Operation);
}

interface OrderTold {
  /** null: there was no such order. */
  readonly before: OrderState | null;
  /** With its event counted. */
  readonly after: OrderState;
  readonly operation?: Operation | null;
  /** Absent: what the operation or the status says. */
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
  const { order } = after;
  const object = shortened(orderWhole(view, after, WHOLE, NO_CASHFLOWS));
  return events.of(told, {
    owner: project.id,
    type: type ?? orderEventType(order, operation),
    resource: { type: 'order', id: order.id, sequence: order.events },
    object,
    // An order's first event tells it as new: nobody was told what it was before.
    before: before === null || before.order.events === 0 ? null : orderBefore(view, before.order, order, object),
    operation: operation ? operationShown(view, operation) : undefined,
  });
}

/** An order's text may be so long, in bytes. */
const MOST_BYTES = 262_144;
const KEPT_OPERATIONS = 50;

/** An order with many operations keeps its newest ones. Fewer can't be too long: requests are bounded. */
function shortened(order: OrderShown): OrderShown {
  const { operations } = order;
  if (operations.length <= KEPT_OPERATIONS || Buffer.byteLength(jsonText(order)) <= MOST_BYTES) return order;
  return { ...order, operations: operations.slice(-KEPT_OPERATIONS), truncated: true };
}
