// An order and its operations as they are stored, and the words that they use. Pure types and the order's own arithmetic.
import { addMs } from '../../base/index.ts';
import type { Visit } from '../risk/index.ts';

export const ORDER_STATUSES = [
  'new',
  'prepared',
  'authorized',
  'charged',
  'reversed',
  'refunded',
  'rejected',
  'fraud',
  'declined',
  'chargedback',
  'credited',
  'error',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const OPERATION_TYPES = [
  'authorize',
  'charge',
  'reverse',
  'refund',
  'credit',
  'chargeback',
  'representment',
] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];
/** What a merchant sees of an operation: its result. */
export const SHOWN_STATUSES = ['success', 'failure', 'error'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];
export type OperationStatus = ShownStatus | 'sent' | 'done';
export type FailureType = 'declined' | 'fraud' | 'rejected' | 'error' | 'validation';

/** Kinds of things that become due on an order. */
const DUE_KINDS = ['recover', 'ask', 'expire', 'capture', 'warn', 'release', 'clear', 'chargeback', 'reserve'] as const;
export type DueKind = (typeof DUE_KINDS)[number];
/** ISO times by kind. */
export type Due = Readonly<Partial<Record<DueKind, string>>>;

export interface Card {
  readonly holder: string | null;
  readonly type: string;
  readonly subtype: string;
  /** MM/YY of the card, kept for the payer's receipt and expiry checks of a rebill. */
  readonly expiry: string;
}

export interface Issuer {
  readonly bin: string;
  readonly country: string | null;
  readonly title: string | null;
}

export interface Client {
  readonly address?: string;
  readonly city?: string;
  readonly country?: string;
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly state?: string;
  readonly zip?: string;
  readonly login?: string;
}

export interface Location {
  readonly ip?: string;
  readonly country?: string;
  readonly city?: string;
  readonly region?: string;
}

export interface Secure3d {
  /** Absent: authenticated elsewhere. */
  readonly reason?: string;
  readonly scenario: string;
  readonly authorization_status?: string;
  /** Not on the wire: the running or last 3-D Secure transaction, and what it proved. */
  readonly transaction_id?: string;
  readonly authentication?: Authentication;
}

export interface Authentication {
  readonly letter: string;
  readonly eci: string | null;
  readonly cavv: string | null;
  readonly dsTransId: string | null;
  readonly version: string | null;
}

export interface OrderOptions {
  readonly expiration_timeout?: string;
  readonly force3d?: boolean;
  readonly auto_charge?: boolean;
  readonly language?: string;
  readonly return_url?: string;
  readonly template?: string;
  readonly mobile?: boolean;
  readonly apple_pay_enabled?: boolean;
  readonly google_pay_enabled?: boolean;
  readonly secure3d20_return_url?: string;
  readonly exemption_mit?: boolean;
  readonly static_link?: boolean;
  readonly recurring?: boolean;
  readonly indicator?: 'R' | 'I' | 'U' | 'C';
  /** The network transaction id that a merchant-initiated payment refers to. */
  readonly trace_id?: string;
  /** How often the charge that follows by itself was tried. */
  readonly capture_tries?: number;
  /** A payout: the order is one credit. */
  readonly payout?: boolean;
}

