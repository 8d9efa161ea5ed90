// Checks a value against its fields and takes out what a handler may see.
// Rule: what is not a field does not come through, so that a name nobody expected can't reach anything.
import type { TSchema } from 'typebox';
import { type Aliases, type FieldErrorCode, type FieldRule, NO_ALIASES, ruleOf } from './fields.ts';

/** A wrong field: where it stands, array positions as decimal strings, and what is wrong. */
export interface InvalidField {
  readonly path: readonly string[];
  readonly error: FieldErrorCode;
}

type Json = Readonly<Record<string, unknown>>;

/** More than any honest request has; bounds the answer to a hostile one. */
const MOST_ERRORS = 256;

/** Every wrong field in schema order. */
export function invalidFields(schema: TSchema, value: unknown, aliases = NO_ALIASES): InvalidField[] {
  const found: InvalidField[] = [];
  checkField(schema, value, { siblings: {}, whole: value, path: [], aliases }, found);
  return found.slice(0, MOST_ERRORS);
}

interface Place {
  readonly siblings: Json;
  readonly whole: unknown;
  readonly path: readonly string[];
  readonly aliases: Aliases;
}

function checkField(schema: TSchema, given: unknown, place: Place, found: InvalidField[]): void {
  const rule = ruleOf(schema);
  const { path, whole, aliases } = place;
  const value = given === null && !rule.nullIs ? undefined : given;
  const error = errorOf(rule, value, place);
  if (error) found.push({ path, error });
  if (error || value === undefined) return;
  if (rule.properties) {
    const members = value as Json;
    for (const [name, child] of Object.entries(rule.properties))
      checkField(child, memberOf(members, name), { siblings: members, whole, path: [...path, name], aliases }, found);
  }
  if (rule.items) {
    const { items } = rule;
    (value as unknown[]).forEach((element, i) => {
      // An element that is null is an element of the wrong type.
      const at: Place = { siblings: {}, whole, path: [...path, String(i)], aliases };
      const elementError = ruleOf(items).own(element, aliases);
      if (elementError) found.push({ path: at.path, error: elementError });
      else checkField(items, element, at, found);
    });
  }
}

function errorOf(rule: FieldRule, value: unknown, { siblings, whole, aliases }: Place): FieldErrorCode | null {
  if (value === null) return rule.nullIs ?? null;
  if (value === undefined && (rule.required || rule.requiredWhen?.(siblings))) return 'REQUIRED';
  return (value === undefined ? null : rule.own(value, aliases)) ?? rule.also?.(value, siblings, whole) ?? null;
}

/** Only what is the object's own: `constructor` is a name like any other. */
const memberOf = (members: Json, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);

/** The checked value as a handler gets it: known fields only, nothing that is null. */
export function cleaned(schema: TSchema, value: unknown): unknown {
  const rule = ruleOf(schema);
  if (rule.properties) {
    const out: Record<string, unknown> = {};
    for (const [name, child] of Object.entries(rule.properties)) {
      const member = memberOf(value as Json, name);
      if (member !== undefined && member !== null) out[name] = cleaned(child, member);
    }
    return out;
  }
  if (rule.items) {
    const { items } = rule;
    return (value as unknown[]).map((element) => cleaned(items, element));
  }
  return rule.clean ? rule.clean(value as never) : value;
}
