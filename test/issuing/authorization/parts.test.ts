// A payment in another currency, or with a fee, costs the same in one part and in a hundred; and none that asks for something is free.
// Rule: expected sums are those of the whole, computed here and never by the code under test.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, customer, DEBIT, fundedCard, newCard, purchase } from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
});
beforeEach(async () => {
  ada = await customer(florin);
});

const follow = async (id: string, verb: string, body: object = {}): Promise<void> => {
  const reply = await florin.operator('POST', `/simulator/authorizations/${id}/${verb}`, body);
  assert.equal(reply.body.responseCode, '00', reply.text);
};
const balances = async (id: string): Promise<readonly [available: number, actual: number]> => {
  const { availableBalance, actualBalance } = (await ada('GET', `/cards/${id}`)).body.balances;
  return [availableBalance, actualBalance];
};
const bought = async (card: string, amount: number, currency: string): Promise<string> => {
  const { approved, authorizationId } = await purchase(florin, card, amount, { currency });
  assert.equal(approved, true);
  return authorizationId;
};
// The sandbox: 1 EUR is 162.5 JPY; JPY to EUR 0.006154. 30 JPY are 18 cents, and one is 0.6.
const WHOLE = 18;

test('cleared in thirty parts, a payment in yen takes what it takes at once', async () => {
  const card = await fundedCard(ada, 1_000);
  const id = await bought(card, 30, 'JPY');
  assert.deepEqual(await balances(card), [1_000 - WHOLE, 1_000]);
  for (let part = 1; part <= 30; part++) await follow(id, 'clear', { amount: 1, final: part === 30 });
  assert.deepEqual(await balances(card), [1_000 - WHOLE, 1_000 - WHOLE]);
  const reply = await florin.operator('POST', '/simulator/refunds', { authorizationId: id });
  assert.equal(reply.body.approved, true, reply.text);
  assert.deepEqual(await balances(card), [1_000, 1_000]);
});

test('held in thirty increments, it holds what it holds at once', async () => {
  const card = await fundedCard(ada, 1_000);
  const id = await bought(card, 1, 'JPY');
  for (let part = 2; part <= 30; part++) await follow(id, 'increment', { amount: 1 });
  assert.deepEqual(await balances(card), [1_000 - WHOLE, 1_000]);
});

test('a fee in percent is the same for the parts and for the whole', async () => {
  const settings = async (fees: object | null) => {
    const reply = await florin.operator('PATCH', '/operator/tenants/sandbox/profiles/1001', { settings: { fees } });
    assert.equal(reply.status, 200, reply.text);
  };
  await settings({ purchasePercent: '1' });
  try {
    const card = await fundedCard(ada, 1_000);
    const id = await bought(card, 600, 'EUR');
    assert.deepEqual(await balances(card), [394, 1_000]);
    for (let part = 1; part <= 15; part++) await follow(id, 'clear', { amount: 40, final: part === 15 });
    assert.deepEqual(await balances(card), [394, 394]);
  } finally {
    await settings({ purchasePercent: '0' });
  }
});

test('what asks for less than the smallest coin costs one: not free, and not below a limit of nothing', async () => {
  const empty = await newCard(ada);
  assert.equal((await purchase(florin, empty, 49, { currency: 'RUB' })).responseCode, '51');
  const card = await fundedCard(ada, 1);
  const id = await bought(card, 49, 'RUB');
  assert.deepEqual(await balances(card), [0, 1]);
  await follow(id, 'clear');
  assert.deepEqual(await balances(card), [0, 0]);
  const debit = await newCard(ada, DEBIT);
  const nothing = { spendLimit: [{ value: { currency: 'EUR', amount: 0 }, interval: 'ALWAYS' }] };
  assert.equal((await ada('PUT', `/cards/limits/${debit}`, { data: nothing })).status, 204);
  assert.equal((await purchase(florin, debit, 49, { currency: 'RUB' })).responseCode, '61');
});

test('money back without an original is never rounded up to a coin', async () => {
  const card = await newCard(ada);
  for (const channel of ['credit', 'refund'])
    for (let turn = 0; turn < 3; turn++) {
      const reply =
        channel === 'credit'
          ? await purchase(florin, card, 49, { currency: 'RUB', channel })
          : (await florin.operator('POST', '/simulator/refunds', { cardId: card, amount: 49, currency: 'RUB' })).body;
      assert.equal(reply.approved, true);
    }
  assert.deepEqual(await balances(card), [0, 0]);
});

test('the books hold', () => assertBooksHold(florin));
