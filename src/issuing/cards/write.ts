// How a card becomes changes of one commit: its row and the event that tells of it.
// Rule: the only way in which a card reaches its table, so that none is made or changes untold. Its money is told by what moved it.
import type { EventType } from '../../events/index.ts';
import type { Change, Loaded, Told } from '../../store/index.ts';
import { type Funds, fundsKind } from '../accounts/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Card } from './model.ts';
import { cardView } from './present.ts';
import { cardInsert, cardUpdate } from './queries.ts';

/** What a card's events are made with. */
export type CardEventDeps = Pick<IssuingDeps, 'events' | 'permutation'>;
type ToldOfCard = Pick<Told, 'now' | 'ids' | 'cause'>;

interface Happened {
  /** null: the card is new. */
  readonly before: Card | null;
  readonly after: Card;
  readonly event: EventType<'card'>;
  /** Its own, as they are behind the commit; null: a debit card, which has none. */
  readonly funds: Funds | null;
  /** As they were, where the same commit moves them. */
  readonly fundsBefore?: Funds | null;
  /** What was done beside what a GET shows. */
  readonly operation?: object;
}

/** The funds of a card that were loaded with it; null: it spends an account's. */
export const fundsLoaded = (loaded: Loaded, { tenant_id, id, parent_account_id }: Card): Funds | null =>
  parent_account_id === null ? (loaded.get(fundsKind, { tenantId: tenant_id, id }) ?? null) : null;

/** The event of a card that has it counted. Number and CVV are in none: a GET makes one-time tokens of them. */
function cardTold(
  { events, permutation }: CardEventDeps,
  told: ToldOfCard,
  { before, after, event, funds, fundsBefore = funds, operation }: Happened,
): Change[] {
  return events.of(told, {
    owner: after.tenant_id,
    type: event,
    resource: { type: 'card', id: after.id, sequence: after.events },
    object: cardView(permutation, after, funds, null),
    before: before && cardView(permutation, before, fundsBefore, null),
    operation,
  });
}

/** A new card, which its first event tells of. */
export function cardMade(deps: CardEventDeps, told: ToldOfCard, card: Card, funds: Funds | null): Change[] {
  const counted: Card = { ...card, events: 1 };
  return [cardInsert(counted), ...cardTold(deps, told, { before: null, after: counted, event: 'card.created', funds })];
}

/** A card with all that it was told of counted, and what makes it so. */
export interface ChangedCard {
  readonly card: Card;
  readonly changes: Change[];
}

/**
 * The card as it shall be, and its event. Where a GET shows no difference, a wrong code was counted or a timer was set, nothing has happened
 * that anybody is told of; but for limits and what was shown, which no GET of a card tells (`always`).
 */
export function cardChanged(
  deps: CardEventDeps,
  told: ToldOfCard,
  happened: Happened & { readonly before: Card; readonly always?: true },
): ChangedCard {
  const { before, after, funds, always = false } = happened;
  const shown = (card: Card): string => JSON.stringify(cardView(deps.permutation, card, funds, null));
  if (!always && shown(before) === shown(after)) return { card: after, changes: [cardUpdate(after)] };
  const counted: Card = { ...after, events: before.events + 1 };
  return { card: counted, changes: [cardUpdate(counted), ...cardTold(deps, told, { ...happened, after: counted })] };
}

/** The same, for who has nothing more to do with the card. */
export const cardWritten = (...of: Parameters<typeof cardChanged>): Change[] => cardChanged(...of).changes;
