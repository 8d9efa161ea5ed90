// Pricing plans: what a project pays for an operation, and what is kept in reserve. Amounts in the accounting currency.
import { divideHalfEven, exponentOf, parseAmount } from '../base/index.ts';

export type PricedOperation = 'authorize' | 'charge' | 'reverse' | 'refund' | 'credit' | 'chargeback';

export interface PricingRule {
  readonly operation: PricedOperation;
  /** Lower-case brand; absent: any card. */
  readonly card_type?: string;
  /** Issuer's country, alpha-3; absent: any. */
  readonly country?: string;
  /** Decimal text: `2.9`. */
  readonly percent: string;
  readonly fixed: string;
  readonly min?: string;
  readonly max?: string;
}

export interface PricingPlan {
  readonly rules: readonly PricingRule[];
  readonly reserve: { readonly percent: string; readonly days: number };
}

export interface Priced {
  readonly operation: PricedOperation;
  readonly cardType: string | null;
  readonly country: string | null;
}

const PERCENT = /^(0|[1-9]\d?|100)(\.\d{1,4})?$/;

/** A percentage in ten-thousandths of a percent. */
const scaled = (percent: string): bigint => {
  const [whole = '0', fraction = ''] = percent.split('.');
  return BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0'));
};

const share = (minor: bigint, percent: string): bigint => divideHalfEven(minor * scaled(percent), 1_000_000n);

/** The most specific rule of the operation: card type and country before either, the first of equals. */
function ruleFor(plan: PricingPlan, { operation, cardType, country }: Priced): PricingRule | null {
  let best: PricingRule | null = null;
  let score = -1;
  for (const rule of plan.rules) {
    if (rule.operation !== operation) continue;
    if (rule.card_type !== undefined && rule.card_type !== cardType) continue;
    if (rule.country !== undefined && rule.country !== country) continue;
    const specific = (rule.card_type === undefined ? 0 : 2) + (rule.country === undefined ? 0 : 1);
    if (specific > score) [best, score] = [rule, specific];
  }
  return best;
}

/** Percentage (half to even) plus fixed part, within min and max; minor units of the accounting currency. */
export function feeOf(plan: PricingPlan, priced: Priced, minor: bigint, currency: string): bigint {
  const rule = ruleFor(plan, priced);
  if (!rule) return 0n;
  const read = (text: string): bigint => parseAmount(text, currency) ?? 0n;
  let fee = share(minor, rule.percent) + read(rule.fixed);
  if (rule.min !== undefined && fee < read(rule.min)) fee = read(rule.min);
  if (rule.max !== undefined && fee > read(rule.max)) fee = read(rule.max);
  return fee;
}

export const reserveOf = (plan: PricingPlan, minor: bigint): bigint => share(minor, plan.reserve.percent);

/** Every fault of a plan as [JSON pointer, message]; empty: the plan is good. */
export function pricingErrors(plan: PricingPlan, currency: string): [string, string][] {
  const errors: [string, string][] = [];
  const amount = exponentOf(currency) === 0 ? 'whole amount' : 'amount with at most two decimals';
  plan.rules.forEach((rule, i) => {
    if (!PERCENT.test(rule.percent)) errors.push([`#/rules/${i}/percent`, 'must be a percentage from 0 to 100']);
    for (const name of ['fixed', 'min', 'max'] as const) {
      const text = rule[name];
      if (text !== undefined && parseAmount(text, currency) === null)
        errors.push([`#/rules/${i}/${name}`, `must be a ${amount}`]);
    }
  });
  if (!PERCENT.test(plan.reserve.percent)) errors.push(['#/reserve/percent', 'must be a percentage from 0 to 100']);
  if (!Number.isInteger(plan.reserve.days) || plan.reserve.days < 1 || plan.reserve.days > 366)
    errors.push(['#/reserve/days', 'must be 1 to 366 days']);
  return errors;
}
