// Money is an integer of minor units and its currency (ISO 4217). No float ever touches an amount.
import { exponentOf } from './iso/index.ts';

export interface Money {
  readonly minor: bigint;
  readonly currency: string;
}

/** At most 12 digits in minor units: DE 4 of ISO 8583 is n12. */
export const MAX_MINOR = 999_999_999_999n;

/**
 * Reads a decimal amount (at most two decimals, no sign, no exponent, no leading zeros beyond one) from its text as minor units.
 * null: malformed, more than 12 digits in minor units, or a fraction in a currency without decimals.
 */
export function parseAmount(text: string, currency: string): bigint | null {
  const match = /^(0|[1-9]\d{0,11})(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) return null;
  const exponent = exponentOf(currency);
  const fraction = (match[2] ?? '').padEnd(2, '0');
  if (exponent === 0 && fraction !== '00') return null;
  const minor = BigInt(match[1] as string) * 10n ** BigInt(exponent) + (exponent === 0 ? 0n : BigInt(fraction));
  return minor <= MAX_MINOR ? minor : null;
}

/** Two decimals for every currency, as the contract prints amounts: 1250 EUR → `12.50`, 1250 JPY → `1250.00`. */
export function formatAmount(minor: bigint, currency: string): string {
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString();
  if (exponentOf(currency) === 0) return `${sign}${digits}.00`;
  const padded = digits.padStart(3, '0');
  return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** numerator / denominator rounded half to even; denominator > 0. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const sign = numerator < 0n ? -1n : 1n;
  const absolute = numerator * sign;
  const quotient = absolute / denominator;
  const twice = (absolute % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return sign * (up ? quotient + 1n : quotient);
}
