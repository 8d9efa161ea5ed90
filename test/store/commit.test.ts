// The committer: commands of a group see each other, one's failure is only its own, hot balances are summed, and a COMMIT whose answer
// was lost is looked up before anything is done again.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { idMaker, systemClock } from '../../src/base/index.ts';
import {
  add,
  type Command,
  type Committer,
  createCommitter,
  followRow,
  insert,
  type Kind,
  remove,
  type Session,
  statementsFor,
  table,
  update,
} from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

interface Item {
  readonly owner: bigint;
  readonly id: bigint;
  readonly n: bigint;
  readonly note: string | null;
  readonly data: unknown;
  readonly bytes: Buffer | null;
  readonly at: Date | null;
}
const items = table<Item>(
  'test_items',
  { owner: 'int8', id: 'int8', n: 'int8', note: 'text', data: 'jsonb', bytes: 'bytea', at: 'timestamptz' },
  ['owner', 'id'],
);
const sums = table<{ owner: bigint; sum: bigint }>('test_sums', { owner: 'int8', sum: 'int8' }, ['owner']);
const item = (id: bigint, fields: Partial<Item> = {}): Item => ({
  owner: 1n,
  id,
  n: 0n,
  note: null,
  data: null,
  bytes: null,
  at: null,
  ...fields,
});

const kind: Kind<bigint, Item> = {
  name: 'item',
  keyText: String,
  follows: [followRow(items, ({ id }) => String(id))],
  async load(db, keys) {
    const rows = await db.query<Item>(
      'select * from test_items where owner = 1 and id = any($1::int8[]) order by id for update',
      [keys],
    );
    return new Map(rows.map((row) => [String(row.id), row]));
  },
};

let database: TestDatabase;
const ids = idMaker(systemClock, 1);
const groups: number[] = [];
const committerWith = (faultPoint?: (name: string) => void): Committer =>
  createCommitter({
    connect: () => database.session(),
    clock: systemClock,
    ids,
    log: silent,
    onGroup: (size) => groups.push(size),
    ...(faultPoint ? { faultPoint } : {}),
  });

before(async () => {
  database = await testDatabase();
  await database.query(
    'create table test_items (owner int8, id int8, n int8 not null, note text, data jsonb, bytes bytea, at timestamptz, primary key (owner, id))',
  );
  await database.query('create table test_sums (owner int8 primary key, sum int8 not null)');
});

const increment = (id: bigint): Command<bigint> => ({
  name: 'increment',
  owner: 1n,
  needs: [{ kind, key: id }],
  decide(loaded) {
    const known = loaded.get(kind, id);
    const next = item(id, { n: (known?.n ?? 0n) + 1n });
    return {
      value: next.n,
      changes: [known ? update(items, next) : insert(items, next)],
    };
  },
});
const read = async (id: bigint): Promise<Item | undefined> =>
  (await database.query<Item>('select * from test_items where owner = 1 and id = $1', [id]))[0];

test('commands on one row see each other, inside a group and over groups', async () => {
  const committer = committerWith();
  const values = await Promise.all(Array.from({ length: 100 }, () => committer.submit(increment(1n))));
  assert.deepEqual(
    values,
    Array.from({ length: 100 }, (_, i) => BigInt(i + 1)),
  );
  assert.equal((await read(1n))?.n, 100n);
  assert.ok(
    groups.some((size) => size > 1),
    'they were grouped',
  );
  await committer.drain();
});

