// Statements on card_leases and card_places: how many cards a tenant may have under the installation's limit, as the installation knows it,
// and as the tenant does. Rule: who changes a lease holds `card_limits`; a tenant never has more places than his lease says.
import { type Change, follow, insert, type Kind, type Need, rowKind, table, update } from '../../store/index.ts';

export interface PlaceKey {
  readonly tenant_id: bigint;
  /** '' counts all cards. */
  readonly currency: string;
}

/** So many cards of the tenant, at most: made, or still to be. */
export interface Places extends PlaceKey {
  readonly granted: bigint;
  /** Counts the changes of the lease; the tenant has the one that he heard of last. */
  readonly serial: bigint;
  /** Version of the limit that they were granted under. */
  readonly version: bigint;
}

const columns = { currency: 'text', tenant_id: 'int8', granted: 'int8', serial: 'int8', version: 'int8' } as const;
// Its rows are the installation's; the tenant is said of them.
const cardLeases = table<Places>('card_leases', columns, ['currency', 'tenant_id']);
const cardPlaces = table<Places>('card_places', columns, ['tenant_id', 'currency']);

const keyOf = ({ tenant_id, currency }: PlaceKey): PlaceKey => ({ tenant_id, currency });
const writing =
  (of: typeof cardLeases) =>
  (before: Places | undefined, after: Places): Change =>
    before ? update(of, after) : insert(of, after);
export const leaseWrite = writing(cardLeases);
export const placesWrite = writing(cardPlaces);

export const leaseKind: Kind<PlaceKey, Places> = rowKind(cardLeases, {
  // Behind `card_limits`, which locks it.
  name: 'card_limits_lease',
  keyOf,
  locked: false,
});
export const needLease = (key: PlaceKey): Need => ({ kind: leaseKind, key });

/** Of one currency, everybody's. */
export const leasesKind: Kind<string, readonly Places[]> = {
  name: 'card_limits_leases',
  keyText: (currency) => currency,
  async load(db, currencies) {
    const rows = await db.query<Places>('select * from card_leases where currency = any($1::text[])', [currencies]);
    return Map.groupBy(rows, ({ currency }) => currency);
  },
  follows: [follow(cardLeases, ({ currency }) => currency)],
};
export const needLeases = (currency: string): Need => ({ kind: leasesKind, key: currency });

/** Locked before the count of live cards that they are compared with. */
export const placesKind: Kind<PlaceKey, Places> = rowKind(cardPlaces, { name: 'card_places', keyOf, locked: true });
export const needPlaces = (key: PlaceKey): Need => ({ kind: placesKind, key });
