// A group that had to be given up is decided again: whatever the gateway decides follows from what it is told. A merchant's long story, every
// decision of which is made twice and compared.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CARDS } from '../../pages/cards.ts';
import { simulated, type TestApp, testApp } from '../../support/app.ts';
import { decidingTwice } from '../../support/decisions.ts';
import { openPage, typed } from '../../support/page.ts';
import { challenge, deviceData, orderOf, type Shop, shopOf } from '../../support/shop.ts';
import { truthIsTold } from '../events/truth.ts';

const CHARGEBACK = '4999997093000000';
const location = { ip: '192.0.2.1' };

const twice = decidingTwice();
let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp({}, { plant: twice.plant });
  shop = shopOf(florin);
  const frozen = { now: '2026-12-01T12:00:00.000Z', frozen: true };
  assert.equal((await florin.operator('PUT', '/simulator/clock', frozen)).status, 200);
});

/** The commands were decided since, and none of their second decisions was another one. */
function decided(...names: string[]): void {
  assert.deepEqual(
    names.filter((name) => !twice.decided.has(name)),
    [],
  );
  assert.deepEqual(twice.differing, []);
}

test('authorized, charged, refunded, voided, paid out, and refused what is too much', async () => {
  const body = { amount: '12.50', currency: 'EUR', pan: '4111111111111111', location };
  const card = { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 };
  const keyed = () =>
    florin.merchant('POST', '/gateway/orders/authorize', { ...body, card }, { 'idempotency-key': 'once' });
  const { id } = orderOf(await keyed());
  assert.equal(orderOf(await keyed()).id, id);
  assert.equal((await shop.act(id, 'charge', { amount: '99.00' })).status, 402);
  assert.equal((await shop.act(id, 'charge')).status, 200);
  assert.equal((await shop.act(id, 'refund', { amount: '2.50' })).status, 200);
  assert.equal((await shop.post(id, 'credit', { amount: '3.00', location })).status, 200);
  assert.equal((await shop.post(id, 'credit', { amount: '10000.01', location })).status, 402);
  assert.equal((await shop.post(id, 'rebill', { amount: 5, location })).status, 200);
  assert.equal((await shop.act((await shop.charged()).id, 'cancel')).status, 200);
  assert.equal((await shop.act((await shop.authorized()).id, 'reverse')).status, 200);
  decided('authorize.intent', 'authorize.result', 'charge.intent', 'charge.result', 'refund.intent', 'refund.result');
  decided('credit.intent', 'credit.result', 'cancel.intent', 'reverse.intent', 'reverse.result');
});

test('authenticated by the bank: frictionless, challenged, refused and left alone', async () => {
  for (const code of ['1234', '1111']) {
    const made = await shop.prepared();
    const { fields } = await challenge(made, code);
    await shop.post(made.id, 'complete', { PaRes: fields.PaRes });
  }
  const asked = await shop.prepared({ pan: CARDS.device });
  await deviceData(asked);
  assert.equal((await shop.post(asked.id, 'resume')).status, 201);
  await shop.prepared();
  await shop.advance('2h');
  decided('directory.answer', 'complete.intent', 'due.expire');
});

test('paid on a page by link, refused there, left, and over', async () => {
  const link = async () => {
    const reply = await florin.operator('POST', '/operator/projects/sandbox/links', { amount: 5, currency: 'EUR' });
    assert.equal(reply.status, 201, reply.text);
    return openPage(reply.body.url);
  };
  await (await link()).post(typed(simulated('10', '051')));
  await (await link()).post(typed('4111111111111111'));
  await (await link()).post({}, '/cancel');
  await link();
  assert.equal((await shop.create({ merchant_order_id: 'A-1', options: { expiration_timeout: '2h' } })).status, 201);
  assert.equal((await shop.create({ currency: 'SEK' })).status, 402);
  await shop.advance('2h');
  decided('create', 'authorize.intent', 'abandon.intent', 'due.expire');
});

test('answers that were lost are found out, and what follows by itself follows', async () => {
  assert.equal((await shop.authorize({ pan: simulated('10', '911') })).status, 500);
  const waiting = await shop.authorized({ pan: simulated('20', '911') });
  assert.equal((await shop.act(waiting.id, 'charge')).status, 500);
  await shop.charged({ pan: CHARGEBACK });
  await shop.authorized();
  await shop.withSettings({ capture_delay: '1d' }, async () => void (await shop.authorized()));
  const disputed = await shop.charged();
  await shop.arrives(disputed.id, 'chargeback');
  await shop.arrives(disputed.id, 'representment');
  for (let day = 0; day < 40; day += 8) await shop.advance('8d');
  decided('recover.claim', 'due.capture', 'due.warn', 'due.release', 'due.clear', 'due.chargeback', 'due.reserve');
  decided('arrive.chargeback', 'arrive.representment');
  await shop.booksHold();
  await truthIsTold(florin);
});
