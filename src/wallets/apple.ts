// Apple Pay payment tokens, version EC_v1, by Apple's "Payment token format reference".
// Rule: nothing is decrypted before the signature over all that is decrypted was verified up to the root.
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { assert } from '../base/index.ts';
import { verifyDetached } from './cms.ts';
import {
  attempt,
  base64Of,
  cryptogramOf,
  digestOf,
  eciOf,
  type Fields,
  field,
  fieldsOf,
  flawed,
  isFields,
  isP256,
  keyOfSpki,
  type Opened,
  opened,
  panOf,
  readPlaintext,
  readToken,
  sha256,
  spkiOf,
  textOf,
  tokenIdOf,
  type WalletPayment,
} from './token.ts';

/** One payment processing key of a merchant of ours. */
export interface AppleKey {
  readonly merchantId: string;
  readonly privateKey: KeyObject;
  /** Base64: how a token names the key. */
  readonly publicKeyHash: string;
}

export interface AppleSettings {
  /** All of the installation: a token for another merchant of ours is told from one for a stranger. */
  readonly keys: readonly AppleKey[];
  /** Apple Root CA - G3, or the sandbox's. */
  readonly roots: readonly X509Certificate[];
  /** How far the signing time may be from ours, either way. */
  readonly toleranceMs: number;
}

/** "More than a few minutes" may be a replay, says the reference. */
export const APPLE_TOLERANCE_MS = 5 * 60_000;

/** Markers of the wallet's certificates. */
export const APPLE_MARKERS = { leaf: '1.2.840.113635.100.6.29', intermediate: '1.2.840.113635.100.6.2.14' } as const;

/** A merchant's payment processing key; asserts a private key of P-256 in PEM. */
export function appleKey(merchantId: string, pem: string): AppleKey {
  const privateKey = createPrivateKey(pem);
  assert(isP256(privateKey), 'an Apple Pay payment processing key is of the curve P-256');
  return { merchantId, privateKey, publicKeyHash: publicKeyHash(createPublicKey(privateKey)) };
}

/** Asserts a certificate in PEM. */
export const appleRoot = (pem: string): X509Certificate => {
  const root = new X509Certificate(pem);
  assert(root.ca, 'a root certificate belongs to an authority');
  return root;
};

export const publicKeyHash = (publicKey: KeyObject): string => sha256(spkiOf(publicKey)).toString('base64');

/**
 * Opens a token for the merchant: JSON text or object, `paymentData` alone or the whole token around it.
 * Flaws: every one of the list. Replay is the caller's to refuse, by `tokenId`.
 */
export const openApplePay = (token: unknown, merchantId: string, settings: AppleSettings, now: Date): Opened =>
  opened(() => open(token, merchantId, settings, now));

function open(token: unknown, merchantId: string, settings: AppleSettings, now: Date): WalletPayment {
  const message = readMessage(token);
  const key = keyFor(message.publicKeyHash, merchantId, settings.keys);
  const ephemeral = keyOfSpki(message.ephemeralPublicKey);
  verifyMessage(message, settings, now);
  const symmetric = symmetricKey(key.privateKey, ephemeral, sha256(key.merchantId));
  return readPayment(readPlaintext(decipher(message.data, symmetric)), message.transactionId.toString('hex'));
}

interface Message {
  readonly data: Buffer;
  readonly signature: Buffer;
  readonly ephemeralPublicKey: Buffer;
  readonly publicKeyHash: string;
  /** 32 bytes, as all of a fixed length in the signed text: none of it can be moved from one field to the next. */
  readonly transactionId: Buffer;
  readonly applicationData: Buffer | null;
}

function readMessage(token: unknown): Message {
  const outer = readToken(token);
  const inner = field(outer, 'paymentData');
  const fields = isFields(inner) ? inner : outer;
  if (textOf(fields, 'version', 16) !== 'EC_v1') flawed('unknown_version');
  const header = fieldsOf(fields, 'header');
  return {
    data: base64Of(fields, 'data'),
    signature: base64Of(fields, 'signature'),
    ephemeralPublicKey: base64Of(header, 'ephemeralPublicKey'),
    publicKeyHash: base64Of(header, 'publicKeyHash').toString('base64'),
    transactionId: digestOf(header, 'transactionId'),
    applicationData: field(header, 'applicationData') === undefined ? null : digestOf(header, 'applicationData'),
  };
}

