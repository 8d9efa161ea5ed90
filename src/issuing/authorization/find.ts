// Whose card a number is, and all that judges it: found without a lock, because it never changes or may be seconds old.
// Rule: what is remembered of a number is what never changes; what does is read under the card's lock.
import type { Pan } from '../../base/index.ts';
import type { RateOf } from '../../ledger/index.ts';
import { type Card, cardGet, cardOfFingerprint, instrumentOf } from '../cards/index.ts';
import type { Identity } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { RuleLevel } from '../rules/index.ts';
import type { Profile, Programme, Tenant } from '../tenants/index.ts';

export interface CardPlace {
  readonly tenantId: bigint;
  readonly cardId: bigint;
  readonly instrumentId: bigint;
  /** null: a prepaid card. */
  readonly parentId: bigint | null;
  readonly identityId: bigint;
  readonly programmeId: bigint;
  readonly profileId: bigint;
}

export const placeOf = (card: Card): CardPlace => ({
  tenantId: card.tenant_id,
  cardId: card.id,
  instrumentId: instrumentOf(card),
  parentId: card.parent_account_id,
  identityId: card.identity_id,
  programmeId: card.programme_id,
  profileId: card.profile_id,
});

const MOST_REMEMBERED = 100_000;

export type FindCard = (pan: Pan) => Promise<CardPlace | null>;

/** Remembers the places of the numbers that were asked for last. */
export function cardFinder(deps: Pick<IssuingDeps, 'db' | 'vault'>): FindCard {
  const places = new Map<string, CardPlace>();
  return async (pan) => {
    const fingerprint = deps.vault.fingerprint(pan);
    const known = places.get(fingerprint);
    if (known) {
      // To the end of the row: what stands first was not asked for the longest.
      places.delete(fingerprint);
      places.set(fingerprint, known);
      return known;
    }
    const found = await cardOfFingerprint(deps.db, fingerprint);
    const card = found && (await cardGet(deps.db, found.tenantId, found.id));
    if (!card) return null;
    const place = placeOf(card);
    places.set(fingerprint, place);
    for (const oldest of places.keys()) {
      if (places.size <= MOST_REMEMBERED) break;
      places.delete(oldest);
    }
    return place;
  };
}

export interface Surroundings {
  readonly tenant: Tenant;
  readonly programme: Programme;
  readonly profile: Profile;
  /** Of platform and profile; identity and card are read with the card's row. */
  readonly levels: Readonly<Record<'PLATFORM' | 'PROFILE', RuleLevel>>;
  /** As they stood when the request came. */
  readonly rate: RateOf;
}

/** The levels that judge a card, from the widest to the narrowest. */
export const levelsOf = (
  { levels }: Pick<Surroundings, 'levels'>,
  identity: Pick<Identity, 'settings'>,
  card: Pick<Card, 'details'>,
): RuleLevel[] => [
  levels.PLATFORM,
  { level: 'IDENTITY', rules: identity.settings.rules },
  levels.PROFILE,
  { level: 'CARD', rules: card.details.rules },
];

/** null: something that the card belongs to is gone; nobody can judge it then. */
export async function surroundingsOf(
  deps: Pick<IssuingDeps, 'rates' | 'tenants'>,
  place: CardPlace,
): Promise<Surroundings | null> {
  const { tenants } = deps;
  const [tenant, programme, profile, installation] = await Promise.all([
    tenants.tenant(place.tenantId),
    tenants.programme(place.tenantId, place.programmeId),
    tenants.profile(place.tenantId, place.profileId),
    tenants.installation(),
  ]);
  if (!tenant || !programme || !profile) return null;
  const { rules, atmDailyLimit } = profile.settings;
  return {
    tenant,
    programme,
    profile,
    rate: deps.rates(),
    levels: {
      PLATFORM: { level: 'PLATFORM', rules: installation.rules },
      PROFILE: { level: 'PROFILE', rules, atmDailyLimit },
    },
  };
}
