// Statements on events, event_queue, event_heads and event_log: what is written with a change, and how it gets its position behind.
import { type Change, type Db, insert, NOBODY, statementsFor, type Transaction, table } from '../../store/index.ts';
import type { Noun } from './catalogue.ts';

interface EventRow {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly subject_id: bigint;
  readonly sequence: number;
  readonly subject_type: Noun;
  readonly type: string;
  readonly body: string;
  readonly created_at: Date;
}

const events = table<EventRow>(
  'events',
  {
    owner_id: 'int8',
    id: 'int8',
    subject_id: 'int8',
    sequence: 'int4',
    subject_type: 'text',
    type: 'text',
    body: 'text',
    created_at: 'timestamptz',
  },
  ['owner_id', 'id'],
  { subjects: ['subject_id'] },
);

export const eventInsert = (row: EventRow): Change => insert(events, row);

/** What a numbered event keeps of itself in the log, too. */
export interface QueuedEvent {
  readonly owner_id: bigint;
  readonly event_id: bigint;
  readonly subject_id: bigint;
  readonly type: string;
  readonly created_at: Date;
}

const queue = table<QueuedEvent>(
  'event_queue',
  { owner_id: 'int8', event_id: 'int8', subject_id: 'int8', type: 'text', created_at: 'timestamptz' },
  ['owner_id', 'event_id'],
  { subjects: ['subject_id'] },
);

export const queueInsert = (row: QueuedEvent): Change => insert(queue, row);

/** Does a group that was written leave something to be numbered? */
export const isQueued = ({ table: { name } }: Change): boolean => name === queue.name;

/** Makes the owner's head where there is none. */
export const headMake = (db: Db, owner: bigint): Promise<unknown> =>
  db.query('insert into event_heads (owner_id, position) values ($1, 0) on conflict do nothing', [owner]);

/** The owner's head, held until the transaction ends; null: somebody else holds it, or there is none. */
export async function headHold(db: Transaction, owner: bigint): Promise<bigint | null> {
  const rows = await db.query<{ position: bigint }>(
    'select position from event_heads where owner_id = $1 for update skip locked',
    [owner],
  );
  return rows[0]?.position ?? null;
}

export interface Numbered {
  readonly count: bigint;
  /** Events of the owner's endpoints among them. */
  readonly webhooks: readonly bigint[];
}

/**
 * Moves what waits into the log, in the order of its arrival, behind `head`. For who holds the head: a statement of its own, so
 * that it sees what those who held it before have left. Who changed a resource held its row until its event was visible, so that the events
 * of one resource arrive in the order of their numbers.
 */
export async function queueNumber(db: Transaction, owner: bigint, head: bigint, limit: number): Promise<Numbered> {
  const rows = await db.query<{ count: bigint; webhooks: string | null }>(
    `with taken as (
       delete from event_queue where owner_id = $1 and arrival in
         (select arrival from event_queue where owner_id = $1 order by arrival limit $3)
       returning arrival, event_id, subject_id, type, created_at
     ), numbered as (
       insert into event_log (owner_id, position, event_id, subject_id, type, created_at)
       select $1, $2::int8 + row_number() over (order by arrival), event_id, subject_id, type, created_at from taken
       returning event_id, type
     ), moved as (
       update event_heads set position = $2::int8 + (select count(*) from numbered) where owner_id = $1
     )
     select count(*) as count, string_agg(event_id::text, ' ') filter (where type like 'webhook.%') as webhooks from numbered`,
    [owner, head, limit],
  );
  const { count = 0n, webhooks = null } = rows[0] ?? {};
  return { count, webhooks: webhooks === null ? [] : webhooks.split(' ').map(BigInt) };
}

/**
 * The same events in the operator's queue, byte by byte: they say whose they are. In the transaction that numbers them, so that each is there
 * once.
 */
export async function operatorCopies(db: Transaction, owner: bigint, ids: readonly bigint[]): Promise<void> {
  const rows = await db.query<EventRow>(
    'select * from events where owner_id = $1 and id = any($2::int8[]) order by id',
    [owner, ids],
  );
  const copies = rows.flatMap((row): Change[] => {
    const { id, subject_id, type, created_at } = row;
    const named = { owner_id: NOBODY, subject_id, type, created_at };
    return [eventInsert({ ...row, ...named }), queueInsert({ ...named, event_id: id })];
  });
  for (const { text, values } of statementsFor(copies)) await db.query(text, values);
}

/** Whose events wait for a position. */
export const queueOwners = async (db: Db): Promise<bigint[]> =>
  (await db.query<{ owner_id: bigint }>('select distinct owner_id from event_queue')).map(({ owner_id }) => owner_id);

/** How far an owner's events are numbered; 0: none is. */
export async function headOf(db: Db, owner: bigint): Promise<bigint> {
  const rows = await db.query<{ position: bigint }>('select position from event_heads where owner_id = $1', [owner]);
  return rows[0]?.position ?? 0n;
}

/** The same of several. */
export const headsOf = (
  db: Db,
  owners: readonly bigint[],
): Promise<{ readonly owner_id: bigint; readonly position: bigint }[]> =>
  db.query('select owner_id, position from event_heads where owner_id = any($1::int8[])', [owners]);

export interface LoggedEvent {
  readonly position: bigint;
  readonly event_id: bigint;
  readonly subject_id: bigint;
  readonly type: string;
  /** null: its days are over. */
  readonly body: string | null;
}

/** What stands in the log behind a position, in its order. Texts are asked for by ids: so only the days are looked at that they lie in. */
export async function logAfter(db: Db, owner: bigint, position: bigint, limit: number): Promise<LoggedEvent[]> {
  const rows = await db.query<Omit<LoggedEvent, 'body'>>(
    `select position, event_id, subject_id, type from event_log
     where owner_id = $1 and position > $2 order by position limit $3`,
    [owner, position, limit],
  );
  if (rows.length === 0) return [];
  const bodies = await bodiesOf(
    db,
    owner,
    rows.map(({ event_id }) => event_id),
  );
  return rows.map((row) => ({ ...row, body: bodies.get(row.event_id) ?? null }));
}

/** Texts of events, by id; one whose days are over has none. */
export async function bodiesOf(db: Db, owner: bigint, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
  const rows = await db.query<{ id: bigint; body: string }>(
    'select id, body from events where owner_id = $1 and id = any($2::int8[])',
    [owner, ids],
  );
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** An event's place in the log, with its text; null: it has none yet, is not this owner's, or its days are over. */
export async function loggedOf(db: Db, owner: bigint, event: bigint): Promise<LoggedEvent | null> {
  const rows = await db.query<LoggedEvent>(
    `select l.position, l.event_id, l.subject_id, l.type, e.body from event_log l
     join events e on e.owner_id = l.owner_id and e.id = l.event_id where l.owner_id = $1 and l.event_id = $2`,
    [owner, event],
  );
  return rows[0] ?? null;
}

/**
 * The last position that was given to an event from before this moment; 0: none was. Positions have no gaps but at the beginning, and times
 * grow with them but for moments: it is found by halves.
 */
export async function positionAt(db: Db, owner: bigint, moment: Date): Promise<bigint> {
  let low = 0n;
  let high = await headOf(db, owner);
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const rows = await db.query<{ created_at: Date }>(
      'select created_at from event_log where owner_id = $1 and position >= $2 order by position limit 1',
      [owner, middle],
    );
    if (rows[0] && rows[0].created_at < moment) low = middle;
    else high = middle - 1n;
  }
  return low;
}
