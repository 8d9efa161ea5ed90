// Statements that look at how endpoints do: at one owner's by whoever may, at all of them by who runs the installation.
import type { Db } from '../../../store/index.ts';
import type { Cursor } from '../queries.ts';

/** Of those that there are. */
export const cursorsOf = (db: Db, owner: bigint, webhooks: readonly bigint[]): Promise<Cursor[]> =>
  db.query<Cursor>(
    `select owner_id, webhook_id, position, failing_since, failing_told, succeeded_at, circuit_open from webhook_cursors
     where owner_id = $1 and webhook_id = any($2::int8[])`,
    [owner, webhooks],
  );

/** Of all owners. */
export const cursorsAll = (
  db: Db,
): Promise<Pick<Cursor, 'owner_id' | 'webhook_id' | 'position' | 'failing_told' | 'circuit_open'>[]> =>
  db.query('select owner_id, webhook_id, position, failing_told, circuit_open from webhook_cursors', []);
