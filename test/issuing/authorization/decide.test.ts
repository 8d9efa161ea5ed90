// The checks of an authorization in their fixed order, each with its reason and code; and that of two faults the earlier one is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Card } from '../../../src/issuing/cards/index.ts';
import {
  CHECKS,
  type Demand,
  decide,
  feeOn,
  holdOn,
  REASONS,
  type Reason,
  type State,
} from '../../../src/issuing/decision/index.ts';
import { consume } from '../../../src/issuing/rules/index.ts';
import { aCard, PLASTIC } from './world.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const card = aCard({ tenantId: 1n, id: 10n });
const withDetails = (details: Partial<Card['details']>): Partial<State> => ({
  card: { ...card, details: { ...card.details, ...details } },
});

const ASKED: Demand = {
  amount: 1000n,
  currency: 'EUR',
  billed: 1000n,
  total: 1000n,
  hold: 1000n,
  channel: 'ecommerce',
  device: 'none',
  mcc: '5411',
  merchantId: 'SHOP1',
  country: 'LTU',
  expiry: card.expires,
  cvv: 'right',
  pin: 'absent',
  sca: 'authenticated',
};
const STATE: State = {
  card,
  funds: { tenant_id: 1n, instrument_id: 10n, currency: 'EUR', actual: 5000n, held: 1000n, entries: 1 },
  account: null,
  windows: {},
  kyc: { level: 'KYC_LEVEL_2', rules: {} },
  levels: [],
  excludedCountries: ['KP'],
  forwarded: false,
  now: NOW,
};

interface Fault {
  readonly reason: Reason;
  readonly code: string;
  readonly asked?: Partial<Demand>;
  readonly state?: Partial<State>;
}
const limit = (amount: number, interval = 'DAILY' as const) => ({
  spendLimit: [{ value: { currency: 'EUR', amount }, interval }],
});
const level = (rules: State['kyc']['rules']): Partial<State> => ({ levels: [{ level: 'CARD', rules }] });

/** In the order of the pipeline: each fault is found although all behind it are there too. */
const FAULTS: readonly Fault[] = [
  { reason: 'CARD_NOT_FOUND', code: '14', state: { card: undefined } },
  { reason: 'CARD_STOLEN', code: '43', state: withDetails({ lostStolen: 'STOLEN' }) },
  { reason: 'CARD_LOST', code: '41', state: { card: { ...card, state: 'BLOCKED', blocks: ['LOST'] } } },
  { reason: 'CARD_DESTROYED', code: '14', state: { card: { ...card, state: 'DESTROYED', destroyed_reason: 'USER' } } },
  { reason: 'CARD_EXPIRED', code: '54', state: { card: { ...card, state: 'DESTROYED', destroyed_reason: 'EXPIRED' } } },
  { reason: 'CARD_BLOCKED', code: '62', state: { card: { ...card, state: 'BLOCKED', blocks: ['USER'] } } },
  { reason: 'CARD_EXPIRED', code: '54', state: { card: { ...card, expires: '2610' } } },
  { reason: 'EXPIRY_WRONG', code: '54', asked: { expiry: '2901' } },
  { reason: 'CVV_TRIES_EXCEEDED', code: '62', state: withDetails({ wrongCvvs: 3 }) },
  { reason: 'CVV_WRONG', code: '82', asked: { cvv: 'wrong' } },
  { reason: 'WALLET_TOKEN_NOT_FOUND', code: '14', asked: { device: 'unknown' } },
  { reason: 'WALLET_TOKEN_NOT_ACTIVE', code: '57', asked: { device: 'inactive' } },
  { reason: 'CARD_NOT_PHYSICAL', code: '57', asked: { channel: 'cashback' } },
  {
    reason: 'CARD_NOT_ACTIVATED',
    code: '78',
    asked: { channel: 'chip' },
    state: withDetails({ physical: { ...PLASTIC, pendingActivation: true } }),
  },
  { reason: 'COUNTRY_EXCLUDED', code: '57', asked: { country: 'PRK' } },
  {
    reason: 'PIN_TRIES_EXCEEDED',
    code: '75',
    asked: { channel: 'atm', pin: 'right' },
    state: withDetails({ physical: { ...PLASTIC, pinBlocked: true } }),
  },
  { reason: 'PIN_WRONG', code: '55', asked: { pin: 'wrong' } },
  { reason: 'SCA_REQUIRED', code: 'A1', asked: { sca: 'missing' } },
  { reason: 'KYC_LIMIT_EXCEEDED', code: '61', state: { kyc: { level: 'KYC_LEVEL_1', rules: limit(999) } } },
  { reason: 'KYC_RULE', code: '57', state: { kyc: { level: 'KYC_LEVEL_1', rules: { allowECommerce: false } } } },
  { reason: 'CHANNEL_NOT_ALLOWED', code: '57', state: level({ allowECommerce: false }) },
  { reason: 'MERCHANT_CATEGORY_BLOCKED', code: '57', state: level({ blockedMerchantCategories: ['5411'] }) },
  { reason: 'MERCHANT_CATEGORY_NOT_ALLOWED', code: '57', state: level({ allowedMerchantCategories: ['5999'] }) },
  { reason: 'MERCHANT_BLOCKED', code: '57', state: level({ blockedMerchantIds: ['SHOP1'] }) },
  { reason: 'MERCHANT_NOT_ALLOWED', code: '57', state: level({ allowedMerchantIds: ['SHOP2'] }) },
  { reason: 'AMOUNT_BELOW_MINIMUM', code: '57', state: level({ minTransactionAmount: 1001 }) },
  { reason: 'AMOUNT_ABOVE_MAXIMUM', code: '61', state: level({ maxTransactionAmount: 999 }) },
  { reason: 'SPEND_LIMIT_EXCEEDED', code: '61', state: level(limit(0)) },
  { reason: 'RATE_MISSING', code: '57', asked: { currency: 'SEK', billed: null, total: null, hold: 0n } },
  { reason: 'ACCOUNT_NOT_ACTIVE', code: '62', state: { account: 'BLOCKED' } },
  {
    reason: 'FUNDS_INSUFFICIENT',
    code: '51',
    state: { funds: { tenant_id: 1n, instrument_id: 10n, currency: 'EUR', actual: 5000n, held: 4001n, entries: 1 } },
  },
];

