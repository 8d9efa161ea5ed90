// orders: the payment gateway's heart. Owns orders, operations, pay_links, merchant_order_ids, order_refusals and settlements.
// The lifecycle stands in states.ts, what an operation may do in rules.ts, what an answer does to an order in effects.ts.
export { complete } from './complete.ts';
export { arrives } from './due.ts';
export { OrderNotFound } from './errors.ts';
export { type Gateway, type SimulatedIssuer, viewOf } from './gateway.ts';
export { orderInvariants } from './invariants.ts';
export { checkoutDoor, type CheckoutDoor, type PageCard, type PageStep, type PageView, returnTo } from './page.ts';
export { type Landing, land } from './landing.ts';
export { orderEndpoints } from './routes.ts';
export { orderTrace } from './trace.ts';
export { advanceTo, PROCESS_LOCKS, recoverOrphans, runAllDue, runWorker } from './worker.ts';
