// due: what becomes due on orders by itself: one table of who does it, and the timelines by which workers find it. No tables of its own.
// Rule: nothing becomes due in a worker's memory: the order's row says what is due, and when.
export { orderTimelines } from './timelines.ts';
