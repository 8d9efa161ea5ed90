// Chance: replayable from a seed, and the system's own.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Random, seededRandom, systemRandom } from '../../src/base/index.ts';

const draws = (random: Random, count: number, max = 0x1_0000_0000): number[] =>
  Array.from({ length: count }, () => random.int(max));

describe('seeded chance', () => {
  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [one, two] = [seededRandom(seed), seededRandom(seed)];
        assert.deepEqual(draws(one, 20), draws(two, 20));
        assert.deepEqual(one.bytes(16), two.bytes(16));
      }),
    );
  });

  it('is the same on every machine and in every version: a seed in a report must stay worth something', () => {
    assert.deepEqual(draws(seededRandom(42), 4, 1000), [660, 126, 111, 814]);
  });

  it('differs from seed to seed', () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => draws(seededRandom(seed), 2).join());
    assert.equal(new Set(firsts).size, firsts.length);
  });

  it('is spread evenly', () => {
    const counts = Array.from({ length: 10 }, () => 0);
    for (const value of draws(seededRandom(7), 20_000, 10)) counts[value] = (counts[value] ?? 0) + 1;
    for (const count of counts) assert.ok(Math.abs(count - 2000) < 250, `${counts}`);
    const bytes = new Set(seededRandom(7).bytes(20_000));
    assert.equal(bytes.size, 256);
  });
});

for (const [name, random] of [
  ['seeded', seededRandom(1)],
  ['system', systemRandom],
] as const)
  describe(`${name} chance`, () => {
    it('stays below what was asked', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 0x1_0000_0000 }), (max) => {
          const value = random.int(max);
          assert.ok(Number.isInteger(value) && value >= 0 && value < max);
        }),
      );
      assert.equal(random.int(1), 0);
    });

    it('gives as many bytes as asked', () => {
      for (const length of [0, 1, 16, 33]) assert.equal(random.bytes(length).length, length);
    });
  });

describe('bytes of the system', () => {
  it('are given out once, and lie in memory of their own', () => {
    const drawn = Array.from({ length: 2000 }, (_, i) => systemRandom.bytes(8 + (i % 300)));
    const starts = new Set(
      drawn.flatMap((bytes) => [bytes.toString('hex', 0, 8), bytes.toString('hex', bytes.length - 8)]),
    );
    // Eight bytes are first and last of themselves.
    assert.equal(starts.size, 2 * drawn.length - drawn.filter(({ length }) => length === 8).length);
    for (const bytes of drawn) assert.equal(bytes.buffer.byteLength, bytes.length);
  });
});
