// What the network's answer does to an order: one pure function an operation type and outcome, as tables.
// Rule: amounts, hold, status and what is due next change here and nowhere else.
import { addDays, addMs, nextMidnight, parseDuration } from '../../base/index.ts';
import { sessionEnd } from '../intake/index.ts';
import {
  isOver,
  isPage,
  type Operation,
  type OperationType,
  type Order,
  orderStates,
  withDue,
} from '../orders/index.ts';
import type { Project, Terminal } from '../projects/index.ts';

export interface Circumstances {
  readonly project: Project;
  readonly terminal: Terminal | null;
  readonly now: Date;
}

const DAY_MS = 86_400_000;

/** How long an issuer holds an authorization, in days, by brand: customer-initiated and merchant-initiated. */
const HOLD_DAYS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['visa', [7, 5]],
  ['mastercard', [7, 5]],
]);
const OTHER_HOLD_DAYS = [7, 5] as const;

export function authorizationExpiry(order: Order, at: Date): Date {
  const [customer, merchant] = HOLD_DAYS.get(order.card?.type ?? '') ?? OTHER_HOLD_DAYS;
  return addDays(at, order.initiator === 'merchant' ? merchant : customer);
}

/** Retries of a charge that follows by itself: after these waits, then the authorization is reversed. */
export const CAPTURE_RETRY_MS = [60_000, 600_000, 3_600_000, 21_600_000] as const;

type Effect = (order: Order, operation: Operation, circumstances: Circumstances) => Order;

const noHold = { warn: null, release: null, capture: null } as const;

/** Multicapture: the rest of the hold goes with the last charge that it could be for. */
const withoutRest = (order: Order, now: Date): Order =>
  order.held > 0n && isOver(order.status) ? withDue(order, { ...noHold, release: now }) : order;

const approvedEffects: Readonly<Record<OperationType, Effect>> = {
  authorize: (order, operation, { project, now }) => {
    // The issuer's time runs since it was asked, however late its answer came.
    const expires = authorizationExpiry(order, operation.created_at);
    const delay = project.settings.capture_delay ? parseDuration(project.settings.capture_delay) : null;
    return withDue(
      {
        ...order,
        status: orderStates.move(order.status, 'approve'),
        held: operation.amount,
        auth_code: operation.auth_code,
        network_transaction_id: operation.details.network_transaction_id ?? null,
        failure_type: null,
        failure_message: null,
      },
      {
        expire: null,
        warn: addMs(expires, -DAY_MS),
        release: expires,
        capture: order.amount > 0n && delay !== null && !order.options.auto_charge ? addMs(now, delay) : null,
      },
    );
  },
  charge: (order, operation, { project, terminal, now }) => {
    const held = terminal?.multicapture ? order.held - operation.amount : 0n;
    const charged: Order = {
      ...order,
      status: orderStates.move(order.status, 'charge'),
      amount_charged: order.amount_charged + operation.amount,
      held,
    };
    const reserve = project.pricing.reserve;
    return withDue(charged, {
      ...(held === 0n ? noHold : { capture: null }),
      clear: nextMidnight(now),
      reserve: Number(reserve.percent) > 0 ? laterOf(order.due.reserve, addDays(now, reserve.days)) : null,
    });
  },
  reverse: (order, operation, { now }) =>
    operation.details.void
      ? withoutRest(
          withDue(
            { ...order, status: orderStates.move(order.status, 'void'), amount_charged: 0n },
            { ...noHold, clear: null, reserve: null },
          ),
          now,
        )
      : withDue({ ...order, status: orderStates.move(order.status, 'reverse'), held: 0n }, noHold),
  refund: (order, operation, { now }) => {
    const refunded = { ...order, amount_refunded: order.amount_refunded + operation.amount };
    const status =
      refunded.amount_refunded === order.amount_charged ? orderStates.move(order.status, 'refund_rest') : order.status;
    return withoutRest(withDue({ ...refunded, status }, { clear: nextMidnight(now) }), now);
  },
  credit: (order, operation, { now }) =>
    withDue(
      { ...order, status: orderStates.move(order.status, 'credit'), auth_code: operation.auth_code },
      { expire: null, clear: nextMidnight(now) },
    ),
  chargeback: (order, operation) =>
    withDue(
      {
        ...order,
        status: orderStates.move(order.status, 'chargeback'),
        amount_charged_back: order.amount_charged_back + operation.amount,
      },
      { chargeback: null },
    ),
  representment: (order, operation) => ({
    ...order,
    status: orderStates.move(order.status, 'represent'),
    amount_charged_back: order.amount_charged_back - operation.amount,
  }),
};

const laterOf = (known: string | undefined, at: Date): Date => (known && new Date(known) > at ? new Date(known) : at);

export const approved: Effect = (order, operation, circumstances) =>
  approvedEffects[operation.type](order, operation, circumstances);

/** The issuer said no (or failed for good). An authorization or payout ends its order; other operations leave it as it was. */
export function declined(order: Order, operation: Operation, circumstances: Circumstances, message: string): Order {
  if (operation.type === 'authorize' || operation.type === 'credit') {
    const failed = operation.status === 'error';
    // On the payment page the payer may try another card while attempts are left.
    if (isPage(order) && !failed && order.attempts < circumstances.project.settings.page_attempts) {
      // The bank had a time of its own for its question; the session's counts again.
      return withDue({ ...order, status: 'new' }, { expire: sessionEnd(order) });
    }
    return withDue(
      {
        ...order,
        status: orderStates.move(order.status, failed ? 'lose' : 'decline'),
        failure_type: failed ? 'error' : 'declined',
        failure_message: message,
      },
      { expire: null },
    );
  }
  // What is still held of an order that is over is of no use to anybody: its release is asked for again until it is granted.
  if (operation.type === 'reverse' && order.held > 0n && isOver(order.status))
    return withDue(order, { release: addDays(circumstances.now, 1) });
  if (operation.type !== 'charge' || !operation.details.by) return withDue(order, {});
  // A charge that follows by itself is retried within limits; then the authorization is given back.
  const tries = order.options.capture_tries ?? 0;
  const wait = CAPTURE_RETRY_MS[tries];
  const again = { ...order, options: { ...order.options, capture_tries: tries + 1 } };
  return withDue(
    again,
    wait ? { capture: addMs(circumstances.now, wait) } : { capture: null, release: circumstances.now },
  );
}

/** Waits before the acquirer is asked again about an operation without an answer; the last one again and again. */
const RECOVERY_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
const RECOVERY_DAYS = 7;

/** A hold must not survive: a reversal is asked for without end, and an authorization that is lost gets one however late. */
const HOLDS: ReadonlySet<OperationType> = new Set(['authorize', 'reverse']);

/** When it is asked for again; null: no more. */
export function recoveryAt({ type, tries, created_at }: Operation, now: Date): Date | null {
  if (!HOLDS.has(type) && now > addDays(created_at, RECOVERY_DAYS)) return null;
  return addMs(now, RECOVERY_MS[Math.min(tries, RECOVERY_MS.length) - 1] ?? 0);
}
