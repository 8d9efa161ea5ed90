// How events reach an endpoint: each at least once, a resource's in their order, and what failed again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, seededRandom, systemClock } from '../../src/base/index.ts';
import { cursorPut } from '../../src/events/index.ts';
import { statementsFor } from '../../src/store/index.ts';
import { answered, type DeliveryWorld, deliveryWorld, permutation, SHOP } from './delivery-world.ts';

/** Whatever can go on does. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('every event once, those of a resource in their order and without overlap', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  const underWay = new Set<string>();
  const random = seededRandom(7);
  world.answer = async ({ event: { resource } }) => {
    assert.ok(!underWay.has(resource.id), 'two of one resource at once');
    underWay.add(resource.id);
    for (let turns = random.int(6); turns > 0; turns--) await breathe();
    underWay.delete(resource.id);
    return answered(204);
  };
  world.process();
  await world.events(300, 20);
  await world.until('all arrived', () => world.arrived.length >= 300);
  assert.equal(new Set(world.arrived.map(({ event }) => event.id)).size, 300);
  for (const theirs of Map.groupBy(world.arrived, ({ event }) => event.resource.id).values())
    assert.deepEqual(
      theirs.map(({ event }) => event.resource.sequence),
      theirs.map((_, i) => i + 1),
    );
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 300n);
  assert.deepEqual(await world.database.query('select from webhook_deliveries'), []);
  assert.equal((await world.database.query('select from webhook_attempts')).length, 300);
  assert.equal(world.arrived.length, 300);
});

/** As somebody who enables it from another place on. */
async function begin({ database }: DeliveryWorld, webhook: bigint, position: bigint): Promise<void> {
  for (const { text, values } of statementsFor([cursorPut(SHOP, webhook, position)]))
    await database.query(text, values);
}

const cursorOf = async ({ database }: Awaited<ReturnType<typeof deliveryWorld>>): Promise<bigint | undefined> =>
  (await database.query<{ position: bigint }>('select position from webhook_cursors'))[0]?.position;

test('what every try says of itself', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  world.process();
  await world.event(1n);
  await world.until('it arrived', () => world.arrived.length === 1);
  const { 'webhook-timestamp': timestamp, ...headers } = world.arrived[0]?.headers ?? {};
  const event = world.arrived[0]?.event.id ?? '';
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'user-agent': 'Florin',
    'webhook-id': event,
    'webhook-signature': 'v1,test',
    'florin-delivery': `${permutation.outward(id)}.${event}`,
    'florin-trigger': 'first',
    'florin-attempt': '1',
  });
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 5);
});

test('thin: ids and no data', async () => {
  const world = await deliveryWorld();
  await world.endpoint({ payload: 'thin' });
  world.process();
  await world.event(1n);
  await world.until('it arrived', () => world.arrived.length === 1);
  assert.equal(world.arrived[0]?.event.data, undefined);
  assert.equal(world.arrived[0]?.event.resource.sequence, 1);
});

test('an endpoint that wants nothing of it moves on', async () => {
  const world = await deliveryWorld();
  await world.endpoint({ wants: () => false });
  world.process();
  await world.events(5);
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 5n);
  assert.deepEqual(world.arrived, []);
});

test('what failed is sent again with the same id and bytes, in the growing waits of the plan', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.clock.freeze(true);
  const start = world.clock.now();
  world.answer = () => answered(500, { response: 'no' });
  world.process();
  await world.event(1n);
  const waits: number[] = [];
  let now = start;
  for (let tries = 1; tries <= 4; tries++) {
    await world.until(`try ${tries}`, () => world.arrived.length === tries);
    const due = async () =>
      (
        await world.database.query<{ next_at: Date; tries: number }>('select next_at, tries from webhook_deliveries')
      )[0];
    await world.until('it is written', async () => (await due())?.tries === tries);
    const next = (await due())?.next_at as Date;
    waits.push(Math.round((next.getTime() - now.getTime()) / 1000));
    now = next;
    world.clock.set(next);
  }
  for (const [i, seconds] of [5, 300, 1800, 7200].entries())
    assert.ok(Math.abs((waits[i] ?? 0) / seconds - 1) <= 0.21, `wait ${i + 1} was ${waits[i]} s`);
  world.answer = () => answered(200);
  await world.until(
    'it is delivered',
    async () =>
      (await world.database.query<{ state: string }>('select state from webhook_deliveries'))[0]?.state === 'delivered',
  );
  assert.equal(new Set(world.arrived.map(({ body }) => body)).size, 1);
  assert.equal(new Set(world.arrived.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.deepEqual(
    world.arrived.map(({ headers }) => `${headers['florin-trigger']} ${headers['florin-attempt']}`),
    ['first 1', 'retry 2', 'retry 3', 'retry 4', 'retry 5'],
  );
  const attempts = await world.database.query<{ status: number; response: string }>(
    'select status, response from webhook_attempts order by attempt',
  );
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [500, 500, 500, 500, 200],
  );
});

