// orders: what an order is: its states, what a rejection says, how it is shown and answered, its end and its events. The rooms that do
// something to orders build on it.
// Owns orders, operations and order_rejections.
// Rule: an order is locked by its own row, and its operations are only written by who holds that lock.
export {
  failureAnswer,
  failureText,
  OUTCOME_UNKNOWN,
  orderAnswer,
  rejectionAnswer,
  stateAnswer,
  unknownAnswer,
} from './answers.ts';
export { closedOrder, lapsedOrder } from './closing.ts';
export type { GatewayDeps, Wallet, WalletKeys, WalletMeans } from './deps.ts';
export { type DueHandler, decideDue, OF_ORDERS } from './due.ts';
export { eventOf } from './events.ts';
export { orderAuditor, orderInvariants } from './invariants.ts';
export {
  type Authentication,
  asking,
  asSubject,
  type Card,
  type Client,
  type Counted,
  type DueKind,
  type Issuer,
  isBusy,
  isPage,
  type Location,
  OPERATION_TYPES,
  type Operation,
  type OperationDetails,
  type OperationType,
  ORDER_STATUSES,
  type Order,
  type OrderOptions,
  type OrderState,
  type OrderStatus,
  refundable,
  type Secure3d,
  SHOWN_STATUSES,
  withDue,
} from './model.ts';
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
  viewOf,
} from './present.ts';
export {
  nextDueAt,
  type OrderDue,
  operationInFlight,
  operationsStuck,
  ordersDue,
  ordersSentByOthers,
} from './queries/due.ts';
export {
  type After,
  type OperationFilter,
  type OrderFilter,
  operationPlaces,
  operationsAt,
  operationsCount,
  orderPlaces,
  ordersAt,
  ordersCount,
  type Page,
} from './queries/lists.ts';
export {
  needOrder,
  operationInsert,
  operationUpdate,
  orderInsert,
  orderKind,
  orderOwner,
  orderReader,
  ordersGet,
  orderUpdate,
} from './queries/orders.ts';
export { refusals, refuse } from './refusals.ts';
export { rejectionRecord, rejectWithout } from './rejection-record.ts';
export { fraudMessage, type RejectionCode, rejections } from './rejections.ts';
export { APPROVED, isOver, OPEN, orderStates } from './states.ts';
export { asTold, quietly, withEvent } from './telling.ts';
export { closedTo, terminalFor, terminalOf } from './terminals.ts';
