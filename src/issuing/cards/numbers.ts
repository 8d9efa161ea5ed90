// Card numbers: the n-th of a range, by a keyed permutation, so that every number is given out once and none tells its neighbours.
// Rule: a number is made inside the commit that counts it as used, from a block that its tenant holds (../lending): no other owner's row is
// touched.

import { assert, luhnDigit, Pan } from '../../base/index.ts';
import type { Change, Loaded, Told } from '../../store/index.ts';
import type { Sealer } from '../../vault/index.ts';
import type { Funds } from '../accounts/index.ts';
import { refuse } from '../fields/index.ts';
import {
  blockUpdate,
  type CardBlock,
  liveChanges,
  NUMBERS,
  type NumberSource,
  numbersKind,
  Wanted,
} from '../lending/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Brand, Profile } from '../tenants/index.ts';
import type { Card } from './model.ts';
import { cardNumberInsert } from './queries.ts';
import { type CardEventDeps, cardMade } from './write.ts';

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

/** The next number of a block that has one left. */
function nextNumber(keyed: Keyed, { range_name, prefix, number_length, range_size, first, used }: CardBlock): Pan {
  const own = permuted(keyed, range_name, range_size, first + used).toString();
  const payload = prefix + own.padStart(number_length - prefix.length - 1, '0');
  assert(payload.length === number_length - 1, 'a range whose numbers fit');
  const pan = Pan.parse(payload + luhnDigit(payload));
  assert(pan, 'a card number');
  return pan;
}

/** A number that was drawn for one new card. */
export interface DrawnNumber {
  readonly brand: Brand;
  readonly pan: Pan;
  /**
   * What makes the card: its row and the event that tells of it, its number, the block that has one number less, the counts of live cards.
   * `funds`: its own, as they are behind the commit.
   */
  changesFor(card: Card, told: Told, funds: Funds | null): Change[];
}

/** The next number of the tenant's block; wanted where he holds none. INSTRUMENT_NOT_FOUND where there is no range. */
export function drawNumber(
  deps: CardEventDeps & Pick<IssuingDeps, 'vault'>,
  seal: Sealer,
  loaded: Loaded,
  source: NumberSource | null,
): DrawnNumber {
  if (!source) throw refuse('INSTRUMENT_NOT_FOUND');
  const block = loaded.get(numbersKind, source);
  if (!block) throw new Wanted(NUMBERS, source);
  const pan = nextNumber((purpose, data) => deps.vault.keyed(purpose, data), block);
  return {
    brand: block.brand,
    pan,
    changesFor(card, told, funds) {
      const sealed = seal(card.tenant_id, card.id, { pan, expiry: '', holder: null }, told);
      return [
        ...cardMade(deps, told, card, funds),
        sealed.change,
        cardNumberInsert({ fingerprint: sealed.fingerprint, tenant_id: card.tenant_id, card_id: card.id }),
        blockUpdate({ ...block, used: block.used + 1n }),
        ...liveChanges(card, 1n),
      ];
    },
  };
}

/** The range of the brand that routing picks; null: none that the profile has. */
export function numbersFor(profile: Profile, currency: string, country: string): NumberSource | null {
  const provider = providerFor(profile, currency, country);
  const range = provider && profile.settings.ranges[provider];
  return range ? { tenantId: profile.tenantId, range } : null;
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
