// ASN.1 as far as wallet signatures need it: reads DER and the indefinite lengths of BER, and writes both for the sandbox.
// Rule: every byte read is hostile. Depth and number of elements are bounded, and nothing outside the given bytes is looked at.
import { refuse } from './token.ts';

export interface Element {
  /** The identifier byte: class, constructed, number below 31. */
  readonly tag: number;
  /** Head, content and, of an indefinite length, the end mark. */
  readonly raw: Buffer;
  readonly content: Buffer;
  /** Of a constructed element; a primitive one has none. */
  readonly parts: readonly Element[];
  readonly indefinite: boolean;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const;

const CONSTRUCTED = 0x20;
const DEEPEST = 16;
const MOST_ELEMENTS = 2_000;

interface Budget {
  left: number;
}

/** The one element that `bytes` is; refuses anything before, after or beside it. */
export function readElement(bytes: Buffer): Element {
  const element = readAt(bytes, 0, 0, { left: MOST_ELEMENTS });
  return element.raw.length === bytes.length ? element : refuse('wrong_format');
}

function readAt(bytes: Buffer, at: number, depth: number, budget: Budget): Element {
  if (depth > DEEPEST || budget.left-- <= 0) refuse('wrong_format');
  const tag = byteAt(bytes, at);
  // 31 would begin a tag of several bytes, 0 is the end mark: neither belongs to these messages.
  if ((tag & 0x1f) === 0x1f || tag === 0) refuse('wrong_format');
  const constructed = (tag & CONSTRUCTED) !== 0;
  const first = byteAt(bytes, at + 1);
  if (first === 0x80) {
    if (!constructed) refuse('wrong_format');
    return readIndefinite(bytes, at, depth, budget);
  }
  const { length, start } = readLength(bytes, at + 1, first);
  const end = start + length;
  if (end > bytes.length) refuse('wrong_format');
  const content = bytes.subarray(start, end);
  const parts: Element[] = [];
  for (let next = 0; constructed && next < content.length; ) {
    const part = readAt(content, next, depth + 1, budget);
    parts.push(part);
    next += part.raw.length;
  }
  return { tag, raw: bytes.subarray(at, end), content, parts, indefinite: false };
}

function readIndefinite(bytes: Buffer, at: number, depth: number, budget: Budget): Element {
  const parts: Element[] = [];
  let next = at + 2;
  while (byteAt(bytes, next) !== 0) {
    const part = readAt(bytes, next, depth + 1, budget);
    parts.push(part);
    next += part.raw.length;
  }
  if (byteAt(bytes, next + 1) !== 0) refuse('wrong_format');
  return {
    tag: byteAt(bytes, at),
    raw: bytes.subarray(at, next + 2),
    content: bytes.subarray(at + 2, next),
    parts,
    indefinite: true,
  };
}

/** Definite lengths in their shortest form only, as DER wants: one spelling for each. */
function readLength(bytes: Buffer, at: number, first: number): { length: number; start: number } {
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  if (count > 3) refuse('wrong_format');
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + byteAt(bytes, at + i);
  if (length < 0x80 || length < 2 ** (8 * (count - 1))) refuse('wrong_format');
  return { length, start: at + 1 + count };
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? refuse('wrong_format');
}

/** The part at `index`, which must have this tag. */
export function part(element: Element, index: number, tag: number): Element {
  const found = element.parts[index];
  return found?.tag === tag ? found : refuse('wrong_format');
}

/** An object identifier in its dotted form. */
export function oidText(element: Element): string {
  if (element.tag !== TAG.oid || element.content.length === 0 || element.content.length > 32) refuse('wrong_format');
  const numbers: number[] = [];
  let value = 0;
  let open = false;
  for (const byte of element.content) {
    if ((!open && byte === 0x80) || value > 2 ** 40) refuse('wrong_format');
    value = value * 128 + (byte & 0x7f);
    open = byte >= 0x80;
    if (open) continue;
    numbers.push(value);
    value = 0;
  }
  if (open) refuse('wrong_format');
  const head = numbers[0] as number;
  const root = Math.min(2, Math.floor(head / 40));
  return [root, head - root * 40, ...numbers.slice(1)].join('.');
}

const TIME_FORM: Readonly<Record<number, RegExp>> = {
  [TAG.utcTime]: /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/,
  [TAG.generalizedTime]: /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/,
};

/** A time to the second, UTC. */
export function timeOf(element: Element): Date {
  const match = TIME_FORM[element.tag]?.exec(element.content.toString('latin1'));
  if (!match) return refuse('wrong_format');
  const [year = '', month, day, hour, minute, second] = match.slice(1);
  // UTCTime: 50 to 99 are of the last century (RFC 5280, 4.1.2.5.1).
  const full = year.length === 4 ? year : `${Number(year) >= 50 ? '19' : '20'}${year}`;
  const text = `${full}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString() === text ? at : refuse('wrong_format');
}

// Writing: for the sandbox and its tests.

const lengthBytes = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(
    length.toString(16).padStart(length.toString(16).length + (length.toString(16).length % 2), '0'),
    'hex',
  );
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(body.length), body]);
}

/** With an indefinite length and an end mark, as the wallet's own signatures are written. */
export const ber = (tag: number, ...content: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);

export function derOid(text: string): Buffer {
  const [root = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [root * 40 + second, ...rest].flatMap((number) => {
    const septets = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift(0x80 | (left % 128));
    return septets;
  });
  return der(TAG.oid, Buffer.from(bytes));
}

/** A positive integer of these bytes. */
export const derInteger = (bytes: Buffer): Buffer =>
  der(TAG.integer, (bytes[0] as number) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

export const derTime = (at: Date): Buffer =>
  der(TAG.utcTime, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));
