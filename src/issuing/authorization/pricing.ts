// What a purchase costs in the card's currency: conversion once, half to even, and the profile's fees. Pure.
// Rule: the fee of an amount is computed here and nowhere else, so that what was held for it is what is charged.
import { assert, divideHalfEven, type Money } from '../../base/index.ts';
import { convert, type Rate } from '../../ledger/index.ts';
import type { Fees } from '../tenants/index.ts';

/** What fees depend on; kept with the authorization, so that its clearing is priced as its hold was. */
export interface Tariff {
  readonly fees: Pick<Fees, 'purchasePercent' | 'atmFixed' | 'fxPercent' | 'paddingPercent'>;
  readonly atm: boolean;
  readonly foreign: boolean;
}

/** Ten-thousandths of a percent in `1.5`; the settings have at most four decimals. */
function percentOf(text: string): bigint {
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text);
  assert(match, 'a percentage');
  return BigInt(match[1] as string) * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'));
}

/** The fee on an amount of the card's currency. `first`: the fixed part is charged once an authorization. */
export function feeOn({ fees, atm, foreign }: Tariff, amount: bigint, first: boolean): bigint {
  if (amount <= 0n) return 0n;
  const percent = percentOf(fees.purchasePercent) + (foreign ? percentOf(fees.fxPercent) : 0n);
  return divideHalfEven(amount * percent, 1_000_000n) + (atm && first ? BigInt(fees.atmFixed) : 0n);
}

/** What is held for an amount: with its fee, and in another currency with padding, because the rate may move until the clearing. */
export function holdOn(tariff: Tariff, amount: bigint, first: boolean): bigint {
  const padding = tariff.foreign ? divideHalfEven(amount * percentOf(tariff.fees.paddingPercent), 1_000_000n) : 0n;
  return amount + feeOn(tariff, amount, first) + padding;
}

/** In the card's currency; null: there is no rate. */
export const billed = (asked: Money, currency: string, rate: Rate | null): bigint | null =>
  asked.currency === currency || asked.minor === 0n ? asked.minor : rate && convert(asked, currency, rate);
