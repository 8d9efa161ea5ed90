// What no store can keep, and what only looks as if it could: as JSON, in an address, in a header field; and where in a request it may stand,
// read from the API description. Rule: places come from /openapi.json, so that a route that is added tomorrow is asked too.

/** A JSON value as its bytes; `unstorable`: it can never be taken, whatever the field. */
export interface Poison {
  readonly name: string;
  readonly bytes: Buffer;
  readonly unstorable: boolean;
}

const quoted = (...bytes: number[]): Buffer => Buffer.from([0x22, ...bytes, 0x22]);
/** Doesn't compress, so an index entry has its full length. */
const noise = (length: number, from: number, count: number): string => {
  let seed = 42;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCodePoint(from + (Math.floor(seed / 65_536) % count));
  }).join('');
};

const UNSTORABLE: Readonly<Record<string, Buffer>> = {
  'U+0000': Buffer.from('"a\\u0000b"'),
  'high surrogate alone': Buffer.from('"\\ud800"'),
};

/** Bytes that are no UTF-8: alone, an overlong zero, a surrogate, beyond Unicode. They spoil the body, in whichever field they stand. */
export const NO_UTF8: readonly Buffer[] = [
  quoted(0x61, 0xff),
  quoted(0xc0, 0x80),
  quoted(0xed, 0xa0, 0x80),
  quoted(0xf4, 0x90, 0x80, 0x80),
];

const HARD: Readonly<Record<string, string>> = {
  '19 digits': '"9999999999999999999"',
  '64 digits': `"${'9'.repeat(64)}"`,
  'int8 and one': '9223372036854775808',
  'no double': '1e400000',
  'the last day of JavaScript': '"+275760-09-13T00:00:00.000Z"',
  'the year 0': '"0000-01-01 00:00:00"',
  'the year 0, a day': '"0000-01-01"',
  'the year 9999': '"9999-12-31 23:59:59"',
  'a long duration': '"99999999999d"',
  'longer than an index entry': JSON.stringify(noise(8000, 0x21, 90).replaceAll(/["\\]/g, 'x')),
  '255 characters of four bytes': JSON.stringify(noise(255, 0x20000, 40_000)),
  'an object in the way': '{"a":{"b":null}}',
};

export const POISONS: readonly Poison[] = [
  ...Object.entries(UNSTORABLE).map(([name, value]) => ({ name, bytes: value, unstorable: true })),
  ...Object.entries(HARD).map(([name, value]) => ({ name, bytes: Buffer.from(value), unstorable: false })),
];

/** A name in an object, as the bytes between its quotes. */
export const POISONED_NAMES: readonly Buffer[] = [
  Buffer.from('\\u0000'),
  Buffer.from('a\\u0000b'),
  Buffer.from('\\ud800'),
  Buffer.from([0x61, 0xff]),
  Buffer.from(noise(3000, 0x61, 26)),
];

/** Parts of an address, encoded as they are sent. */
export const ADDRESS_POISONS: readonly string[] = [
  '%00',
  '%ED%A0%80',
  '%FF',
  '%C0%80',
  '%zz',
  '9223372036854775808',
  '9'.repeat(64),
  '2147483648',
  '1e400000',
  '294277-01-01+00:00:00',
  '0000-01-01',
  '9999-12-31+23:59:59',
  noise(195, 0x61, 26),
  encodeURIComponent(noise(40, 0x20000, 40_000)),
];

/** What only fits behind a question mark. */
export const QUERY_POISONS: readonly string[] = [...ADDRESS_POISONS, noise(8000, 0x61, 26)];

// biome-ignore lint/suspicious/noExplicitAny: an API description has any shape
type Document = any;

export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly params: readonly string[];
  readonly query: readonly string[];
  readonly example: unknown;
  /** Every field of the body, array positions as 0; names in a free map as `name`. */
  readonly fields: readonly (readonly string[])[];
  /** Everything in the body that has fields. */
  readonly objects: readonly (readonly string[])[];
}

export function operationsIn(document: Document): Operation[] {
  const resolve = (schema: Document): Document => {
    let at = schema;
    while (at?.$ref)
      at = at.$ref
        .slice(2)
        .split('/')
        .reduce((part: Document, name: string) => part[name], document);
    return at;
  };
  const walk = (schema: Document, path: string[], fields: string[][], objects: string[][]): void => {
    const { properties, items, additionalProperties: others } = resolve(schema);
    if (path.length > 0) fields.push(path);
    if (properties || typeof others === 'object') objects.push(path);
    for (const [name, child] of Object.entries(properties ?? {})) walk(child, [...path, name], fields, objects);
    if (items) walk(items, [...path, '0'], fields, objects);
    if (typeof others === 'object') walk(others, [...path, 'name'], fields, objects);
  };
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]) => {
      const named = (place: string): string[] =>
        (operation.parameters ?? []).filter((one: Document) => one.in === place).map((one: Document) => one.name);
      const content = operation.requestBody?.content['application/json'];
      const fields: string[][] = [];
      const objects: string[][] = [];
      if (content) walk(content.schema, [], fields, objects);
      return {
        method: method.toUpperCase(),
        path,
        params: named('path'),
        query: named('query'),
        example: content?.example ?? {},
        fields,
        objects,
      };
    }),
  );
}

const MARK = '\u2620';

/** The body with the poison at this place, what contains it made on the way. */
export function poisoned(body: unknown, path: readonly string[], poison: Buffer): Buffer {
  const copy = structuredClone(body) as Document;
  let at = copy;
  path.slice(0, -1).forEach((name, i) => {
    if (typeof at[name] !== 'object' || at[name] === null) at[name] = path[i + 1] === '0' ? [] : {};
    at = at[name];
  });
  at[path.at(-1) as string] = MARK;
  return spliced(JSON.stringify(copy), `"${MARK}"`, poison);
}

/** The body with a field of this name in the object at this place. */
export function misnamed(body: unknown, path: readonly string[], name: Buffer): Buffer {
  const marked = poisoned(body, [...path, MARK], Buffer.from('"x"'));
  return spliced(marked.toString(), MARK, name);
}

function spliced(text: string, mark: string, by: Buffer): Buffer {
  const [before = '', after = ''] = text.split(mark);
  return Buffer.concat([Buffer.from(before), by, Buffer.from(after)]);
}
