// ISO 4217: alphabetic code, numeric code (DE 49), digits after the decimal point.
// Intl is not asked: its digits are those of daily use, not of the standard (HUF, IDR, IQD …).
import { assert } from '../assert.ts';
import table from './currencies.json' with { type: 'json' };

interface Entry {
  readonly numeric: string;
  readonly exponent: number;
}

const currencies: ReadonlyMap<string, Entry> = new Map(
  (table as [string, string, number][]).map(([code, numeric, exponent]) => [code, { numeric, exponent }]),
);

export const isCurrency = (code: string): boolean => currencies.has(code);

/** The APIs print two decimals, so a currency with three or four can't be represented and is refused. */
export const isUsableCurrency = (code: string): boolean => {
  const entry = currencies.get(code);
  return entry !== undefined && (entry.exponent === 0 || entry.exponent === 2);
};

/** Digits after the decimal point; asserts a known currency. */
export function exponentOf(code: string): number {
  const entry = currencies.get(code);
  assert(entry, 'unknown currency');
  return entry.exponent;
}

/** DE 49: three digits. */
export function numericOf(code: string): string {
  const entry = currencies.get(code);
  assert(entry, 'unknown currency');
  return entry.numeric;
}
