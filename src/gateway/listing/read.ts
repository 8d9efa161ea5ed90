// What the read endpoints answer: one order, the orders list, the operations list.
// Rule: a list is read, made and written out some rows at a time, and others go on between them. Only its places are found at once.
import type { Steps } from '../../base/index.ts';
import { type PageOf, pageOf, placeOf } from '../../store/index.ts';
import { cashflowsOf } from '../flight/index.ts';
import {
  type After,
  type Cashflows,
  type GatewayDeps,
  isVisible,
  type OperationFilter,
  type OrderExpand,
  type OrderFilter,
  operationPlaces,
  operationShown,
  operationsAt,
  operationsCount,
  orderPlaces,
  orderRow,
  ordersAt,
  ordersCount,
  ordersGet,
  orderWhole,
  type Page,
  refuse,
  viewOf,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

type Json = Record<string, unknown>;

/** What lists are read with: no committer, for nothing is written. */
export type ListingDeps = Pick<GatewayDeps, 'db' | 'lists' | 'permutation'>;

/** Rows of one step: what they cost is too little to be noticed by those who ask for something else. */
const STEP_ROWS = 50;

/** Its rows are JSON, as many in each text as were made in one step. */
export interface Listing extends PageOf<string> {
  readonly total: bigint | null;
}

export async function readOrder(
  deps: Pick<GatewayDeps, 'db' | 'orderOf' | 'permutation'>,
  project: Project,
  id: bigint | null,
  expands: readonly OrderExpand[],
): Promise<Json> {
  const state = id === null ? null : await deps.orderOf(project.id, id);
  if (!state) throw refuse('not_found');
  const cashflows = expands.includes('operations.cashflow')
    ? await cashflowsOf(deps, project, state.operations)
    : new Map();
  return { orders: [orderWhole(viewOf(deps, project), state, expands, cashflows)] };
}

export interface Paging extends Page {
  readonly count: boolean;
}

export async function* listOrders(
  deps: ListingDeps,
  project: Project,
  filter: OrderFilter,
  expands: readonly OrderExpand[],
  paging: Paging,
): Steps<Listing> {
  const view = viewOf(deps, project);
  const wanted = expands.includes('operations.cashflow');
  return yield* listed(paging, {
    places: () => orderPlaces(deps.lists, project.id, filter, paging),
    async shown(places) {
      const orders = await ordersAt(deps.db, project.id, filter, places);
      if (!wanted) return orders.map((order) => orderRow(view, { order, operations: [] }, expands, new Map()));
      const ids = orders.map(({ id }) => id);
      const found = await ordersGet(deps.db, project.id, ids);
      const states = ids.flatMap((id) => found.get(id) ?? []);
      const operations = states.flatMap((state) => state.operations);
      const cashflows = await cashflowsOf(deps, project, operations);
      return states.map((state) => orderRow(view, state, expands, cashflows));
    },
    count: () => ordersCount(deps.lists, project.id, filter),
  });
}

export async function* listOperations(
  deps: ListingDeps,
  project: Project,
  filter: OperationFilter,
  expands: readonly string[],
  paging: Paging,
): Steps<Listing> {
  const view = viewOf(deps, project);
  const wanted = expands.includes('cashflow');
  return yield* listed(paging, {
    places: () => operationPlaces(deps.lists, project.id, filter, paging),
    async shown(places) {
      const operations = await operationsAt(deps.db, project.id, filter, places);
      const cashflows: Cashflows = wanted ? await cashflowsOf(deps, project, operations) : new Map();
      return operations.filter(isVisible).map((operation) =>
        operationShown(view, operation, {
          order_id: view.outward(operation.order_id),
          cashflow: cashflows.get(operation.id),
          extra: expands.includes('extra'),
        }),
      );
    },
    count: () => operationsCount(deps.lists, project.id, filter),
  });
}

interface List<At> {
  /** As pageOf wants them. */
  places(): Promise<readonly At[]>;
  /** What the client sees of the rows at these places. */
  shown(places: readonly At[]): Promise<readonly Json[]>;
  count(): Promise<bigint>;
}

/** A page of a list, in steps. Its places are found first, so that what is inserted meanwhile moves none. */
async function* listed<At extends Keyed>(paging: Paging, list: List<At>): Steps<Listing> {
  const { rows: places, prev, next } = pageOf(await list.places(), paging, keyOf);
  const texts: string[] = [];
  for (let from = 0; from < places.length; from += STEP_ROWS) {
    if (from > 0) yield;
    const text = JSON.stringify(await list.shown(places.slice(from, from + STEP_ROWS))).slice(1, -1);
    if (text !== '') texts.push(text);
  }
  if (paging.count) yield;
  return { rows: texts, prev, next, total: paging.count ? await list.count() : null };
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
