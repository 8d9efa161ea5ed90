// A group that had to be given up is decided again: whatever the issuer decides follows from what it is told. A cardholder's long story,
// every decision of which is made twice and compared.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { decidingTwice } from '../../support/decisions.ts';
import {
  advance,
  assertBooksHold,
  cardRequest,
  fundedCard,
  newCard,
  plasticCard,
  purchase,
  steppedUp,
  UPGRADE,
} from '../../support/issuing.ts';
import { orderOf, shopOf } from '../../support/shop.ts';

const WALLETS = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };

const twice = decidingTwice();
let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp({}, { plant: twice.plant });
  await simulator('PUT', 'clock', { now: '2031-01-05T08:00:00Z', frozen: true });
  ada = await steppedUp(florin);
});

async function answered(reply: Promise<Reply>, status = 200): Promise<Reply['body']> {
  const { body, text, ...given } = await reply;
  assert.equal(given.status, status, text);
  return body;
}
const post = (path: string, body?: unknown, status = 200) => answered(ada('POST', path, body), status);
const done = (path: string) => post(path, undefined, 204);
const simulator = (method: string, path: string, body?: unknown, status = 200) =>
  answered(florin.operator(method, `/simulator/${path}`, body), status);
const follow = (id: string, what: string, body: object = {}) => simulator('POST', `authorizations/${id}/${what}`, body);
const operator = (method: string, path: string, body: unknown, status = 200) =>
  answered(florin.operator(method, `/operator${path}`, body), status);

/** The commands were decided since, and none of their second decisions was another one. */
function decided(...names: string[]): void {
  assert.deepEqual(
    names.filter((name) => !twice.decided.has(name)),
    [],
  );
  assert.deepEqual(twice.differing, []);
}

test('paid, asked for more, cleared, reversed, refunded, declined and over', async () => {
  const id = await fundedCard(ada, 10_000);
  const { authorizationId: first } = await purchase(florin, id, 1000, { final: false });
  assert.equal((await follow(first, 'increment', { amount: 200 })).approved, true);
  assert.equal((await follow(first, 'reverse', { amount: 100 })).approved, true);
  assert.equal((await follow(first, 'clear', { amount: 500 })).approved, true);
  assert.equal((await simulator('POST', 'refunds', { authorizationId: first, amount: 50 })).approved, true);
  assert.equal((await simulator('POST', 'refunds', { cardId: id, amount: 70, currency: 'EUR' })).approved, true);
  assert.equal((await purchase(florin, id, 99_000)).approved, false);
  await purchase(florin, id, 300, { channel: 'credit' });
  await purchase(florin, id, 300, { dryRun: true });
  const { authorizationId: second } = await purchase(florin, id, 300);
  assert.equal((await follow(second, 'expire')).approved, true);
  decided('card.authorize', 'card.increment', 'card.reverse', 'card.charge', 'card.refund', 'card.credit');
  decided('card.dry_run', 'card.expire_hold');
});

test('paid with at a merchant of ours, to the end', async () => {
  const shop = shopOf(florin);
  const id = await fundedCard(ada, 1000);
  const { number, cvv, expiryMmyy } = await answered(florin.operator('GET', `/operator/cards/${id}/number`));
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
  assert.equal((await shop.act(order.id, 'refund')).status, 200);
  decided('authorize.intent', 'charge.result', 'refund.result', 'card.charge', 'card.refund');
  await assertBooksHold(florin);
});

test('forwarded to a tenant who is not there', async () => {
  const id = await fundedCard(ada, 1000);
  const forwarding = {
    url: 'http://127.0.0.1:1/',
    secret: 'whsec_YSBrZXkgb2YgdGhlIHRlbmFudCB0aGF0IG5vYm9keSBrbm93cw==',
  };
  await operator('PATCH', '/tenants/sandbox', { settings: { forwarding } });
  assert.equal((await purchase(florin, id, 300)).reason, 'FORWARDING_UNANSWERED');
  await operator('PATCH', '/tenants/sandbox', { settings: { forwarding: null } });
  decided('card.forwarded');
});

