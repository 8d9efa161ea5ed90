// Whose card a number is, and all that judges it: found without a lock, because it never changes or may be seconds old.
// Rule: what is remembered of a number is what never changes; what does is read under the card's lock.
import type { Pan } from '../../base/index.ts';
import { type Card, cardGet, cardOfFingerprint, instrumentOf } from '../cards/index.ts';
import type { Issuer } from '../issuer/index.ts';
import type { RuleLevel } from '../rules/index.ts';
import type { Identity, Profile, Programme, Tenant } from '../tenants/index.ts';

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
export function cardFinder(issuer: Issuer): FindCard {
  const places = new Map<string, CardPlace>();
  return async (pan) => {
    const fingerprint = issuer.vault.fingerprint(pan);
    const known = places.get(fingerprint);
    if (known) {
      // To the end of the row: what stands first was not asked for the longest.
      places.delete(fingerprint);
      places.set(fingerprint, known);
      return known;
    }
    const found = await cardOfFingerprint(issuer.db, fingerprint);
    const card = found && (await cardGet(issuer.db, found.tenantId, found.id));
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
  readonly identity: Identity;
  /** Platform, identity, profile; the card's own rules come from its locked row. */
  readonly levels: readonly RuleLevel[];
}

/** null: something that the card belongs to is gone; nobody can judge it then. */
export async function surroundingsOf(issuer: Issuer, place: CardPlace): Promise<Surroundings | null> {
  const { tenants } = issuer;
  const [tenant, programme, profile, identity, installation] = await Promise.all([
    tenants.tenant(place.tenantId),
    tenants.programme(place.tenantId, place.programmeId),
    tenants.profile(place.tenantId, place.profileId),
    tenants.identity(place.tenantId, place.identityId),
    tenants.installation(),
  ]);
  if (!tenant || !programme || !profile || !identity) return null;
  return {
    tenant,
    programme,
    profile,
    identity,
    levels: [
      { level: 'PLATFORM', rules: installation.rules },
      { level: 'IDENTITY', rules: identity.settings.rules },
      { level: 'PROFILE', rules: profile.settings.rules, atmDailyLimit: profile.settings.atmDailyLimit },
    ],
  };
}
