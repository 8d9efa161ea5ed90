// Where each table goes when the schema is spread over nodes, and that a database which can't be spread is told so and left alone.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { distribute, placementOf, REFERENCE } from '../../src/store/index.ts';
import { NOBODYS, OWNED } from '../owners/owned.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});

test('what an owner has lies by its owner; what all read is copied; the rest is the coordinator’s', () => {
  for (const [name, first] of Object.entries(OWNED)) {
    const { as, by } = placementOf({ name, first, now: null });
    assert.deepEqual(
      [name, as, by],
      [name, ...(REFERENCE.includes(name) ? ['reference', null] : ['distributed', first])],
    );
  }
  for (const name of Object.keys(NOBODYS)) {
    const { as } = placementOf({ name, first: 'id', now: null });
    assert.equal(as, REFERENCE.includes(name) ? 'reference' : 'local', name);
  }
  assert.deepEqual(
    REFERENCE.filter((name) => !(name in OWNED) && !(name in NOBODYS)),
    [],
    'tables that there are',
  );
});

test('what is placed is not placed again', () => {
  assert.equal(placementOf({ name: 'orders', first: 'project_id', now: 'distributed' }).done, true);
  assert.equal(placementOf({ name: 'projects', first: 'id', now: 'reference' }).done, true);
  assert.equal(placementOf({ name: 'orders', first: 'project_id', now: null }).done, false);
  assert.equal(placementOf({ name: 'processes', first: 'id', now: null }).done, true, 'it stays where it is');
});

test('a Postgres without Citus is refused in a sentence', async () => {
  for (const dry of [true, false])
    await assert.rejects(distribute(database.connection, { dry }), {
      name: 'StartError',
      message: /^There is nothing to spread this database over: it has no Citus .*\. Nothing was changed/,
    });
});
