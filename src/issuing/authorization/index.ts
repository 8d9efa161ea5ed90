// authorization: what issued cards are asked to pay, what was decided and why, and what became of it.
// Owns authorizations, authorization_messages and used_cavvs.
export { type Asked, CHECKS, type Check, type Decision, decide, type State, type Step } from './pipeline.ts';
export { feeOn } from './pricing.ts';
export { REASONS, type Reason } from './reasons.ts';
