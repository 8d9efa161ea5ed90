// Logs as they are followed: what stands behind a place, in short steps, and a word when there is more.
// Rule: one look of the process finds whose log has grown, however many wait; a step is short, few are under way, and one of an owner.
import { Busy, type Clock, fairQueue, type Log } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import type { Numbering } from './numbering.ts';
import { bodiesOf, headOf, headsOf } from './queries.ts';
import { type EventFilter, eventPlaces } from './reading-queries.ts';

export interface FollowedEvent {
  readonly position: bigint;
  readonly text: string;
}

/** What one step has found. */
export interface Step {
  readonly events: readonly FollowedEvent[];
  /** All up to here was looked at. */
  readonly position: bigint;
  /** Is the log longer? */
  readonly more: boolean;
}

export interface Following {
  /** What stands behind the place; it waits for its owner's turn. */
  step(filter: EventFilter, position: bigint): Promise<Step>;
  /** Resolves when the log has grown beyond the place, after that time, or with the signal. */
  grown(position: bigint, ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

export interface EventsFollowed {
  /** Throws Busy where too many follow this owner's log, or any. */
  follow(owner: bigint): Following;
}

export interface FollowOptions {
  readonly db: Db;
  readonly numbering: Pick<Numbering, 'onNumbered'>;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Of one owner, and in all, at once in this process. */
const MOST_OF_OWNER = 16;
const MOST = 1_024;
/** A step looks at so much of the log, and takes so much of it. */
const STEP_POSITIONS = 2_000n;
const STEP_EVENTS = 100;
const STEP_BYTES = 256 * 1024;
/** So long what another process has numbered isn't seen. */
const LOOK_MS = 500;
/** Between two looks: under load what was numbered meanwhile is found together. */
const REST_MS = 20;

export function createEventsFollowed(options: FollowOptions): EventsFollowed {
  const { db } = options;
  const growth = watchGrowth(options);
  const queue = fairQueue({ atOnce: 4, perOwner: 1, perThrough: 4, perOwnerThrough: 1 });
  const following = new Map<bigint, number>();
  let all = 0;
  let steps = 0;

  async function stepOf(owner: bigint, filter: EventFilter, position: bigint): Promise<Step> {
    const head = await headOf(db, owner);
    if (head <= position) return { events: [], position, more: false };
    const upTo = head < position + STEP_POSITIONS ? head : position + STEP_POSITIONS;
    const span = { position, upTo, newer: true, limit: STEP_EVENTS };
    const { places, whole } = withinBytes(await eventPlaces(db, owner, filter, span));
    const ids = places.map(({ event_id }) => event_id);
    const texts = ids.length === 0 ? new Map<bigint, string>() : await bodiesOf(db, owner, ids);
    const events = places.flatMap(({ position: at, event_id }) => {
      const text = texts.get(event_id);
      return text === undefined ? [] : [{ position: at, text }];
    });
    const to = whole ? upTo : (places.at(-1)?.position ?? upTo);
    return { events, position: to, more: to < head };
  }

  return {
    follow(owner) {
      const those = following.get(owner) ?? 0;
      if (those >= MOST_OF_OWNER || all >= MOST) throw new Busy(those >= MOST_OF_OWNER ? MOST_OF_OWNER : MOST, 5);
      following.set(owner, those + 1);
      all++;
      return {
        async step(filter, position) {
          let found: Step = { events: [], position, more: true };
          const run = async (): Promise<void> => {
            found = await stepOf(owner, filter, position);
          };
          await queue.add({ name: `step ${++steps}`, owner: owner.toString(), through: null, run });
          return found;
        },
        grown: (position, ms, signal) => growth.beyond(owner, position, ms, signal),
        end() {
          all--;
          const left = (following.get(owner) ?? 1) - 1;
          if (left === 0) following.delete(owner);
          else following.set(owner, left);
        },
      };
    },
  };
}

/** As many as make a step; `whole`: these are all that there are in its span. */
function withinBytes<Place extends { readonly size: number }>(found: readonly Place[]) {
  let bytes = 0;
  const end = found.findIndex(({ size }, i) => (bytes += size) > STEP_BYTES && i > 0);
  const places = end < 0 ? found : found.slice(0, end);
  return { places, whole: places.length === found.length && found.length < STEP_EVENTS };
}

interface Waiter {
  readonly position: bigint;
  readonly wake: () => void;
}

/** Wakes those who wait for a log that has grown. */
function watchGrowth({ db, numbering, clock, log }: FollowOptions) {
  const waiting = new Map<bigint, Set<Waiter>>();
  let looking = false;
  /** Ends the rest before the next look. */
  let again = new AbortController();
  const lookSoon = (): void => {
    again.abort(new Error('look'));
    if (!looking) void look();
  };
  numbering.onNumbered((owner) => {
    if (waiting.has(owner)) lookSoon();
  });

  async function lookOnce(): Promise<void> {
    for (const { owner_id, position } of await headsOf(db, [...waiting.keys()]))
      for (const waiter of waiting.get(owner_id) ?? []) if (position > waiter.position) waiter.wake();
  }

  async function look(): Promise<void> {
    looking = true;
    while (waiting.size > 0) {
      again = new AbortController();
      const { signal } = again;
      await lookOnce().catch((error: unknown) => log.warn({ err: error }, 'logs that are followed could not be read'));
      await clock.sleep(REST_MS);
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
    looking = false;
  }

  return {
    async beyond(owner: bigint, position: bigint, ms: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const woken = new AbortController();
      const wake = (): void => woken.abort(new Error('woken'));
      const waiter: Waiter = { position, wake };
      const those = waiting.get(owner) ?? new Set();
      waiting.set(owner, those.add(waiter));
      signal.addEventListener('abort', wake, { once: true });
      lookSoon();
      await clock.sleep(ms, woken.signal).catch(() => undefined);
      signal.removeEventListener('abort', wake);
      those.delete(waiter);
      if (those.size === 0 && waiting.get(owner) === those) waiting.delete(owner);
    },
  };
}
