// events: what happened, for those outside. Owns events, event_queue, event_heads and event_log.
// Rule: a change and its event commit together, so neither exists alone.
export type { EventType } from './catalogue.ts';
export { type EventDraft, type EventMaker, eventMaker, type ToldOfEvents } from './event.ts';
export { createForwarding, type ForwardingAnswer, type ForwardingRequest, isPublicAddress } from './forwarding.ts';
export { createNumbering, type Numbering } from './numbering.ts';
export { headOf, isQueued } from './queries.ts';