const NOTHING = { amount: 0n, billed: 0n, total: 0n, hold: 0n };
const judged = (asked: Partial<Demand>, state: Partial<State>) =>
  decide({ ...ASKED, ...asked }, { ...STATE, ...state });

for (const { reason, code, asked = {}, state = {} } of FAULTS)
  test(`${reason} is ${code}`, () => {
    const decision = judged(asked, state);
    assert.equal(decision.reason, reason);
    assert.equal(decision.responseCode, code);
    assert.equal(REASONS[reason], code);
    assert.equal(decision.approved, false);
    const last = decision.explanation.at(-1);
    assert.equal(last?.result, 'FAILED');
    assert.deepEqual(
      decision.explanation.map(({ check }) => check),
      CHECKS.slice(0, decision.explanation.length),
    );
  });

test('of two faults the one of the earlier check is named', () => {
  const placeOf = ({ asked = {}, state = {} }: Fault): number => judged(asked, state).explanation.length;
  for (const [i, a] of FAULTS.entries())
    for (const b of FAULTS.slice(i + 1)) {
      // Both say something of one field: they can't be there together.
      const fields = (fault: Fault): string[] => [...Object.keys(fault.asked ?? {}), ...Object.keys(fault.state ?? {})];
      if (fields(a).some((field) => fields(b).includes(field)) || placeOf(a) === placeOf(b)) continue;
      // Without a rate nothing is known of the amount, so that no bound on it is broken.
      if (b.reason === 'RATE_MISSING' && /LIMIT|AMOUNT/.test(a.reason)) continue;
      // A channel that is not e-commerce takes e-commerce's own faults away.
      if (
        [a, b].some(({ asked }) => asked?.channel) &&
        [a, b].some(({ state }) => JSON.stringify(state?.levels ?? state?.kyc ?? '').includes('allowECommerce'))
      )
        continue;
      const both = judged({ ...b.asked, ...a.asked }, { ...b.state, ...a.state });
      assert.equal(both.reason, a.reason, `${a.reason} before ${b.reason}`);
    }
});

