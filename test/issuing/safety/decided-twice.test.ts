// A group that had to be given up is decided again: whatever the issuer decides follows from what it is told, also the numbers that it draws.
// Two cards' long lives, every decision of which is made twice and compared.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { decidingTwice } from '../../support/decisions.ts';
import { advance, assertBooksHold, customer, fundedCard, plasticCard, purchase } from '../../support/issuing.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

const twice = decidingTwice();
let florin: TestApp;
let shop: Shop;
let ada: Client;
before(async () => {
  florin = await testApp({}, { plant: twice.plant });
  shop = shopOf(florin);
  ada = await customer(florin);
});

async function ok(reply: ReturnType<Client>) {
  const { status, body, text } = await reply;
  assert.ok(status === 200 || status === 204, `${status} ${text}`);
  return body;
}
const wait = async (by: string): Promise<void> => {
  await advance(florin, by);
  ada = await customer(florin);
};

/** The commands were decided since, and none of their second decisions was another one. */
function decided(...names: string[]): void {
  assert.deepEqual(
    names.filter((name) => !twice.decided.has(name)),
    [],
  );
  assert.deepEqual(twice.differing, []);
}

test('a card is made, changed, printed, blocked, lost and replaced', async () => {
  const id = await plasticCard(ada, true);
  await ok(ada('PATCH', `/cards/${id}`, { friendlyName: 'Kept' }, { 'idempotency-ref': 'once' }));
  await ok(ada('PATCH', `/cards/${id}`, { friendlyName: 'Kept' }, { 'idempotency-ref': 'once' }));
  await ok(ada('PUT', `/cards/limits/${id}`, { data: { allowedMerchantCategories: ['5812'], allowAtm: false } }));
  await ok(ada('POST', `/cards/block/${id}`));
  await ok(ada('POST', `/cards/unblock/${id}`));
  await ok(ada('POST', `/cards/replace-damaged/${id}`, { activationCode: '001234' }));
  await wait('3d');
  await ok(ada('POST', `/cards/report-lost/${id}`));
  const { id: next } = await ok(ada('POST', `/cards/replace-lost-stolen/${id}`, { activationCode: '000042' }));
  await ok(ada('POST', `/cards/remove/${next}`));
  decided('card.create', 'card.patch', 'card.limits', 'card.upgrade', 'card.activate', 'card.block', 'card.unblock');
  decided('card.report-lost', 'card.remove');
});

test('money arrives, is transferred, held, more of it, cleared, given back and let go', async () => {
  const account = { profileId: '1011', friendlyName: 'Own', currency: 'EUR' };
  const { id: own } = await ok(ada('POST', '/managed-accounts', account));
  await ok(florin.operator('POST', `/simulator/accounts/${own}/deposit`, { amount: 1234 }));
  const id = await fundedCard(ada, 10_000);
  const follow = (authorizationId: string, verb: string, amount: number) =>
    ok(florin.operator('POST', `/simulator/authorizations/${authorizationId}/${verb}`, { amount }));
  const { authorizationId } = await purchase(florin, id, 1000);
  await follow(authorizationId, 'increment', 500);
  await follow(authorizationId, 'reverse', 300);
  await follow(authorizationId, 'clear', 800);
  assert.equal((await purchase(florin, id, 999_999)).approved, false);
  await purchase(florin, id, 100);
  await wait('40d');
  decided('account.create', 'account.deposit', 'transfer', 'card.authorize', 'card.expire_hold');
  await assertBooksHold(florin);
});

test('paid with at a merchant of ours, to the end', async () => {
  const id = await fundedCard(ada, 1_000);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const expiry = { expiration_month: expiryMmyy.slice(0, 2), expiration_year: expiryMmyy.slice(2) };
  const order = orderOf(
    await shop.authorize({
      amount: 5,
      pan: number,
      card: { cvv, holder: 'Ada Example', ...expiry },
      options: { exemption_mit: 1, auto_charge: 1 },
      recurring_details: { trace_id: 'ABC123', indicator: 'R' },
    }),
  );
  assert.equal(order.status, 'charged');
  await ok(shop.act(order.id, 'refund'));
  decided('authorize.intent', 'charge.result', 'refund.result', 'card.charge', 'card.refund');
  await assertBooksHold(florin);
});
