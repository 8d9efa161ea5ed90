// risk: may this payment go to the issuer at all? Owns risk_rules, risk_counters and risk_events.
// Rule: counters are read before the order's commit and added to in it; a slightly old count is fine, a lost one is not.
export type { Answer } from './card-testing.ts';
export type { Payment, Visit } from './facts.ts';
export { type RulesDesk, ruleOperatorEndpoints } from './operator-routes.ts';
export type { RiskEvent, RiskRule } from './queries.ts';
export { type Assessment, createRisk, type Risk } from './risk.ts';
export { type RiskRuleInput, type RuleProblem, riskRulePut, riskRuleRemove } from './rules.ts';
