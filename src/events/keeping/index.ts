// How long events, and what tells of their deliveries, are kept. Owns event_clock and the days of partitioned tables.
// Rule: what is over goes whole days at a time, and neither a payment nor a sender waits for it.
export { createKeeping, type Keeping } from './keeping.ts';
