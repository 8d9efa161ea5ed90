// authorization: what issued cards are asked to pay, what was decided and why, and what became of it.
// Owns authorizations, authorization_messages and used_cavvs.
export { authorizationTimelines } from './due.ts';
export { type AskedBeside, type Authorizer, createAuthorizer } from './host.ts';
export { authorizationInvariants } from './invariants.ts';
export { merchantWire, presenting } from './merchant.ts';
export type { Authorization, AuthorizationState, Merchant } from './model.ts';
export type {
  AuthorizationPorts,
  CavvClaim,
  Forward,
  Forwarded,
  ForwardRequest,
  VerifyCavv,
} from './ports.ts';
export { availableToSpend, decisionsOf, paymentsOf, paymentView, rulesAbove } from './read.ts';
export { paymentEndpoints } from './routes.ts';
export { authorizationSimulatorEndpoints } from './simulator-routes.ts';
