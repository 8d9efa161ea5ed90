// What a payer typed, as a card and an amount. Rule: every wrong field is told at once, by name; no value is given back.
import { Pan, parseAmount } from '../../base/index.ts';
import type { CardData } from '../flight/index.ts';

/** As typed; absent fields are empty. */
export interface PageCard {
  readonly number: string;
  readonly month: string;
  readonly year: string;
  readonly cvv: string;
  readonly holder: string;
  /** Only where the payer says how much. */
  readonly amount: string;
}

/** `expiry`: month and year are right, and over. */
export type WrongField = keyof PageCard | 'expiry';

export interface Wanted {
  readonly cvvRequired: boolean;
  readonly holderRequired: boolean;
  /** The currency of an amount that the payer enters; null: it is fixed. */
  readonly amountIn: string | null;
  readonly now: Date;
}

export type Read =
  | { readonly wrong: readonly WrongField[] }
  /** minor: null where the amount is fixed. */
  | { readonly card: CardData; readonly minor: bigint | null };

/** A decimal as people write it: comma or point. */
function amountOf(text: string, currency: string): bigint | null {
  const minor = parseAmount(text.replace(/\s/g, '').replace(',', '.'), currency);
  return minor !== null && minor > 0n ? minor : null;
}

/** As the API takes it; characters as people count them. */
const HOLDER = /^\P{Cc}{2,40}$/u;

export function readCard(typed: PageCard, { cvvRequired, holderRequired, amountIn, now }: Wanted): Read {
  const wrong: WrongField[] = [];
  const pan = Pan.parse(typed.number);
  const month = /^(0?[1-9]|1[0-2])$/.test(typed.month) ? typed.month.padStart(2, '0') : null;
  const year = /^(20)?\d{2}$/.test(typed.year) ? typed.year.slice(-2) : null;
  const minor = amountIn === null ? null : amountOf(typed.amount, amountIn);
  if (amountIn !== null && minor === null) wrong.push('amount');
  if (!pan) wrong.push('number');
  if (!month) wrong.push('month');
  if (!year) wrong.push('year');
  const expiry = `${year}${month}`;
  const today = now.toISOString();
  if (month && year && expiry < today.slice(2, 4) + today.slice(5, 7)) wrong.push('expiry');
  if (!(cvvRequired ? /^\d{3,4}$/ : /^(\d{3,4})?$/).test(typed.cvv)) wrong.push('cvv');
  if ((holderRequired || typed.holder !== '') && !HOLDER.test(typed.holder)) wrong.push('holder');
  if (!pan || wrong.length > 0) return { wrong };
  return { card: { pan, expiry, cvv: typed.cvv || null, holder: typed.holder || null }, minor };
}
