// The issuing API as a whole: three declarations of one prefix, by what they ask of the caller: the secret, a session that may be idle, a
// session. Rule: what is served here is what the contract's document and issuing-decisions.md list.
import type { AnyApi, Api } from '../http/index.ts';
import {
  createLogin,
  failureOf,
  type Limits,
  loginEndpoints,
  type Session,
  secretAuthentication,
  sessionAuthentication,
  stepUpEndpoints,
} from './access/index.ts';
import { accountEndpoints } from './accounts/index.ts';
import { availableToSpend, paymentEndpoints, rulesAbove } from './authorization/index.ts';
import { attachedCards, cardEndpoints, lifeEndpoints, walletEndpoints } from './cards/index.ts';
import { issuingEnvelope, issuingReader } from './fields/index.ts';
import type { Issuer } from './issuer/index.ts';
import { peopleEndpoints } from './people/index.ts';
import { openHolds } from './rules/index.ts';
import { aliasesOf, type Tenant } from './tenants/index.ts';
import { transferEndpoints } from './transfers/index.ts';

const DAY_MS = 86_400_000;

export function issuingApis(issuer: Issuer, limits: Limits): AnyApi[] {
  const common = {
    prefix: '/issuing',
    name: 'Card Issuing API',
    description: 'Cards, managed accounts, transfers and spend rules. Amounts are in minor units.',
    envelope: issuingEnvelope,
    failureOf,
  };
  const unasked = ['rate_limited', 'unavailable'] as const;
  const once = { keyed: issuer.vault.keyed, header: 'idempotency-ref', keepMs: DAY_MS, reused: 'conflict' } as const;
  const login: Api<Tenant> = {
    ...common,
    reader: issuingReader(aliasesOf),
    authentication: secretAuthentication(issuer, limits),
    failures: unasked,
    endpoints: loginEndpoints(issuer, createLogin(issuer)),
  };
  const reader = issuingReader(({ tenant }: Session) => aliasesOf(tenant));
  const stepUp: Api<Session> = {
    ...common,
    reader,
    authentication: sessionAuthentication(issuer, limits, 'allowed'),
    failures: [...unasked, 'forbidden'],
    endpoints: stepUpEndpoints(issuer),
  };
  const main: Api<Session> = {
    ...common,
    reader,
    authentication: sessionAuthentication(issuer, limits, 'refused'),
    failures: [...unasked, 'forbidden'],
    endpoints: [
      ...cardEndpoints(issuer, {
        rulesAbove: (card) => rulesAbove(issuer, card),
        availableToSpend: (card) => availableToSpend(issuer, card),
      }),
      ...paymentEndpoints(issuer),
      ...lifeEndpoints(issuer, openHolds),
      ...accountEndpoints(issuer, attachedCards),
      ...walletEndpoints(issuer),
      ...transferEndpoints(issuer),
      ...peopleEndpoints(issuer),
    ],
    idempotency: {
      ...once,
      scopeOf: ({ tenant, user }) => ({ owner: tenant.id, credential: String(user.id) }),
    },
  };
  return [login, stepUp, main];
}
