// orders: the payment gateway's heart. Owns orders, operations, pay_links, merchant_order_ids, order_refusals and settlements.
// The lifecycle stands in states.ts, what an operation may do in rules.ts, what an answer does to an order in effects.ts.
export { arrive } from './due.ts';
export { OrderNotFound } from './errors.ts';
export type { Gateway, SimulatedIssuer } from './gateway.ts';
export { orderInvariants } from './invariants.ts';
export { type Landing, land } from './landing.ts';
export { createLink, type LinkFields, type LinkResult } from './link.ts';
export { type CheckoutDoor, checkoutDoor, type PageCard, type PageStep, type PageView } from './page.ts';
export { orderEndpoints } from './routes.ts';
export { orderTrace } from './trace.ts';
export { orderTimeline, PROCESS_LOCKS, recoverOrphans, runWorker } from './worker.ts';
