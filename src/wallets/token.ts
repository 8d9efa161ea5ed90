// What every wallet token is read with: the flaws, strict base64, fields of hostile JSON, points of the curve P-256.
// Rule: a flaw is one word. It never carries a cause, a field's value or a parser's message: those quote card numbers.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { Pan } from '../base/index.ts';

/** Every reason why a token is not opened; there is no other. */
export const flaws = [
  /** Not the published form, outside or inside. */
  'wrong_format',
  /** A form that is not read here: RSA_v1, ECv1, signing only. */
  'unknown_version',
  /** Not signed by the wallet, or not for this recipient. */
  'bad_signature',
  /** Right, but not now: the token, or a key or certificate that signed it. */
  'expired',
  /** Made for another merchant. */
  'wrong_merchant',
  /** Encrypted to a key that is not ours. */
  'unknown_key',
  /** To our key, and still does not open. */
  'undecryptable',
] as const;

export type Flaw = (typeof flaws)[number];

export interface WalletPayment {
  readonly kind: 'apple_pay' | 'google_pay';
  /** 64 hex digits, the same for every spelling of one token: whoever accepts a payment accepts each id once. */
  readonly tokenId: string;
  readonly pan: Pan;
  /** YYMM (DE 14). */
  readonly expiry: string;
  /** Base64 of 20 bytes; null when the wallet gave the plain card. */
  readonly cryptogram: string | null;
  /** Two digits; null when the wallet named none. */
  readonly eci: string | null;
  /** The number and cryptogram are a device's, and its holder was verified there. false: a plain card, to be authenticated as any other. */
  readonly deviceBound: boolean;
  /** What the payer approved on the device, when the wallet says so; the caller compares. */
  readonly approved: { readonly minor: bigint; readonly currencyNumeric: string } | null;
}

export type Opened =
  | { readonly ok: true; readonly payment: WalletPayment }
  | { readonly ok: false; readonly flaw: Flaw };

class Flawed extends Error {
  readonly flaw: Flaw;

  constructor(flaw: Flaw) {
    super(flaw);
    this.flaw = flaw;
  }
}

export function flawed(flaw: Flaw): never {
  throw new Flawed(flaw);
}

/** The one place where a flaw becomes a value. */
export function opened(open: () => WalletPayment): Opened {
  try {
    return { ok: true, payment: open() };
  } catch (error) {
    if (error instanceof Flawed) return { ok: false, flaw: error.flaw };
    throw error;
  }
}

/** For parsers and ciphers of the platform, which throw at hostile input. */
export function attempt<T>(flaw: Flaw, work: () => T): T {
  try {
    return work();
  } catch {
    return flawed(flaw);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** Characters of a whole token; real ones have about 4,000. */
const LONGEST_TOKEN = 32_768;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own field: what a prototype has is not in the token. */
export const field = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

export function fieldsOf(fields: Fields, name: string): Fields {
  const value = field(fields, name);
  return isFields(value) ? value : flawed('wrong_format');
}

export function textOf(fields: Fields, name: string, longest = LONGEST_TOKEN): string {
  const value = field(fields, name);
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : flawed('wrong_format');
}

export function readJson(text: string): Fields {
  if (text.length > LONGEST_TOKEN) flawed('wrong_format');
  const value = attempt('wrong_format', (): unknown => JSON.parse(text));
  return isFields(value) ? value : flawed('wrong_format');
}

/** A token comes as JSON text, or as the object that the caller's own parser made of it. */
export function readToken(token: unknown): Fields {
  if (typeof token === 'string') return readJson(token);
  return isFields(token) ? token : flawed('wrong_format');
}

/** JSON that was decrypted. */
export const readPlaintext = (bytes: Buffer): Fields =>
  readJson(attempt('wrong_format', () => new TextDecoder('utf-8', { fatal: true }).decode(bytes)));

/** Standard alphabet, padded, one spelling for each value. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : flawed('wrong_format');
}

export const base64Of = (fields: Fields, name: string): Buffer => bytesOf(textOf(fields, name));

/** SHA-256 in hex: either case. */
export function digestOf(fields: Fields, name: string): Buffer {
  const text = textOf(fields, name, 64);
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : flawed('wrong_format');
}

export const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

// A P-256 key as SubjectPublicKeyInfo is this head and the point, 0x04 x y: 91 bytes.
const SPKI_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
const POINT_LENGTH = 65;

/** An uncompressed point; not one that is off the curve. */
export function keyOfPoint(point: Buffer): KeyObject {
  if (point.length !== POINT_LENGTH || point[0] !== 4) flawed('wrong_format');
  const key = Buffer.concat([SPKI_HEAD, point]);
  return attempt('wrong_format', () => createPublicKey({ key, format: 'der', type: 'spki' }));
}

export function keyOfSpki(bytes: Buffer): KeyObject {
  const head = bytes.subarray(0, SPKI_HEAD.length);
  return head.equals(SPKI_HEAD) ? keyOfPoint(bytes.subarray(SPKI_HEAD.length)) : flawed('wrong_format');
}

export const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' });

export const isP256 = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';

// The parts of a payment that both wallets have.

export const panOf = (fields: Fields, name: string): Pan =>
  Pan.parse(textOf(fields, name, 19)) ?? flawed('wrong_format');

export function cryptogramOf(fields: Fields, name: string): string {
  const bytes = bytesOf(textOf(fields, name, 28));
  return bytes.length === 20 ? bytes.toString('base64') : flawed('wrong_format');
}

/** Wallets write 5 and 05; absent, null and empty are none. */
export function eciOf(fields: Fields, name: string): string | null {
  const value = field(fields, name);
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' && /^\d{1,2}$/.test(value) ? value.padStart(2, '0') : flawed('wrong_format');
}

export const tokenIdOf = (kind: WalletPayment['kind'], id: string): string => sha256(`${kind}/`, id).toString('hex');
