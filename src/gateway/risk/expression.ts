// Expressions of rules: CEL (Common Expression Language), checked when a rule is saved, so that one that is saved can be evaluated in
// a time that its length bounds: no loops, no regular expressions, only the functions of a short list.
// Rule: what an expression may do stands in the two lists here; everything else is refused, also what a later library adds.
import { type ASTNode, Environment, EvaluationError } from '@marcbachmann/cel-js';
import { countryOf, parseDuration } from '../../base/index.ts';
import { LONGEST_MS, MINUTE_MS, type Window } from './counters.ts';
import { DIMENSIONS, type Facts, type RuleDimension } from './facts.ts';

/** Answers whether the expression holds; `unknown`: it asks for something that this payment does not tell. */
export type Evaluate = (facts: Facts, counters: Seen) => boolean | 'unknown';

/** Counts and sums with the payment at hand in them; sums in units of the accounting currency. */
export interface Seen {
  count(dimension: RuleDimension, ms: number): bigint;
  sum(dimension: RuleDimension, ms: number): number;
}

export interface Expression {
  /** What it counts. */
  readonly windows: readonly Window[];
  readonly evaluate: Evaluate;
}

export const MAX_LENGTH = 2000;
const LIMITS = { maxAstNodes: 1000, maxDepth: 32, maxListElements: 500, maxMapEntries: 0, maxCallArguments: 3 };

const FUNCTIONS = new Set([
  'count',
  'sum',
  'has',
  'size',
  'int',
  'double',
  'string',
  'contains',
  'startsWith',
  'endsWith',
  'lowerAscii',
  'upperAscii',
]);
const OPERATORS = new Set([
  'value',
  'id',
  'call',
  'rcall',
  'list',
  '.',
  'in',
  '?:',
  '||',
  '&&',
  '!_',
  '-_',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
]);

class AccountingFacts {}
class CardFacts {}
class IpFacts {}
class ClientFacts {}

const OBJECTS = {
  accounting: { ctor: AccountingFacts, fields: { amount: 'double', currency: 'string' } },
  card: { ctor: CardFacts, fields: { country: 'string', brand: 'string', type: 'string', bin: 'string' } },
  ip: { ctor: IpFacts, fields: { address: 'string', country: 'string' } },
  client: { ctor: ClientFacts, fields: { email: 'string', country: 'string' } },
} as const;

const VALUES = { amount: 'double', currency: 'string', merchant_order_id: 'string', hour: 'int' } as const;

/** The counters of the evaluation that runs; an evaluation never waits, so there is only one at a time. */
let seen: Seen = { count: () => 0n, sum: () => 0 };

const windowMs = (window: string): number => parseDuration(window) ?? 0;

function environment(): Environment {
  const env = new Environment({ limits: LIMITS, unlistedVariablesAreDyn: false });
  for (const [name, type] of Object.entries(VALUES)) env.registerVariable(name, type);
  for (const [name, { ctor, fields }] of Object.entries(OBJECTS)) {
    env.registerType(ctor.name, { ctor, fields }).registerVariable(name, ctor.name);
  }
  return env
    .registerFunction('count(string, string): int', (of: string, window: string) =>
      seen.count(of as RuleDimension, windowMs(window)),
    )
    .registerFunction('sum(string, string): double', (of: string, window: string) =>
      seen.sum(of as RuleDimension, windowMs(window)),
    );
}

const cel = environment();

/** The first line of a library's message: the rest shows the expression again. */
const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

class NotAllowed extends Error {}

/** The expression ready to run, or in one sentence what is wrong with it. */
export function compileExpression(text: string): Expression | { readonly error: string } {
  if (text.length > MAX_LENGTH) return { error: `is longer than ${MAX_LENGTH} characters` };
  try {
    const run = cel.parse(text);
    const windows: Window[] = [];
    inspect(run.ast, windows);
    const checked = run.check();
    if (!checked.valid) return { error: `is not valid: ${firstLine(checked.error)}` };
    if (checked.type !== 'bool') return { error: `must be true or false, but is ${checked.type}` };
    return { windows, evaluate: evaluator(run) };
  } catch (error) {
    return { error: error instanceof NotAllowed ? error.message : `is not valid: ${firstLine(error)}` };
  }
}

/** Throws NotAllowed at the first thing that is in neither list; gathers what is counted. */
function inspect(node: ASTNode, windows: Window[]): void {
  const { op, args } = node as { op: string; args: unknown };
  if (!OPERATORS.has(op)) throw new NotAllowed(`uses ${op}, which rules do not have`);
  if (op === 'call' || op === 'rcall') {
    const name = String((args as unknown[])[0]);
    if (!FUNCTIONS.has(name)) throw new NotAllowed(`uses ${name}(), which rules do not have`);
    if (name === 'count' || name === 'sum') windows.push(windowOf(name, (args as unknown[]).at(-1) as ASTNode[]));
  }
  if (COMPARISONS.has(op)) checkCountries(args as ASTNode[]);
  for (const part of [args].flat(2)) if (isNode(part)) inspect(part, windows);
}

const COMPARISONS = new Set(['==', '!=', 'in']);

/** `card.country == "LV"` would never hold, and nobody would know. */
function checkCountries(sides: readonly ASTNode[]): void {
  const isCountry = ({ op, args }: ASTNode): boolean => op === '.' && (args as unknown[]).at(-1) === 'country';
  if (!sides.some(isCountry)) return;
  for (const { op, args } of sides.flatMap((side) => (side.op === 'list' ? side.args : [side])))
    if (op === 'value' && typeof args === 'string' && (args.length !== 3 || countryOf(args) === null))
      throw new NotAllowed('compares a country with something else than an ISO 3166-1 alpha-3 code');
}

const isNode = (part: unknown): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part;

function windowOf(name: string, given: readonly ASTNode[]): Window {
  const [of, window] = given.map((node) => (node.op === 'value' && typeof node.args === 'string' ? node.args : null));
  const dimension = DIMENSIONS.find((one) => one === of);
  if (!dimension || typeof window !== 'string' || given.length !== 2) {
    throw new NotAllowed(
      `${name} takes ${DIMENSIONS.map((one) => `"${one}"`).join(', ')} and a window such as "1h", both as they are`,
    );
  }
  const ms = windowMs(window);
  if (ms < MINUTE_MS || ms > LONGEST_MS)
    throw new NotAllowed(`${name} looks back from "1m" to "31d", not "${window.slice(0, 20)}"`);
  return { dimension, ms };
}

function evaluator(run: (facts: object) => unknown): Evaluate {
  return (facts, counters) => {
    seen = counters;
    const context: Record<string, unknown> = { ...facts };
    for (const [name, { ctor }] of Object.entries(OBJECTS))
      context[name] = Object.assign(new ctor(), facts[name as keyof typeof OBJECTS]);
    try {
      return run(context) === true;
    } catch (error) {
      if (error instanceof EvaluationError && (error as { code?: string }).code === 'no_such_key') return 'unknown';
      throw error;
    }
  };
}
