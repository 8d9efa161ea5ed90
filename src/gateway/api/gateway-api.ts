// The gateway API as a whole: its endpoints, credentials, envelope, limits and idempotency.
import type { Turns } from '../../base/index.ts';
import type { EventsGround } from '../../events/index.ts';
import { type Api, basicAuthentication, onceLookup, type Rate, type RateLimiter } from '../../http/index.ts';
import type { GatewayDeps } from '../orders/index.ts';
import { addressAllowed, type Credential, type Projects } from '../projects/index.ts';
import { gatewayEnvelope } from './envelope.ts';
import { merchantEventEndpoints } from './events-form.ts';
import { readEndpoints } from './list-endpoints.ts';
import { orderEndpoints } from './order-endpoints.ts';
import { rateEndpoints } from './rates.ts';

export interface GatewayApiOptions {
  readonly deps: GatewayDeps;
  readonly projects: Projects;
  readonly ground: EventsGround;
  readonly limiter: RateLimiter;
  /** For what reads much. */
  readonly turns: Turns;
  /** Requests of one credential; null: no limit unless the project sets one. */
  readonly rate: Rate | null;
  /** Wrong credentials of one address; null: no limit. */
  readonly failures: Rate | null;
  /** Told the address of every refused login, and which it was; null: none that could be read. */
  readonly onRefused: (remoteAddress: string, login: string | null) => void;
}

const DAY_MS = 86_400_000;

export function gatewayApi({
  deps,
  projects,
  ground,
  limiter,
  turns,
  rate,
  failures,
  onRefused,
}: GatewayApiOptions): Api<Credential> {
  return {
    prefix: '/gateway',
    name: 'Payment Gateway API',
    description:
      'Orders, card authorization, charge, reverse, refund, listings and currency rates. No link to a real acquirer exists yet: ' +
      'payments are taken in sandbox mode, and in live mode refused (402 rejected), for there is no terminal that could take them.',
    envelope: gatewayEnvelope,
    authentication: basicAuthentication({
      authenticator: (login, password, certificate) => projects.authenticate(login, password, certificate),
      failures: failures && { limiter, rate: failures },
      onRefused,
    }),
    endpoints: [
      ...orderEndpoints(deps),
      ...readEndpoints(deps),
      ...rateEndpoints(deps.db, deps.clock, deps.publicUrl),
      ...merchantEventEndpoints({ ...deps, ground }),
    ],
    allows: ({ project, rights }, right, { remoteAddress }) =>
      (right === null || rights.some((has) => has === right)) && addressAllowed(project, remoteAddress),
    strictQuery: ({ project }) => project.settings.strict_filters,
    tolerant: true,
    cardDataRefused: { ids: ['merchant_order_id', 'recurring_details.parent_order_id', 'resource', 'since', 'after'] },
    limits: {
      limiter,
      rateOf: ({ id, project }) => {
        const own = project.settings.rate_limit;
        const limit = own ? { perSecond: own.per_second, burst: own.burst } : rate;
        return limit && { key: `credential ${id}`, rate: limit };
      },
    },
    turns: { turns, ownerOf: ({ project }) => `project ${project.id}` },
    idempotency: {
      keyed: deps.vault.keyed,
      header: 'idempotency-key',
      keepMs: 7 * DAY_MS,
      reused: 'validation',
      lookup: onceLookup(deps.db, deps.clock),
      scopeOf: ({ id, project }) => ({ owner: project.id, credential: String(id) }),
    },
  };
}
