// Places under the installation's limit of cards: lent to a tenant before he makes a card, taken back from others before he is refused.
// Rule: each step is a commit of one owner. More places: the installation first, then the tenant; fewer: the tenant first. A serial tells a
// step that comes late. So what is cut off between the two wastes places until somebody needs them, and the limit is never passed.
import type { Command, Loaded, Need } from '../../store/index.ts';
import type { CardLimits } from '../rules/index.ts';
import { type InstallationLimits, limitsKind, needLimits } from '../tenants/index.ts';
import { type CountKey, countKind, type LiveByTenant, liveKind, needCount, needLive } from './counts-queries.ts';
import {
  leaseKind,
  leasesKind,
  leaseWrite,
  needLease,
  needLeases,
  needPlaces,
  type PlaceKey,
  type Places,
  placesKind,
  placesWrite,
} from './place-queries.ts';
import { type Lendable, type LendingDeps, MOST_TRIES, Wanted } from './wanted.ts';

/** The places that a new card takes: one a limit that the installation has for it. */
export interface PlacesSource {
  readonly keys: readonly PlaceKey[];
  /** Version of the limit, as far as this process knows. */
  readonly version: bigint;
}

const mostOf = ({ total, currencies }: CardLimits, currency: string): number | null =>
  currency === '' ? total : (currencies[currency] ?? null);

export const placesFor = (
  { cardLimits, version }: InstallationLimits,
  { tenant_id, currency }: PlaceKey,
): PlacesSource => ({
  version,
  keys: ['', currency].filter((one) => mostOf(cardLimits, one) !== null).map((one) => ({ tenant_id, currency: one })),
});

const countOf = ({ tenant_id, currency }: PlaceKey): CountKey => ({
  tenant_id,
  level: 'TENANT',
  level_id: 0n,
  currency,
});

/** What the places are compared with: to be needed, too (`countsUpTo`). */
export const countsOfPlaces = ({ keys }: PlacesSource): CountKey[] => keys.map(countOf);
export const needsOfPlaces = ({ keys }: PlacesSource): Need[] => keys.map(needPlaces);

/** One more card of the tenant has its places; wanted where one is missing, or was granted under a limit that has changed since. */
export function assertPlaces(loaded: Loaded, { keys, version }: PlacesSource): void {
  for (const key of keys) {
    const live = loaded.get(countKind, countOf(key)) ?? 0n;
    const places = loaded.get(placesKind, key);
    if (!places || places.version < version || live >= places.granted) throw new Wanted(PLACES, key);
  }
}

/** Most that are lent at once; of what is left, a part, so that several find some. */
const MOST_LENT = 1000n;
const PART = 8n;
const lentOf = (left: bigint): bigint => {
  const part = left / PART;
  if (part < 1n) return 1n;
  return part < MOST_LENT ? part : MOST_LENT;
};

type Lent =
  | { readonly lease: Places }
  /** Nothing is free, but these have more than they use. */
  | { readonly spare: readonly Places[] }
  /** There are as many cards as there may be. */
  | { readonly full: true };

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** What is free of a limit: what nobody was granted, and nobody has made a card of. */
function standing(leases: readonly Places[], live: LiveByTenant, tenantId: bigint) {
  const granted = new Map(leases.map((lease) => [lease.tenant_id, lease.granted]));
  const reserved = (id: bigint): bigint => larger(granted.get(id) ?? 0n, live.get(id) ?? 0n);
  const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
  return {
    reserved: sum([...new Set([...granted.keys(), ...live.keys()])].map(reserved)),
    live: sum([...live.values()]),
    own: reserved(tenantId),
    ownLive: live.get(tenantId) ?? 0n,
  };
}

