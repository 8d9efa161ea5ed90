// The issuing side as app.ts puts it together: its APIs, its part of the simulator, what it has due.
import type { AnyApi, AnyEndpoint } from '../http/index.ts';
import type { Timeline } from '../store/index.ts';
import { type Limits, messageEndpoints, purgeMessages, purgeSessions } from './access/index.ts';
import { depositEndpoints } from './accounts/index.ts';
import { cardsNextDueAt, cardsRunDue, purgeReveals } from './cards/index.ts';
import type { Issuer } from './issuer/index.ts';
import { type IssuingOffice, operatorEndpoints } from './operator/index.ts';
import { issuingApis } from './routes.ts';
import { openHolds } from './rules/index.ts';
import { issuingScenarios } from './scenarios/index.ts';

export interface Issuing {
  readonly apis: readonly AnyApi[];
  /** Below /operator. */
  readonly operator: readonly AnyEndpoint<{ readonly name: string }>[];
  /** Below /simulator, sandbox mode only. */
  readonly simulator: readonly AnyEndpoint<unknown>[];
  readonly timelines: readonly Timeline[];
  /** One request for each documented error. */
  scenarios(): Promise<readonly object[]>;
  /** Deletes what is over; to be run every minute. */
  purge(): Promise<void>;
}

export interface IssuingOptions {
  readonly issuer: Issuer;
  readonly limits: Limits;
  readonly office: Omit<IssuingOffice, 'issuer'>;
}

export function createIssuing({ issuer, limits, office }: IssuingOptions): Issuing {
  return {
    apis: issuingApis(issuer, limits),
    operator: operatorEndpoints({ ...office, issuer }),
    simulator: [...depositEndpoints(issuer), ...messageEndpoints(issuer)],
    timelines: [{ nextDueAt: cardsNextDueAt, runDue: () => cardsRunDue(issuer, openHolds) }],
    scenarios: () => issuingScenarios(issuer),
    async purge() {
      await Promise.all([purgeSessions(issuer), purgeMessages(issuer), purgeReveals(issuer)]);
    },
  };
}
