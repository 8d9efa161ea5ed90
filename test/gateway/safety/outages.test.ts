// Postgres goes away at the wrong moment, seen over HTTP: what was committed is never answered as a refusal, what isn't known is told as
// unknown and found out, an approval of a living process stays one, and silence is noticed and ends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import { DEADLINES } from '../../../src/store/index.ts';
import { payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { testDatabase } from '../../support/database.ts';
import { customer, newCard } from '../../support/issuing.ts';
import { type PostgresProxy, postgresProxy } from '../../support/postgres-proxy.ts';
import { orderOf } from '../../support/shop.ts';

let florin: TestApp;
let proxy: PostgresProxy;

before(async () => {
  proxy = await postgresProxy((await testDatabase()).connection);
  florin = await testApp(
    { WORKERS: 'on' },
    {
      connection: proxy.connection,
      // As shipped, but a quarter of it: outages cost the test less.
      deadlines: {
        ...DEADLINES,
        connectMs: 1000,
        statementMs: 2000,
        answerMs: 2500,
        lockMs: 500,
        idleInTransactionMs: 2000,
      },
      lease: { leaseMs: 4000, renewMs: 500 },
      patienceMs: 4000,
      answerMs: 6000,
      link: { answerTimeoutMs: 10_000, lostAfterMs: 30, slowMs: 3000, lateAfterMs: 30 },
    },
  );
});
after(() => proxy.close());

const authorized = async (): Promise<string> => {
  const reply = await florin.merchant('POST', '/gateway/orders/authorize', payment());
  assert.equal(reply.status, 200, reply.text);
  return orderOf(reply).id as string;
};
const read = async (id: string) => orderOf(await florin.merchant('GET', `/gateway/orders/${id}`));

/** Until somebody knows: a repeat under the same key is told the truth. */
async function repeated(ask: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    const reply = await ask();
    if (reply.status !== 409 && reply.status !== 500) return reply;
    assert.ok(tries < 200, `still ${reply.status} after 100 s`);
    await systemClock.sleep(500);
  }
}

/** Only the gateway's own commits; the acquirer's and the signs of life go by. */
const ofOrders = (sql: string): boolean => /insert into orders .* on conflict/.test(sql);

test('the answer to the COMMIT of eight charges is lost: no charge that was made is told as refused', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, authorized));
  proxy.refuseAfterFaultMs = 2000;
  proxy.failCommit('answer lost', { when: ofOrders });
  const charge = (id: string) =>
    florin.merchant('PUT', `/gateway/orders/${id}/charge`, {}, { 'idempotency-key': `charge-${id}` });
  const replies = await Promise.all(ids.map(charge));
  assert.ok((proxy.fired.get('answer lost') ?? 0) >= 1);
  for (const [i, reply] of replies.entries()) {
    // On a busy machine all of them may outlast their client: that is told as unknown, and what is true as soon as it is known.
    if (reply.status === 500) assert.equal(reply.body.order_id, null, 'a charge makes no order');
    else assert.equal(reply.status, 200, reply.text);
    const truth = await repeated(() => charge(ids[i] as string));
    assert.equal(truth.status, 200, truth.text);
    assert.equal(orderOf(truth).status, 'charged');
    if (reply.status === 200) assert.equal(truth.text, reply.text, 'told once');
    assert.equal((await read(ids[i] as string)).status, 'charged');
  }
});

test('a transfer whose COMMIT was not answered is never FUNDS_INSUFFICIENT', async () => {
  const consumer = await customer(florin);
  const transfer = {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id: await newCard(consumer) },
    destinationAmount: { currency: 'EUR', amount: 700_000 },
  };
  proxy.refuseAfterFaultMs = 2500;
  proxy.failCommit('answer lost', { when: (sql) => /insert into funds .* on conflict/.test(sql) });
  const fired = proxy.fired.get('answer lost') ?? 0;
  const reply = await consumer('POST', '/transfers', transfer);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(proxy.fired.get('answer lost'), fired + 1);
  const account = await consumer('GET', '/managed-accounts/2001');
  assert.equal(account.body.balances.availableBalance, 300_000);
});

