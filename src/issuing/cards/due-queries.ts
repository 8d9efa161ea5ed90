// Which cards have something due.
import type { Db } from '../../store/index.ts';

export const cardsDue = (
  db: Db,
  now: Date,
  limit: number,
): Promise<{ readonly tenant_id: bigint; readonly id: bigint }[]> =>
  db.query('select tenant_id, id from cards where due_at <= $1 order by due_at limit $2', [now, limit]);

export async function nextCardDueAt(db: Db): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(
    'select due_at from cards where due_at is not null order by due_at limit 1',
  );
  return rows[0]?.due_at ?? null;
}
