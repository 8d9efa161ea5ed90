// orders: the payment gateway's heart. Owns orders, operations, pay_links, merchant_order_ids, order_refusals and settlements.
// The lifecycle stands in states.ts, what an operation may do in rules.ts, what an answer does to an order in effects.ts.
export { arrive } from './due.ts';
export { OrderNotFound } from './errors.ts';
export type { Gateway, SimulatedIssuer } from './gateway.ts';
export { orderInvariants } from './invariants.ts';
export { type Landing, land, landingView } from './landing.ts';
export { createLink, type LinkFields, type LinkResult } from './link.ts';
export { type CardPacing, type CheckoutDoor, checkoutDoor, type PageStep, type Payer } from './page.ts';
export type { PageCard, WrongField } from './page-card.ts';
export { isOver, type Stage } from './page-states.ts';
export type { PageView } from './page-view.ts';
export { orderEndpoints } from './routes.ts';
export { traceSchema } from './routes-traced.ts';
export { operationFilters } from './schemas.ts';
export {
  type Resolved,
  resolveOperation,
  type StuckOperation,
  stuckOperations,
  type Told,
} from './stuck.ts';
export { orderTrace } from './trace.ts';
export { sandboxWallets } from './wallet-keys.ts';
export { WALLETS, type Wallet, type WalletKeys } from './wallets.ts';
export { orderTimelines } from './worker.ts';
