// docs/contract/gateway.md#idempotency, and #money-safety, 3: replays to the byte, exact counts in races.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const order = (reply: Reply) => reply.body.orders[0];
const authorize = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment(fields), headers);
const keyed = (key: string) => ({ 'idempotency-key': key });
const times = <T>(n: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)));
const count = (replies: Reply[], status: number): number => replies.filter((reply) => reply.status === status).length;

test('the same key twice: one order, the same bytes, and a header that says so', async () => {
  const first = await authorize({}, keyed('once-1'));
  const again = await authorize({}, keyed('once-1'));
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  assert.equal((await authorize({ amount: 99 }, keyed('once-1'))).status, 422);
});

test('50 at once with one key: one order', async () => {
  const replies = await times(50, () => authorize({ merchant_order_id: 'race-50' }, keyed('race-50')));
  const ids = new Set(replies.filter(({ status }) => status === 200).map((reply) => order(reply).id));
  assert.equal(ids.size, 1);
  assert.equal(count(replies, 200) + count(replies, 409), 50);
  assert.equal((await florin.merchant('GET', '/gateway/orders/?merchant_order_id=race-50')).body.orders.length, 1);
});

test('a decline and a refusal are kept, a validation failure is not', async () => {
  const declined = await authorize({ pan: '4999991005100008' }, keyed('declined'));
  assert.equal((await authorize({ pan: '4999991005100008' }, keyed('declined'))).text, declined.text);
  assert.equal((await authorize({ amount: 'x' }, keyed('invalid'))).status, 422);
  assert.equal((await authorize({}, keyed('invalid'))).status, 200);
});

test('an unresolved 500 is joined, never executed again, and answers the outcome once it is known', async () => {
  const id = order(await authorize({ pan: simulated('20', '911') })).id;
  const charge = () => florin.merchant('PUT', `/gateway/orders/${id}/charge`, {}, keyed('lost-charge'));
  assert.equal((await charge()).status, 500);
  assert.equal((await charge()).status, 500);
  await florin.operator('POST', '/simulator/clock/advance', { by: '10m' });
  const known = await charge();
  assert.equal(known.status, 200);
  assert.equal(order(known).status, 'charged');
  assert.equal(order(known).operations.filter((operation: { type: string }) => operation.type === 'charge').length, 1);
});

test('50 charges at once: exactly one wins', async () => {
  const id = order(await authorize()).id;
  const replies = await times(50, () => florin.merchant('PUT', `/gateway/orders/${id}/charge`, {}));
  assert.equal(count(replies, 200), 1);
  assert.equal(count(replies, 402), 49);
});

test('charge against reverse: one wins', async () => {
  for (let i = 0; i < 10; i++) {
    const id = order(await authorize()).id;
    const replies = await Promise.all(
      ['charge', 'reverse'].map((action) => florin.merchant('PUT', `/gateway/orders/${id}/${action}`, {})),
    );
    assert.equal(count(replies, 200), 1);
    assert.equal(count(replies, 402), 1);
  }
});

test('refunds at once never exceed the charge, and the exact rest is accepted', async () => {
  const id = order(await authorize({ amount: 10, options: { auto_charge: 1 } })).id;
  let refunded = 0;
  for (let round = 0; round < 12 && refunded < 9; round++) {
    refunded +=
      3 * count(await times(10, () => florin.merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 3 })), 200);
    assert.ok(refunded <= 9);
  }
  assert.equal(refunded, 9);
  assert.equal((await florin.merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 1.01 })).status, 402);
  const rest = await florin.merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 1 });
  assert.equal(order(rest).status, 'refunded');
});

test('unique_merchant_order_id: the first order for the same content, 402 for other content', async () => {
  assert.equal(
    (await florin.operator('PATCH', '/operator/projects/sandbox/settings', { unique_merchant_order_id: true })).status,
    200,
  );
  const first = await authorize({ merchant_order_id: 'U-1' });
  const replies = await times(5, () => authorize({ merchant_order_id: 'U-1' }));
  for (const reply of replies) assert.equal(order(reply).id, order(first).id);
  assert.equal((await authorize({ merchant_order_id: 'U-1', amount: 13 })).status, 402);
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', { unique_merchant_order_id: false });
});

test('the books hold', async () => {
  await florin.operator('POST', '/simulator/clock/advance', { by: '1h' });
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
});
