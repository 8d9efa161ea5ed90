// JSON as we write it. Rule: a bigint becomes digits in a string, as readers of JSON would round it.

export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
