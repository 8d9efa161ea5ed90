// How long events are kept (docs/adr/0026-events-are-kept-by-days.md): days are made ahead, and what is over goes with all that tells of it.
// Rule: nobody waits for it. Rows go in small chunks of one owner, whole days by a lock that is waited for a moment and tried again later.
import { addDays, type Clock, type Log } from '../../base/index.ts';
import type { Database } from '../../store/index.ts';
import { attemptsBesideForget, deliveriesForget, replaysForget } from '../delivery/index.ts';
import { eventsBesideForget, logForget, ownersAfter } from '../log/index.ts';
import { AHEAD, believed, type Day, dayAt, daysAhead, isOver, keptFrom } from './days.ts';
import { anyBeside, clockLook, dayDrop, dayMake, daysOf, dayTakeOut, PARTED, type Parted } from './days-queries.ts';

export interface KeepingOptions {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Real time: days are of it. */
  readonly time: Clock;
  /** Of replays' ends. */
  readonly business: Clock;
  readonly log: Log;
  /** How long events are kept. */
  readonly days: number;
}

export interface Keeping {
  /** Makes the days that are missing, so many ahead. Never throws: where there is none, rows lie beside the days. */
  makeDays(ahead?: number): Promise<void>;
  /** A chore: makes days, and takes away what is over. */
  keep(signal: AbortSignal): Promise<void>;
}

const CHUNK = 500;
const OWNERS = 200;
/** Others held the lock. */
const LOCKED = '55P03';
const TRIES = 3;
const AGAIN_MS = 200;

/** Long: what was taken away already is one state. */
export function createKeeping({ database, time, business, log, days }: KeepingOptions): Keeping {
  /** All of it that lies before is gone, but for days that are held. */
  let emptyTo: bigint | null = null;

  /** Again, where others held the lock; false: they still do. */
  async function unlocked(what: string, change: () => Promise<void>): Promise<boolean> {
    for (let tries = 1; ; tries++)
      try {
        await change();
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCKED) throw error;
        if (tries === TRIES) {
          log.warn({ what }, 'a day of events is held by somebody; the next look tries again');
          return false;
        }
        await time.sleep(AGAIN_MS);
      }
  }

  async function makeMissing(parted: Parted, ahead: number): Promise<void> {
    const there = new Set((await daysOf(database, parted)).map(({ name }) => name));
    const missing = daysAhead(parted.table, time.now(), ahead).filter(({ name }) => !there.has(name));
    for (const day of missing) if (!(await makeOne(parted, day))) return;
  }

  async function makeOne(parted: Parted, { name, from, to }: Day): Promise<boolean> {
    // What came before its day was made stays where it is, and the rest of that day with it.
    if (await anyBeside(database, parted, from, to)) return true;
    return unlocked(name, () => dayMake(database, parted, name, { from, to }));
  }

  async function makeDays(ahead = AHEAD): Promise<void> {
    for (const parted of PARTED)
      await makeMissing(parted, ahead).catch((error: unknown) =>
        log.warn(
          { err: error, table: parted.table },
          'days of events could not be made; rows lie beside them meanwhile',
        ),
      );
  }

  /** Chunks, with a rest as long as each took; false: it shall stop. */
  async function inChunks(forget: (limit: number) => Promise<number>, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const began = time.elapsed();
      if ((await forget(CHUNK)) < CHUNK) return true;
      await time.sleep(time.elapsed() - began, signal).catch(() => undefined);
    }
  }

  /** What lies beside days that are over; null: nothing. */
  async function besides(before: bigint): Promise<readonly ((owner: bigint, limit: number) => Promise<number>)[]> {
    const forgets = { events: eventsBesideForget, webhook_attempts: attemptsBesideForget };
    const found = await Promise.all(PARTED.map((parted) => anyBeside(database, parted, 0n, before)));
    return Object.values(forgets)
      .filter((_, i) => found[i])
      .map((forget) => (owner, limit) => forget(database, owner, before, limit));
  }

  /** All that tells of events before; false: it was stopped on the way. */
  async function forgetRows(before: bigint, signal: AbortSignal): Promise<boolean> {
    const ended = addDays(business.now(), -days);
    const forgets = [
      (owner: bigint, limit: number) => logForget(database, owner, before, limit),
      (owner: bigint, limit: number) => deliveriesForget(database, owner, before, limit),
      (owner: bigint, limit: number) => replaysForget(database, owner, ended, limit),
      ...(await besides(before)),
    ];
    for (let owners = await ownersAfter(database, -1n, OWNERS); owners.length > 0; ) {
      for (const owner of owners)
        for (const forget of forgets) if (!(await inChunks((limit) => forget(owner, limit), signal))) return false;
      owners = await ownersAfter(database, owners.at(-1) as bigint, OWNERS);
    }
    return true;
  }

  /** Whole days; false: one is held. */
  async function dropDays(parted: Parted, from: Date): Promise<boolean> {
    let all = true;
    for (const { name, part } of await daysOf(database, parted)) {
      if (!isOver(name, parted.table, from)) continue;
      const out = !part || (await unlocked(name, () => dayTakeOut(database, parted, name)));
      if (out) await unlocked(name, () => dayDrop(database, parted, name));
      else all = false;
    }
    return all;
  }

  return {
    makeDays,
    async keep(signal) {
      await makeDays();
      const now = time.now();
      const { drops_from } = await clockLook(database, (before) => believed(before, now));
      if (now < drops_from) return;
      const from = keptFrom(now, days);
      const before = dayAt('events', from).from;
      if (emptyTo === before) return;
      // First what tells of events, and what notes that they are gone; then they themselves.
      if (!(await forgetRows(before, signal))) return;
      const dropped = await Promise.all(PARTED.map((parted) => dropDays(parted, from)));
      if (dropped.every(Boolean)) emptyTo = before;
    },
  };
}