/** Places for one more card of the tenant, and some to spare. */
const lend = (key: PlaceKey): Command<Lent> => ({
  name: 'places.lend',
  owner: null,
  prepares: true,
  needs: [needLimits, needLeases(key.currency), needLease(key), needLive(key.currency)],
  decide(loaded) {
    const { cardLimits, version } = loaded.get(limitsKind, 'installation') as InstallationLimits;
    const most = mostOf(cardLimits, key.currency);
    const leases = loaded.get(leasesKind, key.currency) ?? [];
    const live: LiveByTenant = loaded.get(liveKind, key.currency) ?? new Map();
    const before = loaded.get(leaseKind, key);
    const now = standing(leases, live, key.tenant_id);
    if (most !== null && now.live >= BigInt(most)) return { value: { full: true }, changes: [] };
    const left = most === null ? MOST_LENT : BigInt(most) - now.reserved;
    const spare = now.own > now.ownLive;
    if (left < (spare ? 0n : 1n)) {
      const unused = ({ tenant_id, granted }: Places): bigint => granted - (live.get(tenant_id) ?? 0n);
      const those = leases.filter((lease) => unused(lease) > 0n).sort((a, b) => (unused(a) > unused(b) ? -1 : 1));
      return { value: { spare: those }, changes: [] };
    }
    const granted = spare ? now.own : now.own + lentOf(left);
    const lease: Places = { ...key, granted, serial: (before?.serial ?? 0n) + 1n, version };
    return { value: { lease }, changes: [leaseWrite(before, lease)] };
  },
});

/** The tenant hears of his lease, unless he has heard of a later one. */
const take = (lease: Places): Command<void> => ({
  name: 'places.take',
  owner: lease.tenant_id,
  prepares: true,
  needs: [needPlaces(lease)],
  decide(loaded) {
    const places = loaded.get(placesKind, lease);
    const late = places !== undefined && places.serial >= lease.serial;
    return { value: undefined, changes: late ? [] : [placesWrite(places, lease)] };
  },
});

/** The tenant keeps no more places than he has cards, and takes this lease into use no more; how many. null: he has heard of a later one. */
const close = (lease: Places): Command<bigint | null> => ({
  name: 'places.close',
  owner: lease.tenant_id,
  prepares: true,
  needs: [needCount(countOf(lease)), needPlaces(lease)],
  decide(loaded) {
    const places = loaded.get(placesKind, lease);
    if (places && places.serial > lease.serial) return { value: null, changes: [] };
    const live = loaded.get(countKind, countOf(lease)) ?? 0n;
    const had = places?.granted ?? 0n;
    const granted = had < live ? had : live;
    const closed: Places = { ...(places ?? lease), granted, serial: lease.serial };
    return { value: granted, changes: [placesWrite(places, closed)] };
  },
});

/** The installation hears what the tenant kept, as long as it hasn't lent him more meanwhile. */
const note = (lease: Places, granted: bigint): Command<void> => ({
  name: 'places.note',
  owner: null,
  prepares: true,
  needs: [needLimits, needLease(lease)],
  decide(loaded) {
    const now = loaded.get(leaseKind, lease);
    const same = now !== undefined && now.serial === lease.serial;
    return {
      value: undefined,
      changes: same ? [leaseWrite(now, { ...now, granted, serial: now.serial + 1n })] : [],
    };
  },
});

async function takeBack({ committer }: LendingDeps, lease: Places): Promise<void> {
  const granted = await committer.submit(close(lease));
  if (granted !== null) await committer.submit(note(lease, granted));
}

async function provide(deps: LendingDeps, key: PlaceKey): Promise<boolean> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const lent = await deps.committer.submit(lend(key));
    if ('full' in lent) return false;
    if ('lease' in lent) {
      await deps.committer.submit(take(lent.lease));
      return true;
    }
    // Who has most to spare comes first: often his is enough.
    const [first] = lent.spare;
    if (first) await takeBack(deps, first);
  }
  return true;
}

/** Places for cards under the installation's limit. */
const PLACES: Lendable<PlaceKey> = {
  refusal: 'SYSTEM_LIMITS_EXCEEDED',
  turnOf: ({ currency }) => `places/${currency}`,
  provide,
};