test('an approval passes every check, and says what remains', () => {
  const decision = judged(
    {},
    {
      levels: [
        { level: 'PLATFORM', rules: limit(5000) },
        { level: 'CARD', rules: limit(3000) },
      ],
    },
  );
  assert.equal(decision.approved, true);
  assert.equal(decision.responseCode, '00');
  assert.deepEqual(
    decision.explanation.map(({ check }) => check),
    CHECKS,
  );
  const found = Object.fromEntries(decision.explanation.map((step) => [step.check, step]));
  assert.deepEqual(found.SPEND_RULES?.remained, { DAILY: '2000' });
  assert.equal(found.FUNDS?.remained, '3000');
});

test('a refusal by a limit says level, rule, interval and what remained', () => {
  const { windows } = consume({ windows: {}, parts: [] }, 2500n, false, NOW);
  const decision = judged(
    {},
    {
      windows,
      levels: [
        { level: 'IDENTITY', rules: limit(10_000) },
        { level: 'PROFILE', rules: limit(3000) },
      ],
    },
  );
  assert.deepEqual(decision.explanation.at(-1), {
    check: 'SPEND_RULES',
    result: 'FAILED',
    level: 'PROFILE',
    rule: 'spendLimit',
    interval: 'DAILY',
    remained: '500',
  });
});

test('no rule and no limit declines a verification of nothing, and it takes nothing', () => {
  const rules = { ...limit(0), allowECommerce: false, blockedMerchantCategories: ['5411'], minTransactionAmount: 1 };
  const decision = judged({ ...NOTHING, sca: 'missing' }, { ...level(rules), kyc: { level: 'KYC_LEVEL_1', rules } });
  assert.equal(decision.approved, true);
  assert.equal(decision.responseCode, '85');
  assert.equal(judged({ ...NOTHING, cvv: 'wrong' }, {}).reason, 'CVV_WRONG');
});

test('fees are percent and fixed, half to even; the fixed part comes once; they must fit too', () => {
  const tariff = {
    fees: { purchasePercent: '1.5', atmFixed: 200, fxPercent: '0.5', paddingPercent: '3' },
    atm: true,
    foreign: true,
  };
  assert.equal(feeOn(tariff, 1000n, 0n), 220n);
  assert.equal(feeOn(tariff, 1000n, 1000n), 20n);
  assert.equal(feeOn({ ...tariff, foreign: false }, 1000n, 1000n), 15n);
  assert.equal(feeOn({ ...tariff, atm: false, foreign: false }, 100n, 0n), 2n);
  assert.equal(feeOn(tariff, 0n, 0n), 0n);
  assert.equal(holdOn(tariff, 1000n, 0n), 1250n);
  assert.equal(holdOn({ ...tariff, foreign: false }, 1000n, 0n), 1215n);
  const funds = { tenant_id: 1n, instrument_id: 10n, currency: 'EUR', actual: 1219n, held: 0n, entries: 1 };
  assert.equal(judged({ hold: 1219n }, { funds }).approved, true);
  assert.equal(judged({ hold: 1220n }, { funds }).reason, 'FUNDS_INSUFFICIENT');
});

test('the bounds of an amount are about the whole payment, its limits about what is added', () => {
  const rules = { minTransactionAmount: 500, maxTransactionAmount: 1500, ...limit(300) };
  const more = { amount: 200n, billed: 200n, hold: 200n };
  assert.equal(judged({ ...more, total: 1400n }, level(rules)).approved, true);
  assert.equal(judged({ ...more, total: 1600n }, level(rules)).reason, 'AMOUNT_ABOVE_MAXIMUM');
});

test('a credit to the card asks for no funds and no limit, but for its channel', () => {
  const credit = { channel: 'credit', cvv: 'absent', sca: 'not_needed', hold: 0n } as const;
  assert.equal(judged(credit, { ...level(limit(0)), funds: undefined }).approved, true);
  assert.equal(judged(credit, level({ allowCreditAuthorisations: false })).reason, 'CHANNEL_NOT_ALLOWED');
});

test('wrong secrets are counted by the decision that finds them', () => {
  assert.equal(judged({ cvv: 'wrong' }, {}).wrongCvv, true);
  assert.equal(judged({ pin: 'wrong' }, {}).wrongPin, true);
  assert.equal(judged({ cvv: 'wrong' }, withDetails({ wrongCvvs: 3 })).wrongCvv, false);
});