test('ten tries without a success, and it is given up and the endpoint disabled', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.clock.freeze(true);
  world.answer = () => answered(404);
  let sending = world.process();
  await world.event(1n);
  const nextAt = async () =>
    (
      await world.database.query<{ next_at: Date | null }>('select next_at from webhook_deliveries where tries = $1', [
        world.arrived.length,
      ])
    )[0]?.next_at;
  for (let tries = 1; tries < 10; tries++) {
    await world.until(`try ${tries}`, () => world.arrived.length === tries);
    await world.until('it is written', async () => (await nextAt()) !== undefined);
    world.clock.set((await nextAt()) as Date);
    // Five in a row open the circuit, whose probes take real time: another process begins anew.
    if (tries % 4 === 0) {
      await sending.stop();
      sending = world.process();
    }
  }
  await world.until('it is disabled', () => world.told.includes('disabled given_up'));
  assert.equal(world.arrived.length, 10);
  assert.deepEqual(
    world.told.map((text) => text.replace(/\d+/, 'n')),
    ['failing', 'given up n', 'disabled given_up'],
  );
});

test('410: nothing more is wanted', async () => {
  const world = await deliveryWorld();
  const gone = await world.endpoint();
  const other = await world.endpoint();
  world.answer = ({ url }) => answered(url === gone.url ? 410 : 200);
  world.process();
  await world.event(1n);
  await world.until('it is disabled', () => world.told.includes('disabled gone'));
  await world.event(2n);
  const at = (url: string) => world.arrived.filter((post) => post.url === url).length;
  await world.until('the other one has both', () => at(other.url) === 2);
  assert.equal(at(gone.url), 1);
});

test('retry-after is honoured, up to an hour', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.clock.freeze(true);
  const now = world.clock.now();
  world.answer = () => answered(429, { retryAfterMs: 86_400_000 });
  world.process();
  await world.event(1n);
  const next = async () =>
    (await world.database.query<{ next_at: Date }>('select next_at from webhook_deliveries'))[0]?.next_at;
  await world.until('it is written', async () => (await next()) !== undefined);
  assert.deepEqual(await next(), addMs(now, 3_600_000));
});

test('a failure lets the others pass, and those of its own resource', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.answer = ({ event: { resource } }) =>
    answered(resource.id === permutation.outward(1n) && resource.sequence === 1 ? 500 : 200);
  world.process();
  await world.events(6, 2);
  await world.until('all were tried', () => world.arrived.length >= 6);
  assert.deepEqual(sequencesOf(world, 1n), [1, 2, 3]);
});

const sequencesOf = (world: Awaited<ReturnType<typeof deliveryWorld>>, resource: bigint): number[] =>
  world.arrived
    .filter(({ event }) => event.resource.id === permutation.outward(resource))
    .map(({ event }) => event.resource.sequence);

test('in order: a failure holds up its own resource alone, and it goes on behind it', async () => {
  const world = await deliveryWorld();
  await world.endpoint({ ordered: true });
  world.clock.freeze(true);
  let down = true;
  world.answer = ({ event: { resource } }) => answered(down && resource.id === permutation.outward(1n) ? 500 : 200);
  world.process();
  await world.events(8, 2);
  await world.until('the other resource is whole', () => sequencesOf(world, 2n).length === 4);
  await world.until('three wait', async () => {
    const rows = await world.database.query('select from webhook_deliveries where state = $1', ['waiting']);
    return rows.length === 3;
  });
  assert.deepEqual(sequencesOf(world, 1n), [1]);
  down = false;
  world.clock.set(addMs(world.clock.now(), 60_000));
  await world.until('all of it', () => sequencesOf(world, 1n).length === 5);
  assert.deepEqual(sequencesOf(world, 1n), [1, 1, 2, 3, 4]);
  assert.deepEqual(sequencesOf(world, 2n), [1, 2, 3, 4]);
  await world.event(1n);
  await world.until('the next goes at once', () => sequencesOf(world, 1n).length === 6);
});

test('five failures in a row open the circuit: the log waits, and nothing piles up', async () => {
  const world = await deliveryWorld();
  const down = await world.endpoint({ concurrency: 1 });
  const other = await world.endpoint({ concurrency: 1 });
  world.clock.freeze(true);
  world.answer = ({ url }) => answered(url === down.url ? null : 200);
  world.process();
  await world.events(40);
  const at = (url: string) => world.arrived.filter((post) => post.url === url).length;
  await world.until('the other one has all', () => at(other.url) === 40);
  await world.until(
    'what failed is written',
    async () => (await world.database.query('select from webhook_deliveries')).length === 5,
  );
  assert.equal(at(down.url), 5);
  const cursor = 'select position from webhook_cursors where webhook_id = $1';
  assert.deepEqual(await world.database.query(cursor, [down.id]), [{ position: 5n }]);
});

test('another process goes on where the one that stopped was', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  const first = world.process();
  await world.events(20);
  await world.until('they arrived', () => world.arrived.length === 20);
  await first.stop();
  await world.events(20);
  world.process();
  await world.until('the rest arrived', () => world.arrived.length >= 40);
  assert.equal(new Set(world.arrived.map(({ event }) => event.id)).size, 40);
  assert.equal(world.arrived.length, 40);
});

