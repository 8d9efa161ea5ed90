// What the tables of commands are made of: a command, a call of the operator API, what the server refused, values from a command line.
// Rule: a refusal keeps the server's problem details, so that a command can say where in a file they lie.

/** What a person is told instead of a stack. */
export class CliError extends Error {}

/** Problem details (RFC 9457). */
export interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldProblem[];
}
interface FieldProblem {
  readonly uri: string;
  readonly message: string;
  readonly attribute?: string;
  readonly details?: readonly string[];
}

/** The server understood, and refused. */
export class Refused extends CliError {
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    const { title, detail, errors = [] } = problem;
    super(
      [`${detail ?? title ?? 'Refused'} (${status})`, ...errors.map((e) => `  ${e.uri}: ${faultText(e)}`)].join('\n'),
    );
    this.status = status;
    this.problem = problem;
  }
}

/** What a field's rule asks for, or else the rule's name. */
export const faultText = ({ message, attribute, details = [] }: FieldProblem): string =>
  [message, ...(details.length > 0 ? details : /^[A-Z_]+$/.test(attribute ?? '') ? [attribute] : [])].join(', ');

export type Json = Readonly<Record<string, unknown>>;
export type Call = (method: string, path: string, body?: Json) => Promise<Json>;
/** What commander makes of the flags: text, or true for one without value. */
export type Options = Readonly<Record<string, string | true | undefined>>;

export interface CommandSpec {
  /** `terminal put <project> <id>` */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [flags: string, description: string, fallback?: string])[];
  readonly required?: readonly (readonly [flags: string, description: string])[];
  readonly run: (call: Call, names: readonly string[], options: Options, rest: readonly string[]) => Promise<Json>;
  /** The list to print and its columns; absent: the answer itself, a line a field. */
  readonly table?: readonly [list: string, ...columns: string[]];
  /** The answer for people, where neither a table nor its fields are. */
  readonly show?: (answer: Json) => string;
  /** What makes this answer a failure of the command; empty: the answer says it itself. null: it is none. */
  readonly fails?: (answer: Json) => string | null;
}

/** A list in an answer. */
export const rowsOf = (answer: Json, name: string): readonly Json[] => (answer[name] ?? []) as readonly Json[];

/** A field of an answer that is text. */
export const textIn = (answer: Json, name: string): string => {
  const value = answer[name];
  return typeof value === 'string' ? value : '';
};

/** A path of the operator API out of names that may hold anything. */
export const at = (strings: TemplateStringsArray, ...names: readonly (string | undefined)[]): string =>
  strings.reduce((out, part, i) => out + encodeURIComponent(names[i - 1] ?? '') + part);

export const list = (text: Options[string]): string[] =>
  `${text}`
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
/** Fields that were given. */
export const given = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** `name=value` pairs: a value is JSON where it reads as JSON, otherwise text. */
export function assignments(pairs: readonly string[]): Json {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new CliError(`Not of the form name=value: ${pair}`);
      return [pair.slice(0, equals), jsonOrText(pair.slice(equals + 1))];
    }),
  );
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The JSON object or array in a text; null: there is none. */
export function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}
