// events: what happened, for those outside. Owns the log of events, and how it reaches its receivers.
// Rule: a change and its event commit together, so neither exists alone.
export * from './delivery/index.ts';
export * from './egress/index.ts';
export { createForwarding, type ForwardingAnswer, type ForwardingRequest } from './forwarding.ts';
export * from './log/index.ts';
