// Groups of one owner each, under way at once: who waits for whom, in what order one row is decided, and whose rows a command may change.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Clock, idMaker, systemClock } from '../../src/base/index.ts';
import {
  type Command,
  type Committer,
  createCommitter,
  followRow,
  insert,
  type Kind,
  NotWritten,
  type Session,
  table,
  update,
} from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

interface Item {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly n: bigint;
}
type Key = Pick<Item, 'project_id' | 'id'>;
const items = table<Item>('lane_items', { project_id: 'int8', id: 'int8', n: 'int8' }, ['project_id', 'id']);
const keyText = ({ project_id, id }: Key): string => `${project_id}/${id}`;
const kind: Kind<Key, Item> = {
  name: 'item',
  keyText,
  follows: [followRow(items, keyText)],
  async load(db, keys) {
    const rows = await db.query<Item>(
      `select i.* from unnest($1::int8[], $2::int8[]) as k(project_id, id) join lane_items i using (project_id, id)
       order by i.project_id, i.id for update of i`,
      [keys.map(({ project_id }) => project_id), keys.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [keyText(row), row]));
  },
};

let database: TestDatabase;
const committers: Committer[] = [];
let nodes = 0;

before(async () => {
  database = await testDatabase();
  await database.query(
    'create table lane_items (project_id int8, id int8, n int8 not null, primary key (project_id, id))',
  );
  await database.query('insert into lane_items select p, i, 0 from generate_series(1, 3) p, generate_series(1, 5) i');
});
after(() => Promise.all(committers.map((committer) => committer.drain())));

/** Its COMMITs wait for `may`, if there is one. */
function committerWith(
  options: { lanes?: number; maxGroup?: number; may?: Promise<void>; clock?: Clock } = {},
): Committer {
  const { may, ...rest } = options;
  const connect = async (): Promise<Session> => {
    const session = await database.session();
    const commit = async (): Promise<boolean> => {
      await may;
      return session.commit();
    };
    return { query: session.query, close: () => session.close(), commit, broken: false };
  };
  const committer = createCommitter({
    connect,
    clock: systemClock,
    ids: idMaker(systemClock, ++nodes),
    log: silent,
    ...rest,
  });
  committers.push(committer);
  return committer;
}

const increment = (key: Key, decided: () => void = () => undefined): Command<bigint> => ({
  name: 'increment',
  owner: key.project_id,
  needs: [{ kind, key }],
  decide(loaded) {
    decided();
    const next = { ...key, n: (loaded.get(kind, key)?.n ?? 0n) + 1n };
    return { value: next.n, changes: [update(items, next)] };
  },
});

