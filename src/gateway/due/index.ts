// due: what becomes due on orders by itself: one table of who does it, and the timelines by which workers find it.
// No tables of its own.
// Rule: a handler is safe to run twice: it decides on the locked order.
export { orderTimelines } from './timelines.ts';
