// creation: how a card comes to be: what is asked for, every conflict in its order, the number and the row. Owns card_mobiles.
// Rule: conflicts are decided as a table; limits, number and card are one atomic step behind them.
export {
  artworkFor,
  CHANGE_CODES,
  countryAllowed,
  isCountry,
  optionConflict,
  type ThreeDs,
  type Wanted,
} from './conflicts.ts';
export { type CardInput, createCard } from './create.ts';
export { channelMeant, linkedOf, mobileOfUser, programmeOf } from './facts.ts';
export { mobileInsert, mobileKind, needMobile } from './queries.ts';
export { creationEndpoints, requestCard } from './routes.ts';
export { CardRequest } from './schemas.ts';
