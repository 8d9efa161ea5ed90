// Ids: ordered inside, without visible order outside, and back again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Clock, idFrom, idMaker, idPermutation, VirtualClock } from '../../src/base/index.ts';

/** Speck64/128 in the words of its paper (Beaulieu et al., 2013), on bigints: slow, and nothing in common with ours. */
function speck(key: readonly [bigint, bigint, bigint, bigint], block: bigint): bigint {
  const word = 0xffffffffn;
  const left = (x: bigint, n: bigint): bigint => ((x << n) | (x >> (32n - n))) & word;
  const right = (x: bigint, n: bigint): bigint => left(x, 32n - n);
  const round = (x: bigint, y: bigint, k: bigint): [bigint, bigint] => {
    const mixed = ((right(x, 8n) + y) & word) ^ k;
    return [mixed, left(y, 3n) ^ mixed];
  };
  const [l2, l1, l0, k0] = key;
  const rest = [l0, l1, l2];
  let [x, y] = [block >> 32n, block & word];
  let k = k0;
  for (let i = 0n; i < 27n; i++) {
    [x, y] = round(x, y, k);
    const [l, next] = round(rest.shift() as bigint, k, i);
    rest.push(l);
    k = next;
  }
  return (x << 32n) | y;
}

const MOST = (1n << 63n) - 1n;
const id = fc.bigInt({ min: 0n, max: MOST });
const keys = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes));

const wordsOf = (key: Buffer): [bigint, bigint, bigint, bigint] =>
  [12, 8, 4, 0].map((at) => BigInt(key.readUInt32LE(at))) as [bigint, bigint, bigint, bigint];

describe('outward ids', () => {
  it('are a cipher that gives the published result', () => {
    const key = [0x1b1a1918n, 0x13121110n, 0x0b0a0908n, 0x03020100n] as const;
    assert.equal(speck(key, 0x3b726574_7475432dn), 0x8c6fa548_454e028bn);
  });

  it('are that cipher, walked until the result has 63 bits', () => {
    const published = Buffer.from('0001020308090a0b1011121318191a1b', 'hex');
    assert.deepEqual(wordsOf(published), [0x1b1a1918n, 0x13121110n, 0x0b0a0908n, 0x03020100n]);
    const walked = (key: Buffer, start: bigint): bigint => {
      let block = start;
      do block = speck(wordsOf(key), block);
      while (block > MOST);
      return block;
    };
    assert.equal(
      idPermutation(published).outward(0x3b726574_7475432dn),
      walked(published, 0x3b726574_7475432dn).toString(),
    );
    fc.assert(
      fc.property(keys, id, (key, inside) =>
        assert.equal(idPermutation(key).outward(inside), walked(key, inside).toString()),
      ),
    );
  });

  it('lead back to the one id they came from', () => {
    fc.assert(
      fc.property(keys, id, (key, inside) => {
        const permutation = idPermutation(key);
        const outside = permutation.outward(inside);
        assert.match(outside, /^(0|[1-9]\d{0,18})$/);
        assert.ok(BigInt(outside) <= MOST);
        assert.equal(permutation.inward(outside), inside);
      }),
    );
  });

  it('are reached from every number of 63 bits', () => {
    fc.assert(
      fc.property(keys, id, (key, outside) => {
        const permutation = idPermutation(key);
        const inside = permutation.inward(outside.toString());
        assert.ok(inside !== null && inside >= 0n && inside <= MOST);
        assert.equal(permutation.outward(inside), outside.toString());
      }),
    );
  });

  it('hold at the edges', () => {
    const permutation = idPermutation(Buffer.alloc(16, 7));
    for (const inside of [0n, 1n, 0xffff_ffffn, 1n << 32n, 1n << 62n, MOST])
      assert.equal(permutation.inward(permutation.outward(inside)), inside);
  });

  it('show neither order nor distance of neighbours', () => {
    const permutation = idPermutation(Buffer.from('00112233445566778899aabbccddeeff', 'hex'));
    const outside = Array.from({ length: 4000 }, (_, i) => BigInt(permutation.outward(1_000_000n + BigInt(i))));
    assert.equal(new Set(outside).size, outside.length);
    const rises = outside.filter((value, i) => i > 0 && value > (outside[i - 1] as bigint)).length;
    // Half of 3999 pairs, within five standard deviations of a fair coin's rises (sqrt(n/12) for a random order).
    assert.ok(Math.abs(rises - 2000) < 5 * Math.sqrt(4000 / 12), `${rises} rises`);
    const near = outside.filter(
      (value, i) => i > 0 && [value - (outside[i - 1] as bigint)].some((d) => d < 1n << 40n && d > -(1n << 40n)),
    ).length;
    assert.equal(near, 0);
    // Every bit changes in about half of the steps.
    for (let bit = 0n; bit < 63n; bit++) {
      const flips = outside.filter(
        (value, i) => i > 0 && (((value ^ (outside[i - 1] as bigint)) >> bit) & 1n) === 1n,
      ).length;
      assert.ok(flips > 1700 && flips < 2300, `bit ${bit}: ${flips} flips`);
    }
  });

  it('differ from key to key', () => {
    const [one, two] = [idPermutation(Buffer.alloc(16, 1)), idPermutation(Buffer.alloc(16, 2))];
    fc.assert(fc.property(id, (inside) => assert.notEqual(one.outward(inside), two.outward(inside))));
  });

  // biome-ignore format: a list to be read across
  const FOREIGN = [
    '', ' ', '-1', '+1', '01', '00', '1.0', '1e3', '0x10', '1 ', ' 1', '1\n', 'abc', '١٢٣', '１２', (MOST + 1n).toString(), '9'.repeat(19), '1'.repeat(20), '9'.repeat(5000),
  ];
  for (const text of FOREIGN)
    it(`are not ${JSON.stringify(text.slice(0, 24))}`, () =>
      assert.equal(idPermutation(Buffer.alloc(16, 3)).inward(text), null));
});

