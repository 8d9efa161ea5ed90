// authorization: the host that answers the network for issued cards: purchases, what follows them, the tenant's word, holds that end.
// Owns no table. Rule: hold first, then ask; a repeated reference is answered as before and changes nothing.
export { authorizationTimelines } from './due.ts';
export { type AskedBeside, type Authorizer, createAuthorizer } from './host.ts';
export { merchantWire, presenting } from './merchant.ts';
export type {
  AuthorizationPorts,
  CavvClaim,
  Forward,
  Forwarded,
  ForwardRequest,
  VerifyCavv,
} from './ports.ts';
export { availableToSpend, decisionsOf, paymentsOf, rulesAbove } from './read.ts';
export { paymentEndpoints } from './routes.ts';
export { authorizationSimulatorEndpoints } from './simulator-routes.ts';
