// What is due by itself, in whichever room: found, run in turns (base/turns/fair-queue.ts), and tried again in growing waits when it fails.
// Rule: nothing that fails or takes long stands in the way of anything else; what stays due although it was run counts as failed.
import { addMs, type Clock, type FairQueue, type Job, type Log } from '../../base/index.ts';
import { causedBy, type Db } from '../commit/index.ts';
import { type DueFailure, dueFailurePut, dueFailureRemove, dueFailures } from './due-queries.ts';

/** A piece of work whose time has come. */
export interface DueItem {
  readonly owner: bigint;
  readonly id: bigint;
  readonly kind: string;
  /** When it became due: the same work at the same moment is the same item. */
  readonly at: Date;
  /** How often it has failed so far. */
  readonly tries: number;
  /** The link that it needs; null: none. */
  readonly through: string | null;
}

export interface Timeline {
  /** What the work is on: `order`. One thing has one piece of work under way, whatever timeline brings it. */
  readonly about: string;
  /** Whose it is: owners of one kind take turns by their id. */
  readonly owners: 'project' | 'tenant';
  /** How often it is looked at; absent: twice a second. */
  readonly everyMs?: number;
  /** The earliest moment behind `after` at which something will be due; null: none. */
  nextDueAt(db: Db, after: Date): Promise<Date | null>;
  /** What is due at `now` and doesn't wait after a failure, earliest first, but for these owners. */
  due(db: Db, now: Date, limit: number, except: readonly bigint[]): Promise<readonly DueItem[]>;
  /** Decides again whether it is still due. */
  run(item: DueItem): Promise<void>;
}

/** What stands on the same clock, but is found and done by others. */
export interface Beside {
  /** The earliest moment behind `after` at which some of it will be due; null: none. */
  nextDueAt(after: Date): Promise<Date | null>;
  /** Resolves when what is due now is done, or is waited for no longer. */
  settle(): Promise<void>;
}

export interface DueRunner {
  /** Everything that is due now, and what becomes due by it; resolves with the moment at which nothing more was. */
  runAll(timelines?: readonly Timeline[]): Promise<Date>;
  /** Looks for what is due until the signal. */
  watch(signal: AbortSignal): Promise<void>;
  /** Moves the clock to `target` by `move`, stopping at each moment at which something is due and running it there, in order. */
  advanceTo(move: (to: Date) => Promise<void>, target: Date, beside?: Beside): Promise<void>;
  /** What could not be run and will be tried again, longest first. */
  failing(limit: number): Promise<DueFailure[]>;
}

/** The job of one thing: as many as it is given, one is done. */
export const dueJob = (
  { about, owners }: Pick<Timeline, 'about' | 'owners'>,
  { owner, id, through }: Pick<DueItem, 'owner' | 'id' | 'through'>,
  run: () => Promise<void>,
): Job => ({ name: `${about} ${owner} ${id}`, owner: laneOf(owners, owner), through, run });

const laneOf = (owners: Timeline['owners'], owner: bigint): string => `${owners} ${owner}`;

export interface DueOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: FairQueue;
  readonly timelines: readonly Timeline[];
}

const LOOK_MS = 500;
const CROWD_MS = 20;
const BATCH = 200;
/** More of one owner is not taken from the database before some of it is done. */
const MOST_OF_ONE = 200;

/** Waits after the first failure, the second …; then the last of them. */
const WAITS_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
const LAST_WAIT_MS = 3_600_000;
/** From this try on it is an operator's task. */
const ALARM_TRIES = 6;

const NO_EFFECT = 'NO_EFFECT';

/** What kind of error it was, never its text: that may hold what the work was about. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return [code, name].find((text): text is string => typeof text === 'string' && /^\w{1,60}$/.test(text)) ?? 'Error';
}

interface Ended {
  readonly timeline: Timeline;
  readonly item: DueItem;
  /** The last one that had begun. */
  readonly look: number;
}

interface Look {
  /** Of what was found: begun now or before. */
  readonly jobs: readonly Promise<void>[];
  readonly began: boolean;
  /** Nothing is due besides. */
  readonly all: boolean;
}

