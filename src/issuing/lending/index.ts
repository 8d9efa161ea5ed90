// lending: what tenants hold of what the whole installation has, so that making a card touches one owner. Owns card_blocks.
// Rule: nobody is refused while somebody else holds some that he doesn't use.
export { blockUpdate, type CardBlock, type NumberSource, numbersKind, numbersUsed } from './block-queries.ts';
export { NumbersWanted, needsOfNumber, numbersReturn, withNumbers } from './numbers.ts';
