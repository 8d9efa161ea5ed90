// What people look at: deliveries of an endpoint and their tries, whichever of the two tables tells of them; and replays.
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  type Need,
  oneOwner,
  table,
  update,
} from '../../store/index.ts';
import type { AttemptRow, DeliveryRow, DeliveryState } from './queries.ts';

/** Events of an endpoint that were tried or wait, the newest first, with ids below `before`. */
export async function deliveredEvents(
  db: Db,
  owner: bigint,
  webhook: bigint,
  { state, before, limit }: { readonly state: DeliveryState | null; readonly before: bigint; readonly limit: number },
): Promise<bigint[]> {
  const rows = await db.query<{ event_id: bigint }>(
    state !== null && state !== 'delivered' ? WITH_ROW : state === 'delivered' ? DELIVERED : EITHER,
    state !== null && state !== 'delivered' ? [owner, webhook, before, limit, state] : [owner, webhook, before, limit],
  );
  return rows.map(({ event_id }) => event_id);
}

const WITH_ROW = `select event_id from webhook_deliveries
  where owner_id = $1 and webhook_id = $2 and event_id < $3 and state = $5 order by event_id desc limit $4`;

const EITHER = `select event_id from (
    (select distinct event_id from webhook_attempts where owner_id = $1 and webhook_id = $2 and event_id < $3 order by event_id desc limit $4)
    union (select event_id from webhook_deliveries where owner_id = $1 and webhook_id = $2 and event_id < $3 order by event_id desc limit $4)
  ) both_of order by event_id desc limit $4`;

/** What has no row of its own was delivered at the first try, or was a probe or a test. */
const DELIVERED = `select distinct a.event_id from webhook_attempts a
  where a.owner_id = $1 and a.webhook_id = $2 and a.event_id < $3 and a.status between 200 and 299
    and not exists (select from webhook_deliveries d where d.owner_id = $1 and d.webhook_id = $2 and d.event_id = a.event_id and d.state <> 'delivered')
  order by a.event_id desc limit $4`;

export const deliveryRows = (
  db: Db,
  owner: bigint,
  webhook: bigint,
  events: readonly bigint[],
): Promise<DeliveryRow[]> =>
  db.query<DeliveryRow>(
    'select * from webhook_deliveries where owner_id = $1 and webhook_id = $2 and event_id = any($3::int8[])',
    [owner, webhook, events],
  );

/** The tries of these events, the newest first; `most` of each. */
export const attemptRows = (
  db: Db,
  owner: bigint,
  webhook: bigint,
  events: readonly bigint[],
  most: number,
): Promise<AttemptRow[]> =>
  db.query<AttemptRow>(
    `select a.* from unnest($3::int8[]) as k(event_id) cross join lateral
       (select * from webhook_attempts t where t.owner_id = $1 and t.webhook_id = $2 and t.event_id = k.event_id order by t.id desc limit $4) a
     order by a.event_id desc, a.id desc`,
    [owner, webhook, events, most],
  );

export const REPLAY_STATES = ['running', 'done', 'stopped'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];