test('an operator’s change whose COMMIT was not answered is unknown in the audit log, too, and in force', async () => {
  proxy.refuseAfterFaultMs = 0;
  proxy.failCommit('answer lost', { when: (sql) => /insert into bin_ranges/.test(sql) });
  const range = { brand: 'visa', subtype: 'classic' };
  assert.equal((await florin.operator('PUT', '/operator/bins/400099', range)).status, 500);
  const { body } = await florin.operator('GET', '/operator/bins');
  assert.ok(body.bins.some(({ prefix }: { prefix: string }) => prefix === '400099'));
  const { audit } = (await florin.operator('GET', '/operator/audit')).body;
  const told = audit.filter(({ action }: { action: string }) => action === 'range.put');
  assert.deepEqual(
    told.map(({ result }: { result: string }) => result),
    ['unknown', 'done'],
  );
});

test('the outage outlasts the client: 500 with the id of the order, the truth by one GET and by the same key', async () => {
  proxy.refuseAfterFaultMs = 8000;
  proxy.failCommit('answer lost', { when: (sql) => /insert into orders/.test(sql) });
  const key = { 'idempotency-key': 'outlasted' };
  const ask = () => florin.merchant('POST', '/gateway/orders/authorize', payment(), key);
  const started = performance.now();
  const reply = await ask();
  assert.ok(performance.now() - started < 7500, 'told in time');
  assert.equal(reply.status, 500, reply.text);
  assert.equal(reply.body.failure_type, 'error');
  assert.match(reply.body.order_id, /^\d+$/);
  const truth = await repeated(ask);
  const order = await read(reply.body.order_id);
  assert.equal(truth.status, 200, truth.text);
  assert.equal(orderOf(truth).id, reply.body.order_id, 'the repeat made no second order');
  assert.equal(order.status, 'authorized');
});

test('what could not begin in time never begins: 500 without an order', async () => {
  proxy.cut();
  proxy.refuse(true);
  const reply = await florin.merchant('POST', '/gateway/orders/create', { amount: '1.00', merchant_order_id: 'never' });
  assert.equal(reply.status, 500, reply.text);
  proxy.refuse(false);
  await ready();
  await systemClock.sleep(1000);
  const list = await florin.merchant('GET', '/gateway/orders/?merchant_order_id=never');
  assert.deepEqual(list.body.orders, []);
});

test('an approval under way outlives every connection of its process', async () => {
  await ready();
  const slow = florin.merchant('POST', '/gateway/orders/authorize', payment({ pan: simulated('10', '912') }));
  await systemClock.sleep(1000);
  proxy.cut();
  const reply = await slow;
  assert.equal(reply.status, 200, reply.text);
  // The worker looks for orphans every two seconds.
  await systemClock.sleep(3000);
  assert.equal((await read(orderOf(reply).id)).status, 'authorized');
});

async function readiness(): Promise<{
  status: number;
  body: { ok: boolean; checks: Record<string, boolean>; links: object };
}> {
  const response = await fetch(`${florin.url}/readyz`);
  return { status: response.status, body: (await response.json()) as never };
}
async function ready(): Promise<void> {
  for (let tries = 0; (await readiness()).status !== 200; tries++) {
    assert.ok(tries < 100, 'not ready again after 20 s');
    await systemClock.sleep(200);
  }
}

test('connections go silent: writes are back within 20 s, and /readyz says so while they are not', async () => {
  await ready();
  assert.deepEqual((await readiness()).body, { ...(await readiness()).body, links: { simulator: 'up' } });
  const id = await authorized();
  proxy.silence();
  const started = performance.now();
  const charge = repeated(() =>
    florin.merchant('PUT', `/gateway/orders/${id}/charge`, {}, { 'idempotency-key': 'silence' }),
  );
  assert.equal(orderOf(await charge).status, 'charged');
  assert.ok(performance.now() - started < 20_000);
  assert.ok((proxy.fired.get('silent') ?? 0) > 0);
  await ready();
});

test('a database that cannot be reached makes it unready, and the end comes all the same', async () => {
  proxy.cut();
  proxy.refuse(true);
  let seen = await readiness();
  for (let tries = 0; seen.status === 200 && tries < 100; tries++) {
    await systemClock.sleep(200);
    seen = await readiness();
  }
  assert.equal(seen.status, 503);
  assert.equal(seen.body.checks.database, false);
  const started = performance.now();
  await florin.app.stop();
  assert.ok(performance.now() - started < 30_000);
  proxy.refuse(false);
});
