// events: what happened, for those outside. Owns the outbox.
// Rule: a change and its event commit together, so neither exists alone.
export { createForwarding, type ForwardingAnswer, type ForwardingRequest, isPublicAddress } from './forwarding.ts';
export { eventInsert, type OutboxEvent } from './queries.ts';
