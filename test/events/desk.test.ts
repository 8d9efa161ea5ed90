// What people do with deliveries: look at them, and have them sent again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, idMaker, systemClock } from '../../src/base/index.ts';
import type { Posted } from '../../src/events/delivery/index.ts';
import {
  deliveriesPage,
  deliveryOf,
  type Replay,
  replayInsert,
  replayRow,
  replaySpan,
  replaysOf,
  replayUpdate,
  resend,
} from '../../src/events/delivery/index.ts';
import { type Change, statementsFor } from '../../src/store/index.ts';
import { atEnd } from '../support/ends.ts';
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
  // What failed is not tried again by itself.
  world.clock.freeze(true);
  const start = world.clock.now();
  let broken = true;
  world.answer = ({ event: { resource } }) => answered(broken && resource.id === permutation.outward(3n) ? 400 : 200);
  world.process();
  await world.events(300);
  await world.until('all are written', async () => (await cursorOf(world)) === 300n);
  broken = false;
  const ask = (onlyFailed: boolean) =>
    replayOf(world, id, { from: addMs(start, -1000), to: addMs(world.clock.now(), 1000), onlyFailed });
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

async function replayOf(
  world: DeliveryWorld,
  webhook: bigint,
  asked: {
    readonly from: Date;
    readonly to: Date;
    readonly types?: readonly string[];
    readonly onlyFailed: boolean;
    readonly until?: bigint;
  },
): Promise<Replay> {
  const of = { types: [], ...asked };
  const span = await replaySpan(world.database, SHOP, webhook, of);
  const at = { owner: SHOP, webhook, id: ids.next(), now: world.clock.now() };
  const replay = replayRow(at, of, { ...span, until: asked.until ?? span.until });
  await write(world, [replayInsert(replay)]);
  return replay;
}

const newest = async ({ database }: DeliveryWorld, webhook: bigint) => (await replaysOf(database, SHOP, webhook, 1))[0];
const cursorOf = async ({ database }: DeliveryWorld): Promise<bigint | undefined> =>
  (await database.query<{ position: bigint }>('select position from webhook_cursors'))[0]?.position;

const aroundNow = ({ clock }: DeliveryWorld) => ({
  from: addMs(clock.now(), -60_000),
  to: addMs(clock.now(), 60_000),
  onlyFailed: false,
});

const triggers = ({ arrived }: DeliveryWorld): (string | undefined)[] =>
  arrived.map(({ headers }) => headers['florin-trigger']);

test('a replay is stopped: nothing more of it is begun', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  world.process();
  await world.events(10);
  await world.until('the log is sent', async () => (await cursorOf(world)) === 10n);
  const replay = await replayOf(world, id, { ...aroundNow(world), from: world.clock.now(), to: world.clock.now() });
  await write(world, [replayUpdate({ ...replay, state: 'stopped', position: 0n, until: 10n })]);
  await world.event(77n);
  await world.until('what is new is sent', () => world.arrived.length === 11);
  assert.ok(triggers(world).every((trigger) => trigger === 'first'));
  assert.equal((await newest(world, id))?.taken, 0n);
});

test('what is still to be sent to an endpoint is not replayed, nor what it wants no more', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint({ wants: (type) => type === 'order.charged' });
  await world.events(10);
  const before = await replayOf(world, id, aroundNow(world));
  assert.deepEqual([before.position, before.until], [0n, 0n]);
  world.process();
  await world.until('the log is sent', async () => (await cursorOf(world)) === 10n);
  await replayOf(world, id, { ...aroundNow(world), types: ['order.refunded'] });
  await world.until('it is done', async () => (await newest(world, id))?.state === 'done');
  assert.equal((await newest(world, id))?.taken, 0n);
  await replayOf(world, id, { ...aroundNow(world), types: ['order.charged'] });
  await world.until('it arrived', () => triggers(world).filter((trigger) => trigger === 'replay').length === 10);
});

test('a replay that hangs has half of the places, and what is new goes beside it; without that bound it would not', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint({ concurrency: 4 });
  world.process();
  await world.events(20);
  await world.until('the log is sent', async () => (await cursorOf(world)) === 20n);
  const hung: PromiseWithResolvers<Posted>[] = [];
  // Also where the test fails: its end waits for what is on its way.
  atEnd(async () => {
    for (const { resolve } of hung) resolve(answered(200));
  });
  const again = () => triggers(world).filter((trigger) => trigger === 'replay' || trigger === 'resend').length;
  world.answer = ({ headers }) => {
    if (headers['florin-trigger'] === 'first') return answered(200);
    const answer = Promise.withResolvers<Posted>();
    hung.push(answer);
    return answer.promise;
  };
  const arrivedNew = (resource: bigint) =>
    world.arrived.some(({ event }) => event.resource.id === permutation.outward(resource));
  await replayOf(world, id, { ...aroundNow(world), until: 10n });
  await world.until('it has begun', () => again() === 2);
  await world.event(77n);
  await world.until('what is new is sent', () => arrivedNew(77n));
  assert.equal(again(), 2);

  // The same, but not marked as a replay.
  const events = await world.database.query<{ event_id: bigint }>('select event_id from event_log order by position');
  for (const { event_id } of events.slice(10, 20))
    await write(world, (await resend(world.database, SHOP, event_id, [id], world.clock.now())) ?? []);
  await world.until('it has all places', () => again() === 4);
  await world.event(78n);
  await world.until('it stands in the log', async () => {
    const [head] = await world.database.query<{ position: bigint }>('select position from event_heads');
    return head?.position === 22n;
  });
  assert.equal(arrivedNew(78n), false);
  world.answer = () => answered(200);
  for (const { resolve } of hung) resolve(answered(200));
  await world.until('what was new is sent at last', () => arrivedNew(78n));
});

test('an endpoint that has nothing to send is looked at now and then, and no oftener', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  let asked = 0;
  const { query } = world.database;
  Object.assign(world.database, {
    query: (...of: Parameters<typeof query>) => {
      if (of[0].includes('event_heads')) asked++;
      return query.apply(world.database, of);
    },
  });
  world.process();
  await world.event(1n);
  await world.until('it is sent', async () => (await cursorOf(world)) === 1n);
  asked = 0;
  const began = systemClock.elapsed();
  await world.until('a second is over', () => systemClock.elapsed() - began > 1_000);
  assert.ok(asked < 10, `${asked} times in a second`);
});
