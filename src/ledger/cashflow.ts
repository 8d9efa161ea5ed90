// The contract's cashflow object, read from an operation's group. Rule: receivable = incoming - outgoing - fee - reserve, and only it
// may be negative, but for the amount that takes the rest of a rounding.
import { assert, formatAmount } from '../base/index.ts';
import type { Posting } from './queries.ts';

export interface Cashflow {
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly incoming: string;
  readonly receivable: string;
  readonly reserve: string;
}

const INCOMING = new Set(['charge', 'representment']);
const OUTGOING = new Set(['refund', 'credit', 'chargeback']);

/** `amount`: the operation's amount in the accounting currency, for operations whose group moves none (authorize, reverse). */
export function cashflowOf(postings: readonly Posting[], accounting: string, amount: bigint): Cashflow {
  const sum = (matches: (account: string) => boolean): bigint =>
    postings.reduce(
      (total, posting) =>
        posting.currency === accounting && matches(posting.account) ? total + posting.amount : total,
      0n,
    );
  const kind = postings[0]?.kind ?? '';
  const payable = sum((name) => name === 'merchant_payable' || name === 'merchant_disputed');
  const feeIncome = -sum((name) => name === 'fee_income');
  const reserved = -sum((name) => name.startsWith('merchant_reserve'));
  const receivable = -payable;
  const taken = kind === 'void';
  const fee = taken ? 0n : feeIncome;
  const reserve = taken ? 0n : reserved;
  assert(fee >= 0n && reserve >= 0n, 'no fee and no reserve is below zero');
  const moved = receivable + fee + reserve;
  const incoming = INCOMING.has(kind) ? moved : 0n;
  const shown = INCOMING.has(kind) ? moved : OUTGOING.has(kind) ? -moved : amount;
  const text = (minor: bigint): string => formatAmount(minor, accounting);
  return {
    currency: accounting,
    amount: text(shown),
    fee: text(fee),
    incoming: text(incoming),
    receivable: text(receivable),
    reserve: text(reserve),
  };
}
