// The operator's secret (RFC 6750). Rule: it is compared in constant time, and nothing is never a secret.
import { createHash, timingSafeEqual } from 'node:crypto';
import { assert } from '../base/index.ts';
import {
  type Authentication,
  Failure,
  networkOf,
  type Operator,
  type Rate,
  type RateLimiter,
  tooMany,
} from '../http/index.ts';

export interface BearerOptions {
  /** Any of them is right: two while the secret is being changed. */
  readonly secrets: readonly string[];
  /** Wrong secrets from one address beyond this rate are 429 instead of 401; null: no limit. */
  readonly failures: { readonly limiter: RateLimiter; readonly rate: Rate } | null;
  /** Told of every 401, so no more often than the rate. */
  readonly onRefused?: (remoteAddress: string) => void;
}

const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `Authorization: Bearer …` (RFC 6750), compared in constant time. */
export function bearerAuthentication({ secrets, failures, onRefused }: BearerOptions): Authentication<Operator> {
  assert(
    secrets.every((secret) => BEARER.test(`Bearer ${secret}`)),
    "an operator's secret can be sent as a bearer token",
  );
  const known = secrets.map(digest);
  const operator: Operator = { name: 'operator' };
  return {
    async check({ headers, remoteAddress }) {
      const token = BEARER.exec(headers.authorization ?? '')?.[1];
      const given = digest(token ?? '');
      let right = false;
      for (const secret of known) right = timingSafeEqual(secret, given) || right;
      // Nothing is never a secret, whatever the secrets are.
      if (right && token !== undefined) return operator;
      const taken = await failures?.limiter.take(`operator ${networkOf(remoteAddress)}`, failures.rate);
      if (taken && !taken.allowed) throw tooMany(taken);
      onRefused?.(remoteAddress);
      throw new Failure('unauthenticated');
    },
    schemes: { operator: { type: 'http', scheme: 'bearer', description: "The operator's secret." } },
  };
}
