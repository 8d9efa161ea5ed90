// One project's slow acquirer is nobody else's: what is due for others, and what others ask, goes on beside it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import { payment, simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf } from '../../support/shop.ts';

const SLOW_MS = 8000;

let florin: TestApp;
before(async () => {
  florin = await testApp(
    { WORKERS: 'on' },
    { link: { answerTimeoutMs: 20_000, lostAfterMs: 30, slowMs: SLOW_MS, lateAfterMs: 30 } },
  );
});

const sent = async (): Promise<number> =>
  Number(
    (
      await florin.database.query<{ count: bigint }>(`select count(*) as count from operations where status = 'sent'`)
    )[0]?.count,
  );

/** Milliseconds until it holds. */
async function until(is: () => Promise<boolean>, withinMs: number, pauseMs = 20): Promise<number> {
  const startedAt = systemClock.elapsed();
  while (!(await is())) {
    assert.ok(systemClock.elapsed() - startedAt < withinMs, `not within ${withinMs} ms`);
    await systemClock.sleep(pauseMs);
  }
  return systemClock.elapsed() - startedAt;
}

test('64 slow charges of one project delay neither what is due for another nor his requests', async () => {
  const reply = await florin.operator('PATCH', '/operator/projects/sandbox/settings', { capture_delay: '2s' });
  assert.equal(reply.status, 200, reply.text);
  const pan = simulated('20', '912');
  const held = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const made = await florin.merchant('POST', '/gateway/orders/authorize', payment({ pan }));
      assert.equal(made.status, 200, made.text);
      return orderOf(made).id as string;
    }),
  );
  await until(async () => (await sent()) >= 8, 10_000);

  const page = await florin.stranger('POST', '/gateway/orders/create', {
    amount: 5,
    currency: 'EUR',
    options: { expiration_timeout: '500ms' },
  });
  const own = await florin.merchant('POST', '/gateway/orders/create', {
    amount: 5,
    currency: 'EUR',
    options: { expiration_timeout: '500ms' },
  });
  const startedAt = systemClock.elapsed();
  const asked = await florin.stranger('POST', '/gateway/orders/authorize', payment({ options: { auto_charge: 1 } }));
  const tookMs = systemClock.elapsed() - startedAt;
  assert.equal(orderOf(asked).status, 'charged', asked.text);
  assert.ok(tookMs < 1000, `a request took ${tookMs} ms`);

  const ended =
    (client: typeof florin.merchant, { body }: typeof page) =>
    async () =>
      orderOf(await client('GET', `/gateway/orders/${body.orders[0].id}`)).status === 'rejected';
  await until(ended(florin.stranger, page), 3000);
  await until(ended(florin.merchant, own), 3000);
  assert.ok((await sent()) >= 8, 'all that beside slow charges');

  // A charge of the neighbour's own, through the same link.
  await florin.operator('PATCH', '/operator/projects/sandbox-two/settings', { capture_delay: '10ms' });
  const theirs = orderOf(await florin.stranger('POST', '/gateway/orders/authorize', payment()));
  await until(
    async () => orderOf(await florin.stranger('GET', `/gateway/orders/${theirs.id}`)).status === 'charged',
    3000,
  );
  assert.ok((await sent()) >= 8);
  // One look at a time: they are 64, and take half a minute.
  const allBy = systemClock.elapsed() + 8 * SLOW_MS;
  for (const id of held) {
    const charged = async (): Promise<boolean> =>
      orderOf(await florin.merchant('GET', `/gateway/orders/${id}`)).status === 'charged';
    await until(charged, allBy - systemClock.elapsed(), 200);
  }
});

test('64 slow requests of one project delay no request of another, of either API', async () => {
  const slow = Array.from({ length: 64 }, () =>
    florin.merchant('POST', '/gateway/orders/authorize', payment({ pan: simulated('10', '912') })),
  );
  await until(async () => (await sent()) >= 64, 5000);
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const startedAt = systemClock.elapsed();
    const answer = await florin.stranger('POST', '/gateway/orders/authorize', payment({ options: { auto_charge: 1 } }));
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await florin.stranger('GET', `/gateway/orders/${orderOf(answer).id}`)).status, 200);
    times.push(systemClock.elapsed() - startedAt);
  }
  assert.equal(await sent(), 64);
  times.sort((a, b) => a - b);
  assert.ok((times[10] as number) < 500, `median ${times[10]} ms`);
  for (const answer of await Promise.all(slow)) assert.equal(answer.status, 200, answer.text);
});
