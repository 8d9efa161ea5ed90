// Route templates by path, for the answers to requests that matched no route: 405 and OPTIONS name the methods that would.
// Rule: a path that is named as it stands is never taken for another one's parameter, whatever its methods.

/** Which methods a path has. */
export function routeTable(): {
  add(methods: readonly string[], template: string): void;
  allowedAt(path: string): string | null;
  /** What a path that is named as it stands allows, when this method isn't of it; null: there is none, or the method is. */
  refusedAt(method: string, path: string): string | null;
} {
  const templates = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  /** A template without parameters is its own path. */
  const literalAt = (path: string) =>
    /[:*]/.test(path) ? undefined : templates.get(path.length > 1 ? path.replace(/\/$/, '') : path)?.methods;
  return {
    add(methods, url) {
      const template = url.length > 1 ? url.replace(/\/$/, '') : url;
      let entry = templates.get(template);
      if (!entry) templates.set(template, (entry = { pattern: patternOf(template), methods: new Set(['OPTIONS']) }));
      for (const method of methods) entry.methods.add(method);
    },
    refusedAt(method, path) {
      const methods = literalAt(path);
      return !methods || methods.has(method) ? null : listed(methods);
    },
    allowedAt(path) {
      const literal = literalAt(path);
      if (literal) return listed(literal);
      const methods = new Set<string>();
      for (const entry of templates.values())
        if (entry.pattern.test(path)) for (const method of entry.methods) methods.add(method);
      return methods.size === 0 ? null : listed(methods);
    },
  };
}

const listed = (methods: ReadonlySet<string>): string => [...methods].sort().join(', ');

const patternOf = (template: string): RegExp => {
  const escaped = template.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replace(/\*/g, '.*')}/?$`);
};
