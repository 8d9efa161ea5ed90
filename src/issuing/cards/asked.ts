// What every request about one card begins with: the card is the identity's own, and how it is shown.
import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { type Funds, fundsOf } from '../accounts/index.ts';
import { type Issuer, Refusal } from '../issuer/index.ts';
import type { Profile } from '../tenants/index.ts';
import { cardsList, EVERY_CARD } from './list-queries.ts';
import type { Card } from './model.ts';
import { cardView } from './present.ts';
import { cardGet } from './queries.ts';
import { secretsFor, tokensFor } from './reveal.ts';

/** The identity's own card; anything else is as unknown as a number that nobody has. */
export async function cardAsked(issuer: Issuer, { tenant, identity }: Session, text: string): Promise<Card> {
  const id = issuer.permutation.inward(text);
  const card = id === null ? null : await cardGet(issuer.db, tenant.id, id);
  if (card?.identity_id !== identity.id) throw new Refusal('RESOURCE_NOT_FOUND');
  return card;
}

export async function profileOf(issuer: Issuer, card: Card): Promise<Profile> {
  const profile = await issuer.tenants.profile(card.tenant_id, card.profile_id);
  if (!profile) throw new Refusal('RESOURCE_NOT_FOUND');
  return profile;
}

/** How the card is shown once it was changed; `funds` where the change moved them, else as they were read before. */
export type CardViewer = (card: Card, funds?: Funds) => object;

/**
 * How a session sees the card once it was changed: numbers and balances as they stand now. An answer that is kept for the repeats
 * of its request (`once`) has tokens, whoever asks: no number and no CVV is stored.
 */
export async function viewFor(
  issuer: Issuer,
  session: Session,
  card: Card,
  once: Once | null = null,
): Promise<CardViewer> {
  const [secrets, funds] = await Promise.all([
    once ? tokensFor(issuer, session, card) : secretsFor(issuer, session, card),
    fundsOf(issuer.db, card.tenant_id, [card.id]),
  ]);
  // A replacement is another card, whose number the asker hasn't been given.
  return (shown, moved) =>
    cardView(
      issuer.permutation,
      shown,
      moved ?? funds.get(card.id) ?? null,
      shown.id === card.id ? secrets : tokensFor(issuer, session, shown),
    );
}

/** Several cards at once, as a list shows them: with tokens. */
export async function viewsFor(issuer: Issuer, session: Session, cards: readonly Card[]): Promise<object[]> {
  const ids = cards.map(({ id }) => id);
  const funds: ReadonlyMap<bigint, Funds> =
    cards.length === 0 ? new Map() : await fundsOf(issuer.db, session.tenant.id, ids);
  return cards.map((card) =>
    cardView(issuer.permutation, card, funds.get(card.id) ?? null, tokensFor(issuer, session, card)),
  );
}

/** A page of an identity's cards, the newest first, without number and CVV: what somebody sees who is not their holder. */
export async function cardsOf(
  issuer: Issuer,
  { tenant, identity }: Pick<Session, 'tenant' | 'identity'>,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly cards: readonly object[]; readonly count: number }> {
  const { cards, count } = await cardsList(issuer.db, tenant.id, { identityId: identity.id, ...EVERY_CARD }, page);
  const ids = cards.map(({ id }) => id);
  const funds: ReadonlyMap<bigint, Funds> = ids.length === 0 ? new Map() : await fundsOf(issuer.db, tenant.id, ids);
  return { cards: cards.map((card) => cardView(issuer.permutation, card, funds.get(card.id) ?? null, null)), count };
}
