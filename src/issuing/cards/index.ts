// cards: what a card is: its row and how it is found, its number, its dates, how it is shown, whose request about it may be heard.
// Owns cards and card_numbers. Rule: a card is changed on its locked row only, and counted (../lending) by the commit that makes or ends it.
export { card, cardsPage, createdCard, operationOf, revealed, unknownCard } from './answer-schemas.ts';
export { type Asker, askerOf, cardAsked, cardsOf, idGiven, profileOf } from './asker.ts';
export { attachedCards } from './attached-queries.ts';
export { type CardCommand, commitOnCard } from './commit.ts';
export { dueAtOf, expiryMoment, mmyy, monthAfter } from './dates.ts';
export { cardsDue, nextCardDueAt } from './due-queries.ts';
export { cardsList, EVERY_CARD } from './list-queries.ts';
export * from './model.ts';
export { type DrawnNumber, drawNumber, numbersFor, providerFor } from './numbers.ts';
export { cardView, createdView, type Secrets } from './present.ts';
export {
  type CardKey,
  cardAnywhere,
  cardGet,
  cardKind,
  cardOfFingerprint,
  needCard,
} from './queries.ts';
export { CardPath, cardFields } from './schemas.ts';
export { type CardEventDeps, type ChangedCard, cardChanged, cardWritten, fundsLoaded } from './write.ts';
