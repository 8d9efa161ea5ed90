// orders: what an order is: its states, what a refusal says, how it is shown and answered, what its end and its events are. Everything else here builds on it.
// Owns orders, operations and order_refusals.
// Rule: an order is locked by its own row, and its operations are only written by who holds that lock.
export { authorize } from './authorize.ts';
export { capture, release, warn } from './by-itself.ts';
export { arrive, chargeback } from './chargebacks.ts';
export { clear } from './clearing.ts';
export { complete } from './complete.ts';
export { create } from './create.ts';
export type { Draft } from './draft.ts';
export { type DueHandler, OF_ORDERS } from './due.ts';
export { nextDueAt, type OrderDue, ordersDue, ordersSentByOthers } from './due-queries.ts';
export { OrderNotFound } from './errors.ts';
export { type Gateway, terminalOf, type Wallet } from './gateway.ts';
export { orderInvariants } from './invariants.ts';
export { type Landing, land, landingView } from './landing.ts';
export { ask, expire } from './lapse.ts';
export { createLink, type LinkFields, type LinkResult } from './link.ts';
export {
  type DueKind,
  OPERATION_TYPES,
  ORDER_STATUSES,
  type Order,
  type OrderOptions,
  SHOWN_STATUSES,
} from './model.ts';
export { cancel, charge, refund, reverse } from './operate.ts';
export { type CheckoutDoor, checkoutDoor, type PageStep, type Payer } from './page.ts';
export type { PageCard, WrongField } from './page-card.ts';
export { isOver } from './page-states.ts';
export type { PageView } from './page-view.ts';
export { parentFor } from './parent.ts';
export { payout } from './payout.ts';
export { expandsIn, ORDER_EXPANDS } from './present.ts';
export { orderGet } from './queries.ts';
export { afterOf, listOperations, listOrders, readOrder } from './read.ts';
export { recover } from './recovery.ts';
export { refuseWithout } from './refused.ts';
export { reserve } from './reserve.ts';
export { type Resolved, resolveOperation, type StuckOperation, stuckOperations, type Told } from './stuck.ts';
export { orderTrace } from './trace.ts';
export { sandboxWallets } from './wallet-keys.ts';
export { WALLETS } from './wallets.ts';
