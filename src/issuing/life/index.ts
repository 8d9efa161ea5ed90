// life: what a cardholder or the operator does to a card: block, unblock, remove, report lost or stolen. Owns no table.
// Rule: whatever gives a card another state does it here (restand), with all that follows: counts, tokens, timers.
export { type CardMove, changeCard, needsOfChange, type OpenHolds, restand, tokensLoaded } from './change.ts';
export { lifeEndpoints } from './routes.ts';
