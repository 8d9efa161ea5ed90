// What runs beside requests: what is due by itself, and chores. Rule: neither waits for the other, and a chore that fails or takes long
// keeps no other from its time.
import { addMs, type Clock, type FairQueue, fairQueue, type Log, type Permutation, systemClock } from './base/index.ts';
import type { Metrics } from './http/index.ts';
import { purgeIdempotency } from './http/index.ts';
import { binsLoad } from './network/index.ts';
import type { SandboxClock } from './sandbox/index.ts';
import {
  createDueRunner,
  type Database,
  type DueFailure,
  type DueRunner,
  dueFailureCounts,
  dueFailuresPurge,
  purgeCommitGroups,
  type Timeline,
} from './store/index.ts';

/** Enough at once to fill a commit group; of what waits for a link only so much that others have room on it and beside it. */
export const dueQueue = (): FairQueue => fairQueue({ atOnce: 64, perOwner: 32, perThrough: 48, perOwnerThrough: 16 });

export interface DueWorkOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly permutation: Permutation;
  readonly queue: FairQueue;
  readonly timelines: readonly Timeline[];
  /** Of owners, as an operator knows them. */
  readonly names: {
    readonly project: (id: bigint) => Promise<{ readonly login: string } | null>;
    readonly tenant: (id: bigint) => Promise<{ readonly name: string } | null>;
  };
}

export interface DueWork extends Pick<DueRunner, 'runAll' | 'watch'> {
  /** What fails, longest first: by the names and ids of the outside, and nothing of what an error said. */
  failing(limit: number): Promise<readonly object[]>;
  /** Moves the clock and runs what is due on the way; what could not be run, at most a hundred. */
  advanceTo(clock: SandboxClock, target: Date): Promise<readonly object[]>;
}

export function dueWork({ database, metrics, permutation, names, ...options }: DueWorkOptions): DueWork {
  const runner = createDueRunner({ ...options, db: database });
  metrics.dueFailures(() => dueFailureCounts(database, options.clock.now()));
  const shown = async ({ project_id, about, id, kind, tries, since, retry_at, code }: DueFailure): Promise<object> => ({
    about,
    id: permutation.outward(id),
    ...(about === 'order'
      ? { project: (await names.project(project_id))?.login ?? null }
      : { tenant: (await names.tenant(project_id))?.name ?? null }),
    kind,
    tries,
    since,
    next_try_at: retry_at,
    code,
  });
  const failing = async (limit: number): Promise<readonly object[]> =>
    Promise.all((await runner.failing(limit)).map(shown));
  return {
    ...runner,
    failing,
    async advanceTo(clock, target) {
      await runner.advanceTo(clock.step, target);
      // Nothing more is changed; but the others are where this one is before the caller hears of it.
      await clock.change(() => undefined);
      return failing(100);
    },
  };
}

export interface ChoresOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly vault: { destroyExpiredKeys(now: Date): Promise<unknown>; rewrap(limit: number): Promise<number> };
  readonly risk: { purge(now: Date): Promise<void> };
  readonly rates: { reload(now: Date): Promise<void> };
  readonly issuing: { purge(): Promise<void> };
  readonly refusals: { tell(): void };
  readonly checkPages: () => Promise<unknown>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Keeps the house in order until the signal: each chore every minute of real time, the pages are looked at once a day. */
export async function runChores(options: ChoresOptions, signal: AbortSignal): Promise<void> {
  const { database, clock, log, vault, risk, rates, issuing, refusals, checkPages } = options;
  // They were looked at when the server began to listen.
  let pagesSeenAt = systemClock.now();
  const chores: Readonly<Record<string, () => Promise<unknown>>> = {
    async pages() {
      const time = systemClock.now();
      if (time < addMs(pagesSeenAt, DAY_MS)) return;
      pagesSeenAt = time;
      await checkPages();
    },
    keys: () => vault.destroyExpiredKeys(clock.now()),
    async sealing() {
      while ((await vault.rewrap(500)) > 0 && !signal.aborted);
    },
    idempotency: () => purgeIdempotency(database, clock.now()),
    risk: () => risk.purge(clock.now()),
    // By real time: moving the sandbox's clock makes no group forgotten.
    groups: () => purgeCommitGroups(database, addMs(systemClock.now(), -DAY_MS)),
    due: () => dueFailuresPurge(database, clock.now()),
    rates: () => rates.reload(clock.now()),
    // What another server's operator said of them.
    ranges: () => binsLoad(database),
    issuing: () => issuing.purge(),
    refusals: async () => refusals.tell(),
  };
  await Promise.all(
    Object.entries(chores).map(async ([chore, work]) => {
      while (!signal.aborted) {
        await work().catch((error: unknown) => log.error({ err: error, chore }, 'a chore failed'));
        await clock.sleep(MINUTE_MS, signal).catch(() => undefined);
      }
    }),
  );
}
