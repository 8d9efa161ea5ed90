// egress: the one door to addresses that somebody else named: webhooks, forwarding, whatever asks outside later. No tables.
// Rule: no other file of this room opens a socket or looks up a name; what is called was judged, and what was judged is called.
export { type Allow, isPublicAddress, NOTHING_ALLOWED, readAllow } from './addresses.ts';
export { CAUSES, type Cause, type Refusal } from './causes.ts';
export { type Answer, createEgress, type Egress, type EgressOptions, type Message } from './egress.ts';
export {
  endpointKey,
  type Keyed,
  publicKeyText,
  type SignatureHeaders,
  type SignatureScheme,
  type Signed,
  type SigningKey,
  secretKey,
  secretText,
  signatureHeaders,
  signatureProblem,
  streamKey,
} from './signature.ts';
export type { Lookup } from './target.ts';
