// The kinds of fields that requests are made of: how each is written on the wire, checked, and what a handler gets for it.
// Rule: a number that money or an identifier depends on is taken from its text and never passes through a float.
import { isIP } from 'node:net';
import Type, { type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import {
  countryOf,
  isFingerprint,
  isUsableCurrency,
  MOST_CERTIFICATES,
  parseDateTime,
  parseDuration,
  plainFingerprint,
} from '../../base/index.ts';

interface FieldKind {
  /** What the rule asks for, in words. */
  readonly says: string;
  /** A JSON number is accepted as well and taken as its source text. */
  readonly number?: true;
  /** null is not the absence of a value, but a wrong one: what was computed wrongly becomes null in JSON. */
  readonly notNull?: true;
  /** Is this text of the kind? Absent: the schema alone decides. */
  readonly test?: RegExp | ((text: string) => boolean);
  /** The value that a handler gets; absent: the text as it came. Only called with checked values. */
  readonly clean?: (value: never) => unknown;
  /** What the API description says about it. */
  readonly document: Readonly<Record<string, unknown>>;
}

const TRUE: ReadonlySet<unknown> = new Set(['1', 'true', true]);

/** Control characters other than tab and line ends have no place in text that people read. */
const PRINTABLE = /^(?:\P{Cc}|[\t\n\r])*$/u;

export const fieldKinds = {
  text: { says: 'text without control characters', test: PRINTABLE, document: { type: 'string' } },
  token: { says: 'text or a number', number: true, test: PRINTABLE, document: { type: ['string', 'number'] } },
  digits: { says: 'digits', number: true, test: /^\d+$/, document: { type: ['string', 'integer'], pattern: '^\\d+$' } },
  amount: {
    says: 'greater than zero, digits with at most two decimals, no sign and no exponent',
    number: true,
    notNull: true,
    test: (text) => AMOUNT.test(text) && /[1-9]/.test(text),
    document: {
      type: ['number', 'string'],
      pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,2})?$',
      exclusiveMinimum: 0,
      examples: [12.5],
    },
  },
  amount_or_zero: {
    says: 'digits with at most two decimals, no sign and no exponent',
    number: true,
    notNull: true,
    test: (text) => AMOUNT.test(text),
    document: {
      type: ['number', 'string'],
      pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,2})?$',
      minimum: 0,
      examples: [12.5],
    },
  },
  minor_units: {
    says: 'a whole number of minor units, no sign and no exponent',
    number: true,
    notNull: true,
    test: /^(0|[1-9]\d{0,11})$/,
    clean: (text: string) => BigInt(text),
    document: { type: ['integer', 'string'] },
  },
  flag: {
    says: '0, 1, "0", "1", false, true, "false" or "true"',
    number: true,
    clean: (value: string | boolean) => TRUE.has(value),
    // Type by type: makers of clients pass over an enumeration of several types, and over all that has such a field.
    document: {
      anyOf: [
        { type: 'integer', enum: [0, 1] },
        { type: 'boolean' },
        { type: 'string', enum: ['0', '1', 'false', 'true'] },
      ],
    },
  },
  integer: {
    says: 'a whole number',
    number: true,
    test: /^-?(0|[1-9]\d{0,14})$/,
    clean: (text: string) => Number(text),
    document: { type: ['integer', 'string'] },
  },
  month: {
    says: 'a month, 1 to 12',
    number: true,
    test: /^(0?[1-9]|1[0-2])$/,
    clean: (text: string) => text.padStart(2, '0'),
    document: { type: ['string', 'integer'], examples: ['07'] },
  },
  year: {
    says: 'a year of two or four digits',
    number: true,
    test: /^(20)?\d{2}$/,
    clean: (text: string) => text.slice(-2),
    document: { type: ['string', 'integer'], examples: ['2030'] },
  },
  date_time: {
    says: 'a date-time YYYY-MM-DD HH:MM:SS',
    test: (text) => parseDateTime(text) !== null,
    document: { type: 'string', examples: ['2026-11-21 09:30:00'] },
  },
  day: {
    says: 'a day YYYY-MM-DD',
    test: (text) => parseDateTime(`${text} 00:00:00`) !== null,
    document: { type: 'string', format: 'date' },
  },
  duration: {
    says: 'a duration with a unit (30s, 15m, 2h, 1d)',
    test: (text) => parseDuration(text) !== null,
    clean: (text: string) => parseDuration(text),
    document: { type: 'string', examples: ['15m'] },
  },
  country: {
    says: 'an ISO 3166-1 alpha-3 code',
    test: isCountry,
    document: { type: 'string', minLength: 3, maxLength: 3, examples: ['DEU'] },
  },
  country_or_empty: {
    says: 'an ISO 3166-1 alpha-3 code, or nothing',
    test: (text) => text === '' || isCountry(text),
    clean: (text: string) => text || undefined,
    document: { type: 'string', maxLength: 3, examples: ['DEU'] },
  },
  currency: {
    says: 'an ISO 4217 code with no or two decimals',
    test: isUsableCurrency,
    document: { type: 'string', minLength: 3, maxLength: 3, examples: ['EUR'] },
  },
  ip: {
    says: 'an IPv4 or IPv6 address',
    // A zone (fe80::1%eth0) means something to one machine only.
    test: (text) => isIP(text) !== 0 && !text.includes('%'),
    document: { type: 'string', examples: ['192.0.2.1'] },
  },
  email: {
    says: 'an e-mail address',
    test: /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u,
    document: { type: 'string', format: 'email' },
  },
  url: { says: 'an absolute http or https address', test: isWebAddress, document: { type: 'string', format: 'uri' } },
  fingerprint: {
    says: 'the SHA-256 fingerprint of a certificate, 64 hexadecimal digits, with colons or without',
    test: isFingerprint,
    clean: plainFingerprint,
    document: { type: 'string', pattern: '^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$' },
  },
  list: {
    says: 'values separated by commas',
    test: PRINTABLE,
    clean: (text: string) => [...new Set(listParts(text))],
    document: { type: 'string', description: 'Values separated by commas; `\\,` is a comma of a value.' },
  },
} as const satisfies Readonly<Record<string, FieldKind>>;

