// What the auditor knows of a payment with an issued card, and of a balance. Rule: what a payment may be at any moment is the set of all
// that its answers allow; a read that shows none of them is a contradiction, one that shows one of them leaves it.
import type { Verdict } from './claims.ts';

/** Minor units. */
export interface PaymentState {
  readonly held: number;
  readonly cleared: number;
  readonly refunded: number;
}

export interface Step {
  readonly do: 'purchase' | 'clear' | 'reverse' | 'increment' | 'expire' | 'refund';
  /** null: all that there is. */
  readonly amount: number | null;
}

/** With what was held when the hold ended by its time: a clearing without amount takes it when nothing is held. */
type Known = PaymentState & { readonly lapsed: number };

type Rule = (state: Known, amount: number | null) => Known | null;

/** What a step makes of a state; null: the state doesn't take it. */
const RULES: Readonly<Record<Exclude<Step['do'], 'purchase'>, Rule>> = {
  clear: (state, amount) => ({ ...state, held: 0, cleared: state.cleared + (amount ?? (state.held || state.lapsed)) }),
  increment: (state, amount) => (state.held > 0 ? { ...state, held: state.held + (amount ?? 0) } : null),
  expire: (state) => (state.held > 0 ? { ...state, held: 0, lapsed: state.held } : null),
  reverse: (state, amount) =>
    state.held > 0 && (amount ?? 0) <= state.held ? { ...state, held: state.held - (amount ?? state.held) } : null,
  refund: (state, amount) => {
    const left = state.cleared - state.refunded;
    return left > 0 && (amount ?? 0) <= left ? { ...state, refunded: state.refunded + (amount ?? left) } : null;
  },
};

function stepped(state: Known | null, { do: what, amount }: Step, asked: number): Known | null {
  if (what === 'purchase') return state ? null : { held: asked, cleared: 0, refunded: 0, lapsed: 0 };
  return state && RULES[what](state, amount);
}

interface Possible {
  /** null: it never happened. */
  readonly state: Known | null;
  /** Asked for, not known, and not in `state`. */
  readonly pending: readonly Step[];
}

export interface PaymentShown extends PaymentState {
  readonly id: string;
  readonly state: string;
  readonly approved: boolean;
  readonly merchant: { readonly name: string };
  /** Of a purchase in another currency: millionths of the card's currency for one of the merchant's. */
  readonly rate?: { readonly micro: string };
}

/**
 * Does a row show that state? Amounts of a purchase abroad are the merchant's, at the rate that the row names; where it came in parts, each
 * may have been rounded the other way, and what is above nothing costs at least the smallest coin.
 */
function shows(row: PaymentShown, state: PaymentState, foreign: boolean, parts: number): boolean {
  const micro = foreign ? Number(row.rate?.micro) : 1_000_000;
  const agrees = (shown: number, amount: number): boolean =>
    Math.abs(shown - (amount * micro) / 1_000_000) <= (foreign ? parts : 0);
  return agrees(row.held, state.held) && agrees(row.cleared, state.cleared) && agrees(row.refunded, state.refunded);
}
const shownAs = ({ held, cleared, refunded }: PaymentState): string =>
  `held ${held}, cleared ${cleared}, refunded ${refunded}`;

/** Holds last seven days at least; in the sandbox none is longer than thirty. */
const HOLD_MS = 7 * 86_400_000;

export class PaymentBook {
  readonly tag: string;
  readonly asked: number;
  id: string | null = null;
  /** It is asked for in another currency than the card's, both with two decimals. */
  readonly foreign: boolean;
  #parts = 0;
  #possible: Possible[] = [{ state: null, pending: [] }];
  #last = { step: 0, text: 'nothing' };
  /** When its hold may end by itself, virtual. */
  readonly #ends: number;

  /** `now`: the earliest virtual moment at which it was asked for. */
  constructor(tag: string, { asked, foreign, now }: { asked: number; foreign: boolean; now: number }) {
    this.tag = tag;
    this.asked = asked;
    this.foreign = foreign;
    this.#ends = now + HOLD_MS;
  }

  get subject(): string {
    return `payment ${this.id ?? '?'} (${this.tag})`;
  }

  /** Everything that may be by now, whatever of the pending has happened, in any order. */
  #spread(now: number): Possible[] {
    const itself: Step[] = now >= this.#ends ? [{ do: 'expire', amount: null }] : [];
    const found = new Map<string, Possible>();
    const visit = (possible: Possible): void => {
      const key = JSON.stringify(possible);
      if (found.has(key) || found.size > 2000) return;
      found.set(key, possible);
      for (const step of itself) {
        const state = stepped(possible.state, step, this.asked);
        if (state) visit({ state, pending: possible.pending });
      }
      possible.pending.forEach((step, i) => {
        const state = stepped(possible.state, step, this.asked);
        if (state) visit({ state, pending: possible.pending.toSpliced(i, 1) });
      });
    };
    for (const possible of this.#possible) visit(possible);
    return [...found.values()];
  }

