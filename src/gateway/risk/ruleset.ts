// A project's rules ready to be asked, and the verdict on a payment. Pure.
// Rule: an expression that fails says nothing: the payment goes on, and the operator finds the failure recorded.
import { exponentOf } from '../../base/index.ts';
import type { Testing } from './card-testing.ts';
import type { Counters, Window } from './counters.ts';
import { compileExpression, type Expression } from './expression.ts';
import { accountingMinorOf, factsOf, hasVisitor, type Keys, type Payment } from './facts.ts';
import type { RiskAction, RiskRule } from './queries.ts';

/** What a merchant may be told of a rejection: never the rule, never its detail. */
export const CLASSES = ['velocity', 'amount', 'country', 'card_testing', 'list', 'other'] as const;

/** A rule as far as it decides. */
export type RuleText = Pick<RiskRule, 'id' | 'class' | 'expression' | 'action' | 'dry_run'>;

interface ReadyRule {
  readonly rule: RuleText;
  readonly expression: Expression;
}

export interface Ruleset {
  readonly rules: readonly ReadyRule[];
  /** What the rules count. */
  readonly windows: readonly Window[];
}

export interface RuleFault {
  readonly ruleId: string;
  readonly fault: string;
}

export const NO_RULES: Ruleset = { rules: [], windows: [] };

/** Rules in the order in which they shall be asked. Those with faults are left out of the ruleset. */
export function compileRules(rules: readonly RuleText[]): {
  readonly ruleset: Ruleset;
  readonly faults: readonly RuleFault[];
} {
  const ready: ReadyRule[] = [];
  const faults: RuleFault[] = [];
  for (const rule of rules) {
    const expression = compileExpression(rule.expression);
    if ('error' in expression) faults.push({ ruleId: rule.id, fault: `expression ${expression.error}` });
    else ready.push({ rule, expression });
  }
  return { ruleset: { rules: ready, windows: ready.flatMap(({ expression }) => expression.windows) }, faults };
}

export interface Match {
  readonly ruleId: string;
  readonly class: string;
  readonly action: RiskAction | 'error';
  readonly dryRun: boolean;
  readonly explanation?: string;
}

export interface Verdict {
  readonly verdict: 'pass' | RiskAction;
  /** Of the first rule that led to it; what the merchant is told. */
  readonly class: string | null;
  readonly ruleId: string | null;
  /** Everything that matched or failed, also what only runs dry. */
  readonly matched: readonly Match[];
  /** The card-testing defence held the payment back. */
  readonly held: boolean;
  /** Why, and how to go on: told in a sandbox alone. */
  readonly explanation: string | null;
}

const PASS: Verdict = { verdict: 'pass', class: null, ruleId: null, matched: [], held: false, explanation: null };

/** Asks every rule and, where the project wants it, the card-testing defence. A refusal is stronger than 3-D Secure. */
export function assess(ruleset: Ruleset, testing: Testing, payment: Payment, keys: Keys, counters: Counters): Verdict {
  const { settings } = payment.project;
  const matched = [...matchedRules(ruleset, payment, keys, counters), ...tested(testing, payment, keys, counters)].map(
    (match) => ({
      ...match,
      dryRun: match.dryRun || settings.risk_dry_run,
    }),
  );
  if (matched.length === 0) return PASS;
  const acting = matched.filter(({ dryRun, action }) => !dryRun && action !== 'error');
  const decisive = acting.find(({ action }) => action === 'refuse') ?? acting[0];
  return {
    verdict: decisive?.action === 'refuse' || decisive?.action === 'force3d' ? decisive.action : 'pass',
    class: decisive?.class ?? null,
    ruleId: decisive?.ruleId ?? null,
    matched,
    held: acting.some(({ ruleId }) => ruleId.startsWith(TESTING)),
    explanation: decisive?.explanation ?? null,
  };
}

/** Names of the defence's findings begin so; no rule may be called so. */
export const TESTING = 'card_testing:';

function tested(testing: Testing, payment: Payment, keys: Keys, counters: Counters): Match[] {
  const { card_testing } = payment.project.settings;
  const suspicion = card_testing ? testing.suspicionOf(keys, counters, hasVisitor(payment)) : null;
  if (!suspicion) return [];
  return [
    {
      ruleId: `${TESTING}${suspicion.signals.join('+')}`,
      class: 'card_testing',
      action: suspicion.action,
      dryRun: false,
      ...(suspicion.explanation ? { explanation: suspicion.explanation } : {}),
    },
  ];
}

function matchedRules({ rules }: Ruleset, payment: Payment, keys: Keys, counters: Counters): Match[] {
  if (rules.length === 0) return [];
  const facts = factsOf(payment);
  const minor = accountingMinorOf(payment) ?? 0n;
  const scale = 10 ** exponentOf(payment.project.accounting_currency);
  const seen = {
    count: (dimension: Window['dimension'], ms: number): bigint =>
      keys.has(dimension) ? counters(dimension, ms).count + 1n : 0n,
    sum: (dimension: Window['dimension'], ms: number): number =>
      keys.has(dimension) ? Number(counters(dimension, ms).sum + minor) / scale : 0,
  };
  return rules.flatMap(({ rule, expression }): Match[] => {
    const match = { ruleId: rule.id, class: rule.class, dryRun: rule.dry_run };
    try {
      return expression.evaluate(facts, seen) === true ? [{ ...match, action: rule.action }] : [];
    } catch {
      return [{ ...match, action: 'error' }];
    }
  });
}
