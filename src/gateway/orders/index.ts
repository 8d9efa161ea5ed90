// orders: what an order is: its states, what a refusal says, how it is shown and answered, what its end and its events are. Everything else here builds on it.
// Owns orders, operations and order_refusals.
// Rule: an order is locked by its own row, and its operations are only written by who holds that lock.
export { orderAnswer, refusalAnswer, stateAnswer } from './answers.ts';
export { authorize } from './authorize.ts';
export { cashflowsOf, postingsFor } from './books.ts';
export { capture, release, warn } from './by-itself.ts';
export { cardOf } from './carry.ts';
export { complete } from './complete.ts';
export { type Draft, newOrder } from './draft.ts';
export { type DueHandler, decideDue, OF_ORDERS } from './due.ts';
export { nextDueAt, type OrderDue, ordersDue, ordersSentByOthers } from './due-queries.ts';
export { approved } from './effects.ts';
export { fraudMessage, OrderNotFound, type RefusalCode, refusals } from './errors.ts';
export { eventOf } from './events.ts';
export { closedTo, type Gateway, terminalFor, terminalOf, viewOf, type Wallet, type WalletKeys } from './gateway.ts';
export { newOperation } from './intent.ts';
export { orderInvariants } from './invariants.ts';
export { ask, expire } from './lapse.ts';
export {
  type After,
  type OperationFilter,
  type OrderFilter,
  operationsCount,
  operationsPage,
  ordersCount,
  ordersPage,
  type Page,
} from './list-queries.ts';
export { making } from './made.ts';
export { uniqueId } from './merchant-order-id.ts';
export {
  type DueKind,
  isBusy,
  OPERATION_TYPES,
  type Operation,
  ORDER_STATUSES,
  type Order,
  type OrderOptions,
  type OrderState,
  type OrderStatus,
  refundable,
  SHOWN_STATUSES,
  withDue,
} from './model.ts';
export { abandon, cancel, charge, refund, reverse } from './operate.ts';
export { parentFor } from './parent.ts';
export { payout } from './payout.ts';
export type { AuthorizeRequest } from './prepare.ts';
export {
  type Cashflows,
  expandsIn,
  isVisible,
  ORDER_EXPANDS,
  type OrderExpand,
  operationShown,
  orderBase,
  orderRow,
  orderWhole,
} from './present.ts';
export {
  needOrder,
  operationInsert,
  operationUpdate,
  orderGet,
  orderInsert,
  orderKind,
  orderOwner,
  ordersGet,
  orderUpdate,
} from './queries.ts';
export { recover } from './recovery.ts';
export { refusalRecord, refuseWithout } from './refused.ts';
export { OPEN } from './states.ts';
export { type Resolved, resolveOperation, type StuckOperation, stuckOperations, type Told } from './stuck.ts';
export type { CardData } from './wire.ts';
