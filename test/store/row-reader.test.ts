// Rows that requests read one at a time: whose they are, what is told of none, and how many statements they take.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Db, rowBy, rowReader, table } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';

interface Row {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly name: string;
  readonly secret: string;
}
const rows = table<Row>('test_rows', { owner_id: 'int8', id: 'int8', name: 'text', secret: 'text' }, [
  'owner_id',
  'id',
]);
const WHOLE = rowBy(rows, 'id');
const NAMED = rowBy(rows, 'id', ['owner_id', 'id', 'name']);

let database: Awaited<ReturnType<typeof testDatabase>>;
let statements = 0;
const counted: Db = {
  query: (text, values) => {
    statements++;
    return database.prepared.query(text, values);
  },
};

before(async () => {
  database = await testDatabase();
  await database.query(
    'create table test_rows (owner_id int8, id int8, name text not null, secret text not null, primary key (owner_id, id))',
  );
  await database.query(`insert into test_rows values (7, 1, 'one', 's'), (7, 2, 'two', 's'), (8, 1, 'other', 's')`);
});

test('each asker gets the row of his owner, and null where there is none', async () => {
  const read = rowReader(counted);
  const [one, again, two, none, other] = await Promise.all([
    read(WHOLE, 7n, 1n),
    read(WHOLE, 7n, 1n),
    read(WHOLE, 7n, 2n),
    read(WHOLE, 7n, 3n),
    read(WHOLE, 8n, 1n),
  ]);
  assert.deepEqual(one, { owner_id: 7n, id: 1n, name: 'one', secret: 's' });
  assert.deepEqual([again, two?.name, none, other?.name], [one, 'two', null, 'other']);
  assert.equal(await read(WHOLE, 9n, 1n), null);
});

test('only the columns that are named are read', async () => {
  assert.deepEqual(await rowReader(counted)(NAMED, 7n, 1n), { owner_id: 7n, id: 1n, name: 'one' });
});

test('what is asked for while others are read takes one statement, however many ask', async () => {
  const read = rowReader(counted);
  statements = 0;
  const asked = Array.from({ length: 60 }, (_, i) => read(WHOLE, 7n, BigInt(i % 3)));
  const names = (await Promise.all(asked)).map((row) => row?.name ?? null);
  assert.deepEqual(names.slice(0, 3), [null, 'one', 'two']);
  assert.deepEqual(names, Array.from({ length: 20 }, () => names.slice(0, 3)).flat());
  // Two are alone, and begin at once; all others come after one of them.
  assert.equal(statements, 3);
});

test('a row is read as it was committed before it was asked for', async () => {
  const read = rowReader(counted);
  for (const name of ['first', 'second']) {
    await database.query('update test_rows set name = $3 where owner_id = $1 and id = $2', [7n, 2n, name]);
    assert.equal((await read(WHOLE, 7n, 2n))?.name, name);
  }
});
