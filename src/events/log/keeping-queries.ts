// Statements that take away what of the log is over: in chunks of one owner, so that nobody waits for them.
// Rule: what goes is noted in the same statement, in event_floors: without it a proof would miss what is gone.
import type { Db } from '../../store/index.ts';

/** Owners behind this one that have events, whosever. */
export async function ownersAfter(db: Db, owner: bigint, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ owner_id: bigint }>(
    'select owner_id from event_heads where owner_id > $1 order by owner_id limit $2',
    [owner, limit],
  );
  return rows.map(({ owner_id }) => owner_id);
}

/** Positions of events with ids below `before`, at most `limit`; how many. */
export async function logForget(db: Db, owner: bigint, before: bigint, limit: number): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `with gone as (
       delete from event_log where owner_id = $1 and event_id in
         (select event_id from event_log where owner_id = $1 and event_id < $2 order by event_id limit $3)
       returning position, created_at
     ), noted as (
       insert into event_floors as f (owner_id, gone_before, gone_position, gone_at)
       select $1, $2, max(position), max(created_at) from gone having count(*) > 0
       on conflict (owner_id) do update set gone_before = greatest(f.gone_before, excluded.gone_before),
         gone_position = greatest(f.gone_position, excluded.gone_position), gone_at = greatest(f.gone_at, excluded.gone_at)
     )
     select count(*) as count from gone`,
    [owner, before, limit],
  );
  return Number(row?.count ?? 0n);
}

/** The same of what lies beside the days. */
export async function eventsBesideForget(db: Db, owner: bigint, before: bigint, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from events_beside where owner_id = $1 and id in
       (select id from events_beside where owner_id = $1 and id < $2 order by id limit $3) returning id`,
    [owner, before, limit],
  );
  return rows.length;
}

/** When the newest was told of those that are kept no more; null: all of them are kept. */
export async function goneAt(db: Db, owner: bigint): Promise<Date | null> {
  const rows = await db.query<{ gone_at: Date }>('select gone_at from event_floors where owner_id = $1', [owner]);
  return rows[0]?.gone_at ?? null;
}
