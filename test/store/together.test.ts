// Reads that come together: one statement for those that wait, each with its own answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { together } from '../../src/store/index.ts';

interface Asked {
  readonly owner: bigint;
  readonly keys: readonly number[];
  readonly answer: PromiseWithResolvers<readonly string[]>;
}

/** A database that answers when it is told to. */
function stage() {
  const asked: Asked[] = [];
  const read = together((owner, keys: readonly number[]) => {
    const answer = Promise.withResolvers<readonly string[]>();
    asked.push({ owner, keys, answer });
    return answer.promise;
  });
  const answer = (at: number): void => {
    const { owner, keys, answer: to } = asked[at] as Asked;
    to.resolve(keys.map((key) => `${owner}/${key}`));
  };
  const sent = (): string[] => asked.map(({ owner, keys }) => `${owner}: ${keys.join()}`);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { asked, read, answer, sent, settled };
}

test('alone a read is sent at once, and what comes while two are under way is one statement', async () => {
  const { read, answer, sent, settled } = stage();
  const answers = [1, 2, 3, 4, 5].map((key) => read(7n, key));
  assert.deepEqual(sent(), ['7: 1', '7: 2']);
  answer(1);
  await settled();
  assert.deepEqual(sent(), ['7: 1', '7: 2', '7: 3,4,5']);
  answer(0);
  answer(2);
  assert.deepEqual(await Promise.all(answers), ['7/1', '7/2', '7/3', '7/4', '7/5']);
  const later = read(7n, 6);
  assert.deepEqual(sent().slice(3), ['7: 6'], 'nothing is remembered: it is read again');
  answer(3);
  assert.equal(await later, '7/6');
});

test('no statement reads for two owners', async () => {
  const { read, answer, sent, settled } = stage();
  const answers = [1n, 2n, 1n, 2n, 1n, 2n, 1n].map((owner, key) => read(owner, key));
  assert.deepEqual(sent(), ['1: 0', '2: 1', '1: 2', '2: 3']);
  answer(0);
  answer(1);
  await settled();
  assert.deepEqual(sent().slice(4), ['1: 4,6', '2: 5']);
  for (const at of [2, 3, 4, 5]) answer(at);
  assert.deepEqual(await Promise.all(answers), ['1/0', '2/1', '1/2', '2/3', '1/4', '2/5', '1/6']);
});

test('what can’t be read is its own caller’s trouble', async () => {
  const { asked, read, answer, sent, settled } = stage();
  const answers = [1, 2, 3, 4].map((key) => read(7n, key).catch((error: Error) => error.message));
  answer(0);
  answer(1);
  await settled();
  asked[2]?.answer.reject(new Error('3 is damaged'));
  await settled();
  assert.deepEqual(sent().slice(2), ['7: 3,4', '7: 3', '7: 4']);
  asked[3]?.answer.reject(new Error('3 is damaged'));
  answer(4);
  assert.deepEqual(await Promise.all(answers), ['7/1', '7/2', '3 is damaged', '7/4']);
});

test('a database that is away is asked once', async () => {
  const { asked, read, answer, settled } = stage();
  const answers = [1, 2, 3, 4].map((key) => read(7n, key).catch((error: Error) => error.message));
  answer(0);
  answer(1);
  await settled();
  asked[2]?.answer.reject(new Error('Connection terminated'));
  assert.deepEqual(await Promise.all(answers), ['7/1', '7/2', 'Connection terminated', 'Connection terminated']);
  assert.equal(asked.length, 3);
});
