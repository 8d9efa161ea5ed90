// CVV and PIN of issued cards: derived from keys, the number and the expiry whenever they are needed, never stored.
// Rule: what is derived here goes to the cardholder or into a comparison, and nowhere else.
import { createCipheriv, timingSafeEqual } from 'node:crypto';
import { assert, type Pan } from '../base/index.ts';

export interface CardVerification {
  /** CVV2: three digits, service code 000. `expiry` is YYMM. */
  cvv(pan: Pan, expiry: string): string;
  /** In constant time. */
  cvvMatches(pan: Pan, expiry: string, given: string): boolean;
  /** The PIN that an offset of four digits makes of the card's natural PIN (IBM 3624, described in z/OS ICSF). */
  pin(pan: Pan, offset: string): string;
  pinMatches(pan: Pan, offset: string, given: string): boolean;
}

/** DES in ECB, one block: as triple DES with one key three times, which every build of the library has. */
const des = (key: Buffer, block: Buffer): Buffer => tripleDes(Buffer.concat([key, key, key]), block);

function tripleDes(key: Buffer, block: Buffer): Buffer {
  const cipher = createCipheriv('des-ede3', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

/** Encrypt with the left half, decrypt with the right, encrypt with the left: the two-key form of triple DES. */
const twoKey = (key: Buffer, block: Buffer): Buffer =>
  tripleDes(Buffer.concat([key.subarray(0, 8), key.subarray(8), key.subarray(0, 8)]), block);

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, i) => byte ^ (b[i] as number)));

/**
 * Card verification value (the algorithm of both networks, described in z/OS ICSF "CVV service"): number, expiry and service code, padded
 * with zeros to 32 digits; the first half enciphered under key A, added to the second, enciphered under A and B; decimal digits first,
 * then letters turned into digits. `keys`: A then B, eight bytes each.
 */
export function cardVerificationValue(keys: Buffer, digits: string, expiry: string, serviceCode: string): string {
  assert(keys.length === 16, 'two keys of eight bytes');
  const data = Buffer.from(`${digits}${expiry}${serviceCode}`.padEnd(32, '0'), 'hex');
  const first = des(keys.subarray(0, 8), data.subarray(0, 8));
  const last = twoKey(keys, xor(first, data.subarray(8))).toString('hex');
  const decimal = last.replace(/[a-f]/g, '');
  const letters = last.replace(/\d/g, '').replace(/[a-f]/g, (letter) => String(letter.charCodeAt(0) - 97));
  return (decimal + letters).slice(0, 3);
}

/** Natural PIN: the last twelve digits before the check digit under the key, its hexadecimal digits made decimal. */
export function naturalPin(key: Buffer, digits: string): string {
  const data = Buffer.from(digits.slice(0, -1).slice(-12).padStart(16, '0'), 'hex');
  const table = '0123456789012345';
  return twoKey(key, data)
    .toString('hex')
    .slice(0, 4)
    .split('')
    .map((digit) => table[Number.parseInt(digit, 16)])
    .join('');
}

const same = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** `keyed`: a key derivation of the vault's. */
export function cardVerification(keyed: (purpose: string, data: string) => Buffer): CardVerification {
  const cvvKeys = keyed('card_verification', 'cvv').subarray(0, 16);
  const pinKey = keyed('card_verification', 'pin').subarray(0, 16);
  const cvv = (pan: Pan, expiry: string): string => cardVerificationValue(cvvKeys, pan.reveal(), expiry, '000');
  const pin = (pan: Pan, offset: string): string =>
    naturalPin(pinKey, pan.reveal())
      .split('')
      .map((digit, i) => (Number(digit) + Number(offset[i])) % 10)
      .join('');
  return {
    cvv,
    cvvMatches: (pan, expiry, given) => same(cvv(pan, expiry), given),
    pin,
    pinMatches: (pan, offset, given) => same(pin(pan, offset), given),
  };
}