function keyFor(hash: string, merchantId: string, keys: readonly AppleKey[]): AppleKey {
  const named = keys.filter((key) => key.publicKeyHash === hash);
  if (named.length === 0) flawed('unknown_key');
  return named.find((key) => key.merchantId === merchantId) ?? flawed('wrong_merchant');
}

function verifyMessage(message: Message, settings: AppleSettings, now: Date): void {
  const { ephemeralPublicKey, data, transactionId, applicationData } = message;
  const signed = [ephemeralPublicKey, data, transactionId, ...(applicationData ? [applicationData] : [])];
  const { signedAt, chain } = verifyDetached(message.signature, signed, settings.roots, APPLE_MARKERS);
  if (Math.abs(now.getTime() - signedAt.getTime()) > settings.toleranceMs) flawed('expired');
  for (const { validFromDate, validToDate } of chain)
    if (signedAt < validFromDate || signedAt > validToDate) flawed('expired');
}

// One step of the concatenation KDF (NIST SP 800-56A, 5.8.1) with SHA-256: counter, shared secret, algorithm, party U, party V.
const COUNTER = Buffer.from([0, 0, 0, 1]);
const ALGORITHM = Buffer.from('\u000did-aes256-GCM');
const PARTY_U = Buffer.from('Apple');

/** The same for both sides; `partyV` is SHA-256 of the merchant id. */
export function symmetricKey(privateKey: KeyObject, publicKey: KeyObject, partyV: Buffer): Buffer {
  const shared = attempt('undecryptable', () => diffieHellman({ privateKey, publicKey }));
  return sha256(COUNTER, shared, ALGORITHM, PARTY_U, partyV);
}

/** A key is used once, so the counter may begin at zero. */
export const ZERO_IV = Buffer.alloc(16);
export const TAG_LENGTH = 16;

export function decipher(data: Buffer, key: Buffer): Buffer {
  if (data.length <= TAG_LENGTH) flawed('wrong_format');
  const cipher = createDecipheriv('aes-256-gcm', key, ZERO_IV, { authTagLength: TAG_LENGTH });
  cipher.setAuthTag(data.subarray(-TAG_LENGTH));
  const plain = cipher.update(data.subarray(0, -TAG_LENGTH));
  return attempt('undecryptable', () => Buffer.concat([plain, cipher.final()]));
}

function readPayment(fields: Fields, transactionId: string): WalletPayment {
  // The other type, EMV, is China's: its data is not a cryptogram that our networks carry.
  if (textOf(fields, 'paymentDataType', 16) !== '3DSecure') flawed('wrong_format');
  const proof = fieldsOf(fields, 'paymentData');
  return {
    kind: 'apple_pay',
    tokenId: tokenIdOf('apple_pay', transactionId),
    pan: panOf(fields, 'applicationPrimaryAccountNumber'),
    expiry: expiryOf(textOf(fields, 'applicationExpirationDate', 6)),
    cryptogram: cryptogramOf(proof, 'onlinePaymentCryptogram'),
    eci: eciOf(proof, 'eciIndicator'),
    deviceBound: true,
    approved: approvedOf(fields),
  };
}

/** YYMMDD, of which networks carry the month. */
const expiryOf = (text: string): string =>
  /^\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(text) ? text.slice(0, 4) : flawed('wrong_format');

function approvedOf(fields: Fields): WalletPayment['approved'] {
  const currencyNumeric = textOf(fields, 'currencyCode', 3);
  const amount = field(fields, 'transactionAmount');
  if (!/^\d{3}$/.test(currencyNumeric)) flawed('wrong_format');
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return flawed('wrong_format');
  return { minor: BigInt(amount), currencyNumeric };
}