export type FieldKindName = keyof typeof fieldKinds;

/** The values of a list; a comma behind a backslash is one of the value's. */
export const listParts = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((part) => part.trim().replaceAll('\\,', ','))
    .filter((part) => part !== '');

/** The text of a list's values. */
export const listText = (values: readonly string[]): string =>
  values.map((value) => value.replaceAll(',', '\\,')).join(',');

/** At most twelve digits before the point: what fits the wire in minor units is decided once the currency is known. */
const AMOUNT = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;

function isCountry(text: string): boolean {
  return text.length === 3 && countryOf(text) !== null;
}

/** Absolute, http or https, no user-info, no control characters, spaces or backslashes before parsing (they change its meaning). */
function isWebAddress(text: string): boolean {
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

export interface FieldOptions {
  readonly description?: string;
  readonly examples?: readonly unknown[];
}
export interface LengthOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

function field<Value>(
  kind: FieldKindName,
  { min, max, ...options }: LengthOptions = {},
  schema: object = {},
): TUnsafe<Value> {
  const tested = 'test' in fieldKinds[kind] ? { type: 'string', format: kind } : {};
  return Type.Unsafe<Value>({
    ...tested,
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
    ...schema,
    ...options,
    'x-kind': kind,
  });
}

/** Free text; at most 255 characters unless told. */
export const Text = (options: LengthOptions = {}): TUnsafe<string> => field('text', { max: 255, ...options });
/** Text that may also come as a JSON number, and is kept as it was written. */
export const Token = (options: LengthOptions = {}): TUnsafe<string> => field('token', { max: 255, ...options });
/** A string of digits; leading zeros are kept. A JSON number is taken as its text. */
export const Digits = (options: LengthOptions = {}): TUnsafe<string> => field('digits', { max: 64, ...options });
/** The decimal text of an amount; `parseAmount` makes minor units of it once the currency is known. */
export const Amount = (options: FieldOptions & { readonly zero?: boolean } = {}): TUnsafe<string> => {
  const { zero = false, ...rest } = options;
  return field(zero ? 'amount_or_zero' : 'amount', rest);
};
/** Minor units, a bigint: `least` and up to the twelve digits that the network can carry (DE 4). */
export const MinorUnits = (least: 0 | 1, options: FieldOptions = {}): TUnsafe<bigint> =>
  field('minor_units', options, { 'x-range': [least, 999_999_999_999] });
export const Flag = (options: FieldOptions = {}): TUnsafe<boolean> =>
  field('flag', options, { enum: ['0', '1', false, true, 'false', 'true'] });
/** A whole number between the bounds, both included. */
export const Integer = (min: number, max: number, options: FieldOptions = {}): TUnsafe<number> =>
  field('integer', options, { 'x-range': [min, max] });
/** Two digits, `01` to `12`. */
export const Month = (options: FieldOptions = {}): TUnsafe<string> => field('month', options);
/** The last two digits of the year. */
export const Year = (options: FieldOptions = {}): TUnsafe<string> => field('year', options);
/** The text of a date-time without zone: `parseDateTime` reads it in the project's. */
export const DateTime = (options: FieldOptions = {}): TUnsafe<string> => field('date_time', options);
export const Day = (options: FieldOptions = {}): TUnsafe<string> => field('day', options);
/** Milliseconds. */
export const Duration = (options: FieldOptions = {}): TUnsafe<number> => field('duration', options);
/** `empty`: the text may be empty and is absent then, as of somebody who named no country. */
export const CountryCode = ({ empty = false, ...options }: FieldOptions & { empty?: boolean } = {}): TUnsafe<string> =>
  field(empty ? 'country_or_empty' : 'country', options);
export const Currency = (options: FieldOptions = {}): TUnsafe<string> => field('currency', options);
export const IpAddress = (options: FieldOptions = {}): TUnsafe<string> => field('ip', options);
export const Email = (options: FieldOptions = {}): TUnsafe<string> => field('email', { max: 255, ...options });
export const WebAddress = (options: LengthOptions = {}): TUnsafe<string> => field('url', { max: 2048, ...options });

/** Certificates by their fingerprints, each in our own form. */
export const Certificates = (options: FieldOptions = {}): TUnsafe<string[]> =>
  Type.Unsafe({
    type: 'array',
    items: field('fingerprint', { max: 95 }),
    maxItems: MOST_CERTIFICATES,
    description: 'SHA-256 fingerprints of the certificates it is bound to; none: it needs no certificate.',
    ...options,
  });

/** One of the given texts. */
export const Choice = <const Values extends readonly string[]>(
  values: Values,
  options: FieldOptions = {},
): TUnsafe<Values[number]> => Type.Unsafe({ type: 'string', enum: [...values], ...options });

/** Values separated by commas, without repeats; with `values` each must be one of them. At most 200. */
export const List = <const Values extends readonly string[]>(
  values?: Values,
  options: FieldOptions = {},
): TUnsafe<Values[number][]> => field('list', { max: 8192, ...options }, { 'x-list': values ? [...values] : [] });

/** A closed object: any other name in it is an unknown property. */
export const Shape = <Properties extends TProperties>(
  properties: Properties,
  options: object = {},
): ReturnType<typeof Type.Object<Properties>> => Type.Object(properties, { additionalProperties: false, ...options });

/** Values separated by commas, without repeats, each of the kind. At most 200. */
export const ListOf = (kind: FieldKindName, options: FieldOptions = {}): TUnsafe<string[]> =>
  field('list', { max: 8192, ...options }, { 'x-each': kind });

/** A flat map of free names to values: at most `max` entries, names as the pattern says. */
export const FlatMap = <Value extends TSchema>(
  value: Value,
  options: FieldOptions & { readonly max: number; readonly names: string },
): TUnsafe<Record<string, Static<Value>>> => {
  const { max, names, ...rest } = options;
  return Type.Unsafe({
    type: 'object',
    maxProperties: max,
    propertyNames: { pattern: names },
    additionalProperties: value,
    ...rest,
  });
};

export const Optional = Type.Optional;
