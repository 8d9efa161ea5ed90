// Work in turns: owner after owner, short and long in turn, bounded in number and time, and resting where others are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Busy, breathe, createTurns, type Steps, type Turns, type TurnsOptions } from '../../src/base/index.ts';

/** A clock that is moved by hand; `slept`: every rest that was taken. */
function manual() {
  const slept: number[] = [];
  const clock = {
    ms: 0,
    slept,
    elapsed: () => clock.ms,
    async sleep(ms: number) {
      slept.push(ms);
    },
  };
  return clock;
}

const turnsOf = (clock: TurnsOptions['clock'], options: Partial<TurnsOptions> = {}): Turns =>
  createTurns({
    clock,
    shares: { atOnce: 1, perOwner: 1, perThrough: 1, perOwnerThrough: 1 },
    mostOfOwner: 10,
    longestWaitMs: 1000,
    crowded: () => false,
    rest: 2,
    ...options,
  });

/** So many steps, each of them written down. */
async function* steps(said: string[], name: string, count: number, each: () => void = () => undefined): Steps<string> {
  for (let i = 1; i <= count; i++) {
    said.push(`${name}${i}`);
    each();
    if (i < count) yield;
  }
  return name;
}

const resultsOf = async (runs: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(runs)).map((result) =>
    result.status === 'fulfilled' ? result.value : (result.reason as Error).name,
  );

test('owners take turns step by step; of an owner’s works the short and the long do, the oldest of each first', async () => {
  const said: string[] = [];
  const turns = turnsOf(manual());
  const long = (name: string, count: number) =>
    turns.run({ owner: name.charAt(0), long: true, work: () => steps(said, name, count) });
  const short = (name: string) =>
    turns.run({ owner: name.charAt(0), long: false, work: async () => said.push(name) > 0 && name });
  const done = await Promise.all([long('a', 3), long('b', 3), long('bb', 1), short('by'), short('bz'), short('c')]);
  assert.deepEqual(done, ['a', 'b', 'bb', 'by', 'bz', 'c']);
  assert.deepEqual(said, ['a1', 'b1', 'c', 'a2', 'by', 'a3', 'b2', 'bz', 'b3', 'bb1']);
});

test('what is not asynchronous is work, too; what throws fails alone', async () => {
  const turns = turnsOf(manual());
  const broken = async function* (): Steps<never> {
    yield;
    throw new RangeError('in the second step');
  };
  const run = (work: () => unknown) => turns.run({ owner: 'a', long: true, work });
  const thrown = (): never => {
    throw new TypeError('at once');
  };
  assert.deepEqual(await resultsOf([run(broken), run(thrown), run(() => 7), run(async () => 8)]), [
    'RangeError',
    'TypeError',
    7,
    8,
  ]);
});

test('more than one owner may have under way is refused at once, and nobody else is', async () => {
  const turns = turnsOf(manual(), { mostOfOwner: 3 });
  const one = (owner: string) => turns.run({ owner, long: false, work: async () => owner });
  assert.deepEqual(await resultsOf([one('a'), one('a'), one('a'), one('a'), one('b')]), ['a', 'a', 'a', 'Busy', 'b']);
  assert.equal(await one('a'), 'a');
});

test('who has waited too long for the first step is refused before it', async () => {
  const clock = manual();
  const turns = turnsOf(clock);
  let begun = 0;
  const late = (owner: string) => turns.run({ owner, long: false, work: async () => ++begun });
  const slow = async function* (): Steps<string> {
    for (let i = 0; i < 3; i++) {
      await breathe();
      clock.ms += 5000;
      yield;
    }
    return 'as long as it takes, once it has begun';
  };
  const results = await resultsOf([turns.run({ owner: 'a', long: false, work: slow }), late('a'), late('b')]);
  assert.deepEqual(results, ['as long as it takes, once it has begun', 'Busy', 'Busy']);
  assert.equal(begun, 0);
  await assert.rejects(
    () => turnsOf(clock, { mostOfOwner: 0 }).run({ owner: 'a', long: false, work: () => 1 }),
    (error) => error instanceof Busy && error.retryAfterSeconds > 0,
  );
});

test('a step of a long work is followed by a rest while anybody else is there, and by none otherwise', async () => {
  const clock = manual();
  let others = 1;
  const turns = turnsOf(clock, { crowded: (own) => others > own });
  const long = () => turns.run({ owner: 'a', long: true, work: () => steps([], 'a', 4, () => void (clock.ms += 7)) });
  // It alone is under way: not crowded.
  await long();
  assert.deepEqual(clock.slept, []);
  others = 2;
  await long();
  assert.deepEqual(clock.slept, [14, 14, 14], 'and nobody waits for what is over');
});

test('what nobody waits for any more ends before its next step', async () => {
  const said: string[] = [];
  const turns = turnsOf(manual());
  const results = await resultsOf([
    turns.run({ owner: 'a', long: true, work: () => steps(said, 'a', 9), wanted: () => said.length < 3 }),
    turns.run({ owner: 'a', long: true, work: () => steps(said, 'never', 1), wanted: () => false }),
    turns.run({ owner: 'b', long: true, work: () => steps(said, 'b', 2) }),
  ]);
  assert.deepEqual(results, ['Busy', 'Busy', 'b']);
  assert.deepEqual(said, ['a1', 'b1', 'a2', 'b2']);
});
