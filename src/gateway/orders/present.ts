// Orders and operations as the contract shows them. Pure: state in, JSON out; the only place that knows the wire's field names.
import { formatAmount, formatDateTime } from '../../base/index.ts';
import type { Cashflow } from '../../ledger/index.ts';
import type { Project } from '../projects/index.ts';
import type { Operation, Order, OrderState } from './model.ts';

/** The expand values of the contract, in its order. */
export const ORDER_EXPANDS = [
  'card',
  'client',
  'location',
  'custom_fields',
  'issuer',
  'secure3d',
  'operations.cashflow',
] as const;
export type OrderExpand = (typeof ORDER_EXPANDS)[number];

export interface View {
  readonly project: Project;
  readonly outward: (id: bigint) => string;
}

type Json = Record<string, unknown>;

/** Leaves out what is null: optional sub-fields are absent, never null. */
function present(fields: Json): Json {
  const out: Json = {};
  for (const [name, value] of Object.entries(fields)) if (value !== null && value !== undefined) out[name] = value;
  return out;
}

export function orderBase({ project, outward }: View, order: Order): Json {
  const zone = project.settings.time_zone;
  const amount = (minor: bigint): string => formatAmount(minor, order.currency);
  return {
    id: outward(order.id),
    merchant_order_id: order.merchant_order_id,
    status: order.status,
    amount: amount(order.amount),
    amount_charged: amount(order.amount_charged),
    amount_refunded: amount(order.amount_refunded),
    currency: order.currency,
    description: order.description,
    descriptor: order.descriptor,
    auth_code: order.auth_code,
    pan: order.pan,
    segment: order.segment,
    created: formatDateTime(order.created_at, zone),
    updated: formatDateTime(order.updated_at, zone),
    ...(order.failure_type ? { failure_type: order.failure_type, failure_message: order.failure_message } : {}),
  };
}

const EXPANDABLE: Readonly<Record<Exclude<OrderExpand, 'operations.cashflow'>, (order: Order) => Json>> = {
  card: ({ card }) => (card ? present({ holder: card.holder, subtype: card.subtype, type: card.type }) : {}),
  client: ({ client }) => ({ ...client }),
  location: ({ location }) => ({ ...location }),
  custom_fields: ({ custom_fields }) => ({ ...custom_fields }),
  issuer: ({ issuer }) => (issuer ? present({ bin: issuer.bin, country: issuer.country, title: issuer.title }) : {}),
  secure3d: ({ secure3d }) =>
    secure3d
      ? present({
          reason: secure3d.reason,
          scenario: secure3d.scenario,
          authorization_status: secure3d.authorization_status,
        })
      : {},
};

/** What the merchant may see: results only, and nothing that the gateway did for itself. */
export const isVisible = (operation: Operation): boolean => operation.status !== 'sent' && !operation.system;

export function operationBase({ project }: View, operation: Operation): Json {
  return {
    type: operation.type,
    status: operation.status,
    amount: formatAmount(operation.amount, operation.currency),
    currency: operation.currency,
    auth_code: operation.auth_code,
    iso_message: operation.iso_message,
    iso_response_code: operation.iso_response_code,
    created: formatDateTime(operation.created_at, project.settings.time_zone),
    ...(operation.arn ? { arn: operation.arn } : {}),
    ...(project.settings.trace_id && operation.details.network_transaction_id
      ? { trace_id: operation.details.network_transaction_id }
      : {}),
  };
}

/** `expand=extra` of the operations list. */
export function operationExtra({ project }: View, { details }: Operation): Json {
  return {
    rrn: details.rrn ?? null,
    stan: details.stan ?? null,
    network: details.network ?? null,
    network_transaction_id: details.network_transaction_id ?? null,
    eci: details.eci ?? null,
    cvv_result: details.cvv_result ?? null,
    avs_result: details.avs_result ?? null,
    authentication: details.authentication ?? null,
    decline_category: details.decline_category ?? null,
    terminal: details.terminal ?? null,
    authorization_expires: details.authorization_expires
      ? formatDateTime(new Date(details.authorization_expires), project.settings.time_zone)
      : null,
  };
}

export type Cashflows = ReadonlyMap<bigint, Cashflow>;

/** The whole order with its operations: answers of POST and PUT, and GET with `expand`. Cashflow stands where `cashflows` has one. */
export function orderWhole(
  view: View,
  { order, operations }: OrderState,
  expands: readonly OrderExpand[],
  cashflows: Cashflows,
): Json {
  const out = orderBase(view, order);
  for (const name of expands) if (name !== 'operations.cashflow') out[name] = EXPANDABLE[name](order);
  out.operations = operations.filter(isVisible).map((operation) => {
    const json = operationBase(view, operation);
    const cashflow = cashflows.get(operation.id);
    return cashflow ? { ...json, cashflow } : json;
  });
  return out;
}

/** A row of the orders list: the base fields, and only what expand names. */
export function orderRow(
  view: View,
  { order, operations }: OrderState,
  expands: readonly OrderExpand[],
  cashflows: Cashflows,
): Json {
  if (expands.includes('operations.cashflow')) return orderWhole(view, { order, operations }, expands, cashflows);
  const out = orderBase(view, order);
  for (const name of expands) if (name !== 'operations.cashflow') out[name] = EXPANDABLE[name](order);
  return out;
}
