// Fraud rules in CEL, type-checked when they are saved. Pure: facts and counters in, a verdict out.
import { Environment } from '@marcbachmann/cel-js';
import { parseDuration } from '../../base/index.ts';
import type { RiskRule } from './queries.ts';

export type Dimension = 'card' | 'ip' | 'email';
export const DIMENSIONS: readonly Dimension[] = ['card', 'ip', 'email'];
/** What a merchant may be told: never the rule itself. */
export const CLASSES: readonly string[] = ['velocity', 'amount', 'country', 'card_testing', 'list', 'other'];

/** Names that a rule may use. Amounts are in units of the order's currency; counts include the payment at hand. */
export interface Facts {
  readonly amount: number;
  readonly currency: string;
  readonly card_country: string;
  readonly card_type: string;
  readonly bin: string;
  readonly ip: string;
  /** As the request's location says; empty when it doesn't. */
  readonly ip_country: string;
  readonly email: string;
  readonly client_country: string;
  /** UTC, 0 to 23. */
  readonly hour: bigint;
}

export interface Window {
  readonly dimension: Dimension;
  readonly ms: number;
}

export type Counters = (window: Window) => { readonly count: bigint; readonly sum: bigint };

export interface CompiledRule {
  readonly rule: RiskRule;
  readonly windows: readonly Window[];
  /** Does the rule match? An expression that fails at run time matches nothing. */
  matches(facts: Facts, counters: Counters): boolean;
}

const VARIABLES: Readonly<Record<keyof Facts, string>> = {
  amount: 'double', currency: 'string', card_country: 'string', card_type: 'string', bin: 'string', ip: 'string', ip_country: 'string',
  email: 'string', client_country: 'string', hour: 'int',
};

/** How far back a rule may look. */
const LONGEST_MS = 31 * 86_400_000;
const CALL = /\b(?:count|sum)\(\s*(["'])(\w+)\1\s*,\s*(["'])(\w+)\3\s*\)/g;

function environment(counters: { current: Counters }): Environment {
  const read = (dimension: string, window: string): { count: bigint; sum: bigint } =>
    counters.current({ dimension: dimension as Dimension, ms: parseDuration(window) ?? 0 });
  let env = new Environment({ limits: { maxAstNodes: 500, maxDepth: 50 } });
  for (const [name, type] of Object.entries(VARIABLES)) env = env.registerVariable(name, type);
  return env
    .registerFunction('count(string, string): int', (dimension: string, window: string) => read(dimension, window).count)
    .registerFunction('sum(string, string): double', (dimension: string, window: string) => Number(read(dimension, window).sum) / 100);
}

/** The rule ready to run, or what is wrong with its expression. */
export function compileRule(rule: RiskRule): CompiledRule | { readonly error: string } {
  if (rule.expression.length > 2000) return { error: 'expression is longer than 2000 characters' };
  const counters: { current: Counters } = { current: () => ({ count: 0n, sum: 0n }) };
  const env = environment(counters);
  const checked = env.check(rule.expression);
  if (!checked.valid) return { error: `expression is not valid: ${checked.error?.message.split('\n')[0] ?? 'unknown'}` };
  if (checked.type !== 'bool') return { error: 'expression must be true or false' };
  const calls = rule.expression.match(/\b(?:count|sum)\(/g)?.length ?? 0;
  const windows = [...rule.expression.matchAll(CALL)].map((call) => ({ dimension: call[2] as Dimension, ms: parseDuration(call[4] as string) ?? 0 }));
  const wrong = windows.length !== calls || windows.some(({ dimension, ms }) => !DIMENSIONS.includes(dimension) || ms === 0 || ms > LONGEST_MS);
  if (wrong) return { error: 'count and sum take a dimension (card, ip, email) and a window up to 31d, both as literals' };
  const run = env.parse(rule.expression);
  return {
    rule,
    windows,
    matches(facts, given) {
      counters.current = given;
      try {
        return run({ ...facts }) === true;
      } catch {
        return false;
      }
    },
  };
}
