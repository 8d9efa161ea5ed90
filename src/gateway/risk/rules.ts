// The operator's side: a project's rules listed, made, replaced, removed. What is wrong with a rule is a value, never thrown.
// Rule: only what compiles is stored.
import type { Clock } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { compileExpression } from './expression.ts';
import { type RiskAction, type RiskRule, ruleDelete, rulesOf, ruleUpsert } from './queries.ts';
import { CLASSES } from './ruleset.ts';

export interface RiskRuleInput {
  readonly project_id: bigint;
  readonly id: string;
  /** For people; the id when left out. */
  readonly name?: string;
  readonly class: string;
  readonly expression: string;
  readonly action: RiskAction;
  readonly dry_run: boolean;
  readonly active: boolean;
  /** Rules are asked in this order, then by id. */
  readonly position?: number;
}

export interface RuleProblem {
  readonly field: 'id' | 'name' | 'class' | 'expression' | 'action' | 'position';
  /** A sentence about the field, without the field's name or value. */
  readonly problem: string;
}

const MAX_RULES = 100;

/** What is wrong with a rule as given; empty: it may be stored. */
export function ruleProblems(rule: RiskRuleInput): RuleProblem[] {
  const problems: RuleProblem[] = [];
  const fault = (field: RuleProblem['field'], problem: string): number => problems.push({ field, problem });
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(rule.id)) fault('id', 'is 1 to 64 letters, digits, _ . -');
  if (rule.name !== undefined && !/^[^\p{Cc}]{1,100}$/u.test(rule.name)) fault('name', 'is 1 to 100 characters');
  if (!CLASSES.some((one) => one === rule.class)) fault('class', `must be one of ${CLASSES.join(', ')}`);
  if (rule.action !== 'refuse' && rule.action !== 'force3d') fault('action', 'must be refuse or force3d');
  const { position = 0 } = rule;
  if (!Number.isInteger(position) || Math.abs(position) > 1_000_000)
    fault('position', 'must be a whole number up to a million');
  const expression = compileExpression(rule.expression);
  if ('error' in expression) fault('expression', expression.error);
  return problems;
}

export interface RuleTools {
  readonly database: Db;
  readonly clock: Clock;
}

/** Makes the rule or replaces it whole. */
export async function riskRulePut(
  { database, clock }: RuleTools,
  rule: RiskRuleInput,
): Promise<{ readonly rule: RiskRule } | { readonly problems: readonly RuleProblem[] }> {
  const problems = ruleProblems(rule);
  if (problems.length > 0) return { problems };
  const others = (await rulesOf(database, rule.project_id)).filter(({ id }) => id !== rule.id);
  if (others.length >= MAX_RULES)
    return { problems: [{ field: 'id', problem: `would be rule ${MAX_RULES + 1} of the project` }] };
  const row = {
    ...rule,
    name: rule.name ?? rule.id,
    position: rule.position ?? 0,
    created_at: clock.now(),
  };
  return { rule: await ruleUpsert(database, row) };
}

/** False: there was no such rule. */
export const riskRuleRemove = (database: Db, projectId: bigint, id: string): Promise<boolean> =>
  ruleDelete(database, projectId, id);
