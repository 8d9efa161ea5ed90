// Which operation may be done to an order in which state, and with which amount. Pure; a rejection is one of the codes of orders.
import type { Intent } from '../flight/index.ts';
import { OPEN, type OrderState, type RejectionCode, refundable } from '../orders/index.ts';
import type { Terminal } from '../projects/index.ts';

/** What shall be sent, or why not. */
export type Plan =
  | Intent
  | { readonly reject: RejectionCode }
  /** Nothing was sent for this order yet: it is closed. */
  | { readonly close: RejectionCode };

export type Rule = (state: OrderState, amount: bigint | null, terminal: Terminal | null, now: Date) => Plan;

const reject = (code: RejectionCode): Plan => ({ reject: code });

/** Wraps the rules: while an operation is in flight there is one answer for all of them. */
const alone =
  (rule: Rule): Rule =>
  (state, ...rest) =>
    state.order.in_flight === null ? rule(state, ...rest) : reject('operation_in_progress');

export const charge: Rule = alone(({ order }, amount, terminal, now) => {
  const again = order.status === 'charged' && terminal?.multicapture === true && order.held > 0n;
  if (order.status === 'charged' && !again) return reject('already_charged');
  if (order.status !== 'authorized' && !again) return reject('not_authorized');
  if (order.due.release && order.due.release <= now.toISOString()) return reject('authorization_expired');
  const charged = amount ?? order.held;
  if (charged === 0n) return reject('amount_zero');
  if (charged > order.held) return reject('amount_over_authorized');
  return { type: 'charge', amount: charged };
});

export const reverse: Rule = alone(({ order }) => {
  return order.status === 'authorized' || order.held > 0n
    ? { type: 'reverse', amount: order.held }
    : reject('not_authorized');
});

export const refund: Rule = alone(({ order }, amount) => {
  if (order.amount_charged === 0n || order.status === 'reversed') return reject('not_charged');
  const rest = refundable(order);
  const refunded = amount ?? rest;
  if (refunded > rest || rest === 0n || order.status !== 'charged') return reject('amount_over_charged');
  return { type: 'refund', amount: refunded };
});

const isCleared = ({ operations }: OrderState): boolean =>
  operations.some((operation) => operation.cleared_at !== null);

export const abandon: Rule = alone(({ order }) =>
  OPEN.has(order.status) ? { close: 'cancelled' } : reject('not_new'),
);

/** Before the charge a reverse; after it and before settlement a void of the charge; after settlement a refund of the rest. */
export const cancel: Rule = alone((state, amount, terminal, now) => {
  const { order } = state;
  if (OPEN.has(order.status)) return { close: 'cancelled' };
  if (order.status === 'authorized') {
    return amount !== null && amount !== order.held
      ? reject('amount_partial_reversal')
      : reverse(state, null, terminal, now);
  }
  if (
    order.status === 'charged' &&
    !isCleared(state) &&
    order.amount_refunded === 0n &&
    (amount ?? order.amount_charged) === order.amount_charged
  ) {
    return { type: 'reverse', amount: order.amount_charged, details: { void: true } };
  }
  return refund(state, amount, terminal, now);
});
