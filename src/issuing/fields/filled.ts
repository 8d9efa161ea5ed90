// Settings of which only what differs from the defaults is kept.

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Settings as they apply: what is not set or null is the default, at any depth. Lists are whole. */
export function filled<Settings extends object>(defaults: Settings, given: Partial<Settings>): Settings {
  const set = Object.entries(given).filter(([, value]) => value !== null);
  const merged = set.map(([name, value]) => {
    const standard: unknown = defaults[name as keyof Settings];
    return [name, isGroup(standard) && isGroup(value) ? filled(standard, value) : value];
  });
  return { ...defaults, ...Object.fromEntries(merged) };
}
