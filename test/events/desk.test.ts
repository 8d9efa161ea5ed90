// What people do with deliveries: look at them, and have them sent again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, idMaker, systemClock } from '../../src/base/index.ts';
import {
  deliveriesPage,
  deliveryOf,
  replayAsked,
  replayStop,
  replaysOf,
  resend,
} from '../../src/events/delivery/index.ts';
import { type Change, statementsFor } from '../../src/store/index.ts';
import { answered, type DeliveryWorld, deliveryWorld, permutation, SHOP } from './delivery-world.ts';

const ids = idMaker(systemClock, 9);
const write = async ({ database }: DeliveryWorld, changes: readonly Change[]): Promise<void> => {
  for (const { text, values } of statementsFor(changes)) await database.query(text, values);
};
const statesOf = async (world: DeliveryWorld, webhook: bigint): Promise<string[]> =>
  (await deliveriesPage(world.database, SHOP, webhook, { state: null, before: null, limit: 100 })).map(
    ({ state }) => state,
  );

test('the log of an endpoint: what was sent, what came back, when the next try is', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  world.answer = ({ event: { resource } }) =>
    resource.id === permutation.outward(2n) ? answered(503, { response: 'busy' }) : answered(200);
  world.process();
  await world.events(3);
  await world.until('all are written', async () => (await statesOf(world, id)).length === 3);
  assert.deepEqual((await statesOf(world, id)).sort(), ['delivered', 'delivered', 'retrying']);
  const page = (state: 'delivered' | 'retrying') =>
    deliveriesPage(world.database, SHOP, id, { state, before: null, limit: 100 });
  assert.equal((await page('delivered')).length, 2);
  const [failed] = await page('retrying');
  assert.ok(failed?.nextAt && failed.nextAt > world.clock.now());
  const one = await deliveryOf(world.database, SHOP, id, failed.event);
  assert.deepEqual(
    one?.attempts.map(({ status, response, address, attempt, trigger }) => [
      status,
      response,
      address,
      attempt,
      trigger,
    ]),
    [[503, 'busy', '192.0.2.1', 1, 'first']],
  );
  assert.equal(await deliveryOf(world.database, 8n, id, failed.event), null);
  // By pages of one, none is missed.
  const seen: bigint[] = [];
  for (let before: bigint | null = null; ; ) {
    const [next]: { readonly event: bigint }[] = await deliveriesPage(world.database, SHOP, id, {
      state: null,
      before,
      limit: 1,
    });
    if (!next) break;
    seen.push(next.event);
    before = next.event;
  }
  assert.equal(new Set(seen).size, 3);
});

test('one is sent again: the same id and bytes, another trigger', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  world.process();
  await world.event(1n);
  await world.until('it arrived', () => world.arrived.length === 1);
  await world.until('it is written', async () => (await statesOf(world, id)).length === 1);
  const [{ event } = { event: 0n }] = await deliveriesPage(world.database, SHOP, id, {
    state: null,
    before: null,
    limit: 1,
  });
  await write(world, (await resend(world.database, SHOP, event, [id], world.clock.now())) ?? []);
  await world.until('it arrived again', () => world.arrived.length === 2);
  const [first, second] = world.arrived;
  assert.equal(second?.body, first?.body);
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
  assert.equal(second?.headers['florin-trigger'], 'resend');
  await world.until('it is written', async () => {
    const one = await deliveryOf(world.database, SHOP, id, event);
    return one?.state === 'delivered' && one.attempts.length === 2;
  });
  assert.equal(await resend(world.database, SHOP, 123n, [id], world.clock.now()), null);
  assert.equal(await resend(world.database, 8n, event, [id], world.clock.now()), null);
});

test('a span is sent again, each event once, beside what is new; only what failed, where that is asked for', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  const start = world.clock.now();
  let broken = true;
  world.answer = ({ event: { resource } }) => answered(broken && resource.id === permutation.outward(3n) ? 400 : 200);
  world.process();
  await world.events(300);
  await world.until('all are written', async () => (await cursorOf(world)) === 300n);
  broken = false;
  const ask = async (onlyFailed: boolean) => {
    const at = { owner: SHOP, webhook: id, ids, now: world.clock.now() };
    const span = { from: addMs(start, -1000), to: addMs(world.clock.now(), 1000), types: [], onlyFailed };
    const { replay, changes } = await replayAsked(world.database, at, span);
    await write(world, changes);
    return replay.id;
  };
  const before = world.arrived.length;
  await ask(true);
  const replayed = () => world.arrived.filter(({ headers }) => headers['florin-trigger'] === 'replay');
  await world.until('it is done', async () => (await newest(world, id))?.state === 'done');
  await world.until('the one that failed arrived', () => replayed().length === 1);
  assert.equal(world.arrived.length, before + 1);
  await ask(false);
  await world.until('it is done', async () => (await newest(world, id))?.state === 'done');
  const last = await newest(world, id);
  assert.deepEqual([last?.taken, last?.looked], [300n, 300n]);
  await world.until('all arrived again', () => replayed().length === 301);
  const again = replayed().slice(1);
  assert.equal(new Set(again.map(({ event }) => event.id)).size, 300);
});

const newest = async ({ database }: DeliveryWorld, webhook: bigint) => (await replaysOf(database, SHOP, webhook, 1))[0];
const cursorOf = async ({ database }: DeliveryWorld): Promise<bigint | undefined> =>
  (await database.query<{ position: bigint }>('select position from webhook_cursors'))[0]?.position;

test('a replay is stopped: nothing more of it is begun', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  await world.events(10);
  const now = world.clock.now();
  const at = { owner: SHOP, webhook: id, ids, now };
  const span = { from: addMs(now, -60_000), to: addMs(now, 60_000), types: [], onlyFailed: false };
  const { replay, changes } = await replayAsked(world.database, at, span);
  await write(world, changes);
  const stopped = await world.database.transaction((inside) => replayStop(inside, SHOP, id, replay.id, now));
  assert.equal(stopped?.state, 'stopped');
  world.process();
  await world.until('the log is sent', () => world.arrived.length === 10);
  assert.ok(world.arrived.every(({ headers }) => headers['florin-trigger'] === 'first'));
  assert.equal(await world.database.transaction((inside) => replayStop(inside, SHOP, id, replay.id, now)), null);
});
