// How the holder of a card sees it: with its funds, and with what the session may see of its secrets.
import type { Once } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { type Funds, fundsOf } from '../accounts/index.ts';
import { type Card, cardView } from '../cards/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { secretsFor, tokensFor } from '../secrets/index.ts';

/** How the card is shown once it was changed; `funds` where the change moved them, else as they were read before. */
export type CardViewer = (card: Card, funds?: Funds) => object;

/**
 * How a session sees the card once it was changed: numbers and balances as they stand now. An answer that is kept for the repeats
 * of its request (`once`) has tokens, whoever asks: no number and no CVV is stored.
 */
export async function viewFor(
  deps: IssuingDeps,
  session: Session,
  card: Card,
  once: Once | null = null,
): Promise<CardViewer> {
  const [secrets, funds] = await Promise.all([
    once ? tokensFor(deps, session, card) : secretsFor(deps, session, card),
    fundsOf(deps.db, card.tenant_id, [card.id]),
  ]);
  // A replacement is another card, whose number the asker hasn't been given.
  return (shown, moved) =>
    cardView(
      deps.permutation,
      shown,
      moved ?? funds.get(card.id) ?? null,
      shown.id === card.id ? secrets : tokensFor(deps, session, shown),
    );
}

/** Several cards at once, as a list shows them: with tokens. */
export async function viewsFor(deps: IssuingDeps, session: Session, cards: readonly Card[]): Promise<object[]> {
  const ids = cards.map(({ id }) => id);
  const funds: ReadonlyMap<bigint, Funds> =
    cards.length === 0 ? new Map() : await fundsOf(deps.db, session.tenant.id, ids);
  return cards.map((card) =>
    cardView(deps.permutation, card, funds.get(card.id) ?? null, tokensFor(deps, session, card)),
  );
}
