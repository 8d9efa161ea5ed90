// Whose request about a card it is: its identity's, or the operator's.
// Rule: somebody else's card is as unknown as a number that nobody has.

import type { Session } from '../access/index.ts';
import { type Funds, fundsOf } from '../accounts/index.ts';
import { refuse } from '../fields/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Profile } from '../tenants/index.ts';
import { cardsList, EVERY_CARD } from './list-queries.ts';
import { type Card, isCvvBlocked } from './model.ts';
import { cardView } from './present.ts';
import { cardRead } from './queries.ts';

/** Whose request it is: an identity changes its own cards only; null is the operator. */
export interface Asker {
  readonly tenantId: bigint;
  readonly identityId: bigint | null;
}

export const askerOf = ({ tenant, identity }: Session): Asker => ({ tenantId: tenant.id, identityId: identity.id });

export const askerIs = (card: Card | undefined, { identityId }: Asker): card is Card =>
  card !== undefined && (identityId === null || card.identity_id === identityId);

/** The id that was given; one that can't be an id is as unknown as one that nobody has. */
export function idGiven(deps: Pick<IssuingDeps, 'permutation'>, text: string): bigint {
  const id = deps.permutation.inward(text);
  if (id === null) throw refuse('RESOURCE_NOT_FOUND');
  return id;
}

/** The identity's own card. */
export async function cardAsked(
  deps: Pick<IssuingDeps, 'permutation' | 'readRow'>,
  { tenant, identity }: Session,
  text: string,
): Promise<Card> {
  const card = await cardRead(deps.readRow, tenant.id, idGiven(deps, text));
  if (card?.identity_id !== identity.id) throw refuse('RESOURCE_NOT_FOUND');
  return card;
}

export async function profileOf(deps: Pick<IssuingDeps, 'tenants'>, card: Card): Promise<Profile> {
  const profile = await deps.tenants.profile(card.tenant_id, card.profile_id);
  if (!profile) throw refuse('RESOURCE_NOT_FOUND');
  return profile;
}

/**
 * A page of an identity's cards, the newest first, without number and CVV: what the operator sees, who is told too which of them take no
 * CVV any more.
 */
export async function cardsOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  { tenant, identity }: Pick<Session, 'tenant' | 'identity'>,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly cards: readonly object[]; readonly count: number }> {
  const { cards, count } = await cardsList(deps.db, tenant.id, { identityId: identity.id, ...EVERY_CARD }, page);
  const ids = cards.map(({ id }) => id);
  const funds: ReadonlyMap<bigint, Funds> = ids.length === 0 ? new Map() : await fundsOf(deps.db, tenant.id, ids);
  const shown = (card: Card): object => ({
    ...cardView(deps.permutation, card, funds.get(card.id) ?? null, null),
    ...(isCvvBlocked(card) ? { cvvBlocked: true } : {}),
  });
  return { cards: cards.map(shown), count };
}
