// Both headers: x-secret is the tenant's, Authorization-key the user's session (docs/contract/issuing.md#authentication).
// Rule: rate limit, then secret, then token, whatever the request is; nothing of it is read before.

import type { Turns } from '../../base/index.ts';
import {
  type Authentication,
  networkOf,
  type Rate,
  type RateLimiter,
  type RequestHead,
  tooMany,
} from '../../http/index.ts';
import { refuse } from '../fields/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { SecretKind, Tenant } from '../tenants/index.ts';
import type { Session } from './model.ts';
import { type Idle, sessionOf } from './sessions.ts';

export interface Throttle {
  readonly limiter: RateLimiter;
  /** For what reads much. */
  readonly turns: Turns;
  /** Requests of one tenant that has no rate of its own; null: no limit. */
  readonly rate: Rate | null;
  /** Wrong secrets of one address; null: no limit. */
  readonly failures: Rate | null;
  /** Told the address of every wrong secret. */
  readonly onRefused: (remoteAddress: string) => void;
}

const SECRET = { secret: { type: 'apiKey', in: 'header', name: 'x-secret', description: "The tenant's API secret." } };
const TOKEN = {
  token: { type: 'apiKey', in: 'header', name: 'Authorization-key', description: 'The `token` of the login response.' },
};

const headerOf = ({ headers }: RequestHead, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' && value.length <= 512 ? value : null;
};

async function tenantOf(
  deps: IssuingDeps,
  { limiter, rate, failures, onRefused }: Throttle,
  head: RequestHead,
  kind: SecretKind = 'api',
): Promise<Tenant> {
  const tenant = await deps.tenants.authenticate(headerOf(head, 'x-secret') ?? '', head.certificate, kind);
  if (!tenant) {
    onRefused(head.remoteAddress);
    const taken = failures && (await limiter.take(`issuing ${networkOf(head.remoteAddress)}`, failures));
    if (taken && !taken.allowed) throw tooMany(taken);
    throw refuse('UNAUTHORIZED');
  }
  const limit = tenant.settings.rateLimit ?? rate;
  const taken = limit && (await limiter.take(`tenant ${tenant.id}`, limit));
  if (taken && !taken.allowed) throw tooMany(taken);
  if (tenant.settings.availability === 'maintenance') throw refuse('MAINTENANCE');
  if (tenant.settings.availability === 'failing') throw new Error('this tenant is set to fail');
  return tenant;
}

/** x-secret alone: for the login. */
export const secretAuthentication = (deps: IssuingDeps, throttle: Throttle): Authentication<Tenant> => ({
  check: (head) => tenantOf(deps, throttle, head),
  schemes: SECRET,
});

const EVENTS = {
  events: {
    type: 'apiKey',
    in: 'header',
    name: 'x-secret',
    description: "A secret of the tenant's of the kind `events`.",
  },
};

/** A secret of its own alone: for what the tenant's server reads. */
export const eventsAuthentication = (deps: IssuingDeps, throttle: Throttle): Authentication<Tenant> => ({
  check: (head) => tenantOf(deps, throttle, head, 'events'),
  schemes: EVENTS,
});

export const sessionAuthentication = (deps: IssuingDeps, throttle: Throttle, idle: Idle): Authentication<Session> => ({
  check: (head) =>
    tenantOf(deps, throttle, head).then((tenant) => {
      const token = headerOf(head, 'authorization-key');
      if (token === null) throw refuse('UNAUTHORIZED');
      return sessionOf(deps, tenant, token, idle);
    }),
  schemes: { ...SECRET, ...TOKEN },
});
