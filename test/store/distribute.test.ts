// Where each table goes when the schema is spread over nodes, and that a database which can't be spread is told so and left alone.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { distribute, placementOf, REFERENCE } from '../../src/store/index.ts';
import { NOBODYS, OWNED } from '../owners/owned.ts';
import { clusterOf } from '../support/citus.ts';
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

test('tests on a cluster say in a sentence what they miss', async () => {
  const missing = await clusterOf({});
  assert.ok(typeof missing === 'string');
  assert.match(missing, /^npm run test:citus needs CITUS_URL, [^.]*\.$/);
  const CITUS_WORKERS = 'postgres://florin:secret%21@one:5433/x,postgres://two/';
  const named = await clusterOf({ CITUS_URL: 'postgres://first:5434', CITUS_WORKERS });
  assert.ok(typeof named === 'object');
  assert.deepEqual(named.coordinator, { host: 'first', port: 5434, user: 'postgres', database: 'postgres' });
  assert.deepEqual(named.workers, [
    { host: 'one', port: 5433, user: 'florin', database: 'x', password: 'secret!' },
    { host: 'two', port: 5432, user: 'postgres', database: 'postgres' },
  ]);
});
