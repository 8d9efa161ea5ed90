// Identifiers: 63 bits, ordered by time inside, permuted outside, so that they tell neither volume nor neighbours.
import { assert } from './assert.ts';
import { type Clock, systemClock } from './clock.ts';

const EPOCH_MS = Date.UTC(2025, 0, 1);

/** No id of this moment, or of a later one, is smaller; none before is as great. */
export const idFrom = (moment: Date): bigint => BigInt(Math.max(0, moment.getTime() - EPOCH_MS)) << 22n;

/** The moment that an id carries. */
export const idMoment = (id: bigint): Date => new Date(Number(id >> 22n) + EPOCH_MS);

export interface IdMaker {
  /** A new id, greater than every earlier one of this maker: 41 bits milliseconds, 10 bits node, 12 bits sequence. */
  next(): bigint;
  /**
   * The same, and greater than this one of another maker: clocks of two servers differ, and one that is set back and started anew knows no
   * earlier moment. Of what has an order of its own (the operations of one order) the last one is known whenever another is made.
   */
  after(earlier: bigint): bigint;
  /**
   * The same by real time, wherever the clock of a sandbox stands: of what is kept for so many days and then dropped by its ids
   * (docs/adr/0026-events-are-kept-by-days.md).
   */
  real(): bigint;
}

/** How many makers may have ids of one millisecond. */
export const ID_NODES = 1024;

/**
 * The clock may be set back (sandbox): ids go on from the highest moment seen. 4096 ids a millisecond, then the next one is borrowed.
 * `node`, from 0 to 1023: no other maker has it that may see the same milliseconds. `real`: what makes ids by real time; with a node of its
 * own none of its ids is one of these.
 */
export function idMaker(
  clock: Clock,
  node: number,
  real: { readonly clock: Clock; readonly node: number } = { clock: systemClock, node },
): IdMaker {
  const line = idLine(clock, node);
  const realLine = idLine(real.clock, real.node);
  return {
    next: line.next,
    after(earlier) {
      line.passes(Number(earlier >> 22n));
      return line.next();
    },
    real: realLine.next,
  };
}

function idLine(clock: Clock, node: number): { next(): bigint; passes(ms: number): void } {
  assert(Number.isInteger(node) && node >= 0 && node < ID_NODES, 'a node of the id maker is a number from 0 to 1023');
  const shifted = BigInt(node) << 12n;
  let lastMs = 0;
  let sequence = 0;
  return {
    next() {
      const ms = clock.now().getTime() - EPOCH_MS;
      if (ms > lastMs) {
        lastMs = ms;
        sequence = 0;
      } else if (++sequence === 4096) {
        lastMs++;
        sequence = 0;
      }
      return (BigInt(lastMs) << 22n) | shifted | BigInt(sequence);
    },
    passes(ms) {
      if (ms < lastMs) return;
      lastMs = ms + 1;
      sequence = -1;
    },
  };
}

export interface Permutation {
  /** Internal id → the decimal digits that the APIs show. */
  outward(id: bigint): string;
  /** What the APIs were given → internal id; null when it is no id of ours in form. */
  inward(text: string): bigint | null;
}

const ROUNDS = 27;
const MASK_63 = (1n << 63n) - 1n;

/** Speck64/128 (Beaulieu et al., 2013) over 64 bits, walked until the result has 63: a keyed bijection, not a secret. `key`: 16 bytes. */
export function idPermutation(key: Buffer): Permutation {
  const keys = new Uint32Array(ROUNDS);
  const l = [key.readUInt32LE(4), key.readUInt32LE(8), key.readUInt32LE(12)];
  keys[0] = key.readUInt32LE(0);
  for (let i = 0; i < ROUNDS - 1; i++) {
    const k = keys[i] as number;
    const li = l[i % 3] as number;
    const mixed = (k + ((li >>> 8) | (li << 24))) ^ i;
    l[i % 3] = mixed;
    keys[i + 1] = ((k << 3) | (k >>> 29)) ^ mixed;
  }
  const encrypt = (block: bigint): bigint => {
    let x = Number(block >> 32n) | 0;
    let y = Number(block & 0xffffffffn) | 0;
    for (let i = 0; i < ROUNDS; i++) {
      x = (((x >>> 8) | (x << 24)) + y) ^ (keys[i] as number);
      y = ((y << 3) | (y >>> 29)) ^ x;
    }
    return (BigInt(x >>> 0) << 32n) | BigInt(y >>> 0);
  };
  const decrypt = (block: bigint): bigint => {
    let x = Number(block >> 32n) | 0;
    let y = Number(block & 0xffffffffn) | 0;
    for (let i = ROUNDS - 1; i >= 0; i--) {
      y ^= x;
      y = (y >>> 3) | (y << 29);
      const t = (x ^ (keys[i] as number)) - y;
      x = (t << 8) | (t >>> 24);
    }
    return (BigInt(x >>> 0) << 32n) | BigInt(y >>> 0);
  };
  return {
    outward(id) {
      let block = encrypt(id);
      while (block > MASK_63) block = encrypt(block);
      return block.toString();
    },
    inward(text) {
      if (!/^(0|[1-9]\d{0,18})$/.test(text)) return null;
      let block = BigInt(text);
      if (block > MASK_63) return null;
      block = decrypt(block);
      while (block > MASK_63) block = decrypt(block);
      return block;
    },
  };
}
