// Statements on webhook_cursors, webhook_deliveries and webhook_attempts, and what senders read of the log.
import { type Change, type Db, remove, type Transaction, table, update } from '../../store/index.ts';

/** Why something is sent: it is new, it failed before, or somebody asked for it. */
export type Trigger = 'first' | 'retry' | 'resend' | 'replay' | 'test';

export type DeliveryState = 'waiting' | 'retrying' | 'delivered' | 'given_up' | 'skipped';

export interface DeliveryRow {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  readonly event_id: bigint;
  readonly position: bigint;
  readonly subject_id: bigint;
  readonly type: string;
  readonly state: DeliveryState;
  readonly trigger: Trigger;
  /** Made so far. */
  readonly tries: number;
  readonly next_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const deliveries = table<DeliveryRow>(
  'webhook_deliveries',
  {
    owner_id: 'int8',
    webhook_id: 'int8',
    event_id: 'int8',
    position: 'int8',
    subject_id: 'int8',
    type: 'text',
    state: 'text',
    trigger: 'text',
    tries: 'int4',
    next_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['owner_id', 'webhook_id', 'event_id'],
);
/** Made, or found and written anew. */
export const deliveryPut = (row: DeliveryRow): Change => update(deliveries, row);

export interface AttemptRow {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  readonly id: bigint;
  readonly event_id: bigint;
  readonly type: string;
  readonly trigger: Trigger;
  readonly attempt: number;
  readonly sent_at: Date;
  readonly ms: number;
  readonly address: string | null;
  readonly status: number | null;
  readonly cause: string | null;
  readonly response: string;
}

const attempts = table<AttemptRow>(
  'webhook_attempts',
  {
    owner_id: 'int8',
    webhook_id: 'int8',
    id: 'int8',
    event_id: 'int8',
    type: 'text',
    trigger: 'text',
    attempt: 'int4',
    sent_at: 'timestamptz',
    ms: 'int4',
    address: 'text',
    status: 'int4',
    cause: 'text',
    response: 'text',
  },
  ['owner_id', 'webhook_id', 'event_id', 'id'],
);
/** Made, or found: where nobody knows whether a transaction was committed, it is written once more. */
export const attemptPut = (row: AttemptRow): Change => update(attempts, row);

/** How an endpoint does. */
export interface Standing {
  /** Since when no try has succeeded; null: the last one did, or there was none. */
  readonly failing_since: Date | null;
  readonly failing_told: boolean;
  readonly succeeded_at: Date | null;
  /** Nothing is sent but a probe now and then. */
  readonly circuit_open: boolean;
}

export interface Cursor extends Standing {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  readonly position: bigint;
}

const cursors = table<Cursor & { readonly leased_by: bigint | null }>(
  'webhook_cursors',
  {
    owner_id: 'int8',
    webhook_id: 'int8',
    position: 'int8',
    leased_by: 'int8',
    failing_since: 'timestamptz',
    failing_told: 'bool',
    succeeded_at: 'timestamptz',
    circuit_open: 'bool',
  },
  ['owner_id', 'webhook_id'],
);
/**
 * A new endpoint begins behind this position, and one that was disabled goes on there; whoever sends to it finds that it is his no more.
 * null: it is removed, and so is its place.
 */
export const cursorPut = (owner: bigint, webhook: bigint, position: bigint | null): Change =>
  position === null
    ? remove(cursors, { owner_id: owner, webhook_id: webhook })
    : update(cursors, {
        owner_id: owner,
        webhook_id: webhook,
        position,
        leased_by: null,
        failing_since: null,
        failing_told: false,
        succeeded_at: null,
        circuit_open: false,
      });

/** Endpoints that no living process sends to, whosever. */
export const cursorsFree = (
  db: Db,
  living: readonly bigint[],
): Promise<{ readonly owner_id: bigint; readonly webhook_id: bigint }[]> =>
  db.query('select owner_id, webhook_id from webhook_cursors where leased_by is null or leased_by <> all($1::int8[])', [
    living,
  ]);

export interface CursorAwaited extends Pick<Cursor, 'owner_id' | 'webhook_id' | 'position' | 'failing_since'> {
  /** The earliest that is due; null: nothing is. */
  readonly due_at: Date | null;
  /** The earliest that will be. */
  readonly next_at: Date | null;
}

/** How far all endpoints are, whosever, and what is tried again when. */
export const cursorsAwaited = (db: Db, now: Date): Promise<CursorAwaited[]> =>
  db.query(
    `select c.owner_id, c.webhook_id, c.position, c.failing_since,
       min(d.next_at) filter (where d.next_at <= $1) as due_at, min(d.next_at) filter (where d.next_at > $1) as next_at
     from webhook_cursors c left join webhook_deliveries d
       on d.owner_id = c.owner_id and d.webhook_id = c.webhook_id and d.next_at is not null
     group by c.owner_id, c.webhook_id`,
    [now],
  );

/** Takes the endpoint, its circuit closed: who sends to it now has seen no failure. null: a process that lives has it. */
export async function cursorLease(
  db: Db,
  owner: bigint,
  webhook: bigint,
  process: bigint,
  living: readonly bigint[],
): Promise<Cursor | null> {
  const rows = await db.query<Cursor>(
    `update webhook_cursors set leased_by = $3, circuit_open = false
     where owner_id = $1 and webhook_id = $2 and (leased_by is null or leased_by <> all($4::int8[]))
     returning owner_id, webhook_id, position, failing_since, failing_told, succeeded_at, circuit_open`,
    [owner, webhook, process, living],
  );
  return rows[0] ?? null;
}

export const cursorRelease = (db: Db, owner: bigint, webhook: bigint, process: bigint): Promise<unknown> =>
  db.query('update webhook_cursors set leased_by = null where owner_id = $1 and webhook_id = $2 and leased_by = $3', [
    owner,
    webhook,
    process,
  ]);

/** Moves the cursor of an endpoint that this process holds. False: it holds it no more, and nothing of the transaction may stay. */
export async function cursorMove(db: Transaction, to: Cursor, process: bigint): Promise<boolean> {
  const rows = await db.query(
    `update webhook_cursors set position = $4, failing_since = $5, failing_told = $6, succeeded_at = $7, circuit_open = $8
     where owner_id = $1 and webhook_id = $2 and leased_by = $3 returning webhook_id`,
    [
      to.owner_id,
      to.webhook_id,
      process,
      to.position,
      to.failing_since,
      to.failing_told,
      to.succeeded_at,
      to.circuit_open,
    ],
  );
  return rows.length === 1;
}

/** What is due again, earliest first; `limit` of what is replayed, and of everything else. */
export const deliveriesDue = (
  db: Db,
  owner: bigint,
  webhook: bigint,
  now: Date,
  limit: number,
): Promise<DeliveryRow[]> =>
  db.query<DeliveryRow>(
    `(select * from webhook_deliveries
      where owner_id = $1 and webhook_id = $2 and next_at <= $3 and trigger <> 'replay' order by next_at limit $4)
     union all (select * from webhook_deliveries
      where owner_id = $1 and webhook_id = $2 and next_at <= $3 and trigger = 'replay' order by next_at limit $4)`,
    [owner, webhook, now, limit],
  );

/** The endpoints for which something is due again, whosever. */
export const webhooksDue = (db: Db, now: Date): Promise<{ readonly owner_id: bigint; readonly webhook_id: bigint }[]> =>
  db.query('select distinct owner_id, webhook_id from webhook_deliveries where next_at <= $1', [now]);

/**
 * Resources of which an endpoint that is sent in order has not got everything. Where nothing is tried again the first that waits is due: who
 * ended what it waited for was killed before he could say so.
 */
export async function subjectsHeld(db: Transaction, owner: bigint, webhook: bigint, now: Date): Promise<bigint[]> {
  await db.query(
    `update webhook_deliveries d set next_at = $3, state = 'retrying'
     where d.owner_id = $1 and d.webhook_id = $2 and d.state = 'waiting' and not exists
       (select from webhook_deliveries b where b.owner_id = $1 and b.webhook_id = $2 and b.subject_id = d.subject_id
         and (b.state = 'retrying' or (b.state = 'waiting' and b.position < d.position)))`,
    [owner, webhook, now],
  );
  const rows = await db.query<{ subject_id: bigint }>(
    `select distinct subject_id from webhook_deliveries where owner_id = $1 and webhook_id = $2 and state in ('waiting', 'retrying')`,
    [owner, webhook],
  );
  return rows.map(({ subject_id }) => subject_id);
}

/** The next one of a resource that waited for the one before it is due now; false: none waits. */
export async function waitingNext(
  db: Transaction,
  owner: bigint,
  webhook: bigint,
  subject: bigint,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    `update webhook_deliveries set next_at = $4, state = 'retrying' where owner_id = $1 and webhook_id = $2 and event_id =
       (select event_id from webhook_deliveries where owner_id = $1 and webhook_id = $2 and subject_id = $3 and state = 'waiting'
        order by position limit 1) returning event_id`,
    [owner, webhook, subject, now],
  );
  return rows.length > 0;
}
