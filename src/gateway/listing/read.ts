// What the read endpoints answer: one order, the orders list, the operations list.
// Rule: a list is read, made and written out some rows at a time, and others go on between them.
import type { Steps } from '../../base/index.ts';
import { type PageOf, pageOf, placeOf } from '../../store/index.ts';
import { cashflowsOf } from '../flight/index.ts';
import {
  type After,
  type Cashflows,
  type Gateway,
  isVisible,
  type OperationFilter,
  type OrderExpand,
  type OrderFilter,
  OrderNotFound,
  operationShown,
  operationsCount,
  operationsPage,
  orderGet,
  orderRow,
  ordersCount,
  ordersGet,
  ordersPage,
  orderWhole,
  type Page,
  viewOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

type Json = Record<string, unknown>;

/** Rows of one step: what they cost is too little to be noticed by those who ask for something else. */
const STEP_ROWS = 50;

/** Its rows are JSON, as many in each text as were made in one step. */
export interface Listing extends PageOf<string> {
  readonly total: bigint | null;
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

export interface Paging extends Page {
  readonly count: boolean;
}

export async function* listOrders(
  gateway: Gateway,
  project: Project,
  filter: OrderFilter,
  expands: readonly OrderExpand[],
  paging: Paging,
): Steps<Listing> {
  const view = viewOf(gateway, project);
  const wanted = expands.includes('operations.cashflow');
  return yield* listed(paging, {
    page: (page) => ordersPage(gateway.lists, project.id, filter, page),
    async shown(orders) {
      if (!wanted) return orders.map((order) => orderRow(view, { order, operations: [] }, expands, new Map()));
      const ids = orders.map(({ id }) => id);
      const found = await ordersGet(gateway.db, project.id, ids);
      const states = ids.flatMap((id) => found.get(id) ?? []);
      const operations = states.flatMap((state) => state.operations);
      const cashflows = await cashflowsOf(gateway, project, operations);
      return states.map((state) => orderRow(view, state, expands, cashflows));
    },
    count: () => ordersCount(gateway.lists, project.id, filter),
  });
}

export async function* listOperations(
  gateway: Gateway,
  project: Project,
  filter: OperationFilter,
  expands: readonly string[],
  paging: Paging,
): Steps<Listing> {
  const view = viewOf(gateway, project);
  const wanted = expands.includes('cashflow');
  return yield* listed(paging, {
    page: (page) => operationsPage(gateway.lists, project.id, filter, page),
    async shown(operations) {
      const cashflows: Cashflows = wanted ? await cashflowsOf(gateway, project, operations) : new Map();
      return operations.filter(isVisible).map((operation) =>
        operationShown(view, operation, {
          order_id: view.outward(operation.order_id),
          cashflow: cashflows.get(operation.id),
          extra: expands.includes('extra'),
        }),
      );
    },
    count: () => operationsCount(gateway.lists, project.id, filter),
  });
}

interface List<Row> {
  /** As pageOf wants it. */
  page(page: Page): Promise<readonly Row[]>;
  /** What the client sees of these rows. */
  shown(rows: readonly Row[]): Promise<readonly Json[]>;
  count(): Promise<bigint>;
}

/** A page of a list, in steps. Each begins behind the last row of the one before it, so that what is inserted meanwhile moves none. */
async function* listed<Row extends Keyed>(paging: Paging, list: List<Row>): Steps<Listing> {
  const back = paging.after?.back ?? false;
  const texts: string[] = [];
  let ends: Pick<Listing, 'prev' | 'next'> | null = null;
  let { after, limit: left } = paging as Page;
  for (;;) {
    const step: Page = { after, limit: Math.min(left, STEP_ROWS) };
    const { rows, prev, next } = pageOf(await list.page(step), step, keyOf);
    const text = JSON.stringify(await list.shown(rows)).slice(1, -1);
    // Walked to backwards, the newer ones come later and stand first.
    if (text !== '') texts[back ? 'unshift' : 'push'](text);
    ends = back ? { prev, next: ends ? ends.next : next } : { prev: ends ? ends.prev : prev, next };
    left -= rows.length;
    const further = back ? prev : next;
    if (further === null || left === 0) {
      if (paging.count) yield;
      return { rows: texts, ...ends, total: paging.count ? await list.count() : null };
    }
    after = afterOf(further);
    yield;
  }
}

interface Keyed {
  readonly created_at: Date;
  readonly id: bigint;
}

const keyOf = ({ created_at, id }: Keyed): [string, string] => [created_at.toISOString(), id.toString()];

/** The place that a cursor names; null: not one of ours. */
export function afterOf(cursor: string): After | null {
  const place = placeOf(cursor, 2);
  const [at = '', id = ''] = place?.key ?? [];
  if (!place || !/^\d{1,19}$/.test(id) || Number.isNaN(Date.parse(at))) return null;
  return { at: new Date(at), id: BigInt(id), back: place.back };
}
