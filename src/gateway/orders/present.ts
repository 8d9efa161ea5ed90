// Orders and operations as the contract shows them. Pure: state in, JSON out; the only place that knows the wire's field names.
import { formatAmount, formatDateTime } from '../../base/index.ts';
import type { Cashflow } from '../../ledger/index.ts';
import { UNKNOWN_CARD } from '../../network/index.ts';
import type { Project } from '../projects/index.ts';
import type { GatewayDeps } from './deps.ts';
import type { Operation, Order, OrderState } from './model.ts';
import { asTold } from './telling.ts';

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

/** What is named, in the order of the contract; `cashflow` alone means that of the operations. */
export const expandsIn = (names: readonly string[]): OrderExpand[] =>
  ORDER_EXPANDS.filter(
    (expand) => names.includes(expand) || (expand === 'operations.cashflow' && names.includes('cashflow')),
  );

export interface View {
  readonly project: Project;
  readonly outward: (id: bigint) => string;
}

export const viewOf = ({ permutation }: Pick<GatewayDeps, 'permutation'>, project: Project): View => ({
  project,
  outward: permutation.outward,
});

type Json = Record<string, unknown>;

/** Without what is null: optional sub-fields are absent, never null. */
const present = (fields: Json): Json => inOrder(fields, Object.keys(fields));

/** The given names in their order, whatever that of the stored object is; absent ones stay absent. */
function inOrder(fields: object | null, names: readonly string[]): Json {
  const out: Json = {};
  for (const name of names) {
    const value = (fields as Json | null)?.[name];
    if (value !== null && value !== undefined) out[name] = value;
  }
  return out;
}

const CLIENT = ['address', 'city', 'country', 'email', 'name', 'phone', 'state', 'zip', 'login'];
const LOCATION = ['ip', 'country', 'city', 'region'];

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

type Expandable = Exclude<OrderExpand, 'operations.cashflow'>;
const EXPANDABLE: Readonly<Record<Expandable, (order: Order) => Json>> = {
  card: ({ card }) =>
    card ? present({ holder: card.holder, subtype: nameOf(card.subtype), type: nameOf(card.type) }) : {},
  client: ({ client }) => inOrder(client, CLIENT),
  location: ({ location }) => inOrder(location, LOCATION),
  // The names are the merchant's own, and storage keeps no order.
  custom_fields: ({ custom_fields }) => inOrder(custom_fields, Object.keys(custom_fields ?? {}).sort()),
  // Whole or not at all.
  issuer: ({ issuer }) =>
    issuer?.country && issuer.title ? { bin: issuer.bin, country: issuer.country, title: issuer.title } : {},
  secure3d: ({ secure3d }) =>
    secure3d
      ? present({
          reason: secure3d.reason,
          scenario: secure3d.scenario,
          authorization_status: secure3d.authorization_status,
        })
      : {},
};

const EXPANDABLE_NAMES = Object.keys(EXPANDABLE) as readonly Expandable[];

/** A name of the table of card ranges; none for a number of no range. */
const nameOf = (name: string): string | null => (name === UNKNOWN_CARD ? null : name);

/** What the merchant may see: results only, and nothing that the gateway did for itself. */
export const isVisible = (operation: Operation): boolean => operation.status !== 'sent' && !operation.system;

/** What an operation carries where it is asked for. */
interface Attached {
  /** The owning order, in the operations list. */
  readonly order_id?: string;
  readonly cashflow?: Cashflow | undefined;
  readonly extra?: boolean;
}

export function operationShown(view: View, operation: Operation, attached: Attached = {}): Json {
  const { settings } = view.project;
  const { details } = operation;
  return {
    type: operation.type,
    status: operation.status,
    amount: formatAmount(operation.amount, operation.currency),
    currency: operation.currency,
    auth_code: operation.auth_code,
    iso_message: operation.iso_message,
    iso_response_code: operation.iso_response_code,
    created: formatDateTime(operation.created_at, settings.time_zone),
    ...present({
      order_id: attached.order_id,
      arn: operation.arn,
      trace_id: settings.trace_id ? details.network_transaction_id : null,
      cashflow: attached.cashflow,
      extra: attached.extra ? extraOf(view, operation) : null,
    }),
  };
}

/** `expand=extra` of the operations list. */
function extraOf({ project }: View, { details }: Operation): Json {
  const { authentication } = details;
  return {
    rrn: details.rrn ?? null,
    stan: details.stan ?? null,
    network: details.network ? nameOf(details.network) : null,
    network_transaction_id: details.network_transaction_id ?? null,
    eci: details.eci ?? null,
    cvv_result: details.cvv_result ?? null,
    avs_result: details.avs_result ?? null,
    authentication: authentication
      ? { letter: authentication.letter, version: authentication.version, exemption: authentication.exemption }
      : null,
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
): OrderShown {
  return Object.assign(expanded(view, order, expands), {
    operations: operations
      .filter(isVisible)
      .map((operation) => operationShown(view, operation, { cashflow: cashflows.get(operation.id) })),
  });
}

export interface OrderShown extends Json {
  readonly operations: readonly Json[];
  /** Older operations are left out: only in events. */
  readonly truncated?: true;
}

function expanded(view: View, order: Order, expands: readonly OrderExpand[]): Json {
  const told = asTold(order);
  const out = orderBase(view, told);
  for (const name of expands) if (name !== 'operations.cashflow') out[name] = EXPANDABLE[name](told);
  return out;
}

/** The order as it was told before, without its operations. What is the same row's member as now is taken over from `shown`. */
export function orderBefore(view: View, before: Order, now: Order, shown: OrderShown): Json {
  const told = asTold(before);
  const out = orderBase(view, told);
  for (const name of EXPANDABLE_NAMES) out[name] = told[name] === now[name] ? shown[name] : EXPANDABLE[name](told);
  if (shown.truncated !== undefined) out.truncated = shown.truncated;
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
  return expanded(view, order, expands);
}