/** A door that opens once. */
function door(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Long enough for whatever could be decided by now: until it is, or a hundred commits of somebody else. */
async function othersCommit(decided: () => boolean): Promise<void> {
  const other = committerWith();
  for (let i = 0; i < 100 && !decided(); i++) await other.submit(increment({ project_id: 3n, id: 3n }));
}

/** Two commands of one owner, the second sent when the first is decided, whose COMMIT waits: is the second decided meanwhile? */
async function overlapping(
  lanes: number,
  one: bigint,
  other: bigint,
): Promise<{ overlaps: boolean; values: bigint[] }> {
  const [commits, begun] = [door(), door()];
  const committer = committerWith({ lanes, may: commits.opened });
  const first = committer.submit(increment({ project_id: 1n, id: one }, begun.open));
  await begun.opened;
  let overlaps = false;
  const second = committer.submit(increment({ project_id: 1n, id: other }, () => (overlaps = true)));
  await othersCommit(() => overlaps);
  const seen = overlaps;
  commits.open();
  return { overlaps: seen, values: await Promise.all([first, second]) };
}

test('while a group is being written the next one of its owner is decided; not with one lane', async () => {
  assert.deepEqual(await overlapping(2, 1n, 2n), { overlaps: true, values: [1n, 1n] });
  assert.deepEqual(await overlapping(1, 1n, 2n), { overlaps: false, values: [2n, 2n] });
});

test('behind many the next group of their owner waits until it is as large, or they take long', async () => {
  const [commits, begun, long] = [door(), door(), door()];
  const sleep: Clock['sleep'] = (ms, signal) => (ms === 100 ? long.opened : systemClock.sleep(ms, signal));
  const committer = committerWith({ may: commits.opened, clock: { ...systemClock, sleep } });
  const many = [1n, 2n, 1n].map((id) => committer.submit(increment({ project_id: 2n, id }, begun.open)));
  await begun.opened;
  const decided: bigint[] = [];
  const follow = (id: bigint) => committer.submit(increment({ project_id: 2n, id }, () => void decided.push(id)));
  const few = [follow(3n), follow(3n)];
  await othersCommit(() => decided.length > 0);
  assert.deepEqual(decided, []);
  const third = follow(3n);
  await othersCommit(() => decided.length > 0);
  assert.deepEqual(decided, [3n, 3n, 3n]);
  commits.open();
  assert.deepEqual(await Promise.all([...many, ...few, third]), [1n, 1n, 2n, 1n, 2n, 3n]);

  const [slow, started] = [door(), door()];
  const other = committerWith({ may: slow.opened, clock: { ...systemClock, sleep } });
  const held = [1n, 2n].map((id) => other.submit(increment({ project_id: 2n, id }, started.open)));
  await started.opened;
  let late = false;
  const alone = other.submit(increment({ project_id: 2n, id: 3n }, () => (late = true)));
  await othersCommit(() => late);
  assert.equal(late, false);
  long.open();
  await othersCommit(() => late);
  assert.equal(late, true);
  slow.open();
  await Promise.all([...held, alone]);
});

test('what the group before has locked is decided behind it', async () => {
  assert.deepEqual(await overlapping(2, 3n, 3n), { overlaps: false, values: [1n, 2n] });
});

test('one row is decided in order of arrival, however many groups and owners are under way', async () => {
  const committer = committerWith({ maxGroup: 3 });
  const keys = [1n, 2n, 3n].flatMap((project_id) => [4n, 5n].map((id) => ({ project_id, id })));
  const values = new Map<string, Promise<bigint>[]>();
  for (let i = 0; i < 300; i++) {
    const key = keys[(i * 7) % keys.length] as Key;
    const known = values.get(keyText(key)) ?? [];
    values.set(keyText(key), [...known, committer.submit(increment(key))]);
    if (i % 10 === 0) await new Promise(setImmediate);
  }
  for (const [key, answers] of values) {
    const wanted = answers.map((_, i) => BigInt(i + 1));
    assert.deepEqual(await Promise.all(answers), wanted, key);
  }
});

test('an owner whose rows somebody holds keeps no other owner waiting', async () => {
  const committer = committerWith();
  const [locked, released] = [door(), door()];
  const holding = database.transaction(async (db) => {
    await db.query('select n from lane_items where project_id = 2 and id = 1 for update');
    locked.open();
    await released.opened;
  });
  await locked.opened;
  let stuckIsDone = false;
  const stuck = committer.submit(increment({ project_id: 2n, id: 1n })).finally(() => (stuckIsDone = true));
  for (let i = 0; i < 5; i++) await committer.submit(increment({ project_id: 3n, id: 1n }));
  assert.equal(stuckIsDone, false);
  released.open();
  await Promise.all([holding, stuck]);
});

test('whose time is over is told, at whatever moment it ends', async () => {
  let now = 0;
  const clock = {
    ...systemClock,
    elapsed: () => (now += 3),
    sleep: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  };
  const connect = (): Promise<Session> => Promise.reject(new Error('nobody there'));
  const outcomes = [10, 11, 12, 13, 14, 15].map(async (patienceMs) => {
    const committer = createCommitter({ connect, clock, ids: idMaker(systemClock, ++nodes), log: silent, patienceMs });
    await assert.rejects(committer.submit(increment({ project_id: 1n, id: 1n })), NotWritten);
  });
  await Promise.all(outcomes);
});

for (const [whose, other] of [
  ["another owner's", 2n],
  ["the installation's", 0n],
] as const)
  test(`a command that changes ${whose} row is a defect: it fails, and nothing of it is written`, async () => {
    const committer = committerWith();
    const foreign: Command<null> = {
      name: 'foreign',
      owner: 1n,
      needs: [],
      decide: () => ({
        value: null,
        changes: [1n, other].map((project_id) => insert(items, { project_id, id: 90n, n: 1n })),
      }),
    };
    const neighbour = committer.submit(increment({ project_id: 1n, id: 2n }));
    await assert.rejects(committer.submit(foreign), /foreign changes a row of another owner in lane_items/);
    await neighbour;
    assert.deepEqual(await database.query('select id from lane_items where id = 90'), []);
  });
