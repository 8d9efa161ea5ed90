// decision: whether a card may pay and what that costs: every check in its order, every reason, fees and rates. Pure; owns no table.
// Rule: each check that was made is told, and no other room writes a declining response code.
export {
  CHECKS,
  type Check,
  type Demand,
  type Device,
  decide,
  MOST_WRONG_PINS,
  type State,
  type Step,
  type Verdict,
} from './decide.ts';
export { billed, feeOn, given, holdOn, type Tariff } from './pricing.ts';
export { REASONS, type Reason } from './reasons.ts';
