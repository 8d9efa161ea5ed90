// Route templates by path, for the answers to requests that matched no route: 405 and OPTIONS name the methods that would.
// Rule: never asked for a request that has a handler.

/** Which methods a path has. */
export function routeTable(): {
  add(methods: readonly string[], template: string): void;
  allowedAt(path: string): string | null;
} {
  const templates = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  return {
    add(methods, url) {
      const template = url.length > 1 ? url.replace(/\/$/, '') : url;
      let entry = templates.get(template);
      if (!entry) templates.set(template, (entry = { pattern: patternOf(template), methods: new Set(['OPTIONS']) }));
      for (const method of methods) entry.methods.add(method);
    },
    allowedAt(path) {
      const methods = new Set<string>();
      for (const entry of templates.values())
        if (entry.pattern.test(path)) for (const method of entry.methods) methods.add(method);
      return methods.size === 0 ? null : [...methods].sort().join(', ');
    },
  };
}

const patternOf = (template: string): RegExp => {
  const escaped = template.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[A-Za-z_]+/g, '[^/]+').replace(/\*/g, '.*')}/?$`);
};
