// What people do with deliveries: look at them, have one sent again, have a span sent again.
// Rule: whatever is asked for is a delivery like any other, in its row, and goes by the same sender.
import { assert, type Clock } from '../../base/index.ts';
import { type Change, type Database, type Db, statementsFor, type Transaction } from '../../store/index.ts';
import { type LoggedEvent, logAfter, loggedOf, positionAt } from '../log/index.ts';
import {
  attemptRows,
  cursorAt,
  deliveredEvents,
  deliveryRows,
  dueCount,
  type Replay,
  replayHold,
  replaysRunning,
  replayUpdate,
  waitingOf,
} from './desk-queries.ts';
import { type AttemptRow, type DeliveryRow, type DeliveryState, deliveryPut, type Trigger } from './queries.ts';

/** An event on its way to an endpoint, as people see it. */
export interface DeliveryShown {
  readonly event: bigint;
  readonly type: string;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  readonly tries: number;
  readonly nextAt: Date | null;
  /** The newest first. */
  readonly attempts: readonly AttemptRow[];
}

/** A page of an endpoint's deliveries, the newest events first, each with its last try. `before`: the event that the page before ended with. */
export async function deliveriesPage(
  db: Db,
  owner: bigint,
  webhook: bigint,
  of: { readonly state: DeliveryState | null; readonly before: bigint | null; readonly limit: number },
): Promise<DeliveryShown[]> {
  const events = await deliveredEvents(db, owner, webhook, { ...of, before: of.before ?? 2n ** 63n - 1n });
  return events.length === 0 ? [] : shownOf(db, owner, webhook, events, 1);
}

/** One with all its tries; null: that event was never on its way there. */
export async function deliveryOf(db: Db, owner: bigint, webhook: bigint, event: bigint): Promise<DeliveryShown | null> {
  return (await shownOf(db, owner, webhook, [event], 100))[0] ?? null;
}

async function shownOf(
  db: Db,
  owner: bigint,
  webhook: bigint,
  events: readonly bigint[],
  most: number,
): Promise<DeliveryShown[]> {
  const [rows, attempts] = await Promise.all([
    deliveryRows(db, owner, webhook, events),
    attemptRows(db, owner, webhook, events, most),
  ]);
  const rowBy = new Map(rows.map((row) => [row.event_id, row]));
  const attemptsBy = Map.groupBy(attempts, ({ event_id }) => event_id);
  return events.flatMap((event) => {
    const theirs = attemptsBy.get(event) ?? [];
    const row = rowBy.get(event) ?? rowOfFirst(theirs[0]);
    return row ? [{ event, ...shown(row), attempts: theirs }] : [];
  });
}

const shown = ({ type, state, trigger, tries, next_at }: Shown) => ({ type, state, trigger, tries, nextAt: next_at });
type Shown = Pick<DeliveryRow, 'type' | 'state' | 'trigger' | 'tries' | 'next_at'>;

/** Without a row of its own: delivered at the first try, or sent while the circuit was open and still in the log. */
const rowOfFirst = (last: AttemptRow | undefined): Shown | null =>
  last
    ? {
        type: last.type,
        state: last.status !== null && last.status >= 200 && last.status <= 299 ? 'delivered' : 'waiting',
        trigger: last.trigger,
        tries: last.attempt,
        next_at: null,
      }
    : null;

const again = (owner: bigint, webhook: bigint, event: LoggedEvent, trigger: Trigger, now: Date): Change =>
  deliveryPut({
    owner_id: owner,
    webhook_id: webhook,
    event_id: event.event_id,
    position: event.position,
    subject_id: event.subject_id,
    type: event.type,
    state: 'retrying',
    trigger,
    tries: 0,
    next_at: now,
    created_at: now,
    updated_at: now,
  });

/** The event is sent once more to these endpoints, with tries as if it were new; null: it has no place in the log, or its days are over. */
export async function resend(
  db: Db,
  owner: bigint,
  event: bigint,
  webhooks: readonly bigint[],
  now: Date,
): Promise<Change[] | null> {
  const logged = await loggedOf(db, owner, event);
  return logged && webhooks.map((webhook) => again(owner, webhook, logged, 'resend', now));
}

export interface ReplayAsked {
  readonly from: Date;
  readonly to: Date;
  /** Names that were expanded; empty: all that the endpoint wants. */
  readonly types: readonly string[];
  readonly onlyFailed: boolean;
}

