// Reads the JSON bodies of every API: no name twice, nothing nested too deep, every number as its text says it. By a schema, money is its
// text and null an absent field; without one a body stays as it was sent. Rule: JSON.parse has accepted the text; nothing here judges syntax.
import { isUtf8 } from 'node:buffer';
import { invalid } from '../failure.ts';
import { type Node, unknownProperty, type Violation } from './schema.ts';

const DEEPEST = 10;

export type JsonObject = Record<string, unknown>;

export interface Read {
  readonly value: JsonObject;
  readonly violations: readonly Violation[];
}

/**
 * For APIs whose clients are written in loosely typed languages: an unknown name without a value is ignored, and so is the id that a call
 * is about; an empty list stands for an empty object, as whole body where no member is required.
 */
export interface Tolerance {
  /** The id in the path; null: the call is about none. */
  readonly ownId: string | null;
}

/** No value: null, or something empty. */
const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** May a tolerant API leave this unknown name out? `text`: the value, a number or string as it was written. */
export const isIgnored = (
  tolerance: Tolerance | null,
  path: readonly string[],
  value: unknown,
  text: string,
): boolean =>
  tolerance !== null &&
  (isNothing(value) || (path.length === 1 && path[0] === 'id' && tolerance.ownId !== null && text === tolerance.ownId));

/** Names that reach into the machinery of objects. */
export const isForbiddenName = (name: string): boolean =>
  name === '__proto__' || name === 'constructor' || name === 'prototype';

/**
 * The object in a body; an empty body is an empty object. Throws 422 with one error at `#/` for what is no JSON object, no UTF-8,
 * or nested deeper than 10. A number is its source text where the schema's field kind says so.
 */
export function readJson(body: Buffer, root: Node, tolerance: Tolerance | null = null): Read {
  if (body.length === 0) return { value: {}, violations: [] };
  const reader = new Reader(textIn(body), { tolerance });
  const value = objectOf(reader.value(root, 1));
  return { value, violations: reader.violations };
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * The object in a body as it was sent, for an API that checks its fields by rules of its own: all names, nulls and texts are there, a
 * number is what `numberOf` makes of its text, a byte order mark is skipped. Throws as `readJson` does, and for a name given twice.
 */
export function readPlainJson(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const reader = new Reader(textIn(marked ? body.subarray(BYTE_ORDER_MARK.length) : body), {
    tolerance: null,
    plain: true,
  });
  const value = objectOf(reader.value(null, 1));
  if (reader.violations.length > 0) throw notJson('must have each name once');
  return value;
}

/** What JSON.parse accepts; what it makes of it is thrown away. */
function textIn(body: Buffer): string {
  if (!isUtf8(body)) throw notJson('must be UTF-8');
  const text = body.toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    throw notJson('must be a JSON object');
  }
  return text;
}

function objectOf(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notJson('must be a JSON object');
  return value as JsonObject;
}

const notJson = (details: string): Error =>
  invalid({ message: 'Not a JSON object', uri: '#/', attribute: 'json', details: [details] });

/** The number that a JSON source text stands for; NaN for one that a float would take for another whole number. */
export function numberOf(source: string): number {
  const value = Number(source);
  return !Number.isSafeInteger(value) || isWritten(source, value) ? value : Number.NaN;
}

/** Does the text, fraction and exponent included, say exactly this whole number? */
function isWritten(source: string, value: number): boolean {
  if (/^-?\d{1,15}$/.test(source)) return true;
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = whole + fraction;
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return true;
  const places = Number(exponent) - fraction.length + digits.length - significant.length;
  return places >= 0 && BigInt(significant) * 10n ** BigInt(places) === BigInt(Math.abs(value));
}

const NUMBER = /[-+.\deE]+/y;

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** `plain`: names and texts are taken as they come. */
interface Manner {
  readonly tolerance: Tolerance | null;
  readonly plain?: boolean;
}

class Reader {
  readonly #text: string;
  readonly #tolerance: Tolerance | null;
  readonly #plain: boolean;
  readonly violations: Violation[] = [];
  readonly #path: string[] = [];
  #at = 0;

  constructor(text: string, { tolerance, plain = false }: Manner) {
    this.#text = text;
    this.#tolerance = tolerance;
    this.#plain = plain;
  }

