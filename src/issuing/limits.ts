// What GET /cards/limits shows besides the card's own rules: those above it, and what they all leave to spend now.
import type { Card, LimitsPort } from './cards/index.ts';
import type { Issuer } from './issuer/index.ts';
import { availableOfLimits, counterGet, usedOf } from './rules/index.ts';

export function limitsPort({ tenants, db, clock }: Issuer): LimitsPort {
  async function rulesAbove(card: Card) {
    const [installation, identity, profile] = await Promise.all([
      tenants.installation(),
      tenants.identity(card.tenant_id, card.identity_id),
      tenants.profile(card.tenant_id, card.profile_id),
    ]);
    return {
      PLATFORM: installation.rules,
      IDENTITY: identity?.settings.rules ?? {},
      PROFILE: profile?.settings.rules ?? {},
    };
  }
  return {
    rulesAbove,
    async availableToSpend(card) {
      const [above, counter] = await Promise.all([rulesAbove(card), counterGet(db, card.tenant_id, card.id)]);
      const levels = [...Object.entries(above), ['CARD', card.details.rules] as const].map(([level, rules]) => ({
        level,
        rules,
      }));
      const windows = counter?.windows ?? {};
      const now = clock.now();
      return availableOfLimits(levels, card.currency, (name) => usedOf(windows, name, now)).map(
        ({ interval, available }) => ({ interval, currency: card.currency, amount: Number(available) }),
      );
    },
  };
}