export interface Order {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly merchant_order_id: string | null;
  readonly status: OrderStatus;
  readonly amount: bigint;
  readonly currency: string;
  readonly amount_charged: bigint;
  readonly amount_refunded: bigint;
  readonly amount_charged_back: bigint;
  readonly held: bigint;
  readonly description: string | null;
  readonly segment: string;
  readonly terminal: string;
  readonly descriptor: string;
  readonly auth_code: string;
  readonly pan: string;
  readonly card: Card | null;
  readonly issuer: Issuer | null;
  readonly client: Client | null;
  readonly location: Location | null;
  readonly visit: Visit | null;
  readonly custom_fields: Readonly<Record<string, string>> | null;
  readonly secure3d: Secure3d | null;
  /** What an attempt that is under way has changed, as the last event told it (telling.ts). */
  readonly as_told: AsTold | null;
  readonly options: OrderOptions;
  readonly card_id: bigint | null;
  readonly parent_order_id: bigint | null;
  readonly initiator: 'customer' | 'merchant';
  readonly network_transaction_id: string | null;
  readonly in_flight: bigint | null;
  readonly due: Due;
  readonly next_at: Date | null;
  readonly failure_type: FailureType | null;
  readonly failure_message: string | null;
  readonly attempts: number;
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type AsTold = Pick<Order, 'pan' | 'card' | 'issuer' | 'secure3d'>;

/** What a payout counts against the bounds of payouts, and where; kept with it, so that the same is given back. */
export interface Counted {
  /** Fingerprint of the card. */
  readonly card: string;
  readonly day: string;
  /** Minor units of the accounting currency, at the rate of the payout. */
  readonly amount: string;
}

/** What the network told about an operation, for `expand=extra` and for what follows it. */
export interface OperationDetails {
  readonly rrn?: string;
  readonly stan?: string;
  readonly network?: string;
  readonly network_transaction_id?: string | null;
  readonly eci?: string | null;
  readonly cvv_result?: string | null;
  readonly avs_result?: string | null;
  readonly authentication?: {
    readonly letter: string;
    readonly version: string | null;
    readonly exemption: string | null;
  } | null;
  readonly decline_category?: string | null;
  readonly terminal?: string;
  readonly authorization_expires?: string | null;
  /** A reversal of a charge that was not settled yet. */
  readonly void?: boolean;
  /** Answered, but the answer can't be booked: it stays in flight. */
  readonly unbooked?: { readonly response_code: string; readonly auth_code: string; readonly problem: string };
  /** Settled by hand: what the acquirer told, and who said so. */
  readonly resolution?: { readonly outcome: string; readonly reason: string; readonly at: string };
  /** Of a payout: what it counts against the bounds of payouts. */
  readonly counted?: Counted;
  /** Ended by the gateway itself (hold expiry, capture delay), not by the merchant. */
  readonly by?: 'expiry' | 'auto_charge' | 'capture_delay' | 'retries_used_up' | 'order_over';
}

/** An order as the subject of events, postings and requests with a key. */
export const asSubject = (id: bigint) => ({ type: 'order', id }) as const;

export interface Operation {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly order_id: bigint;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly system: boolean;
  readonly amount: bigint;
  readonly currency: string;
  readonly reference: string;
  readonly original: string | null;
  readonly auth_code: string;
  readonly iso_response_code: string;
  readonly iso_message: string;
  readonly details: OperationDetails;
  readonly arn: string | null;
  readonly rate: Readonly<Record<string, unknown>> | null;
  readonly tries: number;
  readonly process: bigint;
  readonly once_key: string | null;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  readonly cleared_at: Date | null;
}

export interface OrderState {
  readonly order: Order;
  /** In the order in which they began. */
  readonly operations: readonly Operation[];
}

/** What may still be refunded: operations in flight exclude each other, so none is subtracted. */
export const refundable = (order: Order): bigint =>
  order.amount_charged - order.amount_refunded - order.amount_charged_back;

/** The order with `due` changed and next_at made to fit. While an operation is in flight only its recovery may run. */
export function withDue(order: Order, changes: Readonly<Partial<Record<DueKind, Date | null>>>): Order {
  const due: Partial<Record<DueKind, string>> = {};
  let first: string | null = null;
  for (const kind of DUE_KINDS) {
    const at = kind in changes ? changes[kind]?.toISOString() : order.due[kind];
    if (at === undefined) continue;
    due[kind] = at;
    if ((order.in_flight === null || kind === 'recover') && (first === null || at < first)) first = at;
  }
  return { ...order, due, next_at: first === null ? null : new Date(first) };
}

/** Something is on its way for it: an operation, or a question to the directory. */
export const isBusy = ({ in_flight, due }: Order): boolean => in_flight !== null || due.ask !== undefined;

/** Longer than the directory and its network may take. */
const ASK_LIMIT_MS = 60_000;

/** The order for as long as the directory is asked: who dies meanwhile leaves it to the worker. */
export const asking = (order: Order, now: Date): Order => withDue(order, { ask: addMs(now, ASK_LIMIT_MS) });

/** Orders that were created for the payment page count their attempts; others have one. */
export const isPage = (order: Order): boolean => order.attempts > 0;
