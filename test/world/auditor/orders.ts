// What the auditor knows of one order: what was asked and answered, what each read showed, and what may follow from where.
// Rule: of every read the operations, the amounts and the status must tell one story, and it must be the one that the answers told.
import { type Claim, contradiction, type Effect, type Verdict } from './claims.ts';

/** What is said of an order that is made, before anything of it is known. */
export interface Wanted {
  readonly tag: string;
  readonly project: string;
  readonly amount: string;
  readonly currency: string;
  readonly autoCharge: boolean;
  /** Milliseconds after which the project charges by itself; null: never. */
  readonly captureDelayMs: number | null;
  /** The cardholder takes it back once it is settled. */
  readonly disputes: boolean;
  readonly merchantInitiated: boolean;
}

export interface OrderShown {
  readonly id: string;
  readonly pan: string;
  readonly status: string;
  readonly amount: string;
  readonly amount_charged: string;
  readonly amount_refunded: string;
  readonly currency: string;
  readonly operations: readonly {
    readonly type: string;
    readonly status: string;
    readonly amount: string;
    readonly created: string;
    readonly arn?: string;
  }[];
}

const FINAL = new Set(['reversed', 'refunded', 'credited', 'rejected', 'fraud', 'declined', 'error']);
const BEGUN = [
  'prepared',
  'authorized',
  'charged',
  'reversed',
  'refunded',
  'chargedback',
  'rejected',
  'fraud',
  'declined',
  'error',
];
/** Where an order can come to from a status, in any number of steps. */
const REACHES: Readonly<Record<string, readonly string[]>> = {
  new: [...BEGUN, 'credited'],
  prepared: [...BEGUN, 'new'],
  authorized: ['charged', 'reversed', 'refunded', 'chargedback'],
  charged: ['reversed', 'refunded', 'chargedback'],
  chargedback: ['charged', 'refunded'],
};

/** Cents; every amount on the wire has two decimals. */
export const cents = (text: string): number => Math.round(Number(text) * 100);
const sum = (effects: readonly Effect[], type: string): number =>
  effects.reduce((total, effect) => total + (effect.type === type ? cents(effect.amount) : 0), 0);

export const effectsOf = (order: OrderShown): Effect[] =>
  order.operations.filter(({ status }) => status === 'success').map(({ type, amount }) => ({ type, amount }));

/** What successful operations come to. */
export interface Sums {
  readonly authorized: number;
  readonly charged: number;
  readonly voided: number;
  readonly refunded: number;
  readonly credited: number;
  readonly back: number;
  /** A hold that was given up whole. */
  readonly released: boolean;
  readonly status: string | null;
}

/** The story that the operations tell; the status is null before anything succeeded. */
export function sumsOf(order: OrderShown): Sums {
  const effects = effectsOf(order);
  const charged = sum(effects, 'charge');
  const reversed = effects.some(({ type }) => type === 'reverse');
  const refunded = sum(effects, 'refund');
  const back = sum(effects, 'chargeback') - sum(effects, 'representment');
  const voided = order.status === 'reversed' ? charged : 0;
  const implied = (): string | null => {
    if (sum(effects, 'credit') > 0) return 'credited';
    if (!effects.some(({ type }) => type === 'authorize')) return null;
    if (charged === 0) return reversed ? 'reversed' : 'authorized';
    if (back > 0) return 'chargedback';
    if (voided > 0 && reversed) return 'reversed';
    return refunded === charged ? 'refunded' : 'charged';
  };
  return {
    authorized: sum(effects, 'authorize'),
    charged,
    voided,
    refunded,
    credited: sum(effects, 'credit'),
    back,
    released: reversed && charged === 0,
    status: implied(),
  };
}

const DAY_MS = 86_400_000;
/** A minute, ten, an hour and six: the retries of a charge that follows by itself. */
const RETRIES_MS = 7 * 3_600_000;

export class OrderBook {
  readonly wanted: Wanted;
  readonly claims: Claim[] = [];
  id: string | null = null;
  /** As the last read showed it. */
  shown: OrderShown | null = null;
  /** Every status that was shown. */
  readonly seen = new Set<string>();
  #shownAt = 0;

