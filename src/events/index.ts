// events: what happened, for those outside. Owns the outbox; a change and its event commit together, so neither exists alone.
export { eventInsert, type OutboxEvent } from './queries.ts';
