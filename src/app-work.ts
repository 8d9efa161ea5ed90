// What runs beside requests: what is due by itself, chores, and proofs. Rule: neither waits for the other, and a chore that fails or takes long
// keeps no other from its time.

import { AGENT, type Common } from './app-common.ts';
import type { Chores, Half } from './app-half.ts';
import { addMs, type Clock, type FairQueue, type Log, type Permutation, systemClock } from './base/index.ts';
import {
  createSlots,
  type Delivery,
  type Desks,
  deliverToEndpoints,
  type EndpointsDesk,
  eventFigures,
  triesTo,
} from './events/index.ts';
import type { Metrics } from './http/index.ts';
import { purgeIdempotency, purgeRates } from './http/index.ts';
import { type Checked, createProver, ledgerAuditor, type Proof } from './ledger/index.ts';
import { binsLoad } from './network/index.ts';
import { auditAnchors } from './operator/index.ts';
import { type Awaited, createRetries, type SandboxClock, type Senders } from './sandbox/index.ts';
import {
  createDueRunner,
  type Database,
  type DueFailure,
  type DueRunner,
  dueFailureCounts,
  dueFailuresPurge,
  purgeCommitGroups,
} from './store/index.ts';

export interface DueWorkOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly permutation: Permutation;
  readonly queue: FairQueue;
  readonly halves: readonly Half[];
  /** Those who send events; null: nobody here does. */
  readonly senders: Senders | null;
}

export interface DueWork extends Pick<DueRunner, 'runAll' | 'watch'> {
  /** What fails, longest first: by the names and ids of the outside, and nothing of what an error said. */
  failing(limit: number): Promise<readonly object[]>;
  /** Moves the clock and runs what is due on the way; what could not be run, at most a hundred. */
  advanceTo(clock: SandboxClock, target: Date): Promise<readonly object[]>;
}

