// The issuing API as a whole: four declarations of one prefix, by what they ask of the caller: the secret, a session that may be idle, a
// session, a secret for events. Rule: what is served here is what docs/contract/issuing.md#endpoints lists.
import type { EventsGround } from '../../events/index.ts';
import { type AnyApi, type Api, type OnceOptions, onceFor, onceLookup } from '../../http/index.ts';
import {
  createLogin,
  eventsAuthentication,
  loginEndpoints,
  type Session,
  secretAuthentication,
  sessionAuthentication,
  stepUpEndpoints,
  type Throttle,
} from '../access/index.ts';
import { accountEndpoints } from '../accounts/index.ts';
import { availableToSpend, paymentEndpoints, rulesAbove } from '../authorization/index.ts';
import { attachedCards } from '../cards/index.ts';
import { creationEndpoints } from '../creation/index.ts';
import { issuingEnvelope, issuingReader, NO_ALIASES } from '../fields/index.ts';
import { lifeEndpoints } from '../life/index.ts';
import { optionEndpoints } from '../options/index.ts';
import { plasticEndpoints } from '../plastic/index.ts';
import { readingEndpoints } from '../reading/index.ts';
import { commitAnswer, type IssuingDeps } from '../requests/index.ts';
import { openHolds } from '../rules/index.ts';
import { secretEndpoints } from '../secrets/index.ts';
import { selfServiceEndpoints } from '../self-service/index.ts';
import { aliasesOf, type Tenant } from '../tenants/index.ts';
import { walletEndpoints } from '../tokens/index.ts';
import { transferEndpoints } from '../transfers/index.ts';
import { eventsFailure, tenantEventEndpoints } from './events-form.ts';

const DAY_MS = 86_400_000;
const PREFIX = '/issuing';

const onceOf = (deps: IssuingDeps): OnceOptions => ({
  keyed: deps.vault.keyed,
  header: 'idempotency-ref',
  keepMs: DAY_MS,
  reused: 'conflict',
});
const scopeOf = ({ tenant, user }: Session) => ({ owner: tenant.id, credential: String(user.id) });

/** For the list of scenarios: a reference under which the session has had another request to the path answered. */
export const usedRef =
  (deps: IssuingDeps) =>
  async (session: Session, path: string): Promise<string> => {
    const ref = `scenario-${deps.random.bytes(8).toString('hex')}`;
    const { owner, credential } = scopeOf(session);
    const scope = { owner, credential: `${PREFIX} ${credential}`, method: 'POST', path: PREFIX + path };
    const once = onceFor(onceOf(deps), scope, ref, ['another request']);
    await commitAnswer(deps, once, {
      name: 'scenario.answered',
      owner: owner,
      needs: [],
      decide: () => ({ status: 204, body: null, changes: [] }),
    });
    return ref;
  };

export function issuingApis(deps: IssuingDeps, throttle: Throttle, ground: EventsGround): AnyApi[] {
  const common = {
    prefix: PREFIX,
    name: 'Card Issuing API',
    description: 'Cards, managed accounts, transfers and spend rules. Amounts are in minor units.',
    envelope: issuingEnvelope,
  };
  const unasked = ['rate_limited', 'unavailable'] as const;
  const login: Api<Tenant> = {
    ...common,
    reader: issuingReader(aliasesOf),
    authentication: secretAuthentication(deps, throttle),
    failures: unasked,
    endpoints: loginEndpoints(deps, createLogin(deps)),
  };
  const reader = issuingReader(({ tenant }: Session) => aliasesOf(tenant));
  const stepUp: Api<Session> = {
    ...common,
    reader,
    authentication: sessionAuthentication(deps, throttle, 'allowed'),
    failures: [...unasked, 'forbidden'],
    endpoints: stepUpEndpoints(deps),
  };
  const main: Api<Session> = {
    ...common,
    reader,
    authentication: sessionAuthentication(deps, throttle, 'refused'),
    failures: [...unasked, 'forbidden'],
    endpoints: [
      ...creationEndpoints(deps),
      ...readingEndpoints(deps),
      ...optionEndpoints(deps, {
        rulesAbove: (card) => rulesAbove(deps, card),
        availableToSpend: (card) => availableToSpend(deps, card),
      }),
      ...secretEndpoints(deps),
      ...paymentEndpoints(deps),
      ...lifeEndpoints(deps, openHolds),
      ...plasticEndpoints(deps, openHolds),
      ...accountEndpoints(deps, attachedCards),
      ...walletEndpoints(deps),
      ...transferEndpoints(deps),
      ...selfServiceEndpoints(deps),
    ],
    turns: { turns: throttle.turns, ownerOf: ({ tenant }) => `tenant ${tenant.id}` },
    idempotency: { ...onceOf(deps), lookup: onceLookup(deps.db, deps.clock), scopeOf },
  };
  const events: Api<Tenant> = {
    ...common,
    reader: issuingReader(() => NO_ALIASES),
    authentication: eventsAuthentication(deps, throttle),
    failures: unasked,
    failureOf: eventsFailure,
    endpoints: tenantEventEndpoints({ ...deps, ground }),
    turns: { turns: throttle.turns, ownerOf: ({ id }) => `tenant ${id}` },
    idempotency: {
      ...onceOf(deps),
      lookup: onceLookup(deps.db, deps.clock),
      scopeOf: ({ id }) => ({ owner: id, credential: 'events' }),
    },
  };
  return [login, stepUp, main, events];
}
