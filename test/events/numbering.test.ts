// Positions are given behind commits: none is skipped, none given twice, whoever numbers and in whatever order ids were drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMaker, idPermutation, systemClock } from '../../src/base/index.ts';
import { createNumbering, eventMaker, headOf } from '../../src/events/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

const SHOP = 7n;
const maker = eventMaker({
  permutation: idPermutation(Buffer.alloc(16, 1)),
  mode: 'sandbox',
  ownerType: 'project',
  nameOf: () => 'shop',
});
const ids = idMaker(systemClock, 1);
const told = () => ({ now: new Date(), ids, cause: 'api' as const });
const draft = (id: bigint, sequence: number) =>
  ({
    owner: SHOP,
    type: 'order.charged',
    resource: { type: 'order', id, sequence },
    object: { status: 'charged', amount: '1.00', operations: [] },
    before: { status: 'authorized', amount: '1.00', operations: [] },
  }) as const;

const numberingOf = (database: TestDatabase) => createNumbering({ database, clock: systemClock, log: silent });
const logged = (database: TestDatabase) =>
  database.query<{ position: bigint; subject_id: bigint; event_id: bigint }>(
    'select position, subject_id, event_id from event_log where owner_id = $1 order by position',
    [SHOP],
  );

test('an event whose id was drawn first and committed last has the last position', async () => {
  const database = await testDatabase();
  const numbering = numberingOf(database);
  await database.transaction(async (slow) => {
    await maker.write(slow, told(), draft(1n, 1));
    await database.transaction((quick) => maker.write(quick, told(), draft(2n, 1)));
    await numbering.settle();
    assert.deepEqual(
      (await logged(database)).map(({ position, subject_id }) => [position, subject_id]),
      [[1n, 2n]],
    );
  });
  await numbering.settle();
  const all = await logged(database);
  assert.deepEqual(
    all.map(({ position, subject_id }) => [position, subject_id]),
    [
      [1n, 2n],
      [2n, 1n],
    ],
  );
  assert.ok((all[0]?.event_id ?? 0n) > (all[1]?.event_id ?? 0n), 'the order of ids is another one');
  assert.equal(await headOf(database, SHOP), 2n);
});

test('four who number at once give each event one position, without gaps', async () => {
  const database = await testDatabase();
  const many = Array.from({ length: 4 }, () => numberingOf(database));
  const numbered: bigint[] = [];
  for (const one of many) one.onNumbered((owner) => numbered.push(owner));
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      await database.transaction((inside) => maker.write(inside, told(), draft(BigInt(i + 1), 1)));
      await many[i % 4]?.settle();
    }),
  );
  await many[0]?.settle();
  const all = await logged(database);
  assert.deepEqual(
    all.map(({ position }) => position),
    Array.from({ length: 40 }, (_, i) => BigInt(i + 1)),
  );
  assert.equal(new Set(all.map(({ event_id }) => event_id)).size, 40);
  assert.deepEqual(await database.query('select from event_queue'), []);
  assert.ok(numbered.length > 0 && numbered.every((owner) => owner === SHOP));
});

test('what is rolled back is told to nobody', async () => {
  const database = await testDatabase();
  const failing = database.transaction(async (inside) => {
    await maker.write(inside, told(), draft(1n, 1));
    throw new Error('refused');
  });
  await assert.rejects(failing, /refused/);
  await numberingOf(database).settle();
  assert.deepEqual(await logged(database), []);
  assert.deepEqual(await database.query('select from events'), []);
});

test('the text of an event', async () => {
  const database = await testDatabase();
  const now = new Date('2026-12-01T10:00:00.123Z');
  await database.transaction((inside) => maker.write(inside, { now, ids, cause: 'api' }, draft(3n, 3)));
  const [row] = await database.query<{ id: bigint; body: string }>('select id, body from events');
  const { id, resource, ...body } = JSON.parse(row?.body ?? '') as Record<string, Record<string, unknown>>;
  assert.deepEqual(body, {
    type: 'order.charged',
    timestamp: '2026-12-01T10:00:00.123Z',
    version: '2026-12-01',
    mode: 'sandbox',
    owner: { type: 'project', id: 'shop' },
    cause: { by: 'api' },
    data: { object: { status: 'charged', amount: '1.00', operations: [] }, previous: { status: 'authorized' } },
  });
  assert.match(JSON.stringify([id, resource?.id]), /^\["\d+","\d+"\]$/);
  assert.equal(resource?.sequence, 3);
});