/** Behind the first, up to the last. */
export interface Span {
  readonly position: bigint;
  readonly until: bigint;
}

/** The part of the log that was told between two moments, as far as the endpoint has got: what comes behind that is sent to it anyway. */
export async function replaySpan(
  db: Db,
  owner: bigint,
  webhook: bigint,
  { from, to }: Pick<ReplayAsked, 'from' | 'to'>,
): Promise<Span> {
  const [position, last, sent] = await Promise.all([
    positionAt(db, owner, from),
    positionAt(db, owner, to),
    cursorAt(db, owner, webhook),
  ]);
  const until = last < sent ? last : sent;
  return { position, until: until < position ? position : until };
}

/** A replay as it begins. */
export const replayRow = (
  { owner, webhook, id, now }: Readonly<Record<'owner' | 'webhook' | 'id', bigint>> & { readonly now: Date },
  { from, to, types, onlyFailed }: ReplayAsked,
  { position, until }: Span,
): Replay => ({
  owner_id: owner,
  webhook_id: webhook,
  id,
  state: 'running',
  from_at: from,
  to_at: to,
  types,
  only_failed: onlyFailed,
  position,
  until,
  taken: 0n,
  looked: 0n,
  created_at: now,
  updated_at: now,
});

const writeAll = async (inside: Db, changes: readonly Change[]): Promise<void> => {
  for (const { text, values } of statementsFor(changes)) await inside.query(text, values);
};

/** Of one replay is on its way at most so much at once: the rest of the endpoint's goes on beside it. */
const CHUNK = 128;

/** Takes the next of every replay, where most of what it took before is done. `wants`: what an endpoint wants at all. */
export async function replaySome(
  { database, business }: { readonly database: Pick<Database, 'query' | 'transaction'>; readonly business: Clock },
  wants: (owner: bigint, webhook: bigint) => ((type: string) => boolean) | null,
): Promise<void> {
  for (const { owner_id, webhook_id, id } of await replaysRunning(database)) {
    const wanted = wants(owner_id, webhook_id);
    const now = business.now();
    if (!wanted || (await dueCount(database, owner_id, webhook_id, now)) > CHUNK / 2) continue;
    await database.transaction(async (inside) => {
      const replay = await replayHold(inside, owner_id, webhook_id, id);
      if (replay) await replayOne(inside, replay, wanted, now);
    });
  }
}

async function replayOne(
  inside: Transaction,
  replay: Replay,
  wanted: (type: string) => boolean,
  now: Date,
): Promise<void> {
  const { owner_id: owner, webhook_id: webhook, types } = replay;
  const read = await logAfter(inside, owner, replay.position, CHUNK);
  const events = read.filter(({ position }) => position <= replay.until);
  // Never of itself, and nothing that it wants no more.
  const chosen = events.filter(
    ({ type, subject_id, body }) =>
      body !== null && subject_id !== webhook && wanted(type) && (types.length === 0 || types.includes(type)),
  );
  const ids = chosen.map(({ event_id }) => event_id);
  const left = ids.length === 0 ? new Set<bigint>() : await leftOut(inside, replay, ids);
  const taken = chosen.filter(({ event_id }) => !left.has(event_id));
  const position = events.at(-1)?.position ?? replay.until;
  assert(position > replay.position || events.length === 0, 'a replay that does not go on');
  await writeAll(inside, [
    ...taken.map((event) => again(owner, webhook, event, 'replay', now)),
    replayUpdate({
      ...replay,
      position,
      state: events.length < CHUNK || position >= replay.until ? 'done' : 'running',
      taken: replay.taken + BigInt(taken.length),
      looked: replay.looked + BigInt(events.length),
      updated_at: now,
    }),
  ]);
}

/** Those that are not sent again: what waits its turn, and where only failures are, what arrived. */
async function leftOut(
  db: Db,
  { owner_id: owner, webhook_id: webhook, only_failed }: Replay,
  events: readonly bigint[],
): Promise<Set<bigint>> {
  if (!only_failed) return new Set(await waitingOf(db, owner, webhook, events));
  const shown = await shownOf(db, owner, webhook, events, 1);
  return new Set(shown.filter(({ state }) => state === 'delivered' || state === 'waiting').map(({ event }) => event));
}
