// The cardholder authentication verification value: 20 bytes by keyed hash over card, amount, currency, merchant, directory id and ECI.
// Rule: whoever changes one of the six gets a value that the issuer's host refuses.
import { timingSafeEqual } from 'node:crypto';
import type { Money, Pan } from '../../base/index.ts';

/** What the vault offers to this room: keyed hashes, never a card number. */
export interface Keys {
  keyed(purpose: string, data: Buffer | string): Buffer;
  fingerprint(pan: Pan): string;
}

const LENGTH = 20;

/** All but the ECI, which is not known before the challenge ends. Bound to one directory id, so it never links two payments of a card. */
export const cavvSeed = (keys: Keys, { pan, amount, merchantId, dsTransId }: Omit<CavvClaim, 'eci' | 'cavv'>): Buffer =>
  keys.keyed(
    'threeds.cavv.seed',
    JSON.stringify([keys.fingerprint(pan), String(amount.minor), amount.currency, merchantId, dsTransId]),
  );

/** DE 48 tag 02: base64 of 20 bytes, 28 characters. */
export const cavvFrom = (keys: Keys, seed: Buffer, eci: string): string =>
  keys
    .keyed('threeds.cavv', Buffer.concat([seed, Buffer.from(`/${eci}`)]))
    .subarray(0, LENGTH)
    .toString('base64');

export interface CavvClaim {
  readonly pan: Pan;
  readonly amount: Money;
  readonly merchantId: string;
  readonly dsTransId: string;
  readonly eci: string;
  readonly cavv: string;
}

/** The issuer's host asks: did our access control server make this value for this card, amount, currency, directory id and ECI? */
export function verifyCavv(keys: Keys, claim: CavvClaim): boolean {
  const given = decodeCavv(claim.cavv);
  if (!given) return false;
  const seed = cavvSeed(keys, claim);
  return timingSafeEqual(given, Buffer.from(cavvFrom(keys, seed, claim.eci), 'base64'));
}

/** The 20 bytes of a value written in base64 (either alphabet, padding optional) or hex; null when it is anything else. */
export function decodeCavv(text: string): Buffer | null {
  if (/^[0-9a-f]{40}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{27}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  // The last character holds four bits: one with more is a second spelling of the same bytes.
  return bytes.toString('base64url') === text.replace('=', '').replaceAll('+', '-').replaceAll('/', '_') ? bytes : null;
}
