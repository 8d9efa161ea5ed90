// Two servers on one database are one sandbox: one clock, one plan of faults, whichever of them is asked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type App, startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { basic, type Client, client, payment, type TestApp, testApp } from '../../support/app.ts';
import { silent } from '../../support/database.ts';
import { noneDecides } from '../../support/decisions.ts';

interface Two {
  readonly merchant: Client;
  readonly operator: Client;
}

let one: TestApp;
let second: App;
let two: Two;
before(async () => {
  one = await testApp();
  const config = readConfig({ PORT: '0', DATA_DIR: one.dataDir, LOG_LEVEL: 'silent', WORKERS: 'off' }, {});
  const link = { answerTimeoutMs: 2000, lostAfterMs: 30, slowMs: 100, lateAfterMs: 30 };
  second = await startApp(config, { log: silent, guard: noneDecides, connection: one.database.connection, link });
  two = {
    merchant: client(second.url, basic('sandbox', 'sandbox-secret')),
    operator: client(second.url, 'Bearer sandbox-operator'),
  };
});
after(() => second.stop());

const timeAt = async ({ operator }: Pick<Two, 'operator'>): Promise<number> =>
  Date.parse((await operator('GET', '/simulator/clock')).body.now);

test('a clock that was moved at one is moved at the other before the answer', async () => {
  // Both have shown that they live.
  assert.equal(
    (await two.operator('PUT', '/simulator/clock', { now: '2027-01-01T12:00:00Z', frozen: true })).status,
    200,
  );
  assert.equal(await timeAt(one), Date.parse('2027-01-01T12:00:00Z'));
  assert.equal((await one.operator('POST', '/simulator/clock/advance', { by: '2d' })).status, 200);
  assert.equal(await timeAt(two), Date.parse('2027-01-03T12:00:00Z'));
});

test('two that move it at once move it by both', async () => {
  const from = await timeAt(one);
  await Promise.all([one, two].map(({ operator }) => operator('POST', '/simulator/clock/advance', { by: '1h' })));
  for (const server of [one, two]) {
    const moved = (await timeAt(server)) - from;
    assert.ok(moved === 3_600_000 || moved === 7_200_000, `${moved}`);
  }
  assert.equal(await timeAt(one), await timeAt(two));
});

test('what is due because one moved the clock is done once', async () => {
  const made = await two.merchant('POST', '/gateway/orders/authorize', payment());
  const { id } = made.body.orders[0];
  await Promise.all([one, two].map(({ operator }) => operator('POST', '/simulator/clock/advance', { by: '8d' })));
  const [order] = (await two.merchant('GET', `/gateway/orders/${id}`)).body.orders;
  assert.equal(order.status, 'reversed');
  assert.equal(order.operations.filter(({ type }: { type: string }) => type === 'reverse').length, 1);
});

test('a plan of faults is met by both, and counted together', async () => {
  const schedule = [{ operation: 'authorize', ordinal: 3, fault: '51' }];
  assert.equal((await one.operator('PUT', '/simulator/faults', { seed: 1, schedule })).status, 200);
  const statuses: number[] = [];
  for (const { merchant } of [two, one, two, one])
    statuses.push((await merchant('POST', '/gateway/orders/authorize', payment())).status);
  assert.deepEqual(statuses, [200, 200, 402, 200]);
  assert.equal((await two.operator('PUT', '/simulator/faults', {})).status, 200);
});
