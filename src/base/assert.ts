// Broken invariants. An assertion is on in production: the request that meets one dies, the process does not.

export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
