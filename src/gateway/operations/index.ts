// operations: what may be done to an order that exists, and is: charge, reverse, refund, cancel, pay out, and what the gateway begins by itself.
// No tables of its own.
// Rule: what may be done is decided on the locked order (rules.ts), and nowhere else.
export { capture, release, warn } from './by-itself.ts';
export { abandon, cancel, charge, refund, reverse } from './operate.ts';
export { payout } from './payout.ts';
