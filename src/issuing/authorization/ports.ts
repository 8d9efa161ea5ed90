// What this room asks of the outside: who checks an authentication value, who asks the tenant. app.ts supplies them.
// Rule: a port answers and never throws a business outcome; whatever it does, the issuer's word is what was committed.
import type { Money, Pan } from '../../base/index.ts';

/** Was this value made by our access control server for just this payment? */
export interface CavvClaim {
  readonly pan: Pan;
  readonly amount: Money;
  readonly dsTransId: string;
  readonly eci: string;
  readonly cavv: string;
  readonly merchantId: string;
  readonly merchantName: string;
}
export type VerifyCavv = (claim: CavvClaim) => boolean;

/** What a tenant is told of a payment on one of its cards. Ids as the outside sees them; no card number. */
export interface ForwardRequest {
  readonly url: string;
  readonly secret: string;
  /** The authorization: the message's id. */
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}
/** `decision` null: no answer that can be used, and why. */
export interface Forwarded {
  readonly decision: 'APPROVE' | 'DECLINE' | null;
  readonly cause: string;
}
export type Forward = (request: ForwardRequest) => Promise<Forwarded>;

export interface AuthorizationPorts {
  readonly verifyCavv: VerifyCavv;
  readonly forward: Forward;
}
