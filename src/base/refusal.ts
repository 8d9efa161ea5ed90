// A refusal: what a request asks for is answered no, by a code out of its API's table, and leaves nothing behind.
// Rule: it is thrown, in a decision as anywhere else, and nothing of the decision is written. A no that is to be kept is a rejection: a value.

/** What a refusal is, whichever API tells it; the HTTP room has a status for each. */
export type RefusalKind =
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'timeout'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_media_type'
  | 'validation'
  | 'locked'
  | 'rate_limited'
  | 'headers_too_large'
  | 'loop'
  | 'unavailable';

/** By what an API, or a room of it, refuses: code → kind, and in words. The words name rules, never a value that was sent. */
export type Refusals = Readonly<Record<string, readonly [kind: RefusalKind, message: string]>>;

/** One wrong field: the names that lead to it, what is wrong, what is asked for. */
export interface Problem {
  readonly path: readonly string[];
  readonly message: string;
  readonly details: readonly string[];
}

export class Refusal<Code extends string = string> extends Error {
  override name = 'Refusal';
  readonly code: Code;
  readonly kind: RefusalKind;
  /** Only of `validation`: every wrong field. */
  readonly problems: readonly Problem[];

  constructor(code: Code, kind: RefusalKind, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.code = code;
    this.kind = kind;
    this.problems = problems;
  }
}

/** How a table's codes refuse: `throw refuse('rule_unknown')`. A code that isn't in the table doesn't compile. */
export function refuserOf<const Table extends Refusals>(table: Table) {
  return <Code extends keyof Table & string>(code: Code, problems: readonly Problem[] = []): Refusal<Code> => {
    const [kind, message] = table[code] as Refusals[string];
    return new Refusal(code, kind, message, problems);
  };
}

/** Wrong fields, where a room has no code of its own for them. */
export const unfit = (problems: readonly Problem[]): Refusal =>
  new Refusal('unfit', 'validation', 'Validation failed', problems);
