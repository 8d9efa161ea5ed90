// Which cards have something due.
import { type Db, type DueColumns, dueTries, dueWaits } from '../../store/index.ts';

const DUE: DueColumns = { about: 'card', owner: 'c.tenant_id', id: 'c.id', kind: `'card'` };

export const cardsDue = (
  db: Db,
  now: Date,
  limit: number,
  except: readonly bigint[],
): Promise<{ readonly owner: bigint; readonly id: bigint; readonly at: Date; readonly tries: number }[]> =>
  db.query(
    `select c.tenant_id as owner, c.id, c.due_at as at, ${dueTries(DUE)} as tries from cards c
     where c.due_at <= $1 and c.tenant_id <> all($3) and not ${dueWaits(DUE, '$1')} order by c.due_at limit $2`,
    [now, limit, except],
  );

export async function nextCardDueAt(db: Db, after: Date): Promise<Date | null> {
  const rows = await db.query<{ due_at: Date | null }>(
    'select due_at from cards where due_at > $1 order by due_at limit 1',
    [after],
  );
  return rows[0]?.due_at ?? null;
}
