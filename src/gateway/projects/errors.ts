// Why an operator's change to a project is refused, as one closed table, and the rules by which values are judged.
// Rule: the texts name rules, never a value that was sent.
import { type Problem, refuserOf } from '../../base/index.ts';

export const projectRefusal = refuserOf({
  project_unknown: ['not_found', 'No project has this login'],
  terminal_unknown: ['not_found', 'The project has no such terminal'],
  credential_unknown: ['not_found', 'The project has no such credential'],
  login_taken: ['conflict', 'Another project has this login'],
  credentials_full: ['conflict', 'The project has as many valid credentials as it may have: revoke one first'],
  credential_ended: ['conflict', 'The credential is revoked or expired'],
  invalid: ['validation', 'Validation failed'],
});

/** A rule for one value: whether it fits, and in words what would. */
export interface ValueRule {
  readonly says: string;
  readonly accepts: (value: unknown) => boolean;
}

/** What the given values break of their rules; a name without rule is unknown. Values that are undefined were not given. */
export function problemsOf(
  rules: Readonly<Record<string, ValueRule>>,
  given: Readonly<Record<string, unknown>>,
): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) problems.push({ path: [name], message: 'Unknown property', details: [] });
    else if (value !== undefined && !rule.accepts(value))
      problems.push({ path: [name], message: 'Not allowed', details: [rule.says] });
  }
  return problems;
}

/** Throws `invalid` when there is any problem. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw projectRefusal('invalid', problems);
}

/** Text of 1 to `max` characters that a person can read, without spaces around. */
export const readable = (max: number): ValueRule => ({
  says: `1 to ${max} printable characters, no spaces around`,
  accepts: (value) =>
    typeof value === 'string' && value.length <= max && /^[^\s\p{C}]([^\p{C}]*[^\s\p{C}])?$/u.test(value),
});

export const matching = (pattern: RegExp, says: string): ValueRule => ({
  says,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});

export const flag: ValueRule = { says: 'true or false', accepts: (value) => typeof value === 'boolean' };

export const oneOf = (...values: readonly string[]): ValueRule => ({
  says: `one of: ${values.join(', ')}`,
  accepts: (value) => typeof value === 'string' && values.includes(value),
});

export const integer = (min: number, max: number): ValueRule => ({
  says: `a whole number, ${min} to ${max}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
});

/** A list without repeats. */
export const listOf = (rule: ValueRule, min: number, max: number): ValueRule => ({
  says: `a list of ${min} to ${max} different values, each ${rule.says}`,
  accepts: (value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    new Set(value).size === value.length &&
    value.every(rule.accepts),
});
