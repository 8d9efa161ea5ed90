// Events are kept for so many days of real time, and go with all that tells of them; nothing that leaps, is late or is held loses one that is
// to be kept, or keeps anybody waiting.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays, addMs, systemClock } from '../../../src/base/index.ts';
import { eventsListed, eventsSince } from '../../../src/events/index.ts';
import { logAfter } from '../../../src/events/log/index.ts';
import { SHOP } from '../delivery-world.ts';
import { BEGIN, HOOK, type KeptWorld, keptWorld } from './kept-world.ts';

const forever = new AbortController().signal;

describe('days', () => {
  test('are made ahead, once, whoever does it, and take what is told in them', async () => {
    const world = await keptWorld();
    await Promise.all([world.keeping.makeDays(), world.other().makeDays()]);
    await world.keeping.makeDays();
    const ahead = ['1123', '1124', '1125', '1126', '1127', '1128', '1129', '1130'];
    assert.deepEqual(await world.days(), ahead);
    assert.deepEqual(await world.days('webhook_attempts'), ahead);
    await world.failed(await world.event(1n));
    assert.deepEqual(await world.counts(), {
      events: 1,
      event_log: 1,
      webhook_deliveries: 1,
      webhook_attempts: 1,
      events_beside: 0,
    });
    const [{ plan = '' } = {}] = await planOf(world);
    assert.match(plan, /events_d20261123/);
    assert.doesNotMatch(plan, /events_d20261124|events_beside/, 'an event is looked for in its day alone');
  });

  test('that are missing keep nothing from being told: it lies beside them, and is found and dropped as well', async () => {
    const world = await keptWorld(7);
    await world.event(1n);
    assert.equal((await world.counts()).events_beside, 1);
    await world.keeping.makeDays();
    assert.deepEqual(await world.days(), ['1124', '1125', '1126', '1127', '1128', '1129', '1130']);
    await world.event(1n);
    assert.deepEqual(await told(world), [1, 2]);
    await world.pass(8);
    assert.deepEqual(await told(world), []);
    assert.equal((await world.counts()).events, 0);
  });

  test('are dropped when they are over, with all that tells of them, and none before', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.failed(await world.event(1n));
    await world.pass(1);
    await world.failed(await world.event(1n));
    await world.pass(6);
    assert.deepEqual(await world.counts(), {
      events: 2,
      event_log: 2,
      webhook_deliveries: 2,
      webhook_attempts: 2,
      events_beside: 0,
    });
    await world.pass(1);
    assert.deepEqual(await world.counts(), {
      events: 1,
      event_log: 1,
      webhook_deliveries: 1,
      webhook_attempts: 1,
      events_beside: 0,
    });
    assert.deepEqual(await world.days(), (await world.days('webhook_attempts')).toSorted());
    assert.equal((await world.days())[0], '1124');
    await world.pass(1);
    assert.deepEqual(await world.counts(), {
      events: 0,
      event_log: 0,
      webhook_deliveries: 0,
      webhook_attempts: 0,
      events_beside: 0,
    });
    const [floor] = await world.database.query('select gone_position, gone_at from event_floors where owner_id = $1', [
      SHOP,
    ]);
    assert.deepEqual(floor, { gone_position: 2n, gone_at: BEGIN });
  });

  test('that were taken out and not dropped, because somebody died between, are dropped', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.database.query('alter table events detach partition events_d20261123');
    await world.pass(9);
    const left = await world.database.query(`select from pg_class where relname = 'events_d20261123'`);
    assert.equal(left.length, 0);
  });
});

describe('clocks', () => {
  test('of a sandbox that is moved by 400 days and back lose nothing', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.event(1n);
    world.business.set(addDays(BEGIN, 400));
    await world.keeping.keep(forever);
    await world.event(1n);
    world.business.set(BEGIN);
    await world.event(1n);
    await world.pass(7);
    assert.deepEqual(await told(world), [1, 2, 3]);
    assert.equal((await world.counts()).events_beside, 0);
    await world.pass(1);
    assert.deepEqual(await told(world), []);
  });

  test('of the server that leap by months and back lose nothing', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.event(1n);
    world.time.set(addDays(BEGIN, 90));
    await world.event(1n);
    for (let i = 0; i < 3; i++) {
      await world.keeping.keep(forever);
      world.time.set(addMs(world.time.now(), 3_600_000));
    }
    await world.event(1n);
    world.time.set(addDays(BEGIN, 1));
    await world.keeping.keep(forever);
    await world.event(1n);
    assert.deepEqual(await told(world), [1, 2, 3, 4]);
    await world.pass(3);
    assert.deepEqual(await told(world), [1, 2, 3, 4]);
    await world.pass(5);
    assert.deepEqual(await told(world), [2, 3], 'what was told under the wrong date goes by it');
  });

  test('of a server that was off for a year let what waited be told for a day', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.event(1n);
    world.time.set(addDays(BEGIN, 365));
    await world.other().keep(forever);
    assert.deepEqual(await told(world), [1]);
    await world.event(1n);
    world.time.set(addMs(world.time.now(), 23 * 3_600_000));
    await world.keeping.keep(forever);
    assert.deepEqual(await told(world), [1, 2]);
    world.time.set(addMs(world.time.now(), 3_600_000));
    await world.keeping.keep(forever);
    assert.deepEqual(await told(world), [2]);
    assert.deepEqual((await world.days()).slice(0, 2), ['1123', '1124']);
  });

  test('of which one is wrong drop nothing, whoever looks first', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.event(1n);
    const wrong = world.other();
    for (let hour = 1; hour < 12; hour++) {
      const right = addMs(BEGIN, 20 * hour * 3_600_000);
      world.time.set(addDays(right, 90));
      await wrong.keep(forever);
      world.time.set(right);
      await world.keeping.keep(forever);
    }
    assert.deepEqual(await told(world), [1]);
  });
});

