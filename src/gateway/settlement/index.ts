// settlement: what acquirers and issuers do about payments later: clearing, the rolling reserve, chargebacks and representments.
// Owns settlements and the numbers in acquirer reference numbers (arn_items).
// Rule: each is booked once, by the commit that marks it on the order.
export { arrive, chargeback } from './chargebacks.ts';
export { clear } from './clearing.ts';
export { reserve } from './reserve.ts';
