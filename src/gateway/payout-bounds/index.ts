// payout-bounds: how much may be paid out, by a payout, to a card and by a project in a day. The payout itself is an operation.
// Owns payout_sums.
// Rule: a payout is counted by the commit that begins it, and given back by the commit that finds that it failed.
export { payoutBegins, payoutEnds, payoutNeeds, payoutRejection, settledNeed } from './bounds.ts';
