// What a half of Florin is to those who serve it, run it and prove it. Types only.
// Rule: a half stands alone. What it asks of the other one is a port that may be empty.
import type { EndpointsDesk, OwnerType } from './events/index.ts';
import type { AnyApi, OperatorEndpoint } from './http/index.ts';
import type { Auditor } from './ledger/index.ts';
import type { PageDifference } from './operator/index.ts';
import type { Timeline } from './store/index.ts';

export type HalfName = 'gateway' | 'issuing';

/** By name: what is done every minute, until the signal. */
export type Chores = Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;

/** One half of Florin, open. Nothing of it runs before the server listens. */
export interface Half {
  readonly apis: readonly AnyApi[];
  /** Below /operator. */
  readonly operator: readonly OperatorEndpoint[];
  /** Below /simulator, sandbox mode only. */
  readonly simulator: readonly OperatorEndpoint[];
  /** One request for each documented error. */
  scenarios(): Promise<readonly object[]>;
  readonly timelines: readonly Timeline[];
  /** What a process that died has left: run once before the first request, too. */
  readonly orphans: readonly Timeline[];
  /** Whose is what is due, as an operator knows him: `{ project: 'sandbox' }`. Empty: it is not of this half. */
  ownerOf(about: string, owner: bigint): Promise<object>;
  /** The endpoints of an owner, as its API shows them; null: there is no such owner. */
  readonly endpointsOf: {
    readonly type: OwnerType;
    readonly desk: (owner: bigint) => Promise<EndpointsDesk | null>;
  };
  readonly auditor: Auditor;
  readonly chores: Chores;
  /** Pages beside the APIs. */
  servePages(): Promise<void>;
  /** Looks at them as they are served: every difference to how they were written. */
  checkPages(): Promise<readonly PageDifference[]>;
  /** Makes what is missing of the sandbox's data. */
  seed(): Promise<void>;
  /** Credentials that everybody knows from the sandbox: a live server doesn't start with them. */
  sandboxSecrets(): Promise<readonly string[]>;
}
