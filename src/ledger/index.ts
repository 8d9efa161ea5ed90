// ledger: double entry, and the proof of what must always be true. Owns postings, balances, rates, and how far all is proved; knows
// amounts and accounts, no order's state.
// Rule: postings are final.
export { type Cashflow, cashflowOf } from './cashflow.ts';
export { account } from './chart.ts';
export { convertedMovement, type Movement } from './conversion.ts';
export type { Auditor, Invariant } from './invariant.ts';
export { eventsAreChanges, ledgerAuditor, ledgerInvariants } from './invariants.ts';
export {
  convert,
  type Entry,
  type Line,
  type Posted,
  postClearing,
  postGroup,
  postOperation,
  postReserveRelease,
} from './post.ts';
export { type PricingPlan, type PricingRule, pricingErrors } from './pricing.ts';
export { type Checked, type Covered, createProver, type Proof, type Prover } from './prover.ts';
export {
  type Balance,
  type Posting,
  postingsOf,
  type RateFilter,
  type RateRow,
  type Subject,
  settledKind,
} from './queries.ts';
export {
  createRates,
  formatRate,
  parseEcbXml,
  parseRate,
  type Rate,
  type RateInput,
  type RateListing,
  type RateOf,
  type Rates,
  rateListing,
  rateRows,
  ratesAfterOf,
} from './rates.ts';
export { SANDBOX_CURRENCIES, seedRates } from './sandbox-rates.ts';