  value(node: Node | null, depth: number): unknown {
    const code = this.#peek();
    if (code === QUOTE) return this.#checked(this.#string());
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth > DEEPEST) throw notJson(`must not be nested deeper than ${DEEPEST}`);
      return code === OPEN_OBJECT ? this.#object(node, depth) : this.#array(node, depth);
    }
    if (code === 116) return this.#word(4, true);
    if (code === 102) return this.#word(5, false);
    if (code === 110) return this.#word(4, node && !node.nullable ? undefined : null);
    NUMBER.lastIndex = this.#at;
    const source = (NUMBER.exec(this.#text) as RegExpExecArray)[0];
    this.#at += source.length;
    return node?.number ? source : numberOf(source);
  }

  #object(node: Node | null, depth: number): JsonObject {
    const out: JsonObject = {};
    this.#at++;
    for (let code = this.#peek(); code !== CLOSE_OBJECT; code = this.#peek()) {
      if (code === COMMA) {
        this.#at++;
        this.#peek();
      }
      const name = this.#string();
      this.#peek();
      this.#at++;
      this.#path.push(name);
      this.#member(node, name, depth, out);
      this.#path.pop();
    }
    this.#at++;
    return out;
  }

  #member(node: Node | null, name: string, depth: number, out: JsonObject): void {
    const known = node?.properties?.get(name) ?? node?.others ?? null;
    this.#peek();
    const start = this.#at;
    const value = this.value(known, depth + 1);
    if (!known && node?.properties) {
      const text = this.#text.slice(start, this.#at).replace(/^"([^"]*)"$/, '$1');
      if (isIgnored(this.#tolerance, this.#path, value, text)) return;
    }
    if (!this.#plain && (isForbiddenName(name) || !isCleanText(name)))
      this.violations.push(unknownProperty([...this.#path]));
    else if (Object.hasOwn(out, name)) this.violations.push(givenTwice([...this.#path]));
    else if (name === '__proto__') Object.defineProperty(out, name, { value, enumerable: true });
    // A free name without a value is not there.
    else if (value !== undefined || node?.properties?.has(name)) out[name] = value;
  }

  #array(node: Node | null, depth: number): unknown {
    const out: unknown[] = [];
    this.#at++;
    for (let code = this.#peek(); code !== CLOSE_ARRAY; code = this.#peek()) {
      if (code === COMMA) this.#at++;
      this.#path.push(String(out.length));
      // An absent element has no meaning in an array: null stays.
      out.push(this.value(node?.items ?? null, depth + 1) ?? null);
      this.#path.pop();
    }
    this.#at++;
    const isObject = this.#tolerance !== null && (depth > 1 || !node?.demands) && (node?.properties ?? node?.others);
    return isObject && out.length === 0 ? {} : out;
  }

  /** The string that starts here. Most hold no escape and are a slice of the text. */
  #string(): string {
    const start = this.#at + 1;
    let end = this.#text.indexOf('"', start);
    const plain = this.#text.slice(start, end);
    if (!plain.includes('\\')) {
      this.#at = end + 1;
      return plain;
    }
    end = start;
    for (let code = this.#text.charCodeAt(end); code !== QUOTE; code = this.#text.charCodeAt(end))
      end += code === BACKSLASH ? 2 : 1;
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(start - 1, end + 1)) as string;
  }

  #checked(text: string): string | undefined {
    if (this.#plain || isCleanText(text)) return text;
    this.violations.push(wrongCharacters([...this.#path]));
    return undefined;
  }

  #word<Value>(length: number, value: Value): Value {
    this.#at += length;
    return value;
  }

  /** Skips white space; the code of what stands there. */
  #peek(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = this.#text.charCodeAt(++this.#at);
    return code;
  }
}

/** U+0000 can't be stored, and a lone surrogate would be stored as another character. */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

export const givenTwice = (path: readonly string[]): Violation => ({
  path,
  message: 'Given twice',
  attribute: 'unique',
  details: ['one value for a name'],
});

export const wrongCharacters = (path: readonly string[]): Violation => ({
  path,
  message: 'Wrong format',
  attribute: 'characters',
  details: ['Unicode characters without U+0000'],
});
