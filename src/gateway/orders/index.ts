// orders: what an order is: its states, what a refusal says, how it is shown and answered, what its end and its events are. Everything else here builds on it.
// Owns orders, operations and order_refusals.
// Rule: an order is locked by its own row, and its operations are only written by who holds that lock.
export { arrive } from './chargebacks.ts';
export { OrderNotFound } from './errors.ts';
export type { Gateway, Wallet } from './gateway.ts';
export { orderInvariants } from './invariants.ts';
export { type Landing, land, landingView } from './landing.ts';
export { createLink, type LinkFields, type LinkResult } from './link.ts';
export { readEndpoints } from './list-routes.ts';
export { type CheckoutDoor, checkoutDoor, type PageStep, type Payer } from './page.ts';
export type { PageCard, WrongField } from './page-card.ts';
export { isOver } from './page-states.ts';
export type { PageView } from './page-view.ts';
export { orderEndpoints } from './routes.ts';
export { traceSchema } from './routes-traced.ts';
export { operationFilters } from './schemas.ts';
export { type Resolved, resolveOperation, type StuckOperation, stuckOperations, type Told } from './stuck.ts';
export { orderTrace } from './trace.ts';
export { sandboxWallets } from './wallet-keys.ts';
export { WALLETS } from './wallets.ts';
export { orderTimelines } from './worker.ts';