test('a decision that throws and a row that exists harm only their own callers', async () => {
  const committer = committerWith();
  await committer.submit({
    name: 'first',
    owner: 1n,
    needs: [],
    decide: () => ({ value: null, changes: [insert(items, item(50n))] }),
  });
  const results = await Promise.allSettled([
    committer.submit(increment(51n)),
    committer.submit({ name: 'throws', owner: 1n, needs: [], decide: () => assert.fail('no') }),
    committer.submit({
      name: 'twice',
      owner: 1n,
      needs: [],
      decide: () => ({ value: null, changes: [insert(items, item(50n))] }),
    }),
    committer.submit(increment(52n)),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.equal((await read(51n))?.n, 1n);
  assert.equal((await read(52n))?.n, 1n);
  await committer.drain();
});

test('additions to a hot row are summed', async () => {
  const committer = committerWith();
  await Promise.all(
    Array.from({ length: 500 }, (_, i) =>
      committer.submit({
        name: 'add',
        owner: 1n,
        needs: [],
        decide: () => ({ value: null, changes: [add(sums, { owner: 1n, sum: BigInt(i) })] }),
      }),
    ),
  );
  const [row] = await database.query<{ sum: bigint }>('select sum from test_sums where owner = 1');
  assert.equal(row?.sum, 124_750n);
  await committer.drain();
  const statements = statementsFor([add(sums, { owner: 2n, sum: 1n }), add(sums, { owner: 2n, sum: 2n })]);
  assert.deepEqual(
    statements.map(({ values }) => values),
    [['{2}', '{3}']],
  );
});

test('two committers, as two processes: nothing is lost', async () => {
  const committers = [committerWith(), committerWith()];
  await committers[0]?.submit(increment(2n));
  await Promise.all(Array.from({ length: 200 }, (_, i) => (committers[i % 2] as Committer).submit(increment(2n))));
  assert.equal((await read(2n))?.n, 201n);
  for (const committer of committers) await committer.drain();
});

test('the backend dies before or after COMMIT: done exactly once, and the committer comes back', async () => {
  for (const point of ['commit.before', 'commit.after']) {
    let armed = true;
    const committer = committerWith((name) => {
      if (!armed || name !== point) return;
      armed = false;
      void database
        .query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'florin committer' and datname = current_database()`,
        )
        .catch(() => undefined);
    });
    const id = point === 'commit.before' ? 60n : 61n;
    await committer.submit(increment(id));
    assert.equal(await committer.submit(increment(id)), 2n);
    assert.equal((await read(id))?.n, 2n);
    await committer.drain();
  }
});

test('what a node of Citus refuses of a copy is decided again', async () => {
  let refused = 0;
  const connect = async (): Promise<Session> => {
    const session = await database.session();
    return {
      get broken() {
        return session.broken;
      },
      commit: () => session.commit(),
      close: () => session.close(),
      query(text, values) {
        if (refused > 0 || !text.startsWith('insert into test_items')) return session.query(text, values);
        refused++;
        const told = { code: 'XX000', routine: 'ReportCopyError' };
        return session
          .query<never>('select 1 / 0')
          .catch(() => Promise.reject(Object.assign(new Error('a key'), told)));
      },
    };
  };
  const committer = createCommitter({ connect, clock: systemClock, ids, log: silent });
  assert.equal(await committer.submit(increment(70n)), 1n);
  assert.equal(refused, 1);
  assert.equal((await read(70n))?.n, 1n);
  await committer.drain();
});

test('a plan for any values is asked for where all rows lie on one node, and nowhere else', async () => {
  for (const spread of [false, true]) {
    const sent: string[] = [];
    const connect = async (): Promise<Session> => {
      const session = await database.session();
      return {
        spread,
        broken: false,
        commit: () => session.commit(),
        close: () => session.close(),
        query(text, values) {
          sent.push(text);
          return session.query(text, values);
        },
      };
    };
    const committer = createCommitter({ connect, clock: systemClock, ids, log: silent });
    await committer.submit(increment(71n));
    assert.equal(
      sent.some((text) => text.includes('force_generic_plan')),
      !spread,
    );
    await committer.drain();
  }
});

test('insert, update and remove of one row in a group fold into what remains', () => {
  const row = item(9n);
  assert.deepEqual(statementsFor([insert(items, row), remove(items, { owner: 1n, id: 9n })]), []);
  const [statement, ...none] = statementsFor([insert(items, row), update(items, { ...row, n: 5n })]);
  assert.match(statement?.text ?? '', /^insert/);
  assert.equal(statement?.values[2], '{5}');
  assert.deepEqual(none, []);
  assert.throws(() => statementsFor([insert(items, row), insert(items, row)]), /two inserts/);
});

test('property: every value comes back as it went in, also beside rows that have it, too', async () => {
  const committer = committerWith();
  let id = 1000n;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          note: fc.option(
            fc.oneof(
              fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
              fc.constantFrom('NULL', '"', '\\', '\n', '\\n', '\t"'),
            ),
            { nil: null },
          ),
          data: fc.option(
            fc.dictionary(
              fc.constantFrom('a', '"', '\\', '{'),
              fc.oneof(fc.integer(), fc.constantFrom('NULL', '"', '\\', '{}', 'é\n', '\u007f')),
            ),
            { nil: null },
          ),
          bytes: fc.option(
            fc.uint8Array().map((bytes) => Buffer.from(bytes)),
            { nil: null },
          ),
          at: fc.option(fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), {
            nil: null,
          }),
          n: fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      async (several) => {
        const rows = several.map((fields) => item(++id, fields));
        await committer.submit({
          name: 'keep',
          owner: 1n,
          needs: [],
          decide: () => ({ value: null, changes: rows.map((row) => insert(items, row)) }),
        });
        for (const row of rows) {
          const found = await read(row.id);
          assert.deepEqual(
            { ...found, data: found?.data ?? null },
            { ...row, data: row.data === null ? null : { ...(row.data as object) } },
          );
        }
      },
    ),
    { numRuns: 200 },
  );
  await committer.drain();
});
