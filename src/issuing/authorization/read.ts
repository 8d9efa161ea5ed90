// What cardholders and operators read of payments: the list of a card's, the explanation of each, what is left of the limits.
import type { Card } from '../cards/index.ts';
import {
  type Authorization,
  authorizationsOfCard,
  authorizationsOfReferences,
  paymentView,
} from '../payments/index.ts';
import { identityGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { availableOfLimits, counterGet, type Interval, type Level, type SpendRules, usedOf } from '../rules/index.ts';
import { levelsOf, placeOf, surroundingsOf } from './find.ts';

/** The newest first; `before` is the id of the last one that the asker knows. */
export const paymentsOf = (
  deps: Pick<IssuingDeps, 'db'>,
  card: Pick<Card, 'tenant_id' | 'id'>,
  { before, limit }: { readonly before: bigint | null; readonly limit: number },
): Promise<Authorization[]> => authorizationsOfCard(deps.db, card.tenant_id, card.id, before, limit);

/** What was decided on the network's messages with these references, of any tenant's cards. */
export async function decisionsOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation' | 'tenants'>,
  references: readonly string[],
): Promise<object[]> {
  const tenants = await deps.tenants.all();
  const rows = await authorizationsOfReferences(
    deps.db,
    tenants.map(({ id }) => id),
    references,
  );
  return rows.map((row) => paymentView(deps.permutation, row));
}

/** The rules of the levels above a card. */
export async function rulesAbove(
  deps: Pick<IssuingDeps, 'db' | 'rates' | 'tenants'>,
  card: Card,
): Promise<Readonly<Record<Exclude<Level, 'CARD'>, SpendRules>>> {
  const [around, identity] = await Promise.all([
    surroundingsOf(deps, placeOf(card)),
    identityGet(deps.db, card.tenant_id, card.identity_id),
  ]);
  return {
    PLATFORM: around?.levels.PLATFORM.rules ?? {},
    PROFILE: around?.levels.PROFILE.rules ?? {},
    IDENTITY: identity?.settings.rules ?? {},
  };
}

/** What is left of the strictest limit of each interval that has one. */
export async function availableToSpend(
  deps: Pick<IssuingDeps, 'clock' | 'db' | 'rates' | 'tenants'>,
  card: Card,
): Promise<readonly { readonly interval: Interval; readonly currency: string; readonly amount: number }[]> {
  const [around, identity, counter] = await Promise.all([
    surroundingsOf(deps, placeOf(card)),
    identityGet(deps.db, card.tenant_id, card.identity_id),
    counterGet(deps.db, card.tenant_id, card.id),
  ]);
  if (!around || !identity) return [];
  const now = deps.clock.now();
  const levels = levelsOf(around, identity, card);
  return availableOfLimits(levels, card.currency, (name) => usedOf(counter?.windows ?? {}, name, now)).map(
    ({ interval, available }) => ({ interval, currency: card.currency, amount: Number(available) }),
  );
}
