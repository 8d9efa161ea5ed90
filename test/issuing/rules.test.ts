// Spend rules of several levels against one purchase: all apply, the strictest wins, the widest that is broken is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  availableOfLimits,
  checkRules,
  INTERVALS,
  type Interval,
  LEVELS,
  type RuleLevel,
  type Spending,
  type SpendRules,
} from '../../src/issuing/rules/index.ts';

const SPENDING: Spending = {
  amount: 100n,
  total: 100n,
  currency: 'EUR',
  channel: 'chip',
  mcc: '5411',
  merchantId: 'SHOP1',
  used: () => 0n,
};
const verdict = (rules: SpendRules, spending: Partial<Spending> = {}) =>
  checkRules([{ level: 'CARD', rules }], { ...SPENDING, ...spending });
const passes = (rules: SpendRules, spending: Partial<Spending> = {}): boolean => 'passed' in verdict(rules, spending);
const limit = (amount: number, interval: Interval = 'DAILY', currency = 'EUR') => ({
  value: { currency, amount },
  interval,
});

test('lists: blocked wins over allowed, an empty list says nothing', () => {
  assert.ok(!passes({ allowedMerchantCategories: ['5411'], blockedMerchantCategories: ['5411'] }));
  assert.ok(!passes({ allowedMerchantIds: ['SHOP1'], blockedMerchantIds: ['SHOP1'] }));
  assert.ok(
    passes({
      allowedMerchantCategories: [],
      blockedMerchantCategories: [],
      allowedMerchantIds: [],
      blockedMerchantIds: [],
    }),
  );
  assert.ok(passes({ allowedMerchantCategories: ['5411', '5999'], allowedMerchantIds: ['SHOP1'] }));
});

test('channels: only what is switched off is off', () => {
  const off: readonly (readonly [keyof SpendRules, Spending['channel']])[] = [
    ['allowECommerce', 'ecommerce'],
    ['allowContactless', 'contactless'],
    ['allowAtm', 'atm'],
    ['allowCashback', 'cashback'],
    ['allowCreditAuthorisations', 'credit'],
  ];
  for (const [rule] of off)
    for (const [other, channel] of off) {
      assert.equal(passes({ [rule]: false }, { channel }), rule !== other, `${rule} ${channel}`);
      assert.ok(passes({ [rule]: true }, { channel }));
    }
});

test('bounds: 0 is none, the bound itself is inside', () => {
  assert.ok(passes({ minTransactionAmount: 0, maxTransactionAmount: 0 }));
  assert.ok(passes({ minTransactionAmount: 100, maxTransactionAmount: 100 }));
  assert.ok(!passes({ minTransactionAmount: 101 }));
  assert.ok(!passes({ maxTransactionAmount: 99 }));
});

test('limits: 0 lets nothing be spent, another currency says nothing, every interval must hold', () => {
  assert.ok(!passes({ spendLimit: [limit(0)] }));
  assert.ok(passes({ spendLimit: [limit(0, 'DAILY', 'USD')] }));
  assert.ok(passes({ spendLimit: [limit(100)] }));
  for (const interval of INTERVALS) {
    const rules = { spendLimit: INTERVALS.map((one) => limit(one === interval ? 99 : 1000, one)) };
    assert.deepEqual(verdict(rules), {
      level: 'CARD',
      rule: 'spendLimit',
      reason: 'SPEND_LIMIT_EXCEEDED',
      interval,
      remained: 99n,
    });
  }
});

test('cash at machines has a limit of its own', () => {
  const levels: RuleLevel[] = [{ level: 'PROFILE', rules: {}, atmDailyLimit: 150 }];
  const used = (): bigint => 60n;
  assert.ok('passed' in checkRules(levels, { ...SPENDING, used }));
  assert.deepEqual(checkRules(levels, { ...SPENDING, channel: 'atm', used }), {
    level: 'PROFILE',
    rule: 'atmDailyLimit',
    reason: 'ATM_LIMIT_EXCEEDED',
    remained: 90n,
  });
});

test('no rule declines a verification of nothing', () => {
  const all: SpendRules = {
    allowECommerce: false,
    blockedMerchantIds: ['SHOP1'],
    minTransactionAmount: 1,
    spendLimit: [limit(0)],
  };
  assert.ok(passes(all, { amount: 0n, total: 0n, channel: 'ecommerce' }));
});

const someRules: fc.Arbitrary<SpendRules> = fc.record(
  {
    allowedMerchantCategories: fc.subarray(['5411', '5999']),
    blockedMerchantCategories: fc.subarray(['5411', '5999']),
    allowECommerce: fc.boolean(),
    allowAtm: fc.boolean(),
    minTransactionAmount: fc.nat(200),
    maxTransactionAmount: fc.nat(400),
    spendLimit: fc
      .subarray([...INTERVALS])
      .chain((intervals) =>
        fc.tuple(...intervals.map((interval) => fc.nat(500).map((amount) => limit(amount, interval)))),
      ),
  },
  { requiredKeys: [] },
);

test('several levels pass exactly what each of them passes', () => {
  fc.assert(
    fc.property(
      fc.array(someRules, { minLength: 4, maxLength: 4 }),
      fc.bigInt(1n, 500n),
      fc.constantFrom<Spending['channel'][]>('ecommerce', 'atm', 'chip'),
      fc.bigInt(0n, 300n),
      (rules, amount, channel, used) => {
        const spending = { ...SPENDING, amount, total: amount, channel, used: () => used };
        const levels = rules.map((one, i) => ({ level: LEVELS[i] as string, rules: one }));
        const together = checkRules(levels, spending);
        const each = levels.map((level) => 'passed' in checkRules([level], spending));
        assert.equal('passed' in together, each.every(Boolean));
        if (!('passed' in together)) assert.equal(each[LEVELS.indexOf(together.level as 'CARD')], false);
      },
    ),
    { numRuns: 500 },
  );
});

test('what is left is what the strictest level leaves, never below zero', () => {
  const levels: RuleLevel[] = [
    { level: 'IDENTITY', rules: { spendLimit: [limit(500), limit(900, 'MONTHLY')] } },
    { level: 'CARD', rules: { spendLimit: [limit(300), limit(100, 'YEARLY', 'USD')] } },
  ];
  assert.deepEqual(
    availableOfLimits(levels, 'EUR', (counter) => (counter === 'DAILY' ? 120n : 1000n)),
    [
      { interval: 'DAILY', limit: 300n, available: 180n },
      { interval: 'MONTHLY', limit: 900n, available: 0n },
    ],
  );
});
