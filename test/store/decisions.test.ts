// Decisions are told time, ids and chance: one moment for a group, told anew when it is decided again. And the two watchers of all other
// tests are seen to notice: the one of a decision that asks by itself, the one of a decision that doesn't follow from what it is told.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addMs, type Clock, idMaker, seededRandom, systemClock } from '../../src/base/index.ts';
import {
  type Command,
  type Committer,
  type CommitterOptions,
  createCommitter,
  insert,
  type Told,
  table,
} from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { decidingTwice, noneDecides } from '../support/decisions.ts';

const notes = table<{ owner: bigint; id: bigint; at: Date }>(
  'test_notes',
  { owner: 'int8', id: 'int8', at: 'timestamptz' },
  ['owner', 'id'],
);

/** A second later every time it is asked. */
function ticking(): Clock {
  let asked = 0;
  return { ...systemClock, now: () => addMs(new Date('2026-12-01T12:00:00.000Z'), ++asked * 1000) };
}

let database: TestDatabase;
const ids = idMaker(systemClock, 1);
const committers: Committer[] = [];
function committerWith(options: Partial<CommitterOptions> = {}): Committer {
  const connect = () => database.session();
  const committer = createCommitter({ connect, clock: systemClock, business: ticking(), ids, log: silent, ...options });
  committers.push(committer);
  return committer;
}

before(async () => {
  database = await testDatabase();
  await database.query('create table test_notes (owner int8, id int8, at timestamptz, primary key (owner, id))');
});
after(() => Promise.all(committers.map((committer) => committer.drain())));

const deciding = <Value>(decide: (told: Told) => Value): Command<Value> => ({
  name: 'planted',
  owner: 1n,
  needs: [],
  decide: (_, told) => ({ value: decide(told), changes: [] }),
});

/** Writes down what it was told. */
const noting = (seen: Told[]): Command<bigint> => ({
  name: 'note',
  owner: 1n,
  needs: [],
  decide(_, told) {
    seen.push(told);
    const id = told.ids.next();
    return { value: id, changes: [insert(notes, { owner: 1n, id, at: told.now })] };
  },
});

test('a decision that asks by itself is refused with a sentence; what it is told it may use', async () => {
  const committer = committerWith();
  const clock = noneDecides<Clock>(systemClock);
  const maker = noneDecides(ids);
  const random = noneDecides(seededRandom(1));
  const asks = (what: string) => ({ message: `the decision of planted asks ${what}() by itself` });
  await assert.rejects(committer.submit(deciding(() => clock.now())), asks('now'));
  await assert.rejects(committer.submit(deciding(() => maker.next())), asks('next'));
  await assert.rejects(committer.submit(deciding(() => random.bytes(1))), asks('bytes'));
  await assert.rejects(committer.submit(deciding(() => random.int(2))), asks('int'));
  assert.ok((await committer.submit(deciding(({ now }) => now))) instanceof Date);
  assert.equal(typeof (await committer.submit(deciding((told) => told.ids.next()))), 'bigint');
  assert.equal((await committer.submit(deciding(({ chance }) => chance.bytes(7)))).length, 7);
});

test('outside of decisions everybody may ask, also right behind one that threw', async () => {
  const clock = noneDecides<Clock>(systemClock);
  assert.ok(clock.now() instanceof Date);
  await assert.rejects(committerWith().submit(deciding(() => assert.fail('no'))), /no/);
  assert.ok(clock.now() instanceof Date);
});

test('all of a group are told one moment, the next group a later one', async () => {
  const sizes: number[] = [];
  const committer = committerWith({ onGroup: (size) => sizes.push(size) });
  const seen: Told[] = [];
  await Promise.all(Array.from({ length: 5 }, () => committer.submit(noting(seen))));
  await committer.submit(noting(seen));
  assert.equal(sizes[0], 5);
  const moments = seen.map(({ now }) => now.getTime());
  assert.equal(new Set(moments.slice(0, 5)).size, 1);
  assert.ok((moments[5] as number) > (moments[4] as number));
});

test('a group that is decided again is told anew, and what it decided first is nowhere', async () => {
  // May decide before the first decision, not any more behind it, and from then on.
  const may = [true, false];
  const committer = committerWith({ mayDecide: () => may.shift() ?? true });
  const seen: Told[] = [];
  const id = await committer.submit(noting(seen));
  const [first, second] = seen.map(({ now }) => now.getTime());
  assert.equal(seen.length, 2);
  assert.ok((second as number) > (first as number));
  const rows = await database.query<{ at: Date }>('select at from test_notes where id = $1', [id]);
  assert.deepEqual(
    rows.map(({ at }) => at.getTime()),
    [second],
  );
});

/** What the watcher says of a decision. */
async function watched<Value>(decide: (told: Told) => Value): Promise<readonly string[]> {
  const twice = decidingTwice();
  await twice.plant(committerWith()).submit(deciding(decide));
  assert.deepEqual([...twice.decided], ['planted']);
  return twice.differing;
}

test('decided twice, what follows from what is told is the same', async () => {
  assert.deepEqual(
    await watched(({ now, ids: told, chance }) => [now, told.next(), chance.bytes(3), chance.int(9)]),
    [],
  );
});

test('decided twice, what asks somebody else is found, and so is what remembers', async () => {
  const clock = ticking();
  assert.equal((await watched(() => clock.now())).length, 1);
  assert.equal((await watched(() => ids.next())).length, 1);
  let count = 0;
  assert.equal((await watched(() => ++count)).length, 1);
  let known: bigint | null = null;
  assert.match((await watched((told) => (known ??= told.ids.next()))).join(), /the first drew and the second did not/);
});

test('decided twice, what throws has its own caller’s error', async () => {
  const twice = decidingTwice();
  const refusing = twice.plant(committerWith()).submit(deciding(() => assert.fail('no such thing')));
  await assert.rejects(refusing, /no such thing/);
  assert.deepEqual(twice.differing, []);
});