describe('new ids', () => {
  const at = (moment: string): VirtualClock => {
    const clock = new VirtualClock();
    clock.set(new Date(moment));
    clock.freeze(true);
    return clock;
  };

  it('rise, ten thousand within one millisecond', () => {
    const ids = idMaker(at('2026-11-21T09:30:00Z'), 1);
    let before = -1n;
    for (let i = 0; i < 10_000; i++) {
      const next = ids.next();
      assert.ok(next > before && next <= MOST);
      before = next;
    }
  });

  it('rise when the clock is set back', () => {
    const clock = at('2027-05-01T00:00:00Z');
    const ids = idMaker(clock, 1);
    const before = ids.next();
    clock.set(new Date('2026-11-21T09:30:00Z'));
    assert.ok(ids.next() > before);
  });

  it('stand behind one of another maker, wherever its clock is', () => {
    const here = at('2026-11-21T09:30:00.005Z');
    for (const there of ['2026-11-21T09:30:00.004Z', '2026-11-21T09:30:00.005Z', '2027-05-01T00:00:00Z'])
      for (const node of [0, 2, 1023]) {
        const other = idMaker(at(there), node);
        const ids = idMaker(here, 1);
        const made = [other.next()];
        for (let i = 0; i < 5000; i++) made.push((i % 2 ? other : ids).after(made.at(-1) as bigint), ids.next());
        const rising = made.filter((_, i) => i % 2 === 0 || i === 0);
        assert.ok(rising.slice(1).every((one, i) => one > (rising[i] as bigint)));
        assert.equal(new Set(made).size, made.length);
      }
  });

  it('carry their time in the upper bits', () => {
    const clock = at('2026-11-21T09:30:00.123Z');
    const ms = Number(idMaker(clock, 1).next() >> 22n) + Date.UTC(2025, 0, 1);
    assert.equal(new Date(ms).toISOString(), '2026-11-21T09:30:00.123Z');
  });

  it('of real time go by it, wherever the other clock stands, and are none of the others', () => {
    const [business, real] = [at('2026-11-21T09:30:00Z'), at('2026-11-21T09:30:00Z')];
    const ids = idMaker(business, 1, { clock: real, node: 2 });
    const made = [ids.next(), ids.real()];
    for (const moment of ['2027-12-26T09:30:00Z', '2026-11-21T09:30:00Z']) {
      business.set(new Date(moment));
      made.push(ids.next(), ids.real());
    }
    assert.equal(new Set(made).size, made.length);
    const [first, second] = [idFrom(real.now()), idFrom(new Date(real.now().getTime() + 1))];
    for (const [i, id] of made.entries()) if (i % 2 === 1) assert.ok(id >= first && id < second);
  });

  it('of two processes in one millisecond differ', () => {
    const clock: Clock = at('2026-11-21T09:30:00Z');
    const makers = Array.from({ length: 8 }, (_, seed) => idMaker(clock, seed));
    const all = makers.flatMap((maker) => Array.from({ length: 100 }, () => maker.next()));
    assert.equal(new Set(all).size, all.length);
  });
});
