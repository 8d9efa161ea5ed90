// rules: spend rules and the windows in which spending is counted. Owns spend_counters. Pure but for its queries.
// Rule: every level applies, and the first rule that is broken, from the widest level to the narrowest, is the one that is named.
export {
  availableOfLimits,
  type Broken,
  checkRules,
  type Kept,
  type RuleLevel,
  type RuleReason,
  type SpendChannel,
  type Spending,
} from './check.ts';
export { type Counted, consume, giveBack, type Part, refund, unrefund, usedOf, type Windows } from './counters.ts';
export * from './model.ts';
export { rulesView } from './present.ts';
export {
  counterGet,
  counterInsert,
  counterKind,
  counterUpdate,
  needCounter,
  openHolds,
  type SpendCounter,
} from './queries.ts';
export { COUNTERS, type CounterName, windowStart } from './windows.ts';
