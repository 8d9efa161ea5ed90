// risk: may this payment go to the issuer at all? Owns risk_rules, risk_counters and risk_events.
// Rule: counters are read before the order's commit and added to in it; a slightly old count is fine, a lost one is not.
export { type Answer, answered, RETRY_LIMITS, SIGNALS, suspicionOf, TESTING_WINDOWS, tried } from './card-testing.ts';
export { type Counters, loadCounters, purgeCounters, type Window } from './counters.ts';
export { compileExpression } from './expression.ts';
export { type Dimension, type Facts, factsOf, type Keyed, type Keys, keysOf, type Payment } from './facts.ts';
export type { RiskAction, RiskEvent, RiskRule } from './queries.ts';
export { type Assessment, countersFor, createRisk, type Risk, type RiskOptions } from './risk.ts';
export {
  type RiskRuleInput,
  type RuleProblem,
  riskRuleList,
  riskRulePut,
  riskRuleRemove,
  ruleProblems,
} from './rules.ts';
export { assess, CLASSES, compileRules, type Match, type RiskClass, type Ruleset, type Verdict } from './ruleset.ts';
