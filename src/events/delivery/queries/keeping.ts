// Statements that take away deliveries and replays that are over: in chunks of one owner, and never a row that a sender is writing.
import type { Db } from '../../../store/index.ts';

/** Deliveries of events with ids below `before`, and of endpoints that are no more, at most `limit`; how many. */
export async function deliveriesForget(db: Db, owner: bigint, before: bigint, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from webhook_deliveries where owner_id = $1 and (webhook_id, event_id) in
       (select d.webhook_id, d.event_id from webhook_deliveries d where d.owner_id = $1 and (d.event_id < $2 or not exists
          (select from webhook_cursors c where c.owner_id = $1 and c.webhook_id = d.webhook_id))
        limit $3 for update of d skip locked)
     returning event_id`,
    [owner, before, limit],
  );
  return rows.length;
}

/** Tries that lie beside the days. */
export async function attemptsBesideForget(db: Db, owner: bigint, before: bigint, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from webhook_attempts_beside where owner_id = $1 and (webhook_id, event_id, id) in
       (select webhook_id, event_id, id from webhook_attempts_beside where owner_id = $1 and event_id < $2 limit $3)
     returning event_id`,
    [owner, before, limit],
  );
  return rows.length;
}

/** Replays that have ended before this moment, and those of endpoints that are no more. */
export async function replaysForget(db: Db, owner: bigint, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from webhook_replays where owner_id = $1 and (webhook_id, id) in
       (select r.webhook_id, r.id from webhook_replays r where r.owner_id = $1 and ((r.state <> 'running' and r.updated_at < $2) or not exists
          (select from webhook_cursors c where c.owner_id = $1 and c.webhook_id = r.webhook_id))
        limit $3 for update of r skip locked)
     returning id`,
    [owner, before, limit],
  );
  return rows.length;
}
