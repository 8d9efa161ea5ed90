// The order in which members are shown: the contract's, and one everywhere. What comes back from the database has lost its own.
type Member<Value> = Extract<keyof Value, string>;

/** These members of a value in this order; what it doesn't have, or is null, is left out. */
export function shown<Value extends object>(names: readonly Member<Value>[], value: Value): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) if (value[name] !== undefined && value[name] !== null) found[name] = value[name];
  return found;
}
