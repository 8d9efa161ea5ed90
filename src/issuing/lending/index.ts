// lending: what tenants hold of what the whole installation has, so that making a card touches one owner: numbers, and places under its limit
// of cards. Owns card_blocks, card_counts, card_leases and card_places.
// Rule: nobody is refused while somebody else holds some that he doesn't use.
export { blockUpdate, type CardBlock, type NumberSource, numbersKind, numbersUsed } from './block-queries.ts';
export {
  COUNT_LEVELS,
  type Counted,
  type CountKey,
  type CountLevel,
  countKeysOf,
  countKind,
  countsUpTo,
  liveChanges,
  needCount,
} from './counts-queries.ts';
export { NUMBERS, needsOfNumber, numbersReturn } from './numbers.ts';
export { assertPlaces, countsOfPlaces, needsOfPlaces, type PlacesSource, placesFor } from './places.ts';
export { Wanted, withLent } from './wanted.ts';