/** Long: what is looked for, under way and done is one state, shared by the steps of a look. */
export function createDueRunner({ db, clock, log, queue, timelines }: DueOptions): DueRunner {
  const signatureOf = ({ kind, at }: DueItem): string => `${kind} ${at.toISOString()}`;
  /** What ended without an error, the oldest first: found again by a later look it had no effect. */
  const ended = new Map<string, Ended>();
  let looks = 0;
  /** Owners with work under way, by timeline. */
  const busy = new Map<Timeline, Set<bigint>>(timelines.map((timeline) => [timeline, new Set()]));

  async function fail(timeline: Timeline, { owner, id, kind, tries: before }: DueItem, error: unknown): Promise<void> {
    const now = clock.now();
    const tries = before + 1;
    const { about } = timeline;
    const code = error === NO_EFFECT ? NO_EFFECT : codeOf(error);
    const of = { about, id: id.toString(), kind, tries, code };
    log.error(error === NO_EFFECT ? of : { ...of, err: error }, 'work that was due failed');
    const retry_at = addMs(now, WAITS_MS[before] ?? LAST_WAIT_MS);
    const failure = { owner_id: owner, about, id, kind, tries, since: now, retry_at, code };
    try {
      const told = await dueFailurePut(db, failure);
      if (told && tries === ALARM_TRIES) log.fatal(of, 'work that is due keeps failing: an operator has to look');
    } catch (cause) {
      log.error({ err: cause, ...of }, 'a failure could not be written down');
    }
  }

  async function runOne(name: string, timeline: Timeline, item: DueItem): Promise<void> {
    try {
      await causedBy('schedule', () => timeline.run(item));
      ended.delete(name);
      ended.set(name, { timeline, item, look: looks });
    } catch (error) {
      await fail(timeline, item, error);
    }
  }

  /** An item's job: the one that is under way, a new one, or none because its owner has enough. */
  function begin(timeline: Timeline, item: DueItem, since: number): Promise<void> | null {
    const job = dueJob(timeline, item, () => runOne(job.name, timeline, item));
    const { name } = job;
    const underWay = queue.underWay(name);
    if (underWay) return underWay;
    const before = ended.get(name);
    if (before && before.look < since && signatureOf(before.item) === signatureOf(item)) {
      ended.delete(name);
      return fail(timeline, item, NO_EFFECT);
    }
    if (queue.size(job.owner) >= MOST_OF_ONE) return null;
    busy.get(timeline)?.add(item.owner);
    return queue.add(job);
  }

  /** What ended before this look and was not found by it is done: its failures are over. */
  async function forget(timeline: Timeline, since: number): Promise<void> {
    for (const [name, { timeline: of, item, look: at }] of ended) {
      if (at >= since) break;
      if (of !== timeline) continue;
      ended.delete(name);
      if (item.tries > 0) await dueFailureRemove(db, { ...item, owner_id: item.owner, about: of.about });
    }
  }

  /** Begins what it finds. */
  async function look(timeline: Timeline, now: Date): Promise<Look> {
    const since = ++looks;
    const owners = busy.get(timeline) ?? new Set();
    const sizeOf = (owner: bigint): number => queue.size(laneOf(timeline.owners, owner));
    for (const owner of owners) if (sizeOf(owner) === 0) owners.delete(owner);
    const full = [...owners].filter((owner) => sizeOf(owner) > MOST_OF_ONE / 2);
    const limit = BATCH + queue.size();
    const items = await timeline.due(db, now, limit, full);
    const underWay = queue.size();
    const jobs = items.map((item) => begin(timeline, item, since));
    await forget(timeline, since);
    return {
      jobs: jobs.filter((job) => job !== null),
      began: queue.size() > underWay,
      all: items.length < limit && full.length === 0 && !jobs.includes(null),
    };
  }

  async function watch(timeline: Timeline, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let waitMs = timeline.everyMs ?? LOOK_MS;
      try {
        const { began, all } = await look(timeline, clock.now());
        // Who comes behind a crowd doesn't wait for the next look.
        if (began && !all) waitMs = CROWD_MS;
      } catch (error) {
        log.error({ err: error, about: timeline.about }, 'what is due could not be read');
      }
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  async function runAll(of: readonly Timeline[] = timelines): Promise<Date> {
    for (;;) {
      const now = clock.now();
      const found = await Promise.all(of.map((timeline) => look(timeline, now)));
      const jobs = found.flatMap(({ jobs: those }) => those);
      if (queue.closed || (jobs.length === 0 && found.every(({ all }) => all))) return now;
      if (jobs.length === 0) await clock.sleep(LOOK_MS / 10);
      await Promise.all(jobs);
    }
  }

  return {
    runAll,
    async watch(signal) {
      await Promise.all(timelines.map((timeline) => watch(timeline, signal)));
    },
    async advanceTo(move, target, beside) {
      const stop = async (): Promise<Date> => {
        const done = await runAll();
        await beside?.settle();
        return done;
      };
      // Each stop lies behind the one before, whatever fails there.
      for (let done = await stop(); !queue.closed; done = await stop()) {
        const after = done;
        const moments = timelines.map((timeline) => timeline.nextDueAt(db, after));
        const next = earliest(await Promise.all([...moments, beside?.nextDueAt(after) ?? null]));
        if (next === null || next > target) break;
        if (next > clock.now()) await move(next);
      }
      if (target > clock.now()) await move(target);
      await stop();
    },
    failing: (limit) => dueFailures(db, clock.now(), limit),
  };
}

const earliest = (moments: readonly (Date | null)[]): Date | null =>
  moments.reduce((first, at) => (at !== null && (first === null || at < first) ? at : first), null);
