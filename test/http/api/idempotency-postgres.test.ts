// Idempotency keys on a real Postgres: many requests at once, two processes, recovery, purge.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { idMaker, VirtualClock } from '../../../src/base/index.ts';
import { onceFor } from '../../../src/http/api/idempotency.ts';
import { type OnceOptions, onceRecords, purgeIdempotency } from '../../../src/http/index.ts';
import {
  type Command,
  type Committer,
  createCommitter,
  insert,
  type Once,
  onceCommand,
  type Replay,
  type StoredAnswer,
  type Subject,
  table,
} from '../../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../../support/database.ts';

const DAY = 86_400_000;
const options: OnceOptions = {
  keyed: (purpose, data) => createHmac('sha256', purpose).update(data).digest(),
  header: 'idempotency-key',
  keepMs: 7 * DAY,
  reused: 'validation',
};
const effects = table<{ id: bigint; body: string }>('effects', { id: 'int8', body: 'text' }, ['id']);

describe('records', () => {
  const clock = new VirtualClock();
  let database: TestDatabase;
  let ids = idMaker(clock, 1);
  before(async () => {
    database = await testDatabase();
    await database.query('create table effects (id int8 primary key, body text not null)');
  });

  /** Each committer stands for a process. */
  const process = (seed: number): Committer =>
    createCommitter({ connect: () => database.session(), clock, ids: idMaker(clock, seed), log: silent });
  const once = (key: string, request = 'body'): Once =>
    onceFor(options, { owner: 1n, credential: 'gateway 1', method: 'POST', path: '/gateway/orders/create' }, key, [
      request,
    ]);
  const effect = (key: string, request?: string): Command<StoredAnswer> => {
    const command: Command<string> = {
      name: 'effect',
      owner: 1n,
      needs: [],
      decide() {
        const id = ids.next();
        const body = `{"id":"${id}"}`;
        return { value: body, changes: [insert(effects, { id, body })] };
      },
    };
    return onceCommand(command, once(key, request), (body) => ({ status: 201, body, location: `/pay/${body}` }));
  };
  const counted = async (): Promise<number> => (await database.query('select 1 from effects')).length;

  test('50 at once with one key: one effect, one body', async () => {
    const committer = process(2);
    const before = await counted();
    const answers = await Promise.all(Array.from({ length: 50 }, () => committer.submit(effect('k1'))));
    assert.equal((await counted()) - before, 1);
    assert.equal(new Set(answers.map(({ status, body, location }) => `${status} ${body} ${location}`)).size, 1);
    assert.equal(answers.filter((answer) => (answer as Replay).replayed).length, 49);
    const again = await committer.submit(effect('k1'));
    assert.deepEqual(again, { ...answers[0], replayed: true });
    await committer.drain();
  });

  test('the same from two processes, with several keys', async () => {
    const committers = [process(3), process(4)];
    const before = await counted();
    const keys = Array.from({ length: 200 }, (_, i) => `two-${i % 8}`);
    const bodies = await Promise.all(keys.map((key, i) => (committers[(i >> 3) % 2] as Committer).submit(effect(key))));
    assert.equal((await counted()) - before, 8);
    assert.equal(new Set(bodies.map(({ body }) => body)).size, 8);
    for (const [i, key] of keys.entries()) assert.equal(bodies[i]?.body, bodies[keys.indexOf(key)]?.body);
    for (const committer of committers) await committer.drain();
  });

  test('one each from two processes at the same moment: the second waits for the first', async () => {
    const [left, right] = [process(10), process(11)];
    for (let i = 0; i < 60; i++) {
      const [a, b] = await Promise.all([left.submit(effect(`pair-${i}`)), right.submit(effect(`pair-${i}`))]);
      assert.equal(a.body, b.body);
    }
    await left.drain();
    await right.drain();
  });

  test('another request under the key is refused, and its neighbours in the group are not', async () => {
    const committer = process(5);
    const results = await Promise.allSettled([
      committer.submit(effect('k2')),
      committer.submit(effect('k2', 'another')),
      committer.submit(effect('k3', 'another')),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(((results[1] as PromiseRejectedResult).reason as { kind: string }).kind, 'validation');
    await committer.drain();
  });

  test('two phases: 409 between them, the answer afterwards, what a recovery found after a death', async () => {
    const committer = process(6);
    const first = once('k4');
    const nine = { type: 'order', id: 9n } as const;
    const begin = (of: Once, subject: Subject | null): Command<ReturnType<Once['begin']>> => ({
      name: 'intent',
      owner: 1n,
      needs: [of.need],
      decide(loaded) {
        const begun = of.begin(loaded, clock.now(), subject);
        return {
          value: begun,
          changes: 'changes' in begun ? begun.changes : [],
        };
      },
    });
    const change = (name: string, changes: () => ReturnType<Once['finish']>): Command<null> => ({
      name,
      owner: 1n,
      needs: [],
      decide: () => ({ value: null, changes: changes() }),
    });
    assert.ok('changes' in (await committer.submit(begin(first, nine))));
    await assert.rejects(committer.submit(begin(once('k4'), null)), { kind: 'conflict' });
    await committer.submit(change('unresolved', () => first.leaveUnresolved(nine)));
    assert.deepEqual(await committer.submit(begin(once('k4'), null)), { unresolved: nine });
    const found: StoredAnswer = { status: 402, body: '{"failure_type":"declined"}', location: null };
    await committer.submit({
      name: 'recovery',
      owner: 1n,
      needs: [onceRecords.need(1n, first.key)],
      decide: (loaded) => ({ value: null, changes: onceRecords.finish(loaded, 1n, first.key, found) }),
    });
    assert.deepEqual(await committer.submit(begin(once('k4'), null)), { replay: { ...found, replayed: true } });
    await committer.drain();
  });

  test('what was refused by throwing leaves the key free', async () => {
    const committer = process(7);
    const refusing = onceCommand<string>(
      {
        name: 'refusing',
        owner: 1n,
        needs: [],
        decide: () => {
          throw new Error('no such order');
        },
      },
      once('k5'),
      (body) => ({ status: 200, body, location: null }),
    );
    await assert.rejects(committer.submit(refusing), /no such order/);
    assert.equal((await committer.submit(effect('k5'))).status, 201);
    await committer.drain();
  });

  test('records are kept seven days, then purged in parts', async () => {
    const committer = process(8);
    const { body } = await committer.submit(effect('k6'));
    clock.set(new Date(clock.now().getTime() + 7 * DAY - 60_000));
    ids = idMaker(clock, 9);
    assert.equal(await purgeIdempotency(database, clock.now()), 0);
    assert.equal((await committer.submit(effect('k6'))).body, body);
    clock.set(new Date(clock.now().getTime() + 120_000));
    assert.notEqual((await committer.submit(effect('k6'))).body, body, 'over is over, purged or not');
    const [{ count } = { count: 0n }] = await database.query<{ count: bigint }>(
      'select count(*) as count from idempotency_records',
    );
    assert.equal(await purgeIdempotency(database, clock.now(), 3), 3);
    assert.equal(await purgeIdempotency(database, clock.now()), Number(count) - 4, 'all but the one begun anew');
    await committer.drain();
  });
});