  /** `from`: the earliest virtual moment at which it may have been authorized. */
  constructor(wanted: Wanted, from: number) {
    this.wanted = wanted;
    const { autoCharge, captureDelayMs, disputes, merchantInitiated } = wanted;
    if (autoCharge) this.#itself('charge', 0);
    if (captureDelayMs !== null) this.#itself('charge', from + captureDelayMs);
    if (disputes) this.#itself('chargeback', 0);
    this.#itself(
      'reverse',
      from + (autoCharge || captureDelayMs !== null ? RETRIES_MS : (merchantInitiated ? 5 : 7) * DAY_MS),
    );
  }

  /** Nobody asks for it, and it may come from that virtual moment on. */
  #itself(type: string, notBefore: number, amount: string | null = null): void {
    this.claims.push({
      step: 0,
      type,
      amount,
      verdict: 'unknown',
      answer: 'by itself',
      byItself: { notBefore },
    });
  }

  get subject(): string {
    return `order ${this.id ?? '?'} (${this.wanted.tag})`;
  }

  claim(step: number, type: string, amount: string | null, verdict: Verdict, answer: string): Claim {
    const claim: Claim = { step, type, amount, verdict, answer };
    this.claims.push(claim);
    return claim;
  }

  /** Compares what a read shows with all that is known; a sentence, or null. */
  look(order: OrderShown, step: number, now: number): string | null {
    const before = this.shown;
    const beforeAt = this.#shownAt;
    if (this.id !== null && this.id !== order.id) return `${this.subject}: step ${step} answers with order ${order.id}`;
    this.id = order.id;
    // Of several charges: what was never charged is released once all that was has gone back.
    const left = cents(order.amount) - cents(order.amount_charged);
    if (order.status === 'refunded' && left > 0 && !this.seen.has('refunded'))
      this.#itself('reverse', 0, (left / 100).toFixed(2));
    this.shown = order;
    this.seen.add(order.status);
    this.#shownAt = step;
    return (
      this.#moved(before, beforeAt, order, step) ??
      this.#adds(order, step) ??
      contradiction(this.subject, this.claims, effectsOf(order), step, now)
    );
  }

  #moved(before: OrderShown | null, beforeAt: number, order: OrderShown, step: number): string | null {
    if (!before) return null;
    if (before.status !== order.status && !(REACHES[before.status] ?? []).includes(order.status))
      return `${this.subject}: was ${before.status} at step ${beforeAt} and is ${order.status} at step ${step}`;
    if (FINAL.has(before.status) && before.operations.length > order.operations.length)
      return `${this.subject}: lost an operation between steps ${beforeAt} and ${step}`;
    return null;
  }

  #adds(order: OrderShown, step: number): string | null {
    const sums = sumsOf(order);
    const at = `${this.subject}: step ${step} shows`;
    const free = this.wanted.amount === '0.00';
    if ((!free && order.amount !== this.wanted.amount) || order.currency !== this.wanted.currency)
      return `${at} ${order.amount} ${order.currency}, asked were ${this.wanted.amount} ${this.wanted.currency}`;
    if (sums.status !== null && sums.status !== order.status)
      return `${at} status ${order.status}, its operations say ${sums.status}`;
    if (sums.status === null && !['new', 'prepared', 'rejected', 'fraud', 'declined', 'error'].includes(order.status))
      return `${at} status ${order.status} without an operation that made it so`;
    if (cents(order.amount_charged) !== sums.charged - sums.voided)
      return `${at} amount_charged ${order.amount_charged}, its charges come to ${(sums.charged - sums.voided) / 100}`;
    if (cents(order.amount_refunded) !== sums.refunded)
      return `${at} amount_refunded ${order.amount_refunded}, its refunds come to ${sums.refunded / 100}`;
    if (sums.charged > cents(order.amount) || sums.refunded + sums.back > sums.charged)
      return `${at} more taken or given back than there was`;
    return null;
  }
}
