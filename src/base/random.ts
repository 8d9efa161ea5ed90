// The only door to chance. The system's is cryptographic; a seeded one makes faults and simulations replayable.
import { randomBytes, randomInt } from 'node:crypto';

export interface Random {
  bytes(length: number): Buffer;
  /** Uniform integer in 0 <= n < max, max <= 2^32. */
  int(max: number): number;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), int: (max) => randomInt(max) };

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
