// What the read endpoints answer: one order, the orders list, the operations list.
import { cashflowOf, convert, postingsOfOrders } from '../../ledger/index.ts';
import { type PageOf, pageOf, placeOf } from '../../store/index.ts';
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
import { type Cashflows, isVisible, type OrderExpand, operationShown, orderRow, orderWhole } from './present.ts';
import { orderGet } from './queries.ts';

type Json = Record<string, unknown>;

export interface Listing extends PageOf<Json> {
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
  const { rows: orders, ...ends } = pageOf(await ordersPage(gateway.db, project.id, filter, paging), paging, keyOf);
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
    ...ends,
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
  const found = await operationsPage(gateway.db, project.id, filter, paging);
  const { rows: operations, ...ends } = pageOf(found, paging, keyOf);
  const view = viewOf(gateway, project);
  const cashflows: Cashflows = expands.includes('cashflow')
    ? await cashflowsOf(gateway, project, operations)
    : new Map();
  return {
    rows: operations.filter(isVisible).map((operation) =>
      operationShown(view, operation, {
        order_id: view.outward(operation.order_id),
        cashflow: cashflows.get(operation.id),
        extra: expands.includes('extra'),
      }),
    ),
    ...ends,
    total: paging.count ? await operationsCount(gateway.db, project.id, filter) : null,
  };
}

const keyOf = ({ created_at, id }: { readonly created_at: Date; readonly id: bigint }): [string, string] => [
  created_at.toISOString(),
  id.toString(),
];

/** The place that a cursor names; null: not one of ours. */
export function afterOf(cursor: string): After | null {
  const place = placeOf(cursor, 2);
  const [at = '', id = ''] = place?.key ?? [];
  if (!place || !/^\d{1,19}$/.test(id) || Number.isNaN(Date.parse(at))) return null;
  return { at: new Date(at), id: BigInt(id), back: place.back };
}