describe('locks', () => {
  test('of a transaction that goes on for long hold up no event while days are made', async () => {
    const world = await keptWorld();
    await world.keeping.makeDays(0);
    await world.database.transaction(async (long) => {
      await long.query('select from events');
      await long.query('select from event_log for update');
      await world.keeping.makeDays();
      assert.ok((await worst(world, 20)) < 500, 'while nobody changes days');
    });
    await world.keeping.makeDays();
    assert.equal((await world.days()).length, 8);
    assert.equal((await world.counts()).events_beside, 0);
  });

  test('let an event wait no longer than for the lock’s own patience while a day is to be dropped', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    await world.event(1n);
    await world.pass(7);
    await world.database.transaction(async (long) => {
      await long.query('select from events');
      const dropping = world.pass(1);
      const waitedMs = await worst(world, 40);
      await dropping;
      assert.ok(waitedMs < 1_000, `an event waited ${waitedMs} ms`);
      assert.ok((await world.days()).includes('1123'), 'it is held');
    });
    await world.keeping.keep(forever);
    assert.ok(!(await world.days()).includes('1123'));
  });
});

describe('a cursor from before what is kept', () => {
  test('goes on at the oldest that is', async () => {
    const world = await keptWorld(7);
    await world.keeping.keep(forever);
    for (let i = 0; i < 3; i++) await world.event(1n);
    await world.pass(4);
    for (let i = 0; i < 2; i++) await world.event(1n);
    await world.pass(4);
    const read = await logAfter(world.database, SHOP, 0n, 10);
    assert.deepEqual(
      read.map(({ position, body }) => [position, body !== null]),
      [
        [4n, true],
        [5n, true],
      ],
    );
    const { database } = world;
    const waits = { wait: () => ({ leftMs: () => 0, next: () => async () => undefined, end: () => undefined }) };
    const reader = { db: database, lists: database, waits };
    const all = { types: null, resource: null, from: null, to: null };
    const since = await eventsSince(reader, SHOP, all, { position: 1n, limit: 10 }, { ms: 0, isAwaited: () => true });
    assert.equal(since.rows.length, 2);
    await world.pass(5);
    const none = await eventsSince(reader, SHOP, all, { position: 1n, limit: 10 }, { ms: 0, isAwaited: () => true });
    assert.deepEqual([none.rows.length, none.since !== null], [0, true]);
    const listing = eventsListed(reader, SHOP, all, { after: { back: false, position: 3n }, limit: 10 });
    let step = await listing.next();
    while (!step.done) step = await listing.next();
    assert.deepEqual([step.value.rows, step.value.next], [[], null]);
  });
});

test('deliveries and replays of endpoints that are no more go with the next look, those of others stay', async () => {
  const world = await keptWorld();
  const event = await world.event(1n);
  await world.failed(event);
  await world.failed(event, 6n);
  const { database } = world;
  const replay = (webhook: bigint, id: bigint, state: string, at: Date) =>
    database.query(
      `insert into webhook_replays (owner_id, webhook_id, id, state, from_at, to_at, types, only_failed, position, until, taken, looked, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $5, '[]', false, 0, 1, 0, 0, $5, $5)`,
      [SHOP, webhook, id, state, at],
    );
  await replay(HOOK, 1n, 'done', addDays(BEGIN, -31));
  await replay(HOOK, 2n, 'running', addDays(BEGIN, -31));
  await replay(HOOK, 3n, 'stopped', BEGIN);
  await replay(6n, 4n, 'running', BEGIN);
  await world.keeping.keep(forever);
  const left = await database.query<{ webhook_id: bigint }>('select webhook_id from webhook_deliveries');
  assert.deepEqual(left, [{ webhook_id: HOOK }]);
  const replays = await database.query<{ id: bigint }>('select id from webhook_replays order by id');
  assert.deepEqual(
    replays.map(({ id }) => id),
    [2n, 3n],
  );
});

test('a chunk waits for no row that a sender is writing', async () => {
  const world = await keptWorld(7);
  await world.keeping.keep(forever);
  const held = await world.event(1n);
  await world.failed(held);
  await world.failed(await world.event(2n));
  await world.database.transaction(async (sender) => {
    await sender.query('select from webhook_deliveries where event_id = $1 for update', [held]);
    await world.pass(8);
    const left = await world.database.query('select event_id from webhook_deliveries');
    assert.deepEqual(left, [{ event_id: held }]);
  });
});

/** Numbers of the events that a reader of the log finds, with their texts. */
async function told({ database }: KeptWorld): Promise<number[]> {
  const read = await logAfter(database, SHOP, 0n, 100);
  return read.flatMap(({ body }) =>
    body === null ? [] : [(JSON.parse(body) as { resource: { sequence: number } }).resource.sequence],
  );
}

const planOf = async ({ database }: KeptWorld): Promise<{ plan?: string }[]> => {
  const [row] = await database.query<{ event_id: bigint }>('select event_id from event_log limit 1');
  const lines = await database.query<{ 'QUERY PLAN': string }>(
    'explain select id, body from events where owner_id = $1 and id = any($2::int8[])',
    [SHOP, [(row as { event_id: bigint }).event_id]],
  );
  return [{ plan: lines.map((line) => line['QUERY PLAN']).join('\n') }];
};

/** How long the slowest of so many events took to be committed, one after another. */
async function worst(world: KeptWorld, count: number): Promise<number> {
  let worstMs = 0;
  for (let i = 0; i < count; i++) {
    const began = systemClock.elapsed();
    await world.event(2n);
    worstMs = Math.max(worstMs, systemClock.elapsed() - began);
    await systemClock.sleep(5);
  }
  return worstMs;
}
