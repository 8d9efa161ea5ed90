// May this be spent? The rules of every level against one purchase (docs/contract/issuing.md#spend-rules). Pure.
// Rule: all levels apply; the first rule that is broken, from the widest level to the narrowest, is the one that is named.
import type { Interval, SpendRules } from './model.ts';
import type { CounterName } from './windows.ts';

/** How the card meets the merchant, as the network says it. */
export type SpendChannel = 'ecommerce' | 'chip' | 'contactless' | 'atm' | 'cashback' | 'credit';

export interface Spending {
  /** Minor units of the card's currency; null: there is no rate, and nothing that depends on the amount can be said. */
  readonly amount: bigint | null;
  /** The whole payment that it is a part of (an increment's), or the same. */
  readonly total: bigint | null;
  readonly currency: string;
  readonly channel: SpendChannel;
  readonly mcc: string;
  readonly merchantId: string;
  readonly used: (counter: CounterName) => bigint;
}

export interface RuleLevel<Name extends string = string> {
  readonly level: Name;
  readonly rules: SpendRules;
  /** Most that may be drawn at cash machines a day; null: no limit. */
  readonly atmDailyLimit?: number | null;
}

export type RuleName = keyof SpendRules | 'atmDailyLimit';

export interface Broken {
  readonly level: string;
  readonly rule: RuleName;
  readonly reason: RuleReason;
  readonly interval?: Interval;
  /** What was left of the limit, minor units. */
  readonly remained?: bigint;
}

export interface Kept {
  readonly passed: true;
  /** Interval → what would be left of the strictest limit; only where there is a limit. */
  readonly remained: Readonly<Record<string, bigint>>;
}

type Rule = (rules: SpendRules, spending: Spending) => boolean;

const listed = (list: readonly string[] | undefined, value: string): boolean => list?.includes(value) ?? false;
const notAllowed = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && list.length > 0 && !list.includes(value);
const bound = (value: number | undefined): bigint | null => (value ? BigInt(value) : null);

/** Rule, its reason, and when it is broken; limits by interval come behind. */
const RULES = [
  ['allowECommerce', 'CHANNEL_NOT_ALLOWED', (r, { channel }) => channel === 'ecommerce' && r.allowECommerce === false],
  [
    'allowContactless',
    'CHANNEL_NOT_ALLOWED',
    (r, { channel }) => channel === 'contactless' && r.allowContactless === false,
  ],
  ['allowAtm', 'CHANNEL_NOT_ALLOWED', (r, { channel }) => channel === 'atm' && r.allowAtm === false],
  ['allowCashback', 'CHANNEL_NOT_ALLOWED', (r, { channel }) => channel === 'cashback' && r.allowCashback === false],
  [
    'allowCreditAuthorisations',
    'CHANNEL_NOT_ALLOWED',
    (r, { channel }) => channel === 'credit' && r.allowCreditAuthorisations === false,
  ],
  ['blockedMerchantCategories', 'MERCHANT_CATEGORY_BLOCKED', (r, { mcc }) => listed(r.blockedMerchantCategories, mcc)],
  [
    'allowedMerchantCategories',
    'MERCHANT_CATEGORY_NOT_ALLOWED',
    (r, { mcc }) => notAllowed(r.allowedMerchantCategories, mcc),
  ],
  ['blockedMerchantIds', 'MERCHANT_BLOCKED', (r, { merchantId }) => listed(r.blockedMerchantIds, merchantId)],
  ['allowedMerchantIds', 'MERCHANT_NOT_ALLOWED', (r, { merchantId }) => notAllowed(r.allowedMerchantIds, merchantId)],
  [
    'minTransactionAmount',
    'AMOUNT_BELOW_MINIMUM',
    (r, { total }) => total !== null && total < (bound(r.minTransactionAmount) ?? total),
  ],
  [
    'maxTransactionAmount',
    'AMOUNT_ABOVE_MAXIMUM',
    (r, { total }) => total !== null && total > (bound(r.maxTransactionAmount) ?? total),
  ],
] as const satisfies readonly (readonly [RuleName, string, Rule])[];

export type RuleReason = (typeof RULES)[number][1] | 'SPEND_LIMIT_EXCEEDED' | 'ATM_LIMIT_EXCEEDED';

interface Limit {
  readonly level: string;
  readonly counter: CounterName;
  readonly amount: bigint;
}

/** The limits of a level in the card's currency; one in another currency says nothing about this card. */
const limitsOf = ({ level, rules, atmDailyLimit = null }: RuleLevel, { currency, channel }: Spending): Limit[] => [
  ...(rules.spendLimit ?? [])
    .filter(({ value }) => value.currency === currency)
    .map(({ value, interval }): Limit => ({ level, counter: interval, amount: BigInt(value.amount) })),
  ...(channel === 'atm' && atmDailyLimit !== null
    ? [{ level, counter: 'ATM_DAILY', amount: BigInt(atmDailyLimit) } as const]
    : []),
];

export function checkRules(levels: readonly RuleLevel[], spending: Spending): Kept | Broken {
  // A verification moves nothing and no rule declines it.
  if (spending.amount === 0n) return { passed: true, remained: {} };
  for (const { level, rules } of levels) {
    const broken = RULES.find(([, , breaks]) => breaks(rules, spending));
    if (broken) return { level, rule: broken[0], reason: broken[1] };
  }
  const { amount } = spending;
  const remained: Record<string, bigint> = {};
  // Money that comes to the card is no spending: no limit counts it.
  if (amount === null || spending.channel === 'credit') return { passed: true, remained };
  for (const { level, counter, amount: limit } of levels.flatMap((one) => limitsOf(one, spending))) {
    const left = limit - spending.used(counter);
    if (amount > left)
      return counter === 'ATM_DAILY'
        ? { level, rule: 'atmDailyLimit', reason: 'ATM_LIMIT_EXCEEDED', remained: left }
        : { level, rule: 'spendLimit', reason: 'SPEND_LIMIT_EXCEEDED', interval: counter, remained: left };
    const after = left - amount;
    const known = remained[counter];
    if (known === undefined || after < known) remained[counter] = after;
  }
  return { passed: true, remained };
}

/** Interval → what may still be spent of the strictest limit of all levels; only intervals that have a limit. */
export function availableOfLimits(
  levels: readonly RuleLevel[],
  currency: string,
  used: (counter: CounterName) => bigint,
): { readonly interval: Interval; readonly limit: bigint; readonly available: bigint }[] {
  const strictest = new Map<Interval, bigint>();
  for (const { rules } of levels)
    for (const { value, interval } of rules.spendLimit ?? []) {
      const limit = BigInt(value.amount);
      if (value.currency === currency && limit < (strictest.get(interval) ?? limit + 1n))
        strictest.set(interval, limit);
    }
  return [...strictest].map(([interval, limit]) => {
    const left = limit - used(interval);
    return { interval, limit, available: left > 0n ? left : 0n };
  });
}
