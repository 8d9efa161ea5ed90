// The only door to chance. The system's is cryptographic; a seeded one makes faults and simulations replayable.
import { randomBytes, randomFillSync, randomInt } from 'node:crypto';

export interface Random {
  bytes(length: number): Buffer;
  /** Uniform integer in 0 <= n < max, max <= 2^32. */
  int(max: number): number;
}

const BLOCK = 4096;

/**
 * Few bytes at a time out of a block: asking the system costs more than they do. What is handed out is gone from the block, and lies in
 * memory of its own.
 */
function systemBytes(): Random['bytes'] {
  const block = Buffer.allocUnsafeSlow(BLOCK);
  let at = BLOCK;
  return (length) => {
    if (length > BLOCK / 16) return randomBytes(length);
    if (at + length > BLOCK) {
      randomFillSync(block);
      at = 0;
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    block.copy(bytes, 0, at, at + length);
    block.fill(0, at, at + length);
    at += length;
    return bytes;
  };
}

export const systemRandom: Random = { bytes: systemBytes(), int: (max) => randomInt(max) };

/** Deterministic (xoshiro128**): the same seed gives the same sequence on every machine. Never for secrets. */
export function seededRandom(seed: number): Random {
  let mix = seed >>> 0;
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix() | 1];
  const next = (): number => {
    const rotated = Math.imul(b, 5);
    const result = Math.imul((rotated << 7) | (rotated >>> 25), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  return {
    bytes: (length) => Buffer.from(Array.from({ length }, () => next() & 0xff)),
    int: (max) => Math.floor((next() / 0x1_0000_0000) * max),
  };
}
