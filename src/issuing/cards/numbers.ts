// Card numbers: the n-th of a range, by a keyed permutation, so that every number is given out once and none tells its neighbours.
// Rule: a number is made inside the commit that counts it as used.
import { assert, luhnDigit, Pan } from '../../base/index.ts';
import type { Brand, CardRange, Profile } from '../tenants/index.ts';

type Keyed = (purpose: string, data: string) => Buffer;

const ROUNDS = 8;

/**
 * A bijection on 0 .. size - 1: a Feistel network over the next even number of bits, walked until the result is inside (Black and
 * Rogaway, 2002, "cycle walking").
 */
export function permuted(keyed: Keyed, name: string, size: bigint, index: bigint): bigint {
  assert(index >= 0n && index < size, 'an index of the range');
  const half = BigInt(Math.max(1, Math.ceil(size.toString(2).length / 2)));
  const mask = (1n << half) - 1n;
  let value = index;
  do {
    let left = value >> half;
    let right = value & mask;
    for (let round = 0; round < ROUNDS; round++) {
      const mixed = keyed('card.number', `${name}/${round}/${right}`).readBigUInt64BE() & mask;
      [left, right] = [right, left ^ mixed];
    }
    value = (left << half) | right;
  } while (value >= size);
  return value;
}

/** The next number of a range that has one left. */
export function nextNumber(keyed: Keyed, { name, prefix, number_length, size, used }: CardRange): Pan {
  const own = permuted(keyed, name, size, used).toString();
  const payload = prefix + own.padStart(number_length - prefix.length - 1, '0');
  assert(payload.length === number_length - 1, 'a range whose numbers fit');
  const pan = Pan.parse(payload + luhnDigit(payload));
  assert(pan, 'a card number');
  return pan;
}

/** The brand that routing picks; null: none that the profile has. */
export function providerFor({ settings }: Profile, currency: string, country: string): Brand | null {
  const routed = settings.routing.find(
    (route) =>
      (route.currency === undefined || route.currency === currency) &&
      (route.country === undefined || route.country === country),
  );
  const provider = routed?.provider ?? settings.providers[0];
  return provider && settings.providers.includes(provider) ? provider : null;
}