export interface Replay {
  readonly owner_id: bigint;
  readonly webhook_id: bigint;
  readonly id: bigint;
  readonly state: ReplayState;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly types: readonly string[];
  readonly only_failed: boolean;
  readonly position: bigint;
  readonly until: bigint;
  readonly taken: bigint;
  readonly looked: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const replays = table<Replay>(
  'webhook_replays',
  {
    owner_id: 'int8',
    webhook_id: 'int8',
    id: 'int8',
    state: 'text',
    from_at: 'timestamptz',
    to_at: 'timestamptz',
    types: 'jsonb',
    only_failed: 'bool',
    position: 'int8',
    until: 'int8',
    taken: 'int8',
    looked: 'int8',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['owner_id', 'webhook_id', 'id'],
);
export const replayInsert = (row: Replay): Change => insert(replays, row);
export const replayUpdate = (row: Replay): Change => update(replays, row);

interface ReplaysOf {
  readonly owner: bigint;
  readonly webhook: bigint;
}
const keyText = ({ owner, webhook }: ReplaysOf): string => `${owner}/${webhook}`;

/**
 * Those of an endpoint that go on, locked. Its name puts it behind `webhooks`: who holds the endpoints sees every replay that was begun before,
 * so that no two begin one too many.
 */
export const replaysKind: Kind<ReplaysOf, readonly Replay[]> = {
  name: 'webhooks_replays',
  keyText,
  follows: [
    follow<Replay, readonly Replay[]>(
      replays,
      ({ owner_id, webhook_id }) => keyText({ owner: owner_id, webhook: webhook_id }),
      (before = [], row) => [...before.filter(({ id }) => id !== row.id), ...(row.state === 'running' ? [row] : [])],
    ),
  ],
  async load(db, keys) {
    const owner = oneOwner(keys.map((key) => key.owner));
    const rows = await db.query<Replay>(
      `select * from webhook_replays where owner_id = $1 and webhook_id = any($2::int8[]) and state = 'running' order by webhook_id, id for update`,
      [owner, keys.map(({ webhook }) => webhook)],
    );
    return Map.groupBy(rows, ({ webhook_id }) => keyText({ owner, webhook: webhook_id }));
  },
};
export const needReplays = (owner: bigint, webhook: bigint): Need => ({ kind: replaysKind, key: { owner, webhook } });

export async function replayOf(db: Db, owner: bigint, webhook: bigint, id: bigint): Promise<Replay | null> {
  const rows = await db.query<Replay>(
    'select * from webhook_replays where owner_id = $1 and webhook_id = $2 and id = $3',
    [owner, webhook, id],
  );
  return rows[0] ?? null;
}

/** The newest first. */
export const replaysOf = (db: Db, owner: bigint, webhook: bigint, limit: number): Promise<Replay[]> =>
  db.query<Replay>('select * from webhook_replays where owner_id = $1 and webhook_id = $2 order by id desc limit $3', [
    owner,
    webhook,
    limit,
  ]);

/** Locked, if it is running. */
export async function replayHold(db: Db, owner: bigint, webhook: bigint, id: bigint): Promise<Replay | null> {
  const rows = await db.query<Replay>(
    `select * from webhook_replays where owner_id = $1 and webhook_id = $2 and id = $3 and state = 'running' for update`,
    [owner, webhook, id],
  );
  return rows[0] ?? null;
}

/** Replays that go on, whosever. */
export const replaysRunning = (
  db: Db,
): Promise<{ readonly owner_id: bigint; readonly webhook_id: bigint; readonly id: bigint }[]> =>
  db.query(`select owner_id, webhook_id, id from webhook_replays where state = 'running' order by id`);

/** How far an endpoint's log is sent; 0: nothing is. */
export async function cursorAt(db: Db, owner: bigint, webhook: bigint): Promise<bigint> {
  const rows = await db.query<{ position: bigint }>(
    'select position from webhook_cursors where owner_id = $1 and webhook_id = $2',
    [owner, webhook],
  );
  return rows[0]?.position ?? 0n;
}

/** Events that wait for the one before them of their resource: they are sent behind it in any case. */
export async function waitingOf(db: Db, owner: bigint, webhook: bigint, events: readonly bigint[]): Promise<bigint[]> {
  const rows = await db.query<{ event_id: bigint }>(
    `select event_id from webhook_deliveries where owner_id = $1 and webhook_id = $2 and event_id = any($3::int8[]) and state = 'waiting'`,
    [owner, webhook, events],
  );
  return rows.map(({ event_id }) => event_id);
}

/** How much of an endpoint's is due again now. */
export async function dueCount(db: Db, owner: bigint, webhook: bigint, now: Date): Promise<number> {
  const rows = await db.query<{ count: bigint }>(
    'select count(*) as count from webhook_deliveries where owner_id = $1 and webhook_id = $2 and next_at <= $3',
    [owner, webhook, now],
  );
  return Number(rows[0]?.count ?? 0n);
}
