// Making and removing cards at once, where a limit stands and where none does: nobody waits for somebody who waits for him.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, cardRequest, customer, newCard } from '../../support/issuing.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const CARDS = 24;
const roomy = { total: null, currencies: { EUR: 100_000 } };

/** So many deadlocks as the database has counted; sessions tell it of theirs when they end. */
async function deadlocks(): Promise<bigint> {
  const rows = await florin.database.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.deadlocks ?? assert.fail('no database');
}

for (const [where, path, cardLimits] of [
  ['no limit', '/tenants/sandbox', null],
  ['a limit of the tenant', '/tenants/sandbox', roomy],
  ['a limit of the installation', '/issuing-settings', roomy],
] as const)
  test(`cards are made and removed at once on two servers under ${where}, without a deadlock`, async () => {
    const set = await florin.operator('PATCH', `/operator${path}`, { settings: { cardLimits } });
    assert.equal(set.status, 200, set.text);
    const servers = await Promise.all([florin.another(), florin.another()]);
    const [one, two] = await Promise.all(servers.map((server) => customer(server)));
    assert.ok(one && two);
    const made = await Promise.all(Array.from({ length: CARDS }, () => newCard(one)));
    const before = await deadlocks();
    const replies = await Promise.all(
      made.flatMap((id, i) => [
        (i % 2 ? one : two)('POST', '/cards/request', cardRequest()),
        (i % 2 ? two : one)('POST', `/cards/remove/${id}`),
      ]),
    );
    assert.deepEqual(
      replies.filter(({ status }) => status >= 300).map(({ status, text }) => `${status} ${text}`),
      [],
    );
    await Promise.all(servers.map((server) => server.stop()));
    assert.equal((await deadlocks()) - before, 0n);
    await assertBooksHold(florin);
  });