test('cards made, changed, shown, blocked, lost, replaced and removed', async () => {
  const keyed = () => ada('POST', '/cards/request', cardRequest(), { 'idempotency-ref': 'once' });
  const { id: virtual } = await answered(keyed());
  assert.equal((await answered(keyed())).id, virtual);
  await post('/cards/request', cardRequest({ profileId: '1006', ...WALLETS }), 409);
  await answered(ada('PATCH', `/cards/${virtual}`, { tag: 'mine' }));
  const limits = { maxTransactionAmount: 500 };
  await answered(ada('PUT', `/cards/limits/${virtual}`, { data: limits }), 204);
  const { cardNumber } = await answered(ada('GET', `/cards/${virtual}`));
  await post('/cards/reveal', { token: cardNumber.value });
  await post('/cards/reveal', { token: cardNumber.value }, 404);
  for (const verb of ['block', 'unblock', 'remove']) await done(`/cards/${verb}/${virtual}`);

  const id = await plasticCard(ada, true, WALLETS);
  const transfer = { destinationAmount: { currency: 'EUR', amount: 700 }, destination: { type: 'managed_cards', id } };
  await post('/transfers', { ...transfer, source: { type: 'managed_accounts', id: '2001' } });
  const token = await post(`/cards/wallet-tokens/${id}`, { wallet: 'APPLE', device: 'phone' });
  await simulator('POST', `wallet-tokens/${token.id}`, { cardId: id, result: 'success' }, 204);
  const { pin } = await answered(florin.operator('GET', `/operator/cards/${id}/number`));
  const wrong = pin === '1234' ? '4321' : '1234';
  for (let i = 0; i < 3; i++) await purchase(florin, id, 0, { channel: 'chip', pin: wrong });
  await done(`/cards/pin/unblock/${id}`);
  await post(`/cards/replace-damaged/${id}`, { activationCode: '001234' });
  await operator('PUT', `/cards/${id}/manufacturing`, { state: 'DISPATCHED' }, 204);
  await post(`/cards/activate/${id}`, { activationCode: UPGRADE.activationCode }, 409);
  await done(`/cards/report-lost/${id}`);
  const fresh = await post(`/cards/replace-lost-stolen/${id}`, {});
  await done(`/cards/report-stolen/${fresh.id}`);
  decided('card.create', 'card.patch', 'card.limits', 'card.reveal', 'card.block', 'card.unblock', 'card.remove');
  decided('card.upgrade', 'card.activate', 'transfer', 'card.wallet.request', 'card.wallet.activate');
  decided('card.pin.unblock', 'card.replace-damaged', 'card.manufactured', 'card.report-lost');
  decided('card.replace-lost-stolen', 'card.report-stolen');
});

test('plastic by itself, with its code sent; accounts; users', async () => {
  await operator('PATCH', '/tenants/sandbox/profiles/1001', { settings: { physicalByDefault: true } });
  await newCard(ada);
  await operator('PATCH', '/tenants/sandbox/profiles/1001', { settings: { physicalByDefault: null } });
  const account = await post('/managed-accounts', { profileId: '1011', friendlyName: 'Second', currency: 'EUR' });
  await simulator('POST', `accounts/${account.id}/deposit`, { amount: 100 });
  for (const verb of ['block', 'unblock']) await done(`/managed-accounts/${verb}/${account.id}`);
  await post(`/managed-accounts/remove/${account.id}`, undefined, 409);
  const person = { name: 'Eve', surname: 'Example', email: 'eve@sandbox.test' };
  await post('/users', person);
  await answered(ada('POST', '/users', person, { 'idempotency-ref': 'eve' }), 409);
  decided('account.create', 'account.deposit', 'account.block', 'account.unblock', 'account.remove', 'user.create');
});

test('a bureau that works, cards that renew, cards that end', async () => {
  await plasticCard(ada, false, { renewalType: 'AUTO_RENEW' });
  for (let year = 0; year < 5; year++) await advance(florin, '366d');
  decided('card.due');
  await assertBooksHold(florin);
});
