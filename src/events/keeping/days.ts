// Which days there are to be, and which are over. Pure. Days are those of real time, in UTC, and of the ids that carry it.
import { addDays, addMs, dayOf, idFrom, nextMidnight } from '../../base/index.ts';
import type { Believed } from './days-queries.ts';

const DAY_MS = 86_400_000;
/** So many days are there before they begin: the chore that makes them may fail as long. */
export const AHEAD = 7;

export interface Day {
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
}

const midnight = (at: Date): Date => addDays(nextMidnight(at), -1);

/** The part of a table for the day of this moment. */
export const dayAt = (table: string, at: Date): Day => ({
  name: `${table}_d${dayOf(at).replaceAll('-', '')}`,
  from: idFrom(midnight(at)),
  to: idFrom(nextMidnight(at)),
});

/** Today's, and those that come. */
export const daysAhead = (table: string, now: Date, ahead: number): Day[] =>
  Array.from({ length: ahead + 1 }, (_, i) => dayAt(table, addDays(now, i)));

/** The first day that is kept: days before it are over. None is kept for less than `days` times 24 hours. */
export const keptFrom = (now: Date, days: number): Date => midnight(addDays(now, -days));

export const isOver = (name: string, table: string, from: Date): boolean => name < dayAt(table, from).name;

/**
 * The clock as it is looked at now. One that has leapt may be wrong, and nobody can tell it from a server that was off: for a day nothing is
 * dropped then. So whoever set a clock wrong has a day to see it, and whoever was off for a month a day to be told what waits.
 */
export function believed(before: Believed | null, now: Date): Believed {
  if (before === null) return { looked_at: now, drops_from: now };
  const { looked_at, drops_from } = before;
  const gapMs = now.getTime() - looked_at.getTime();
  const latest = addMs(now, DAY_MS);
  if (gapMs > DAY_MS || drops_from > latest) return { looked_at: now, drops_from: latest };
  return { looked_at: now, drops_from };
}