test('of two processes one sends', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.process();
  world.process();
  await world.events(50);
  await world.until('they arrived', () => world.arrived.length >= 50);
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 50n);
  assert.equal(world.arrived.length, 50);
});

test('a receiver that hangs takes nothing from another one', async () => {
  const world = await deliveryWorld();
  const hanging = await world.endpoint();
  await world.endpoint();
  let free = (): void => undefined;
  const stuck = new Promise<void>((resolve) => {
    free = resolve;
  });
  world.answer = async ({ url }) => {
    if (url === hanging.url) await stuck;
    return answered(200);
  };
  world.process();
  await world.events(100);
  const others = () => world.arrived.filter(({ url }) => url !== hanging.url).length;
  await world.until('the other one has all', () => others() === 100);
  assert.ok(world.arrived.length <= 108);
  free();
  await world.until('it has all, too', () => world.arrived.length === 200);
});

test('an endpoint is not told of itself', async () => {
  const world = await deliveryWorld();
  const { id } = await world.endpoint();
  world.process();
  await world.event(id);
  await world.event(1n);
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 2n);
  assert.deepEqual(
    world.arrived.map(({ event }) => event.resource.id),
    [permutation.outward(1n)],
  );
  assert.equal(SHOP, 7n);
});

test('a process that stops does not wait for a receiver that hangs: what was on its way is sent again', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.answer = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(answered(null, { cause: 'stopped' }))));
  const first = world.process();
  await world.event(1n);
  await world.until('it is on its way', () => world.arrived.length === 1);
  await first.stop();
  assert.deepEqual(await world.database.query('select from webhook_deliveries'), []);
  assert.deepEqual(await world.database.query('select cause, attempt from webhook_attempts'), [
    { cause: 'stopped', attempt: 1 },
  ]);
  world.answer = () => answered(200);
  world.process();
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 1n);
  assert.deepEqual(
    world.arrived.map(({ headers }) => headers['florin-attempt']),
    ['1', '1'],
  );
});

/** Hangs until it is let go. */
function held() {
  let free = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { until, free: () => free() };
}

test('one that hangs and is disabled holds up no new one', async () => {
  const world = await deliveryWorld();
  const hanging = await world.endpoint();
  const stuck = held();
  world.answer = async ({ url }) => {
    if (url === hanging.url) await stuck.until;
    return answered(200);
  };
  world.process();
  await world.event(1n);
  await world.until('it hangs', () => world.arrived.length === 1);
  world.drop(hanging);
  const other = await world.endpoint();
  await world.until('the new one is sent to', () => world.arrived.some(({ url }) => url === other.url));
  stuck.free();
});

test('an endpoint that begins at another place is sent to by one, and not before the one before has ended', async () => {
  const world = await deliveryWorld();
  const receiver = await world.endpoint({ concurrency: 1 });
  const stuck = held();
  let underWay = 0;
  let most = 0;
  world.answer = async () => {
    most = Math.max(most, ++underWay);
    await stuck.until;
    underWay--;
    return answered(200);
  };
  world.process();
  await world.event(1n);
  await world.until('it hangs', () => world.arrived.length === 1);
  await begin(world, receiver.id, 0n);
  const other = await world.endpoint();
  await world.until('it was looked at', () => world.arrived.some(({ url }) => url === other.url));
  assert.equal(world.arrived.filter(({ url }) => url === receiver.url).length, 1);
  stuck.free();
  await world.until('the new one begins', () => world.arrived.filter(({ url }) => url === receiver.url).length === 2);
  assert.equal(most, 2, 'one an endpoint');
});

test('what was written and not answered is written once more', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  world.answer = () => answered(500);
  let missing = 2;
  const { query, transaction } = world.database;
  world.process({
    query,
    async transaction(work) {
      const done = await transaction(work);
      if (missing-- > 0) throw new Error('the answer was lost');
      return done;
    },
  });
  await world.event(1n);
  await world.until('both answers were lost, and another came', () => missing < 0);
  await world.until('the cursor is there', async () => (await cursorOf(world)) === 1n);
  assert.equal((await world.database.query('select from webhook_attempts')).length, 1);
  assert.equal((await world.database.query('select from webhook_deliveries')).length, 1);
});

test('what could not be read is read again', async () => {
  const world = await deliveryWorld();
  await world.endpoint();
  let unread = 3;
  const askedMs: number[] = [];
  const { transaction } = world.database;
  world.process({
    transaction,
    query(text, values) {
      if (text.includes('event_log')) {
        askedMs.push(systemClock.elapsed());
        if (unread-- > 0) throw new Error('not now');
      }
      return world.database.query(text, values);
    },
  });
  await world.event(1n);
  await world.until('it arrived', () => world.arrived.length === 1);
  assert.equal(unread, -1);
  // With a pause between, however long it lasts.
  assert.ok((askedMs[3] ?? 0) - (askedMs[0] ?? 0) >= 400);
});
