// Turns and shares: jobs that end when the test says so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FairQueue, fairQueue, type Shares } from '../../src/base/index.ts';

const SHARES: Shares = { atOnce: 6, perOwner: 4, perThrough: 3, perOwnerThrough: 2 };

/** Adds jobs and ends them; `begun` is the order in which they were begun. */
function stage(queue: FairQueue) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const add = (name: string, owner: string, through: string | null = null): Promise<void> => {
    const end = Promise.withResolvers<void>();
    return queue.add({
      name,
      owner,
      through,
      run: () => {
        begun.push(name);
        ends.set(name, end);
        return end.promise;
      },
    });
  };
  const end = async (name: string, error?: Error): Promise<void> => {
    if (error) ends.get(name)?.reject(error);
    else ends.get(name)?.resolve();
    await new Promise(setImmediate);
  };
  return { begun, add, end };
}

describe('a fair queue', () => {
  it('gives owners turns, whoever came with how much', async () => {
    const { begun, add, end } = stage(fairQueue({ ...SHARES, atOnce: 2 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name, 'a');
    for (const name of ['b1', 'b2']) void add(name, 'b');
    void add('c1', 'c');
    for (let i = 0; i < 5; i++) await end(begun[i] as string);
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4']);
  });

  it('keeps an owner, a link and an owner on a link within their shares', async () => {
    const { begun, add, end } = stage(fairQueue(SHARES));
    for (const name of ['a1', 'a2', 'a3']) void add(name, 'a', 'link');
    for (const name of ['b1', 'b2']) void add(name, 'b', 'link');
    assert.deepEqual(begun, ['a1', 'a2', 'b1'], 'two of one owner on the link, three in all');
    for (const name of ['a4', 'a5', 'a6']) void add(name, 'a');
    assert.deepEqual(begun.slice(3), ['a4', 'a5'], 'four of one owner');
    void add('c1', 'c');
    assert.equal(begun.at(-1), 'c1', 'six in all');
    void add('d1', 'd', 'other');
    assert.equal(begun.length, 6);
    await end('a4');
    assert.equal(begun.at(-1), 'd1', 'who has the least in flight');
    await end('b1');
    assert.equal(begun.at(-1), 'b2', 'room on the link goes to whom the link has room for');
  });

  it('forgets jobs of one link that end in the same moment', async () => {
    const { add, end } = stage(fairQueue(SHARES));
    const both = [add('a1', 'a', 'link'), add('a2', 'a', 'link'), add('a3', 'a')];
    void end('a1');
    await end('a2');
    await end('a3');
    await Promise.all(both);
    const again = add('a1', 'a', 'link');
    await end('a1');
    await again;
  });

  it('does a job once, whoever adds it meanwhile, and tells all of them how it ended', async () => {
    const queue = fairQueue(SHARES);
    const { begun, add, end } = stage(queue);
    const told = Promise.allSettled([add('a1', 'a'), add('a1', 'a')]);
    assert.ok(queue.underWay('a1'));
    await end('a1', new Error('broken'));
    assert.deepEqual(
      (await told).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(begun, ['a1']);
    assert.deepEqual([queue.size(), queue.size('a'), queue.underWay('a1')], [0, 0, undefined]);
    void add('a1', 'a');
    assert.deepEqual(begun, ['a1', 'a1']);
  });

  it('counts what waits and runs, and closed begins nothing more', async () => {
    const queue = fairQueue({ ...SHARES, atOnce: 1 });
    const { begun, add, end } = stage(queue);
    void add('a1', 'a');
    const dropped = Promise.all([add('a2', 'a'), add('a3', 'a'), add('a4', 'a', 'link')]);
    void add('b1', 'b');
    void add('b2', 'b');
    assert.deepEqual([queue.size(), queue.size('a'), queue.size('b'), queue.size('c')], [6, 4, 2, 0]);
    let closed = false;
    const closing = queue.close().then(() => {
      closed = true;
    });
    await dropped;
    assert.equal(closed, false, 'what runs is waited for');
    await end('a1');
    await closing;
    await add('c1', 'c');
    assert.deepEqual(begun, ['a1']);
    assert.equal(queue.size(), 0);
  });

  it('puts what only paused before its own kind, and behind owners who came meanwhile; closed, it ends there', async () => {
    const queue = fairQueue({ ...SHARES, atOnce: 1 });
    const begun: string[] = [];
    const add = (name: string, owner: string, runs: number) =>
      queue.add({
        name,
        owner,
        through: null,
        async run() {
          begun.push(name);
          return --runs > 0 ? 'again' : undefined;
        },
      });
    await Promise.all([add('a1', 'a', 3), add('a2', 'a', 1), add('b1', 'b', 2)]);
    assert.deepEqual(begun, ['a1', 'b1', 'a1', 'b1', 'a1', 'a2']);
    const endless = add('a3', 'a', Number.POSITIVE_INFINITY);
    await queue.close();
    await endless;
    assert.equal(queue.size(), 0);
  });
});
