// Sliding counts and sums: what is wanted, how a payment adds to them, how they are read. Buckets of a minute for short windows,
// of an hour for long ones.
// Rule: a window covers at least what it says and at most one bucket more, so that nobody slips through between two buckets.
import { addMs } from '../../base/index.ts';
import { type Change, type Db, together } from '../../store/index.ts';
import type { Dimension, Keys } from './facts.ts';
import { type Counted, type CounterWanted, counterAdd, countersDelete, countersTotal } from './queries.ts';

export interface Window {
  readonly dimension: Dimension;
  readonly ms: number;
}

/** What was counted before the payment at hand. A window that was not loaded counts nothing. */
export type Counters = (dimension: Dimension, ms: number) => Counted;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Windows up to this are counted by the minute. */
const SHORT_MS = 2 * HOUR_MS;
/** The longest window. */
export const LONGEST_MS = 31 * DAY_MS;

/** Seconds of the buckets that serve a window. */
const SPANS = [60, 3600] as const;
const spanOf = (ms: number): (typeof SPANS)[number] => (ms <= SHORT_MS ? 60 : 3600);
const floor = (atMs: number, span: number): Date => new Date(Math.floor(atMs / (span * 1000)) * span * 1000);

const NOTHING: Counted = { count: 0n, sum: 0n };

interface Wanted extends CounterWanted {
  readonly window: Window;
}

/** The counters that these windows need for this payment, each once, up to the bucket of now. */
export function wantedOf(keys: Keys, windows: readonly Window[], now: Date): Wanted[] {
  const wanted: Wanted[] = [];
  for (const window of windows) {
    const { dimension, ms } = window;
    const keyHash = keys.get(dimension);
    if (keyHash === undefined || wanted.some((known) => isSame(known.window, dimension, ms))) continue;
    const span = spanOf(ms);
    wanted.push({
      window,
      dimension,
      keyHash,
      span,
      since: floor(now.getTime() - ms, span),
      until: floor(now.getTime(), span),
    });
  }
  return wanted;
}

const isSame = (window: Window, dimension: Dimension, ms: number): boolean =>
  window.ms === ms && window.dimension === dimension;

/** Totals, in the order of what was wanted, as the rules look them up. */
export function countersFrom(wanted: readonly Wanted[], totals: readonly Counted[]): Counters {
  return (dimension, ms) => totals[wanted.findIndex(({ window }) => isSame(window, dimension, ms))] ?? NOTHING;
}

export type ReadCounters = (owner: bigint, wanted: readonly CounterWanted[]) => Promise<readonly Counted[]>;

/** Reads totals, in the order asked; those of payments of one owner that come together with one statement. */
export function counterReader(db: Db): ReadCounters {
  return together((owner, payments: readonly (readonly CounterWanted[])[]) => readTogether(db, owner, payments));
}

/** Payments ask for much the same: each counter is read once. */
async function readTogether(
  db: Db,
  owner: bigint,
  payments: readonly (readonly CounterWanted[])[],
): Promise<Counted[][]> {
  const places = new Map<string, number>();
  const distinct: CounterWanted[] = [];
  const asked = payments.map((wanted) =>
    wanted.map((one) => {
      const name = `${one.dimension} ${one.keyHash} ${one.span} ${one.since.getTime()} ${one.until.getTime()}`;
      let place = places.get(name);
      if (place === undefined) {
        place = distinct.push(one) - 1;
        places.set(name, place);
      }
      return place;
    }),
  );
  const totals = await countersTotal(db, owner, distinct);
  return asked.map((wanted) => wanted.map((place) => totals[place] ?? NOTHING));
}

/** What the windows need; nothing is read when they need nothing. */
export async function loadCounters(
  read: ReadCounters,
  owner: bigint,
  keys: Keys,
  windows: readonly Window[],
  now: Date,
): Promise<Counters> {
  const wanted = wantedOf(keys, windows, now);
  return countersFrom(wanted, wanted.length === 0 ? [] : await read(owner, wanted));
}

/** One addition to a dimension, in every length of bucket that the windows ask for. */
export function count(
  owner: bigint,
  keys: Keys,
  windows: readonly Window[],
  dimension: Dimension,
  amounts: Counted,
  now: Date,
): Change[] {
  const spans = SPANS.filter((span) => windows.some((one) => one.dimension === dimension && spanOf(one.ms) === span));
  const keyHash = spans.length > 0 ? keys.get(dimension) : undefined;
  if (keyHash === undefined) return [];
  return spans.map((span) => {
    const bucket_at = floor(now.getTime(), span);
    return counterAdd({ project_id: owner, dimension, key_hash: keyHash, span, bucket_at, ...amounts });
  });
}

/** Buckets that no window reaches any more. */
export async function purgeCounters(db: Db, now: Date): Promise<void> {
  await countersDelete(db, 60, addMs(now, -SHORT_MS - HOUR_MS));
  await countersDelete(db, 3600, addMs(now, -LONGEST_MS - DAY_MS));
}
