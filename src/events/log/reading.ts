// Events as their owner reads them: a page of them, the newest first; those behind a place, the oldest first, with some patience; one.
// Rule: texts go out as they were written, and who waits is woken by the numbering, never by a commit.
import { Busy, type Clock, type Steps } from '../../base/index.ts';
import { type Db, encodeCursor, type PageOf, type Place, pageOf, placeOf } from '../../store/index.ts';
import type { Numbering } from './numbering.ts';
import { bodiesOf, headOf } from './queries.ts';
import { type EventFilter, type EventPlace, eventPlaces } from './reading-queries.ts';

/** What lists are read with; waiting is real time. */
export interface EventReader {
  readonly db: Db;
  /** For what may look at much. */
  readonly lists: Db;
  readonly waits: EventWaits;
}

export interface EventsPlace extends Place {
  readonly position: bigint;
}

/** The place that a cursor names; null: not one of ours. */
export function eventsPlaceOf(cursor: string): EventsPlace | null {
  const place = placeOf(cursor, 1);
  const [position = ''] = place?.key ?? [];
  return place && /^\d{1,18}$/.test(position) ? { back: place.back, position: BigInt(position) } : null;
}

export const eventsCursor = (position: bigint): string => encodeCursor([position.toString()]);

/** Events of one page, as the texts that they are. */
export interface EventsPage extends PageOf<string> {
  /** Behind the newest that is shown; null: the page says nothing of it. */
  readonly since: string | null;
}

/** Texts of one page, bytes: a few are more than nothing, and a page of long ones is shorter. */
const MOST_BYTES = 4 * 1024 * 1024;
const STEP_ROWS = 50;

/** How many of these make a page. */
function fitting(places: readonly EventPlace[], limit: number): number {
  let bytes = 0;
  const first = places.findIndex(({ size }, i) => i > 0 && (bytes += size) + (places[0]?.size ?? 0) > MOST_BYTES);
  return Math.min(limit, first < 0 ? limit : first);
}

async function* textsOf(db: Db, owner: bigint, places: readonly EventPlace[]): Steps<string[]> {
  const texts: string[] = [];
  for (let from = 0; from < places.length; from += STEP_ROWS) {
    if (from > 0) yield;
    texts.push(...(await someTexts(db, owner, places.slice(from, from + STEP_ROWS))));
  }
  return texts;
}

async function someTexts(db: Db, owner: bigint, places: readonly EventPlace[]): Promise<string[]> {
  const ids = places.map(({ event_id }) => event_id);
  const texts = await bodiesOf(db, owner, ids);
  return ids.flatMap((id) => texts.get(id) ?? []);
}

/** The newest first. */
export async function* eventsListed(
  { db, lists }: EventReader,
  owner: bigint,
  filter: EventFilter,
  { after, limit }: { readonly after: EventsPlace | null; readonly limit: number },
): Steps<EventsPage> {
  const newer = after?.back ?? false;
  const position = after?.position ?? null;
  const found = await eventPlaces(lists, owner, filter, { position, newer, limit: limit + 1 });
  const size = fitting(found, limit);
  const page = pageOf(found.slice(0, size + 1), { after, limit: size }, (row) => [row.position.toString()]);
  const texts = yield* textsOf(db, owner, page.rows);
  const since = after === null ? eventsCursor(page.rows[0]?.position ?? 0n) : null;
  return { ...page, rows: texts, since };
}

/** So long a waiting process doesn't see what another one has numbered. */
const LOOK_MS = 500;

export interface Patience {
  readonly ms: number;
  /** Does anybody still wait? */
  readonly isAwaited: () => boolean;
}

/**
 * What was told behind a place, the oldest first; where there is nothing, as soon as there is something, or nothing after that time.
 * It is nobody's turn while it waits.
 */
export async function eventsSince(
  { db, lists, waits }: EventReader,
  owner: bigint,
  filter: EventFilter,
  { position, limit }: { readonly position: bigint; readonly limit: number },
  { ms, isAwaited }: Patience,
): Promise<EventsPage> {
  const end = (rows: readonly string[], at: bigint): EventsPage => ({
    rows,
    prev: null,
    next: null,
    since: eventsCursor(at),
  });
  const waiting = waits.wait(owner, ms);
  try {
    for (let at = position; ; ) {
      const woken = waiting.next();
      const head = await headOf(db, owner);
      if (head > at) {
        const found = await eventPlaces(lists, owner, filter, { position: at, newer: true, limit });
        const places = found.slice(0, fitting(found, limit));
        const last = places.at(-1);
        if (last) return end(await someTexts(db, owner, places), last.position);
        at = head;
      }
      const leftMs = waiting.leftMs();
      if (leftMs <= 0 || !isAwaited()) return end([], at);
      await woken(Math.min(leftMs, LOOK_MS));
    }
  } finally {
    waiting.end();
  }
}

/** null: the owner has none of this id. */
export const eventText = async (db: Db, owner: bigint, id: bigint): Promise<string | null> =>
  (await bodiesOf(db, owner, [id])).get(id) ?? null;

export interface Waiting {
  /** To be called before looking: what comes from then on wakes. The answer resolves when something came, or after that time. */
  next(): (ms: number) => Promise<void>;
  leftMs(): number;
  end(): void;
}

export interface EventWaits {
  /** Throws Busy where too many of the owner's wait; who doesn't wait is never too many. */
  wait(owner: bigint, ms: number): Waiting;
}

/** Of one owner, at once. */
const MOST_WAITING = 16;

export function createEventWaits(numbering: Pick<Numbering, 'onNumbered'>, clock: Clock): EventWaits {
  const waiting = new Map<bigint, Set<() => void>>();
  numbering.onNumbered((owner) => {
    for (const wake of waiting.get(owner) ?? []) wake();
  });
  return {
    wait(owner, ms) {
      const until = clock.elapsed() + ms;
      let woken = new AbortController();
      const wake = (): void => woken.abort();
      const those = waiting.get(owner) ?? new Set();
      if (ms > 0) {
        if (those.size >= MOST_WAITING) throw new Busy(MOST_WAITING, 1);
        waiting.set(owner, those.add(wake));
      }
      return {
        leftMs: () => until - clock.elapsed(),
        next() {
          woken = new AbortController();
          const { signal } = woken;
          return (forMs) => clock.sleep(forMs, signal).catch(() => undefined);
        },
        end() {
          those.delete(wake);
          if (those.size === 0 && waiting.get(owner) === those) waiting.delete(owner);
        },
      };
    },
  };
}
