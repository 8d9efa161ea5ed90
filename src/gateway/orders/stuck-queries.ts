// Operations in flight that the acquirer was asked for in vain, over all projects. Rule: reads only; settling is a command on the order.
import type { Db } from '../../store/index.ts';
import type { Operation } from './model.ts';
import { OPERATION_COLUMNS } from './queries.ts';

export interface StuckRow extends Operation {
  /** When it is asked for again; null: no more. */
  readonly recover: string | null;
}

const FROM = `from orders o join operations p on p.project_id = o.project_id and p.order_id = o.id and p.id = o.in_flight`;

/** In the order in which they began; `tries`: from the how-manieth on they are somebody's task. */
export const operationsStuck = (db: Db, tries: number, after: bigint, limit: number): Promise<StuckRow[]> =>
  db.query(
    `select ${OPERATION_COLUMNS}, o.due->>'recover' as recover ${FROM}
     where o.in_flight > $2 and p.status = 'sent' and (p.tries >= $1 or p.details->'unbooked' is not null or o.due->'recover' is null)
     order by o.in_flight limit $3`,
    [tries, after, limit],
  );

/** The operation in flight with this id; null: none is. */
export async function operationInFlight(db: Db, id: bigint): Promise<Operation | null> {
  return (await db.query<Operation>(`select ${OPERATION_COLUMNS} ${FROM} where o.in_flight = $1`, [id]))[0] ?? null;
}