export function dueWork({ database, metrics, permutation, halves, senders, ...options }: DueWorkOptions): DueWork {
  const timelines = halves.flatMap((half) => half.timelines);
  const runner = createDueRunner({ ...options, timelines, db: database });
  metrics.dueFailures(() => dueFailureCounts(database, options.clock.now()));
  const nameOf = async (about: string, id: bigint, owner: bigint): Promise<object> => ({
    about,
    id: permutation.outward(id),
    ...Object.assign({}, ...(await Promise.all(halves.map((half) => half.ownerOf(about, owner))))),
  });
  const shown = async ({ owner_id, about, id, kind, tries, since, retry_at, code }: DueFailure): Promise<object> => ({
    ...(await nameOf(about, id, owner_id)),
    kind,
    tries,
    since,
    next_try_at: retry_at,
    code,
  });
  const failing = async (limit: number): Promise<readonly object[]> =>
    Promise.all((await runner.failing(limit)).map(shown));
  /** A receiver that is still being waited for, though the clock has gone on. */
  const leftBehind = async ({ owner_id, webhook_id, due_at }: Awaited): Promise<object> => ({
    ...(await nameOf('webhook', webhook_id, owner_id)),
    kind: 'delivery',
    tries: 1,
    since: due_at ?? options.clock.now(),
    next_try_at: options.clock.now(),
    code: 'TOO_SLOW',
  });
  return {
    ...runner,
    failing,
    async advanceTo(clock, target) {
      const retries = senders && createRetries({ senders, time: systemClock, business: options.clock });
      await runner.advanceTo(clock.step, target, retries ?? undefined);
      // Nothing more is changed; but the others are where this one is before the caller hears of it.
      await clock.change(() => undefined);
      const left = await Promise.all((retries?.left() ?? []).map(leftBehind));
      return [...left, ...(await failing(100))].slice(0, 100);
    },
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What both halves leave behind is put in order; of several processes by one. */
export const commonChores = ({ database, clock, keyed, vault, keeping }: Common): Chores => ({
  keys: () => vault.destroyExpiredKeys(clock.now()),
  async sealing(signal) {
    while ((await vault.rewrap(500)) > 0 && !signal.aborted);
  },
  idempotency: () => purgeIdempotency(database, clock.now()),
  // By real time: moving the sandbox's clock makes no group forgotten.
  groups: () => purgeCommitGroups(database, addMs(systemClock.now(), -DAY_MS)),
  due: () => dueFailuresPurge(database, clock.now()),
  throttles: () => purgeRates(database),
  events: (signal) => keeping.keep(signal),
  anchors: every(10 * MINUTE_MS, null, auditAnchors({ database, keyed, clock })),
});

/** What each process has in its memory: what another one's operator said, and what it has counted itself. */
export const ownChores = ({ database, clock, rates, refusals }: Common): Chores => ({
  rates: () => rates.reload(clock.now()),
  ranges: () => binsLoad(database),
  refusals: async () => refusals.tell(),
});

/** A chore of real time; at once when it was never done. */
function every(ms: number, doneAt: Date | null, work: () => Promise<unknown>): () => Promise<unknown> {
  let last = doneAt;
  return async () => {
    const time = systemClock.now();
    if (last !== null && time < addMs(last, ms)) return;
    last = time;
    await work();
  };
}

/** A chore of once a day; it was done when the server began to listen. */
export const daily = (work: () => Promise<unknown>): (() => Promise<unknown>) => every(DAY_MS, systemClock.now(), work);

/** Does each chore every minute of real time, until the signal. */
export async function runChores(chores: Chores, { clock, log }: Common, signal: AbortSignal): Promise<void> {
  await Promise.all(
    Object.entries(chores).map(async ([chore, work]) => {
      while (!signal.aborted) {
        await work(signal).catch((error: unknown) => log.error({ err: error, chore }, 'a chore failed'));
        await clock.sleep(MINUTE_MS, signal).catch(() => undefined);
      }
    }),
  );
}

/** The chore that deletes what must not be kept runs every minute. */
const OVERDUE_MS = 2 * MINUTE_MS;

/** A check, whoever made it. */
type Found = Pick<Checked, 'id' | 'ok'> & { readonly violations: readonly unknown[] };

export interface Proofs {
  /** `full`: the whole history in one go; else what has changed since it was proved. */
  prove(full: boolean): Promise<Proof>;
  /** The operator is told which of these checks have become wrong. */
  told(checks: readonly Found[]): Promise<void>;
  readonly chores: Chores;
}

/** The invariants of the ledger and of each half, and that nothing is kept which must not be. */
export function openProofs({ database, clock, log, vault, metrics, alarms }: Common, halves: readonly Half[]): Proofs {
  const auditors = [ledgerAuditor, ...halves.map(({ auditor }) => auditor)];
  const prover = createProver({ database, clock, time: systemClock, log, auditors });
  metrics.proofs(prover);
  const overdueCvvs = async (): Promise<Checked> => {
    const overdue = await vault.overdueCvvs(addMs(clock.now(), -OVERDUE_MS));
    const violations = overdue === 0n ? [] : [{ cvvs: String(overdue) }];
    return { id: 'no_cvv_overdue', ok: overdue === 0n, violations };
  };
  const told = (checks: readonly Found[]): Promise<void> =>
    alarms.standing(
      'invariant.violated',
      checks.filter(({ ok }) => !ok).map((check) => ({ name: check.id, state: 'violated', object: check })),
      checks.map(({ id }) => id),
    );
  async function prove(full: boolean): Promise<Proof> {
    const [cvvs, proof] = await Promise.all([overdueCvvs(), full ? prover.full() : prover.quick()]);
    return { ...proof, checks: [...proof.checks, cvvs] };
  }
  /** What is wrong is asked again, so that the operator is told what it is. */
  const telling =
    (work: (signal: AbortSignal) => Promise<void>) =>
    async (signal: AbortSignal): Promise<void> => {
      await work(signal);
      if (!signal.aborted && (await prover.violated()) > 0n) await told((await prove(false)).checks);
    };
  return {
    prove,
    told,
    chores: { changed: notAtOnce(telling(prover.changed)), slices: notAtOnce(telling(prover.slices)) },
  };
}

/** A server that has just started has more to do than to prove the past. */
function notAtOnce(work: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
  let started = false;
  return async (signal) => {
    if (started) await work(signal);
    started = true;
  };
}

/** Those who send, as whoever moves the clock sees them: what was committed before has its position by then. */
export const sendersOf = ({ numbering }: Common, delivery: Delivery): Senders => ({
  press: delivery.press,
  async awaited(now) {
    await numbering.settle();
    return delivery.awaited(now);
  },
});

/** What sends events to the endpoints of all owners whose halves are open, and to the operator's own. */
export function deliveryOf(common: Common, halves: readonly Half[], own: EndpointsDesk): Delivery {
  const { database, endpoints, metrics, options } = common;
  const time = options.realTime ?? systemClock;
  const slots = createSlots();
  const count = metrics.events({ figures: () => eventFigures({ database, time, endpoints }), slots });
  const desks: Desks = new Map([
    ...halves.map(({ endpointsOf: { type, desk } }) => [type, desk] as const),
    ['operator', async () => own] as const,
  ]);
  return deliverToEndpoints({
    ...common,
    desks,
    slots,
    figures: triesTo(count, time),
    agent: AGENT,
  });
}
