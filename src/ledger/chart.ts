// The chart of accounts (A asset, L liability, I income, E expense, M memo). An account that is kept apart by link, release day or
// pair carries it behind a colon. Rule: a posting may only name an account of this chart.
import { assert } from '../base/index.ts';

export const chart = {
  hold: ['M', 'amounts that issuers hold for authorized orders'],
  hold_contra: ['M', 'the other side of hold'],
  acquirer_receivable: ['A', 'charged, not yet paid to us, by link'],
  settlement_bank: ['A', 'paid to us'],
  merchant_payable: ['L', 'owed to the merchant and free; below zero: the merchant owes'],
  merchant_reserve: ['L', 'rolling reserve, by release day'],
  merchant_disputed: ['L', 'chargebacks under way'],
  fee_income: ['I', 'our charges'],
  refund_clearing: ['L', 'refunds and payouts on their way to cardholders'],
  chargeback_clearing: ['L', 'charged back by issuers'],
  fx: ['A', 'conversion, by pair: what one currency gave and the other received'],
  cardholder: ['L', 'owed to a cardholder, by managed account or prepaid card; below zero: the cardholder owes'],
  card_hold: ['M', 'held for authorizations, by managed account or prepaid card'],
  card_hold_contra: ['M', 'the other side of card_hold'],
  scheme_payable: ['L', 'cleared purchases that the card network is owed'],
  issuer_bank: ['A', 'money of cardholders in the bank'],
  issuing_fees: ['I', 'fees of cards and accounts'],
} as const satisfies Record<string, readonly ['A' | 'L' | 'I' | 'E' | 'M', string]>;

export type AccountName = keyof typeof chart;

/** `acquirer_receivable:simulator` */
export function account(name: AccountName, of?: string): string {
  assert(of === undefined || /^[\w/.-]+$/.test(of), 'an account is kept apart by a plain name');
  return of === undefined ? name : `${name}:${of}`;
}
