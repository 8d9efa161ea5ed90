// Statements on orders with their operations, one or many by id, and on order_rejections. Lists stand in lists.ts, what is due in due.ts.
// Rule: an order is locked by its own row; its operations are only read or written by who holds that lock.
import { assert } from '../../../base/index.ts';
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  lookup,
  oneOwner,
  table,
  together,
  update,
} from '../../../store/index.ts';
import { projectOf } from '../../projects/index.ts';
import type { Operation, Order, OrderState } from '../model.ts';

export const orders = table<Order>(
  'orders',
  {
    project_id: 'int8',
    id: 'int8',
    merchant_order_id: 'text',
    status: 'text',
    amount: 'int8',
    currency: 'text',
    amount_charged: 'int8',
    amount_refunded: 'int8',
    amount_charged_back: 'int8',
    held: 'int8',
    description: 'text',
    segment: 'text',
    terminal: 'text',
    descriptor: 'text',
    auth_code: 'text',
    pan: 'text',
    card: 'jsonb',
    issuer: 'jsonb',
    client: 'jsonb',
    location: 'jsonb',
    visit: 'jsonb',
    custom_fields: 'jsonb',
    secure3d: 'jsonb',
    as_told: 'jsonb',
    options: 'jsonb',
    card_id: 'int8',
    parent_order_id: 'int8',
    initiator: 'text',
    network_transaction_id: 'text',
    in_flight: 'int8',
    due: 'jsonb',
    next_at: 'timestamptz',
    failure_type: 'text',
    failure_message: 'text',
    attempts: 'int4',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['project_id', 'id'],
  { subjects: ['id'] },
);

export const operations = table<Operation>(
  'operations',
  {
    project_id: 'int8',
    id: 'int8',
    order_id: 'int8',
    type: 'text',
    status: 'text',
    system: 'bool',
    amount: 'int8',
    currency: 'text',
    reference: 'text',
    original: 'text',
    auth_code: 'text',
    iso_response_code: 'text',
    iso_message: 'text',
    details: 'jsonb',
    arn: 'text',
    rate: 'jsonb',
    tries: 'int4',
    process: 'int8',
    once_key: 'text',
    created_at: 'timestamptz',
    resolved_at: 'timestamptz',
    cleared_at: 'timestamptz',
  },
  ['project_id', 'order_id', 'id'],
  { subjects: ['order_id'] },
);

export interface OrderKey {
  readonly owner: bigint;
  readonly id: bigint;
}

export const ORDER_COLUMNS = Object.keys(orders.columns)
  .map((name) => `o.${name}`)
  .join(', ');
export const OPERATION_COLUMNS = Object.keys(operations.columns)
  .map((name) => `p.${name}`)
  .join(', ');

const keyText = ({ owner, id }: OrderKey): string => `${owner}/${id}`;

/** Orders with their operations, locked. */
export const orderKind: Kind<OrderKey, OrderState> = {
  name: 'order',
  keyText,
  load: lockOrders,
  follows: [
    follow(
      orders,
      ({ project_id, id }) => keyText({ owner: project_id, id }),
      (state, order) => ({ order, operations: state?.operations ?? [] }),
    ),
    follow(operations, ({ project_id, order_id }) => keyText({ owner: project_id, id: order_id }), withOperation),
  ],
};

function withOperation(state: OrderState | undefined, operation: Operation): OrderState {
  assert(state, 'an operation before its order');
  const at = state.operations.findIndex(({ id }) => id === operation.id);
  return { ...state, operations: at < 0 ? [...state.operations, operation] : state.operations.with(at, operation) };
}

export const needOrder = (owner: bigint, id: bigint) => ({ kind: orderKind, key: { owner, id } });

const ORDERS_BY_ID = lookup(orders, { by: ['id'], locked: true });
const OPERATIONS_BY_ORDER = lookup(operations, { by: ['order_id'], order: 't.id' });

async function lockOrders(db: Db, keys: readonly OrderKey[]): Promise<ReadonlyMap<string, OrderState>> {
  const values = [keys.map((key) => key.id), oneOwner(keys.map((key) => key.owner))];
  // Both are sent at once; the second runs after the lock is held and so sees the last committed operations.
  const [found, theirs] = await Promise.all([
    db.query<Order>(ORDERS_BY_ID, values),
    db.query<Operation>(OPERATIONS_BY_ORDER, values),
  ]);
  const states = new Map<string, { order: Order; operations: Operation[] }>();
  for (const order of found) states.set(keyText({ owner: order.project_id, id: order.id }), { order, operations: [] });
  for (const operation of theirs)
    states.get(keyText({ owner: operation.project_id, id: operation.order_id }))?.operations.push(operation);
  return states;
}

type Columns = readonly (readonly [name: string, inRow: string])[];
const ORDER_PART: Columns = Object.keys(orders.columns).map((name) => [name, `o_${name}`]);
const OPERATION_PART: Columns = Object.keys(operations.columns).map((name) => [name, `p_${name}`]);

const BOTH = [
  ...ORDER_PART.map(([name, inRow]) => `o.${name} as ${inRow}`),
  ...OPERATION_PART.map(([name, inRow]) => `p.${name} as ${inRow}`),
].join(', ');

/** The members of a row of two tables that belong to one of them. */
function partOf(row: object, columns: Columns): object {
  const part: Record<string, unknown> = {};
  for (const [name, inRow] of columns) part[name] = (row as Record<string, unknown>)[inRow];
  return part;
}

/**
 * Orders of one owner with their operations, as last committed, by id. One statement: two would see an operation that has ended in between
 * beside amounts from before it.
 */
export async function ordersGet(
  db: Db,
  owner: bigint,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, OrderState>> {
  const rows = await db.query<{ readonly o_id: bigint; readonly p_id: bigint | null }>(
    `select ${BOTH} from unnest($2::int8[]) as k(id)
     cross join lateral (select * from orders t where t.project_id = $1 and t.id = k.id offset 0) o
     left join lateral (select * from operations t where t.project_id = $1 and t.order_id = k.id offset 0) p on true
     order by o.id, p.id`,
    // Several may want one order: looked up twice, it would have each operation twice.
    [owner, [...new Set(ids)]],
  );
  const states = new Map<bigint, { order: Order; operations: Operation[] }>();
  for (const row of rows) {
    const state = states.get(row.o_id) ?? { order: partOf(row, ORDER_PART) as Order, operations: [] };
    if (row.p_id !== null) state.operations.push(partOf(row, OPERATION_PART) as Operation);
    states.set(row.o_id, state);
  }
  return states;
}

/** One order with its operations, as last committed; null when it is not this owner's. Those that are asked for together are read together. */
export type ReadOrder = (owner: bigint, id: bigint) => Promise<OrderState | null>;

export const orderReader = (db: Db): ReadOrder =>
  together(async (owner, ids: readonly bigint[]) => {
    const states = await ordersGet(db, owner, ids);
    return ids.map((id) => states.get(id) ?? null);
  });

export const orderInsert = (order: Order): Change => insert(orders, order);
export const orderUpdate = (order: Order): Change => update(orders, order);
export const operationInsert = (operation: Operation): Change => insert(operations, operation);
export const operationUpdate = (operation: Operation): Change => update(operations, operation);

interface OrderRejection {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint | null;
  readonly action: string;
  readonly code: string;
  readonly created_at: Date;
}
const orderRejections = table<OrderRejection>(
  'order_rejections',
  { project_id: 'int8', id: 'int8', order_id: 'int8', action: 'text', code: 'text', created_at: 'timestamptz' },
  ['project_id', 'id'],
);
export const orderRejectionInsert = (row: OrderRejection): Change => insert(orderRejections, row);

/** Whose order this is, for the operator. */
export const orderOwner = (db: Db, id: bigint): Promise<bigint | null> => projectOf(db, orders, id);
