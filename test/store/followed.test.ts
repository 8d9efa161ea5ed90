// What processes on one database share: each change is kept, in one order, and who made it goes on when the others have it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { openShared, type Shared } from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

interface Following {
  readonly shared: Shared;
  /** What it was told, in order. */
  readonly told: number[];
  stop(): Promise<void>;
}

async function following(database: TestDatabase, process: bigint): Promise<Following> {
  const shared = await openShared(database, { process, clock: systemClock, log: silent });
  const told: number[] = [];
  shared.on<number>('number', (value) => told.push(value));
  const stopping = new AbortController();
  const running = shared.follow(stopping.signal);
  return {
    shared,
    told,
    async stop() {
      stopping.abort(new Error('stopping'));
      await running;
    },
  };
}

const add = ({ shared }: Following, n: number, options?: { wait: boolean }): Promise<void> =>
  shared.change<number>('number', (now) => (now ?? 0) + n, options);

test('a change is everybody’s before it is answered, and changes of two add up', async () => {
  const database = await testDatabase();
  const [one, two] = [await following(database, 1n), await following(database, 2n)];
  await systemClock.sleep(300);
  await add(one, 1);
  assert.deepEqual([one.told, two.told], [[1], [1]]);
  await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 ? one : two, 1, { wait: false })));
  await add(two, 100);
  assert.deepEqual([one.told.at(-1), two.told.at(-1)], [121, 121]);
  for (const { told } of [one, two])
    assert.deepEqual(
      told,
      [...told].sort((a, b) => a - b),
      'never back',
    );
  await Promise.all([one.stop(), two.stop()]);
});

test('one that comes later begins with what there is; one that has ended is waited for no more', async () => {
  const database = await testDatabase();
  const one = await following(database, 1n);
  await add(one, 7);
  const two = await following(database, 2n);
  assert.deepEqual(two.told, [7]);
  await two.stop();
  const started = systemClock.elapsed();
  await add(one, 1);
  assert.ok(systemClock.elapsed() - started < 2000, 'no wait for the one that ended');
  await one.stop();
});

test('a value of another name is not told', async () => {
  const database = await testDatabase();
  const one = await following(database, 1n);
  await one.shared.change('other', () => 'text');
  assert.deepEqual(one.told, []);
  await one.stop();
});
