// events: what happened, for those outside. Owns events, event_queue, event_heads and event_log.
// Rule: a change and its event commit together, so neither exists alone.
export type { EventType } from './catalogue.ts';
export * from './egress/index.ts';
export { type EventDraft, type EventMaker, eventMaker, type ToldOfEvents } from './event.ts';
export { createForwarding, type ForwardingAnswer, type ForwardingRequest } from './forwarding.ts';
export { createNumbering, type Numbering } from './numbering.ts';
export { headOf, isQueued } from './queries.ts';
export {
  endpointKey,
  publicKeyText,
  type SignatureHeaders,
  type SignatureScheme,
  type Signed,
  type SigningKey,
  secretKey,
  secretText,
  signatureHeaders,
  signatureProblem,
} from './signature.ts';