  /** The least that may be held by now. */
  leastHeld(now: number): number {
    return Math.min(...this.#spread(now).map(({ state }) => state?.held ?? 0));
  }

  /** An answer to a step that was asked for. */
  answered(step: Step, verdict: Verdict, at: number, now: number): string | null {
    this.#parts++;
    if (verdict === 'unknown')
      this.#possible = this.#possible.map(({ state, pending }) => ({ state, pending: [...pending, step] }));
    if (verdict !== 'done') return null;
    const after = this.#spread(now).flatMap(({ state, pending }) => {
      const next = stepped(state, step, this.asked);
      return next ? [{ state: next, pending }] : [];
    });
    const before = this.#last;
    this.#last = { step: at, text: `${step.do} ${step.amount ?? ''} done` };
    if (after.length === 0)
      return `${this.subject}: ${step.do} was done at step ${at}, which can't be after ${before.text} at step ${before.step}`;
    this.#possible = after;
    return null;
  }

  /** `row`: what a list shows of it; null: it isn't there. */
  look(row: PaymentShown | null, at: number, now: number): string | null {
    if (row) this.id ??= row.id;
    // A payment that was declined is there, and moved nothing.
    const shown = row?.approved ? row : null;
    if (row && !row.approved && row.held + row.cleared + row.refunded !== 0)
      return `${this.subject}: declined, and step ${at} shows ${shownAs(row)}`;
    const fitting = this.#spread(now).filter(({ state }) =>
      shown && state ? shows(shown, state, this.foreign, this.#parts) : !shown && !state,
    );
    if (fitting.length === 0) {
      const known = this.#spread(now).map(({ state }) => (state ? shownAs(state) : 'nothing'));
      return `${this.subject}: step ${at} shows ${shown ? shownAs(shown) : 'nothing'}; after ${this.#last.text} (step ${this.#last.step}) it can only be ${[...new Set(known)].slice(0, 4).join(' or ')}${this.foreign ? ' abroad' : ''}`;
    }
    this.#possible = fitting;
    this.#last = { step: at, text: shown ? shownAs(shown) : 'nothing' };
    return null;
  }
}

export interface EntryShown {
  readonly sequence: number;
  readonly transactionType: string;
  readonly transactionId?: string;
  readonly amount: { readonly amount: number };
  readonly availableBalanceAdjustment: { readonly amount: number };
  readonly actualBalanceAfter: { readonly amount: number };
  readonly availableBalanceAfter: { readonly amount: number };
}

/** A statement tells one story from its first entry to the balances that are shown; nobody spends what isn't there. */
export function statementAgrees(
  subject: string,
  entries: readonly EntryShown[],
  balances: { readonly actualBalance: number; readonly availableBalance: number },
  overdraws: boolean,
): string | null {
  let actual = 0;
  let available = 0;
  for (const [i, entry] of entries.entries()) {
    const at = `${subject}: entry ${entry.sequence} (${entry.transactionType})`;
    if (entry.sequence !== i + 1) return `${at} stands in place ${i + 1}`;
    actual += entry.amount.amount;
    available += entry.availableBalanceAdjustment.amount;
    if (entry.actualBalanceAfter.amount !== actual)
      return `${at} ends in ${entry.actualBalanceAfter.amount}, the entries before and it in ${actual}`;
    if (entry.availableBalanceAfter.amount !== available)
      return `${at} leaves ${entry.availableBalanceAfter.amount} available, the entries before and it ${available}`;
    if (!overdraws && available < 0) return `${at} spends ${-available} more than there is`;
  }
  if (balances.actualBalance !== actual || balances.availableBalance !== available)
    return `${subject}: shows ${balances.actualBalance} and ${balances.availableBalance}, its statement ends in ${actual} and ${available}`;
  return null;
}

/** What the statement says of one payment against what the payment says of itself. */
export function paymentOnStatement(
  row: PaymentShown & { readonly fees: number },
  entries: readonly EntryShown[],
): string | null {
  const mine = entries.filter(({ transactionId }) => transactionId === row.id);
  const actual = mine.reduce((sum, { amount }) => sum + amount.amount, 0);
  const available = mine.reduce((sum, entry) => sum + entry.availableBalanceAdjustment.amount, 0);
  const moved = row.refunded - row.cleared - row.fees;
  if (actual !== moved) return `payment ${row.id} (${row.merchant.name}): moved ${moved}, its statement says ${actual}`;
  if (actual - available !== row.held)
    return `payment ${row.id} (${row.merchant.name}): holds ${row.held}, its statement says ${actual - available}`;
  return null;
}
