// Spend rules over HTTP, sentence by sentence: docs/contract/issuing.md#spend-rules, #card-limit.
// Purchases are the simulator's. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  assertBooksHold,
  assertConflict,
  customer,
  DEBIT,
  fundedCard,
  plasticCard,
  purchase,
} from '../../support/issuing.ts';

type Rules = Readonly<Record<string, unknown>>;

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  // A Wednesday in the middle of a month and a quarter.
  await florin.operator('PUT', '/simulator/clock', { now: '2031-05-14T10:00:00Z', frozen: true });
});
beforeEach(async () => {
  ada = await customer(florin);
});

const done = (reply: Reply): void => assert.deepEqual([reply.status, reply.text], [204, ''], reply.text);
const put = (id: string, data: Rules) => ada('PUT', `/cards/limits/${id}`, { data });
const patch = (id: string, data: Rules) => ada('PATCH', `/cards/limits/${id}`, { data });
const show = async (id: string) => {
  const reply = await ada('GET', `/cards/limits/${id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const limit = (amount: number, interval = 'DAILY', currency = 'EUR') => ({ value: { currency, amount }, interval });
/** With plastic in use, so that every channel is its rules' to judge. */
const debit = async (data?: Rules): Promise<string> => {
  const id = await plasticCard(ada, true, DEBIT);
  if (data) done(await put(id, data));
  return id;
};
const at = async (now: string): Promise<void> => {
  const reply = await florin.operator('PUT', '/simulator/clock', { now });
  assert.equal(reply.status, 200, reply.text);
  ada = await customer(florin);
};
const settings = async (path: string, changes: object): Promise<void> => {
  const reply = await florin.operator('PATCH', `/operator${path}`, { settings: changes });
  assert.equal(reply.status, 200, reply.text);
};
const SHOP = { mcc: '5812', merchantId: 'SHOP1' };
const buy = (id: string, amount: number, fields: Rules = {}) => purchase(florin, id, amount, { ...SHOP, ...fields });
const answer = async (id: string, amount: number, fields: Rules = {}): Promise<string> =>
  (await buy(id, amount, fields)).responseCode;
const follow = async (authorizationId: string, verb: string, body: object = {}) => {
  const reply = await florin.operator('POST', `/simulator/authorizations/${authorizationId}/${verb}`, body);
  assert.equal(reply.body.approved, true, reply.text);
};
const available = async (id: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await show(id)).availableToSpend.map(
      ({ interval, value }: { interval: string; value: { currency: string; amount: number } }) => {
        assert.equal(value.currency, 'EUR');
        return [interval, value.amount];
      },
    ),
  );

const FULL: Rules = {
  allowedMerchantCategories: ['5812', '5999'],
  blockedMerchantCategories: ['7995'],
  allowedMerchantIds: ['SHOP1', 'SHOP2'],
  blockedMerchantIds: ['SHOP3'],
  allowContactless: true,
  allowAtm: false,
  allowECommerce: true,
  allowCashback: false,
  allowCreditAuthorisations: true,
  spendLimit: [limit(10_000), limit(50_000, 'MONTHLY')],
  minTransactionAmount: 100,
  maxTransactionAmount: 5000,
};

test('PUT limits: 204 without body; replaces the card-level rules entirely', async () => {
  const id = await debit();
  assert.deepEqual((await show(id)).cardLevelSpendRules, {});
  done(await put(id, FULL));
  assert.deepEqual((await show(id)).cardLevelSpendRules, FULL);
  done(await put(id, { allowAtm: true }));
  assert.deepEqual((await show(id)).cardLevelSpendRules, { allowAtm: true });
  done(await put(id, {}));
  assert.deepEqual((await show(id)).cardLevelSpendRules, {});
});

test('PATCH /cards/limits/{cardId}: single rules change, the others stay; DELETE takes all away', async () => {
  const id = await debit(FULL);
  done(await patch(id, { allowAtm: true, spendLimit: [limit(1, 'YEARLY')], blockedMerchantIds: [] }));
  const changed = { ...FULL, allowAtm: true, spendLimit: [limit(1, 'YEARLY')], blockedMerchantIds: [] };
  assert.deepEqual((await show(id)).cardLevelSpendRules, changed);
  done(await patch(id, {}));
  assert.deepEqual((await show(id)).cardLevelSpendRules, changed);
  done(await ada('DELETE', `/cards/limits/${id}`));
  assert.deepEqual((await show(id)).cardLevelSpendRules, {});
  assert.equal(await answer(id, 1, { mcc: '7995', merchantId: 'SHOP3' }), '00');
});

test('a minimum above the maximum is RANGE also where two patches set them, and 0 is no maximum', async () => {
  const id = await debit();
  const wrong = { params: ['data'], fieldName: 'minTransactionAmount', error: 'RANGE' };
  done(await patch(id, { minTransactionAmount: 700 }));
  for (const rules of [{ maxTransactionAmount: 500 }, { maxTransactionAmount: 699 }]) {
    const reply = await patch(id, rules);
    assert.deepEqual([reply.status, reply.body.syntaxErrors.invalidFields], [400, [wrong]]);
  }
  assert.deepEqual((await show(id)).cardLevelSpendRules, { minTransactionAmount: 700 });
  done(await patch(id, { maxTransactionAmount: 0 }));
  done(await patch(id, { maxTransactionAmount: 700 }));
});

test('patches of different rules at once all stay', async () => {
  const id = await debit();
  const entries = Object.entries(FULL);
  for (const reply of await Promise.all(entries.map(([name, value]) => patch(id, { [name]: value })))) done(reply);
  assert.deepEqual((await show(id)).cardLevelSpendRules, FULL);
});

test('GET: card, profile and identity level, and availableToSpend', async () => {
  const id = await debit({ spendLimit: [limit(700), limit(900, 'ALWAYS')] });
  const rules = (amount: number) => ({ spendLimit: [limit(amount)], allowCashback: false });
  await settings('/tenants/sandbox/profiles/1002', { rules: rules(600) });
  await settings('/tenants/sandbox/identities/4001', { rules: rules(800) });
  await settings('/issuing-settings', { rules: { maxTransactionAmount: 99_999 } });
  await buy(id, 50);
  assert.deepEqual(await show(id), {
    cardLevelSpendRules: { spendLimit: [limit(700), limit(900, 'ALWAYS')] },
    profileLevelSpendRules: rules(600),
    identityLevelSpendRules: rules(800),
    platformLevelSpendRules: { maxTransactionAmount: 99_999 },
    availableToSpend: [limit(550), limit(850, 'ALWAYS')],
  });
  await settings('/tenants/sandbox/profiles/1002', { rules: null });
  await settings('/tenants/sandbox/identities/4001', { rules: null });
  await settings('/issuing-settings', { rules: null });
});

for (const [code, data] of [
  ['SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY', { spendLimit: [limit(100, 'DAILY', 'USD')] }],
  ['SPEND_LIMIT_CURRENCY_DIFFERENT_FROM_CARD_CURRENCY', { spendLimit: [limit(1), limit(100, 'YEARLY', 'GBP')] }],
  ['SPEND_LIMIT_DUPLICATE_INTERVAL', { spendLimit: [limit(1), limit(2)] }],
  ['SPEND_LIMIT_AMOUNT_INVALID', { spendLimit: [limit(1_000_000_000_000)] }],
] as const)
  test(`409 ${code}: ${JSON.stringify(data.spendLimit.map(({ value, interval }) => [value.amount, interval]))}, by PUT and PATCH`, async () => {
    const id = await debit(FULL);
    assertConflict(await put(id, data), code);
    assertConflict(await patch(id, data), code);
    assert.deepEqual((await show(id)).cardLevelSpendRules, FULL);
  });

test('409 SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD (a switch allows it)', async () => {
  const id = await fundedCard(ada, 1000);
  assertConflict(await put(id, { spendLimit: [limit(100)] }), 'SPEND_LIMIT_NOT_SUPPORTED_FOR_PREPAID_MODE_CARD');
  done(await put(id, { spendLimit: [], maxTransactionAmount: 500 }));
  assert.equal(await answer(id, 501), '61');
  await settings('/tenants/sandbox', { prepaidSpendLimits: true });
  done(await put(id, { spendLimit: [limit(100)] }));
  assert.deepEqual([await answer(id, 101), await answer(id, 100)], ['61', '00']);
  await settings('/tenants/sandbox', { prepaidSpendLimits: null });
  assert.equal(await answer(id, 1), '61', 'a limit that is there stays in force');
});

test('limits of a destroyed card: INSTRUMENT_DESTROYED; they can still be read; a blocked card takes them', async () => {
  const id = await debit(FULL);
  assert.equal((await ada('POST', `/cards/block/${id}`)).status, 204);
  done(await patch(id, { allowAtm: true }));
  assert.equal((await ada('POST', `/cards/remove/${id}`)).status, 204);
  for (const reply of [await put(id, {}), await patch(id, {}), await ada('DELETE', `/cards/limits/${id}`)])
    assertConflict(reply, 'INSTRUMENT_DESTROYED');
  assert.deepEqual((await show(id)).cardLevelSpendRules, { ...FULL, allowAtm: true });
});

test('limits under an idempotency-ref: sent again nothing changes; other limits 409', async () => {
  const id = await debit();
  const send = (data: Rules) => ada('PUT', `/cards/limits/${id}`, { data }, { 'idempotency-ref': `limits-${id}` });
  done(await send({ allowAtm: false }));
  done(await put(id, { allowAtm: true }));
  done(await send({ allowAtm: false }));
  assert.deepEqual((await show(id)).cardLevelSpendRules, { allowAtm: true });
  assertConflict(await send({ allowAtm: true }), 'IDEMPOTENCY_REF_REUSED');
});

/** Rules, a purchase that they decline and how, and one that they let pass. */
const RULES: readonly (readonly [what: string, rules: Rules, declined: Rules, code: string, approved: Rules])[] = [
  ['allowedMerchantCategories', { allowedMerchantCategories: ['5999'] }, {}, '57', { mcc: '5999' }],
  ['blockedMerchantCategories', { blockedMerchantCategories: ['5812'] }, {}, '57', { mcc: '5999' }],
  ['allowedMerchantIds', { allowedMerchantIds: ['SHOP2'] }, {}, '57', { merchantId: 'SHOP2' }],
  ['blockedMerchantIds', { blockedMerchantIds: ['SHOP1'] }, {}, '57', { merchantId: 'SHOP2' }],
  [
    'A value in both lists is blocked',
    { allowedMerchantIds: ['SHOP1', 'SHOP2'], blockedMerchantIds: ['SHOP1'] },
    {},
    '57',
    { merchantId: 'SHOP2' },
  ],
  [
    'A category in both lists is blocked',
    { allowedMerchantCategories: ['5812', '5999'], blockedMerchantCategories: ['5812'] },
    {},
    '57',
    { mcc: '5999' },
  ],
  [
    'An allow list present declines everything else',
    { allowedMerchantCategories: ['5999'] },
    { mcc: '0001' },
    '57',
    { mcc: '5999' },
  ],
  ['allowECommerce', { allowECommerce: false }, {}, '57', { channel: 'chip' }],
  ['allowContactless', { allowContactless: false }, { channel: 'contactless' }, '57', { channel: 'chip' }],
  ['allowAtm', { allowAtm: false }, { channel: 'atm' }, '57', { channel: 'chip' }],
  ['allowCashback', { allowCashback: false }, { channel: 'cashback' }, '57', { channel: 'chip' }],
  ['allowCreditAuthorisations', { allowCreditAuthorisations: false }, { channel: 'credit' }, '57', { channel: 'chip' }],
  ['minTransactionAmount', { minTransactionAmount: 200 }, { amount: 199 }, '57', { amount: 200 }],
  ['maxTransactionAmount', { maxTransactionAmount: 200 }, { amount: 201 }, '61', { amount: 200 }],
  ['spendLimit', { spendLimit: [limit(200)] }, { amount: 201 }, '61', { amount: 200 }],
  ['a spendLimit of 0 = nothing may be spent', { spendLimit: [limit(0)] }, { amount: 1 }, '61', { channel: 'credit' }],
];

for (const [what, rules, declined, code, approved] of RULES)
  test(`${what}: declined with ${code}, the other passes`, async () => {
    const id = await debit(rules);
    const refused = await buy(id, 100, declined);
    assert.equal(refused.responseCode, code, JSON.stringify(refused.explanation.at(-1)));
    assert.equal(refused.explanation.at(-1).level, 'CARD');
    assert.equal(await answer(id, 100, approved), '00');
  });

test('allow lists that are absent or empty mean no restriction; 0 for a min or max bound = no bound', async () => {
  const id = await debit({
    allowedMerchantCategories: [],
    allowedMerchantIds: [],
    minTransactionAmount: 0,
    maxTransactionAmount: 0,
  });
  assert.deepEqual([await answer(id, 1), await answer(id, 90_000)], ['00', '00']);
});

test('Levels: platform, identity, profile, card; all apply, the strictest wins', async () => {
  const id = await debit({ maxTransactionAmount: 1000 });
  const most = (amount: number) => ({ rules: { maxTransactionAmount: amount } });
  const level = async (amount: number): Promise<string> => (await buy(id, amount)).explanation.at(-1).level;
  assert.equal(await level(1001), 'CARD');
  await settings('/tenants/sandbox/profiles/1002', most(900));
  assert.deepEqual([await level(901), await answer(id, 900)], ['PROFILE', '00']);
  await settings('/tenants/sandbox/identities/4001', most(800));
  assert.deepEqual([await level(801), await answer(id, 800)], ['IDENTITY', '00']);
  await settings('/issuing-settings', most(700));
  assert.deepEqual([await level(701), await answer(id, 700)], ['PLATFORM', '00']);
  done(await put(id, { maxTransactionAmount: 600 }));
  assert.deepEqual([await level(601), await answer(id, 600)], ['CARD', '00']);
  await settings('/issuing-settings', { rules: null });
  await settings('/tenants/sandbox/identities/4001', { rules: null });
  await settings('/tenants/sandbox/profiles/1002', { rules: null });
});

test('All intervals must hold at once', async () => {
  const id = await debit({ spendLimit: [limit(300), limit(400, 'WEEKLY'), limit(350, 'MONTHLY')] });
  assert.equal(await answer(id, 300), '00');
  await at('2031-05-15T10:00:00Z');
  const refused = await buy(id, 51);
  assert.deepEqual([refused.responseCode, refused.explanation.at(-1).interval], ['61', 'MONTHLY']);
  assert.deepEqual(await available(id), { DAILY: 300, WEEKLY: 100, MONTHLY: 50 });
  assert.equal(await answer(id, 50), '00');
});

test('Intervals: DAILY WEEKLY MONTHLY QUARTERLY YEARLY ALWAYS; windows are UTC calendar (weeks from Monday)', async () => {
  // Friday; the last moments of a day, a Sunday, a month, a quarter, a year, and the first moments after them.
  await at('2032-01-02T12:00:00Z');
  const intervals = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY', 'ALWAYS'];
  const cards = new Map<string, string>();
  for (const interval of intervals) cards.set(interval, await debit({ spendLimit: [limit(100, interval)] }));
  const open = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const [interval, id] of cards) if ((await available(id))[interval] === 100) found.push(interval);
    return found;
  };
  const spend = async (): Promise<void> => {
    for (const id of cards.values()) await buy(id, 100);
  };
  await spend();
  assert.deepEqual(await open(), []);
  for (const [last, first, opened] of [
    ['2032-01-02T23:59:59.999Z', '2032-01-03T00:00:00Z', ['DAILY']],
    ['2032-01-04T23:59:59.999Z', '2032-01-05T00:00:00Z', ['DAILY', 'WEEKLY']],
    ['2032-01-31T23:59:59.999Z', '2032-02-01T00:00:00Z', ['DAILY', 'MONTHLY']],
    ['2032-03-31T23:59:59.999Z', '2032-04-01T00:00:00Z', ['DAILY', 'MONTHLY', 'QUARTERLY']],
    ['2032-12-31T23:59:59.999Z', '2033-01-01T00:00:00Z', ['DAILY', 'MONTHLY', 'QUARTERLY', 'YEARLY']],
  ] as const) {
    await at(last);
    await spend();
    assert.deepEqual(await open(), [], last);
    await at(first);
    assert.deepEqual(await open(), opened, first);
    await spend();
  }
});

test('A counter a (card, interval, window); an approval consumes in the window of its own time. Increments likewise', async () => {
  await at('2033-03-02T10:00:00Z');
  const [id, other] = [await debit({ spendLimit: [limit(500)] }), await debit({ spendLimit: [limit(500)] })];
  const { authorizationId } = await buy(id, 200, { final: false });
  await follow(authorizationId, 'increment', { amount: 100 });
  assert.deepEqual([await available(id), await available(other)], [{ DAILY: 200 }, { DAILY: 500 }]);
  await at('2033-03-03T10:00:00Z');
  await follow(authorizationId, 'increment', { amount: 150 });
  assert.deepEqual(await available(id), { DAILY: 350 });
  const reply = await florin.operator('POST', `/simulator/authorizations/${authorizationId}/increment`, {
    amount: 351,
  });
  assert.deepEqual([reply.body.approved, reply.body.responseCode], [false, '61']);
});

test('Reversal, expiry, clearing below the hold: give back to the original window', async () => {
  await at('2033-04-06T10:00:00Z');
  const id = await debit({ spendLimit: [limit(1000), limit(1000, 'MONTHLY')] });
  const paid = [await buy(id, 100), await buy(id, 200), await buy(id, 300)];
  assert.deepEqual(await available(id), { DAILY: 400, MONTHLY: 400 });
  await follow(paid[0].authorizationId, 'reverse');
  assert.deepEqual(await available(id), { DAILY: 500, MONTHLY: 500 });
  await follow(paid[1].authorizationId, 'expire');
  assert.deepEqual(await available(id), { DAILY: 700, MONTHLY: 700 });
  await at('2033-04-07T10:00:00Z');
  await follow(paid[2].authorizationId, 'clear', { amount: 250 });
  assert.deepEqual(await available(id), { DAILY: 1000, MONTHLY: 750 }, 'yesterday got it, and this month');
});

test('Clearing above or without a hold: consumes the excess, may go negative', async () => {
  await at('2033-05-04T10:00:00Z');
  const id = await debit({ spendLimit: [limit(300)] });
  const { authorizationId } = await buy(id, 300);
  await follow(authorizationId, 'clear', { amount: 420 });
  assert.deepEqual(await available(id), { DAILY: 0 });
  // 120 over: raising the limit by less leaves nothing, by more leaves the rest.
  done(await put(id, { spendLimit: [limit(420)] }));
  assert.deepEqual(await available(id), { DAILY: 0 });
  done(await put(id, { spendLimit: [limit(430)] }));
  assert.deepEqual(await available(id), { DAILY: 10 });
});

test('A refund gives back in the current window, never above the limit', async () => {
  await at('2033-06-01T10:00:00Z');
  const id = await debit({ spendLimit: [limit(500)] });
  const { authorizationId } = await buy(id, 400);
  await follow(authorizationId, 'clear');
  await at('2033-06-02T10:00:00Z');
  await buy(id, 100);
  const refund = { authorizationId, amount: 300 };
  assert.equal((await florin.operator('POST', '/simulator/refunds', refund)).body.approved, true);
  assert.deepEqual(await available(id), { DAILY: 500 }, '100 were used, 300 came back');
  assert.equal(await answer(id, 501), '61');
});

test('Changing a limit keeps what was used', async () => {
  await at('2033-07-06T10:00:00Z');
  const id = await debit({ spendLimit: [limit(500)] });
  await buy(id, 200);
  done(await put(id, { spendLimit: [limit(1000)] }));
  assert.deepEqual(await available(id), { DAILY: 800 });
  done(await put(id, { spendLimit: [limit(150)] }));
  assert.deepEqual(await available(id), { DAILY: 0 });
  done(await ada('DELETE', `/cards/limits/${id}`));
  assert.deepEqual(await available(id), {});
  await buy(id, 50);
  done(await put(id, { spendLimit: [limit(400), limit(400, 'WEEKLY')] }));
  assert.deepEqual(await available(id), { DAILY: 150, WEEKLY: 150 }, 'what was spent without a limit counts too');
});

test('Declines and zero-value verifications consume nothing and no rule declines a zero-value verification', async () => {
  await at('2033-08-03T10:00:00Z');
  const id = await debit({
    spendLimit: [limit(100)],
    minTransactionAmount: 50,
    allowECommerce: false,
    blockedMerchantIds: ['SHOP1'],
  });
  for (let i = 0; i < 3; i++) assert.equal((await buy(id, 0)).approved, true);
  for (const [amount, fields] of [
    [101, { channel: 'chip', merchantId: 'SHOP2' }],
    [49, { channel: 'chip', merchantId: 'SHOP2' }],
    [60, {}],
  ] as const)
    assert.notEqual(await answer(id, amount, fields), '00');
  assert.deepEqual(await available(id), { DAILY: 100 });
  assert.equal(await answer(id, 100, { channel: 'chip', merchantId: 'SHOP2' }), '00');
});

test('a dry run answers the same question without moving money, and consumes nothing', async () => {
  const id = await debit({ spendLimit: [limit(100)] });
  const dry = await buy(id, 90, { dryRun: true });
  assert.deepEqual([dry.approved, dry.authorizationId], [true, null]);
  assert.equal((await buy(id, 101, { dryRun: true })).responseCode, '61');
  assert.deepEqual(await available(id), { DAILY: 100 });
  assert.equal((await ada('GET', `/cards/payments/${id}`)).body.responseCount, 0);
});

test('purchases that come at once spend a limit once', async () => {
  const id = await debit({ spendLimit: [limit(1000)] });
  const paid = await Promise.all(Array.from({ length: 25 }, () => answer(id, 100)));
  assert.equal(paid.filter((code) => code === '00').length, 10);
  assert.deepEqual(await available(id), { DAILY: 0 });
});

test('the books hold', () => assertBooksHold(florin));
