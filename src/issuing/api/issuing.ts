// The issuing side as app.ts puts it together: its APIs, its part of the simulator, what it has due.

import type { EventsGround } from '../../events/index.ts';
import type { AnyApi, AnyEndpoint, OperatorEndpoint } from '../../http/index.ts';
import type { Auditor } from '../../ledger/index.ts';
import type { IssuerHost } from '../../network/index.ts';
import type { Timeline } from '../../store/index.ts';
import { messageEndpoints, purgeMessages, purgeSessions, type Throttle } from '../access/index.ts';
import { depositEndpoints } from '../accounts/index.ts';
import {
  type AuthorizationPorts,
  authorizationSimulatorEndpoints,
  authorizationTimelines,
  createAuthorizer,
  decisionsOf,
} from '../authorization/index.ts';
import {
  type ChallengeName,
  challengeEndpoints,
  checkCode,
  endChallenges,
  enrol,
  fallBack,
  resend,
  stateOf,
} from '../challenges/index.ts';
import { type OperatorOptions, operatorEndpoints } from '../operator/index.ts';
import { authorizationAuditor } from '../payments/index.ts';
import { cardTimeline } from '../plastic/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { openHolds } from '../rules/index.ts';
import { issuingScenarios } from '../scenarios/index.ts';
import { purgeReveals } from '../secrets/index.ts';
import { walletDeviceEndpoints } from '../tokens/index.ts';
import { operatedTenantEvents, tenantDesk } from './events-form.ts';
import { issuingApis, usedRef } from './issuing-api.ts';

/** The issuing side as 3-D Secure asks it. */
export interface CardholderAuthentication {
  enrol(payment: Parameters<typeof enrol>[1]): ReturnType<typeof enrol>;
  check(of: ChallengeName, code: string): ReturnType<typeof checkCode>;
  state(of: ChallengeName): ReturnType<typeof stateOf>;
  resend(of: ChallengeName): ReturnType<typeof resend>;
  fallBack(of: ChallengeName): ReturnType<typeof fallBack>;
}

export interface Issuing {
  readonly cardholders: CardholderAuthentication;
  /** Answers the network for the cards that are issued here. */
  readonly host: IssuerHost;
  readonly auditor: Auditor;
  readonly apis: readonly AnyApi[];
  /** Below /operator. */
  readonly operator: readonly OperatorEndpoint[];
  /** Below /simulator, sandbox mode only. */
  readonly simulator: readonly AnyEndpoint<unknown>[];
  readonly timelines: readonly Timeline[];
  /** One request for each documented error. */
  scenarios(): Promise<readonly object[]>;
  /** What was decided on the messages with these references: each payment with every check, as its cardholder sees it. */
  decisionsOf(references: readonly string[]): Promise<readonly object[]>;
  /** Deletes what is over; to be run every minute. */
  purge(): Promise<void>;
}

export interface IssuingOptions {
  readonly deps: IssuingDeps;
  readonly throttle: Throttle;
  readonly operator: Omit<OperatorOptions, 'deps'>;
  readonly ports: AuthorizationPorts;
  readonly ground: EventsGround;
}

/** One after the other: a scenario's stage is taken from an earlier one, and half of one is none. */
function inTurn<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

export function createIssuing({ deps, throttle, operator, ports, ground }: IssuingOptions): Issuing {
  const authorizer = createAuthorizer(deps, ports);
  return {
    host: authorizer,
    auditor: authorizationAuditor,
    cardholders: {
      enrol: (payment) => enrol(deps, payment),
      check: (of, code) => checkCode(deps, of, code),
      state: (of) => stateOf(deps, of),
      resend: (of) => resend(deps, of),
      fallBack: (of) => fallBack(deps, of),
    },
    apis: issuingApis(deps, throttle, ground),
    operator: [
      ...operatorEndpoints({ ...operator, deps }),
      ...operatedTenantEvents({ ...deps, ground }, { changes: operator.changes, tenants: deps.tenants }),
    ],
    simulator: [
      ...depositEndpoints(deps),
      ...messageEndpoints(deps),
      ...challengeEndpoints(deps),
      ...walletDeviceEndpoints(deps),
      ...authorizationSimulatorEndpoints(deps, authorizer),
    ],
    timelines: [cardTimeline(deps, openHolds), ...authorizationTimelines(deps)],
    scenarios: inTurn(() =>
      issuingScenarios(deps, authorizer, usedRef(deps), (tenant) => tenantDesk({ ...deps, ground }, tenant)),
    ),
    decisionsOf: (references) => decisionsOf(deps, references),
    async purge() {
      await Promise.all([purgeSessions(deps), purgeMessages(deps), purgeReveals(deps), endChallenges(deps)]);
    },
  };
}
