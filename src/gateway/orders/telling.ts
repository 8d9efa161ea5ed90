// What of an order is told. Between two events a GET shows it as the last one told it, whatever is under way (docs/adr/0024-shown-as-told.md).
// Rule: a member that a GET shows changes with an event (withEvent), or quietly, to be told by the next one.
import type { AsTold, Order } from './model.ts';

/** With its next event counted, and shown as it is. */
export const withEvent = (order: Order): Order => ({ ...order, events: order.events + 1, as_told: null });

/** Changed for an attempt that is under way and has its event when it is over. Of an order without events nothing was told. */
export function quietly(order: Order, changes: Partial<AsTold>): Order {
  const { pan, card, issuer, secure3d } = order;
  return {
    ...order,
    ...changes,
    as_told: order.events === 0 ? null : (order.as_told ?? { pan, card, issuer, secure3d }),
  };
}

/** As it was told last: of what is under way there is nothing to be seen. */
export const asTold = (order: Order): Order =>
  order.as_told === null ? order : { ...order, ...order.as_told, as_told: null };
