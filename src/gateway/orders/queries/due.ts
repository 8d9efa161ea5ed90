// Orders that wait for somebody, over all projects: for a worker because something is due, for an operator because the acquirer was asked in vain.
// Rule: reads only; what is done about them is a command on the order.
import { type Db, type DueColumns, dueTries, dueWaits } from '../../../store/index.ts';
import { projectOf } from '../../projects/index.ts';
import type { DueKind, Operation } from '../model.ts';
import { OPERATION_COLUMNS, orders } from './orders.ts';

/** What is due on an order, and what it takes to do it. */
export interface OrderDue {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly kind: DueKind;
  readonly at: Date;
  readonly tries: number;
  readonly terminal: string;
}

const DUE: DueColumns = { about: 'order', owner: 'o.project_id', id: 'o.id', kind: 'k.kind' };
const DUE_COLUMNS = `o.project_id, o.id, k.kind, k.at, o.terminal, ${dueTries(DUE)} as tries`;

/**
 * Of each order on which something is due the earliest that doesn't wait after a failure. While an operation is in flight only its
 * recovery may run.
 */
export const ordersDue = (db: Db, now: Date, limit: number, except: readonly bigint[]): Promise<OrderDue[]> =>
  db.query<OrderDue>(
    `select ${DUE_COLUMNS} from orders o cross join lateral (
       select k.kind, k.at::timestamptz as at from jsonb_each_text(o.due) k(kind, at)
       where k.at::timestamptz <= $1 and (o.in_flight is null or k.kind = 'recover') and not ${dueWaits(DUE, '$1')}
       order by k.at::timestamptz limit 1) k
     where o.next_at <= $1 and o.project_id <> all($3) order by o.next_at limit $2`,
    [now, limit, except],
  );

/** When something is due next behind `after`; null when nothing is. */
export async function nextDueAt(db: Db, after: Date): Promise<Date | null> {
  const rows = await db.query<{ next_at: Date | null }>(
    'select min(next_at) as next_at from orders where next_at > $1',
    [after],
  );
  return rows[0]?.next_at ?? null;
}

/**
 * Orders whose operation was sent once, and not by one of these processes. Every order with an operation in flight has its recovery
 * due soon, so the index on next_at finds them.
 */
export const ordersSentByOthers = (
  db: Db,
  { now, before, processes }: { readonly now: Date; readonly before: Date; readonly processes: readonly bigint[] },
  limit: number,
  except: readonly bigint[],
): Promise<(OrderDue & { readonly process: bigint })[]> =>
  db.query(
    `select ${DUE_COLUMNS}, p.process from orders o join operations p on p.project_id = o.project_id and p.order_id = o.id and p.id = o.in_flight
     cross join lateral (select 'recover' as kind, o.next_at as at) k
     where o.next_at <= $1 and o.in_flight is not null and p.tries = 1 and p.status = 'sent' and p.process <> all($2::int8[])
       and not ${dueWaits(DUE, '$5')} and o.project_id <> all($4)
     order by o.next_at limit $3`,
    [before, processes, limit, except, now],
  );

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

/** The operation in flight with this id, whosever it is; null: none is. */
export async function operationInFlight(db: Db, id: bigint): Promise<Operation | null> {
  const owner = await projectOf(db, orders, id, 'in_flight');
  if (owner === null) return null;
  const rows = await db.query<Operation>(
    `select ${OPERATION_COLUMNS} ${FROM} where o.project_id = $1 and o.in_flight = $2`,
    [owner, id],
  );
  return rows[0] ?? null;
}
