// The clock is moved over three days, and what failed is sent again on the way: every try at its moment, waited for, and nobody for ever.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { addMs, systemClock } from '../../src/base/index.ts';
import type { Posted } from '../../src/events/index.ts';
import { createRetries } from '../../src/sandbox/index.ts';
import { answered, deliveryWorld } from '../events/delivery-world.ts';
import { payment, testApp } from '../support/app.ts';
import { atEnd } from '../support/ends.ts';

interface Tried {
  readonly at: Date;
  readonly event: string;
  readonly attempt: number;
  readonly signedAt: number;
}

test('three days in one call: ten tries of each event, each at its time, and the answer behind them', async () => {
  const florin = await testApp({ WORKERS: 'on' });
  const tries: Tried[] = [];
  const server = createServer((request, response) => {
    const field = (name: string): string => String(request.headers[name]);
    tries.push({
      at: florin.app.clock.now(),
      event: field('webhook-id'),
      attempt: Number(field('florin-attempt')),
      signedAt: Number(field('webhook-timestamp')),
    });
    request.resume().once('end', () => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  await florin.operator('PUT', '/simulator/clock', { now: '2030-01-01', frozen: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const body = { url, events: ['order.authorized'] };
  const made = await florin.operator('POST', '/operator/projects/sandbox/webhooks', body);
  const paid = await florin.merchant('POST', '/gateway/orders/authorize', payment());
  assert.equal(paid.status, 200);

  const moved = await florin.operator('POST', '/simulator/clock/advance', { by: '5d' });

  assert.deepEqual(moved.body, { now: '2030-01-06T00:00:00.000Z', frozen: true, not_run: [] });
  assert.deepEqual(
    tries.map(({ attempt }) => attempt),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  assert.equal(new Set(tries.map(({ event }) => event)).size, 1);
  assert.equal(tries[0]?.at.toISOString(), '2030-01-01T00:00:00.000Z');
  for (const [i, seconds] of [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
    const waited = ((tries[i + 1] as Tried).at.getTime() - (tries[i] as Tried).at.getTime()) / 1000;
    assert.ok(Math.abs(waited / seconds - 1) <= 0.201, `wait ${i + 1} was ${waited} s`);
  }
  // Libraries allow five minutes: what is signed is real time.
  for (const { signedAt } of tries) assert.ok(Math.abs(signedAt - Date.now() / 1000) < 30);
  const isEnabled = async (): Promise<boolean> =>
    (await florin.operator('GET', `/operator/projects/sandbox/webhooks/${made.body.id}`)).body.enabled;
  for (let looks = 0; looks < 500 && (await isEnabled()); looks++) await systemClock.sleep(10);
  assert.equal(await isEnabled(), false);
});

test('who never answers holds the clock for a while, and is told of; the others have their tries', async () => {
  const world = await deliveryWorld();
  world.clock.freeze(true);
  const hanging = await world.endpoint({ url: 'https://hanging.test/' });
  await world.endpoint({ url: 'https://failing.test/' });
  const { promise: hangs, resolve: end } = Promise.withResolvers<Posted>();
  world.answer = ({ url }) => (url.includes('hanging') ? hangs : answered(500));
  const { delivery } = world.process();
  atEnd(async () => end(answered(null)));
  await world.event(1n);
  const retries = createRetries({ senders: delivery, time: systemClock, business: world.clock, endpointMs: 1_500 });
  await world.until('both are tried', () => world.arrived.length === 2);
  await retries.settle();
  for (let stops = 0; stops < 3; stops++) {
    const next = await retries.nextDueAt(world.clock.now());
    assert.ok(next && next > world.clock.now());
    world.clock.set(next);
    await retries.settle();
  }
  const of = (url: string): number => world.arrived.filter((one) => one.url.includes(url)).length;
  assert.deepEqual([of('hanging'), of('failing')], [1, 4]);
  assert.deepEqual(
    retries.left().map(({ webhook_id }) => webhook_id),
    [hanging.id],
  );
});

test('the whole of it has an end, too', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.clock.freeze(true);
  world.answer = () => answered(500);
  const { delivery } = world.process();
  await world.event(1n);
  await world.until('it is tried', () => world.arrived.length === 1);
  await world.until('again later', async () => (await delivery.awaited(world.clock.now()))[0]?.next_at != null);
  const retries = createRetries({ senders: delivery, time: systemClock, business: world.clock, allMs: 1 });
  world.clock.set(addMs(world.clock.now(), 86_400_000));
  await retries.settle();
  assert.equal(retries.left().length, 1);
  assert.equal(await retries.nextDueAt(world.clock.now()), null);
});
