// Orders that wait for somebody, over all projects: for a worker because something is due, for an operator because the acquirer was asked in vain.
// Rule: reads only; what is done about them is a command on the order.
import { assert } from '../../../base/index.ts';
import { type Db, type DueColumns, dueKindsWaiting, dueTries, dueTriesByKind, dueWaits } from '../../../store/index.ts';
import { projectOf } from '../../projects/index.ts';
import type { DueKind, Operation, Order } from '../model.ts';
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
export async function ordersDue(db: Db, now: Date, limit: number, except: readonly bigint[]): Promise<OrderDue[]> {
  const due = `o.due - ${dueKindsWaiting(DUE, '$1')}`;
  const someIs = (kinds: string): string => `jsonb_path_exists(${due}, '$.${kinds} ? (@ <= $now)', $4::jsonb)`;
  const rows = await db.query<Omit<OrderDue, 'kind' | 'at' | 'tries'> & DueOfOrder>(
    `select o.project_id, o.id, o.terminal, o.in_flight, ${due} as due, ${dueTriesByKind(DUE)} as tries from orders o
     where o.next_at <= $1 and o.project_id <> all($3)
       and case when o.in_flight is null then ${someIs('*')} else ${someIs('recover')} end
     order by o.next_at limit $2`,
    [now, limit, except, JSON.stringify({ now: now.toISOString() })],
  );
  return rows.map(({ project_id, id, terminal, ...order }) => ({ project_id, id, terminal, ...earliest(order) }));
}

/** `due` without what waits after a failure. */
type DueOfOrder = Pick<Order, 'due' | 'in_flight'> & { readonly tries: Readonly<Record<string, number>> | null };

function earliest({ due, in_flight, tries }: DueOfOrder): Pick<OrderDue, 'kind' | 'at' | 'tries'> {
  const all = Object.entries(due) as [DueKind, string][];
  const [first] = all
    .filter(([kind]) => in_flight === null || kind === 'recover')
    .sort(([, a], [, b]) => (a < b ? -1 : 1));
  assert(first, 'an order is found by something due');
  const [kind, at] = first;
  return { kind, at: new Date(at), tries: tries?.[kind] ?? 0 };
}

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
