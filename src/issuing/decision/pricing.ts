// What a purchase costs in the card's currency: conversion half to even, and the profile's fees. Pure.
// Rules: the fee of an amount is computed here and nowhere else, so that what was held for it is what is charged. A part costs what the sum with
// it costs more than the sum without: so a hundred parts cost what the whole does, and who splits wins nothing.
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

function feeOnWhole({ fees, atm, foreign }: Tariff, amount: bigint): bigint {
  if (amount <= 0n) return 0n;
  const percent = percentOf(fees.purchasePercent) + (foreign ? percentOf(fees.fxPercent) : 0n);
  return divideHalfEven(amount * percent, 1_000_000n) + (atm ? BigInt(fees.atmFixed) : 0n);
}

/** The fee on an amount of the card's currency, where `cleared` was charged before: the fixed part comes with the first. */
export const feeOn = (tariff: Tariff, amount: bigint, cleared: bigint): bigint =>
  feeOnWhole(tariff, cleared + amount) - feeOnWhole(tariff, cleared);

/** What is held for an amount: with its fee, and in another currency with padding, because the rate may move until the clearing. */
export function holdOn(tariff: Tariff, amount: bigint, cleared: bigint): bigint {
  const padding = tariff.foreign ? divideHalfEven(amount * percentOf(tariff.fees.paddingPercent), 1_000_000n) : 0n;
  return amount + feeOn(tariff, amount, cleared) + padding;
}

/** What a merchant gives, in the card's currency: it may be less than the smallest coin, and is nothing then. null: there is no rate. */
export const given = (asked: Money, currency: string, rate: Rate | null): bigint | null =>
  asked.currency === currency || asked.minor === 0n ? asked.minor : rate && convert(asked, currency, rate);

/**
 * What a merchant takes, in the card's currency, where `before` (minor units of his own) was taken already. Whatever is bought costs at least the
 * smallest coin, or it would be free as often as one likes. null: there is no rate.
 */
export function billed(asked: Money, currency: string, rate: Rate | null, before = 0n): bigint | null {
  if (asked.currency === currency || asked.minor === 0n) return asked.minor;
  if (!rate) return null;
  const whole = (minor: bigint): bigint => {
    const converted = convert({ ...asked, minor }, currency, rate);
    return minor > 0n && converted === 0n ? 1n : converted;
  };
  return whole(before + asked.minor) - whole(before);
}
