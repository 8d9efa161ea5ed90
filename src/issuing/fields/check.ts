// Checks a value against its fields and takes out what a handler may see.
// Rule: what is not a field does not come through, so that a name nobody expected can't reach anything.
import type { TSchema } from 'typebox';
import { type FieldErrorCode, type FieldRule, ruleOf } from './fields.ts';

/** A wrong field: where it stands, array positions as decimal strings, and what is wrong. */
export interface InvalidField {
  readonly path: readonly string[];
  readonly error: FieldErrorCode;
}

type Json = Readonly<Record<string, unknown>>;

/** More than any honest request has; bounds the answer to a hostile one. */
const MOST_ERRORS = 256;

/** Every wrong field in schema order. An explicit null is as good as an absent value. */
export function invalidFields(schema: TSchema, value: unknown): InvalidField[] {
  const found: InvalidField[] = [];
  checkField(schema, value ?? undefined, {}, [], found);
  return found.slice(0, MOST_ERRORS);
}

function checkField(
  schema: TSchema,
  value: unknown,
  siblings: Json,
  path: readonly string[],
  found: InvalidField[],
): void {
  const rule = ruleOf(schema);
  const error = errorOf(rule, value, siblings);
  if (error) found.push({ path, error });
  if (error || value === undefined) return;
  if (rule.properties) {
    const members = value as Json;
    for (const [name, child] of Object.entries(rule.properties))
      checkField(child, memberOf(members, name), members, [...path, name], found);
  }
  if (rule.items) {
    const { items } = rule;
    (value as unknown[]).forEach((element, i) => {
      // An element that is null is an element of the wrong type.
      const elementError = ruleOf(items).own(element);
      if (elementError) found.push({ path: [...path, String(i)], error: elementError });
      else checkField(items, element, {}, [...path, String(i)], found);
    });
  }
}

function errorOf(rule: FieldRule, value: unknown, siblings: Json): FieldErrorCode | null {
  if (value === undefined && (rule.required || rule.requiredWhen?.(siblings))) return 'REQUIRED';
  return (value === undefined ? null : rule.own(value)) ?? rule.also?.(value, siblings) ?? null;
}

/** Only what is the object's own: `constructor` is a name like any other. */
const memberOf = (members: Json, name: string): unknown =>
  Object.hasOwn(members, name) ? (members[name] ?? undefined) : undefined;

/** The checked value as a handler gets it: known fields only, nothing that is null. */
export function cleaned(schema: TSchema, value: unknown): unknown {
  const rule = ruleOf(schema);
  if (rule.properties) {
    const out: Record<string, unknown> = {};
    for (const [name, child] of Object.entries(rule.properties)) {
      const member = memberOf(value as Json, name);
      if (member !== undefined) out[name] = cleaned(child, member);
    }
    return out;
  }
  if (rule.items) {
    const { items } = rule;
    return (value as unknown[]).map((element) => cleaned(items, element));
  }
  return rule.clean ? rule.clean(value as never) : value;
}
