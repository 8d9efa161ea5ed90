// Figures: how far events have come, what tries come to, and how each endpoint does; none grows with the number of endpoints.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMs, idMaker, systemClock } from '../../src/base/index.ts';
import { standingsOf } from '../../src/events/figures/index.ts';
import { eventFigures, triesTo } from '../../src/events/index.ts';
import { createMetrics } from '../../src/http/index.ts';
import { answered, deliveryWorld, SHOP } from './delivery-world.ts';

const endpointsOf = (ids: readonly bigint[]) =>
  ({ all: async () => ids.map((id) => ({ owner_id: SHOP, id })) }) as never;
const at = (seconds: number) => ({ now: () => addMs(systemClock.now(), seconds * 1000) });

test('what waits for a position, and how long', async () => {
  const { database } = await deliveryWorld();
  const endpoints = endpointsOf([]);
  const none = await eventFigures({ database, time: systemClock, endpoints });
  assert.deepEqual([none.unnumbered, none.oldestSeconds, none.behind, none.worstSeconds], [0, 0, 0, 0]);
  const ids = idMaker(systemClock, 1);
  for (let i = 0; i < 3; i++)
    await database.query(
      `insert into event_queue (owner_id, event_id, subject_id, type, created_at) values ($1, $2, 1, 'order.charged', '2020-01-01')`,
      [SHOP + BigInt(i), ids.real()],
    );
  const { unnumbered, oldestSeconds } = await eventFigures({ database, time: at(60), endpoints });
  assert.equal(unnumbered, 3);
  assert.ok(oldestSeconds >= 60 && oldestSeconds < 70, 'by real time, whatever the event says');
});

test('how far endpoints are: all together and the worst, those alone that are sent to; and each for its owner', async () => {
  const world = await deliveryWorld();
  const { database } = world;
  const [one, two, off] = [await world.endpoint(), await world.endpoint(), await world.endpoint()];
  await world.events(10);
  await world.until('all are numbered', async () => {
    const [row] = await database.query<{ position: bigint }>('select position from event_heads');
    return row?.position === 10n;
  });
  await database.query(
    'update webhook_cursors set position = 8, circuit_open = true, failing_told = true where webhook_id = $1',
    [one.id],
  );
  await database.query('update webhook_cursors set position = 10 where webhook_id = $1', [two.id]);
  // What was dropped is nobody's any more.
  await database.query('delete from event_log where position <= 3');
  const endpoints = endpointsOf([one.id, two.id]);
  const { worstSeconds, ...figures } = await eventFigures({ database, time: at(30), endpoints });
  assert.deepEqual(figures, {
    unnumbered: 0,
    oldestSeconds: 0,
    behind: 2,
    worstBehind: 2,
    enabled: 2,
    failing: 1,
    circuitsOpen: 1,
    disabled: 0,
  });
  assert.ok(worstSeconds >= 30 && worstSeconds < 40);
  const standings = await standingsOf(database, SHOP, [one.id, two.id, off.id], at(30));
  assert.deepEqual(
    [one, two, off].map(({ id }) => [standings.get(id)?.behind, standings.get(id)?.circuitOpen]),
    [
      [2n, true],
      [0n, false],
      [7n, false],
    ],
  );
  assert.equal((await standingsOf(database, SHOP + 1n, [one.id], at(30))).size, 0, 'nobody else’s');
});

test('tries are counted by what they came to, a first delivery with its delay, and a circuit is seen by its owner', async () => {
  const metrics = createMetrics({ process: false });
  const world = await deliveryWorld();
  const { database } = world;
  const slots = { onTheirWay: () => 3, places: 512 };
  const figures = () => eventFigures({ database, time: systemClock, endpoints: endpointsOf([]) });
  world.figures = triesTo(metrics.events({ figures, slots }), systemClock);
  const answers = [
    answered(200),
    answered(null),
    answered(302),
    answered(503),
    answered(null, { cause: 'dns' }),
    answered(500),
  ];
  world.answer = () => answers.shift() ?? answered(null);
  const { id } = await world.endpoint({ concurrency: 1 });
  const { stop } = world.process();
  await world.events(6);
  const isOpen = async () => (await standingsOf(database, SHOP, [id], systemClock)).get(id)?.circuitOpen === true;
  await world.until('its circuit is open', isOpen);
  const text = await metrics.registry.metrics();
  for (const outcome of ['delivered', 'timeout', '3xx', '5xx', 'dns'])
    assert.match(
      text,
      new RegExp(`^florin_webhook_attempts_total\\{outcome="${outcome}",trigger="first"\\} [12]$`, 'm'),
    );
  assert.match(text, /^florin_webhook_delay_seconds_count 1$/m);
  assert.match(text, /^florin_webhook_slots_in_use 3$/m);
  const all = await metrics.installation.metrics();
  assert.match(all, /^florin_events_unnumbered 0$/m);
  assert.match(all, /^florin_webhook_endpoints_enabled 0$/m);
  await stop();
  world.answer = () => answered(200);
  world.process();
  await world.until('it is closed again', async () => !(await isOpen()));
});

test('a scrape of ten thousand endpoints costs a few queries', async () => {
  const { database } = await deliveryWorld();
  await database.query(`insert into event_heads (owner_id, position) select n, 1000 from generate_series(1, 1000) n`);
  await database.query(
    `insert into event_log (owner_id, position, event_id, subject_id, type, created_at)
     select n, p, 250561010073604096 + n * 1000 + p, 1, 'order.charged', '2026-11-23' from generate_series(1, 1000) n, generate_series(991, 1000) p`,
  );
  await database.query(
    `insert into webhook_cursors (owner_id, webhook_id, position, failing_told, circuit_open)
     select n, w, 995, false, false from generate_series(1, 1000) n, generate_series(1, 10) w`,
  );
  const asked: string[] = [];
  const counting = {
    query: (text: string, values?: readonly unknown[]) => (asked.push(text), database.query(text, values)),
  };
  const all = Array.from({ length: 10_000 }, (_, i) => ({
    owner_id: BigInt(1 + (i % 1000)),
    id: BigInt(1 + Math.floor(i / 1000)),
  }));
  const began = systemClock.elapsed();
  const figures = await eventFigures({
    database: counting as never,
    time: systemClock,
    endpoints: { all: async () => all } as never,
  });
  assert.deepEqual([figures.behind, figures.worstBehind], [50_000, 5]);
  assert.equal(asked.length, 5);
  assert.ok(systemClock.elapsed() - began < 3_000);
});
