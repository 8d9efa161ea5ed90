// How the holder of a card sees it: with its funds, and with what the session may see of its secrets.
import type { Once, Told } from '../../store/index.ts';
import type { Session } from '../access/index.ts';
import { type Funds, fundsOf, fundsRead } from '../accounts/index.ts';
import { type Card, cardView } from '../cards/index.ts';
import { type IssuingDeps, toldNow } from '../requests/index.ts';
import { secretsFor, tokensFor } from '../secrets/index.ts';

/**
 * How the card is shown once it was changed, by the decision that changes it; `funds` where the change moved them, else as they were read
 * before.
 */
export type CardViewer = (card: Card, told: Told, funds?: Funds) => object;

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
    once ? tokensFor(deps, toldNow(deps), session, card) : secretsFor(deps, session, card),
    fundsRead(deps.readRow, card.tenant_id, card.id),
  ]);
  // A replacement is another card, whose number the asker hasn't been given.
  return (shown, told, moved) =>
    cardView(
      deps.permutation,
      shown,
      moved ?? funds,
      shown.id === card.id ? secrets : tokensFor(deps, told, session, shown),
    );
}

/** Several cards at once, as a list shows them: with tokens. */
export async function viewsFor(deps: IssuingDeps, session: Session, cards: readonly Card[]): Promise<object[]> {
  const ids = cards.map(({ id }) => id);
  const funds: ReadonlyMap<bigint, Funds> =
    cards.length === 0 ? new Map() : await fundsOf(deps.db, session.tenant.id, ids);
  const told = toldNow(deps);
  return cards.map((card) =>
    cardView(deps.permutation, card, funds.get(card.id) ?? null, tokensFor(deps, told, session, card)),
  );
}
