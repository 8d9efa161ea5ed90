// What the read endpoints answer: one order, the orders list, the operations list.
import { cashflowOf, convert, postingsOfOrders } from '../../ledger/index.ts';
import { decodeCursor, encodeCursor } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { OrderNotFound } from './errors.ts';
import { type Gateway, viewOf } from './gateway.ts';
import {
  type After,
  type OperationFilter,
  type OrderFilter,
  operationsCount,
  operationsOfOrders,
  operationsPage,
  ordersCount,
  ordersPage,
  type Page,
} from './list-queries.ts';
import type { Operation, Order, OrderState } from './model.ts';
import { rateFrom } from './postings.ts';
import {
  type Cashflows,
  isVisible,
  type OrderExpand,
  operationBase,
  operationExtra,
  orderRow,
  orderWhole,
} from './present.ts';
import { orderGet } from './queries.ts';

type Json = Record<string, unknown>;

export interface Listing {
  readonly rows: readonly Json[];
  /** Cursors of the pages before and behind; null: there is none. */
  readonly prev: string | null;
  readonly next: string | null;
  readonly total: bigint | null;
}

/** Cashflow of successful operations, from their postings. */
async function cashflowsOf(gateway: Gateway, project: Project, operations: readonly Operation[]): Promise<Cashflows> {
  const orderIds = [...new Set(operations.map(({ order_id }) => order_id))];
  const postings = await postingsOfOrders(gateway.db, project.id, orderIds);
  const groups = Map.groupBy(
    postings.filter((posting) => posting.entry_id === posting.operation_id),
    (posting) => posting.entry_id,
  );
  const flows = new Map();
  for (const { id, status, amount: minor, currency, rate } of operations) {
    if (status !== 'success') continue;
    const amount = convert({ minor, currency }, project.accounting_currency, rateFrom(rate));
    flows.set(id, cashflowOf(groups.get(id) ?? [], project.accounting_currency, amount));
  }
  return flows;
}

export async function readOrder(
  gateway: Gateway,
  project: Project,
  id: bigint | null,
  expands: readonly OrderExpand[],
): Promise<Json> {
  const state = id === null ? null : await orderGet(gateway.db, project.id, id);
  if (!state) throw new OrderNotFound();
  const cashflows = expands.includes('operations.cashflow')
    ? await cashflowsOf(gateway, project, state.operations)
    : new Map();
  return { orders: [orderWhole(viewOf(gateway, project), state, expands, cashflows)] };
}

const statesOf = (orders: readonly Order[], operations: readonly Operation[]): OrderState[] => {
  const byOrder = Map.groupBy(operations, (operation) => operation.order_id);
  return orders.map((order) => ({ order, operations: byOrder.get(order.id) ?? [] }));
};

export interface Paging extends Page {
  readonly count: boolean;
}

export async function listOrders(
  gateway: Gateway,
  project: Project,
  filter: OrderFilter,
  expands: readonly OrderExpand[],
  paging: Paging,
): Promise<Listing> {
  const { rows: orders, more } = await ordersPage(gateway.db, project.id, filter, paging);
  const wanted = expands.includes('operations.cashflow');
  const operations = wanted
    ? await operationsOfOrders(
        gateway.db,
        project.id,
        orders.map(({ id }) => id),
      )
    : [];
  const states = statesOf(orders, operations);
  const cashflows = wanted ? await cashflowsOf(gateway, project, operations) : new Map();
  const view = viewOf(gateway, project);
  return {
    rows: states.map((state) => orderRow(view, state, expands, cashflows)),
    ...neighbours(paging, orders, more),
    total: paging.count ? await ordersCount(gateway.db, project.id, filter) : null,
  };
}

export async function listOperations(
  gateway: Gateway,
  project: Project,
  filter: OperationFilter,
  expands: readonly string[],
  paging: Paging,
): Promise<Listing> {
  const { rows: operations, more } = await operationsPage(gateway.db, project.id, filter, paging);
  const view = viewOf(gateway, project);
  const cashflows: Cashflows = expands.includes('cashflow')
    ? await cashflowsOf(gateway, project, operations)
    : new Map();
  return {
    rows: operations.filter(isVisible).map((operation) => {
      const cashflow = cashflows.get(operation.id);
      return {
        ...operationBase(view, operation),
        order_id: view.outward(operation.order_id),
        ...(cashflow ? { cashflow } : {}),
        ...(expands.includes('extra') ? { extra: operationExtra(view, operation) } : {}),
      };
    }),
    ...neighbours(paging, operations, more),
    total: paging.count ? await operationsCount(gateway.db, project.id, filter) : null,
  };
}

interface Keyed {
  readonly created_at: Date;
  readonly id: bigint;
}

/** A page that was walked to has the one it came from on its other side. */
function neighbours(
  { after }: Page,
  rows: readonly Keyed[],
  more: boolean,
): { prev: string | null; next: string | null } {
  const [newer, older] = after?.back ? [more, true] : [after !== null, more];
  return {
    prev: newer ? cursorOf(rows[0], 'back') : null,
    next: older ? cursorOf(rows.at(-1)) : null,
  };
}

const cursorOf = (row: Keyed | undefined, ...way: 'back'[]): string | null =>
  row ? encodeCursor([row.created_at.toISOString(), row.id.toString(), ...way]) : null;

/** The place that a cursor names; null: not one of ours. */
export function afterOf(cursor: string): After | null {
  const values = decodeCursor(cursor);
  const [at, id, way] = (values ?? []) as unknown[];
  if (typeof at !== 'string' || typeof id !== 'string' || !/^\d{1,19}$/.test(id) || Number.isNaN(Date.parse(at)))
    return null;
  return way === undefined || way === 'back' ? { at: new Date(at), id: BigInt(id), back: way === 'back' } : null;
}
