// Google Pay payment method tokens, protocol ECv2, by Google's "Payment data cryptography".
// Rule: root signs intermediate, intermediate signs message, message opens: in that order, and what is signed is the text as it came.
import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { assert } from '../base/index.ts';
import {
  attempt,
  base64Of,
  bytesOf,
  cryptogramOf,
  eciOf,
  type Fields,
  field,
  fieldsOf,
  flawed,
  isP256,
  keyOfPoint,
  keyOfSpki,
  type Opened,
  opened,
  panOf,
  readJson,
  readPlaintext,
  readToken,
  textOf,
  tokenIdOf,
  type WalletPayment,
} from './token.ts';

export interface GoogleRoot {
  readonly publicKey: KeyObject;
  readonly expiresAt: Date;
}

export interface GoogleSettings {
  /** `gateway:<name>`, or `merchant:<id>` for a merchant who decrypts alone. */
  readonly recipientId: string;
  /** Several while a key is changed. */
  readonly privateKeys: readonly KeyObject[];
  readonly roots: readonly GoogleRoot[];
}

export const GOOGLE_SENDER = 'Google';
export const GOOGLE_VERSION = 'ECv2';

/** Asserts a private key of P-256 in PEM. */
export function googleKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  assert(isP256(key), 'a Google Pay key is of the curve P-256');
  return key;
}

/** The list of root signing keys as it is published, those of our protocol; asserts that there is one. */
export function googleRoots(json: string): GoogleRoot[] {
  const list = (JSON.parse(json) as { keys: { keyValue: string; protocolVersion: string; keyExpiration: string }[] })
    .keys;
  const roots = list
    .filter(({ protocolVersion }) => protocolVersion === GOOGLE_VERSION)
    .map(({ keyValue, keyExpiration }) => ({
      publicKey: createPublicKey({ key: Buffer.from(keyValue, 'base64'), format: 'der', type: 'spki' }),
      expiresAt: new Date(Number(keyExpiration)),
    }));
  assert(roots.length > 0, 'no root signing key of protocol ECv2');
  for (const { publicKey, expiresAt } of roots)
    assert(isP256(publicKey) && !Number.isNaN(expiresAt.getTime()), 'a root signing key is of P-256 and expires');
  return roots;
}

/**
 * Opens a token for the merchant whom Google knows as `gatewayMerchantId`; null: a token for a merchant who decrypts alone.
 * Flaws: every one of the list; a token for another recipient has a bad signature, because the recipient is signed and not sent.
 */
export const openGooglePay = (
  token: unknown,
  gatewayMerchantId: string | null,
  settings: GoogleSettings,
  now: Date,
): Opened => opened(() => open(token, gatewayMerchantId, settings, now));

function open(token: unknown, gatewayMerchantId: string | null, settings: GoogleSettings, now: Date): WalletPayment {
  const fields = readToken(token);
  if (textOf(fields, 'protocolVersion', 32) !== GOOGLE_VERSION) flawed('unknown_version');
  const signer = verifiedSigner(fieldsOf(fields, 'intermediateSigningKey'), settings.roots, now);
  const signedMessage = textOf(fields, 'signedMessage');
  const signed = lengthValue(GOOGLE_SENDER, settings.recipientId, GOOGLE_VERSION, signedMessage);
  if (!verifies(signed, signer, base64Of(fields, 'signature'))) flawed('bad_signature');
  const payment = readPlaintext(decrypt(readJson(signedMessage), settings.privateKeys));
  if (timeIn(payment, 'messageExpiration') <= now.getTime()) flawed('expired');
  if (gatewayMerchantId !== null && field(payment, 'gatewayMerchantId') !== gatewayMerchantId) flawed('wrong_merchant');
  return readPayment(payment);
}

/** Each text after its length in bytes, four bytes, the lowest first. */
export const lengthValue = (...texts: readonly string[]): Buffer =>
  Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );

const verifies = (signed: Buffer, key: KeyObject, signature: Buffer): boolean =>
  attempt('bad_signature', () => verify('sha256', signed, key, signature));

/** Signatures of the intermediate key, one for each root at most. */
const MOST_SIGNATURES = 8;

function verifiedSigner(intermediate: Fields, roots: readonly GoogleRoot[], now: Date): KeyObject {
  const signedKey = textOf(intermediate, 'signedKey', 1024);
  const list = field(intermediate, 'signatures');
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_SIGNATURES) return flawed('wrong_format');
  const signatures = list.map((each: unknown) =>
    typeof each === 'string' && each.length <= 256 ? bytesOf(each) : flawed('wrong_format'),
  );
  const signed = lengthValue(GOOGLE_SENDER, GOOGLE_VERSION, signedKey);
  const signers = roots.filter((root) => signatures.some((signature) => verifies(signed, root.publicKey, signature)));
  if (signers.length === 0) flawed('bad_signature');
  if (!signers.some((root) => now < root.expiresAt)) flawed('expired');
  const fields = readJson(signedKey);
  if (timeIn(fields, 'keyExpiration') <= now.getTime()) flawed('expired');
  return keyOfSpki(base64Of(fields, 'keyValue'));
}

/** Milliseconds since 1970, in digits. */
function timeIn(fields: Fields, name: string): number {
  const text = textOf(fields, name, 15);
  return /^\d+$/.test(text) ? Number(text) : flawed('wrong_format');
}

const KEY_LENGTH = 32;

/** The key of the cipher and that of the tag. */
export function messageKeys(
  privateKey: KeyObject,
  publicKey: KeyObject,
  ephemeralPoint: Buffer,
): { cipher: Buffer; mac: Buffer } {
  const shared = attempt('undecryptable', () => diffieHellman({ privateKey, publicKey }));
  const secret = Buffer.concat([ephemeralPoint, shared]);
  const keys = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), Buffer.from(GOOGLE_SENDER), 2 * KEY_LENGTH));
  return { cipher: keys.subarray(0, KEY_LENGTH), mac: keys.subarray(KEY_LENGTH) };
}

/** Keys are used once, so the counter may begin at zero. */
export const ZERO_COUNTER = Buffer.alloc(16);

function decrypt(message: Fields, privateKeys: readonly KeyObject[]): Buffer {
  const encrypted = base64Of(message, 'encryptedMessage');
  const tag = base64Of(message, 'tag');
  const point = base64Of(message, 'ephemeralPublicKey');
  const ephemeral = keyOfPoint(point);
  for (const privateKey of privateKeys) {
    const keys = messageKeys(privateKey, ephemeral, point);
    const expected = createHmac('sha256', keys.mac).update(encrypted).digest();
    if (tag.length !== expected.length || !timingSafeEqual(tag, expected)) continue;
    const cipher = createDecipheriv('aes-256-ctr', keys.cipher, ZERO_COUNTER);
    return Buffer.concat([cipher.update(encrypted), cipher.final()]);
  }
  // The signature held, so the message is whole: it was encrypted to someone else.
  return flawed('unknown_key');
}

/** What each method of authentication brings. */
const METHODS: Readonly<Record<string, (card: Fields) => Pick<WalletPayment, 'cryptogram' | 'eci' | 'deviceBound'>>> = {
  PAN_ONLY: () => ({ cryptogram: null, eci: null, deviceBound: false }),
  CRYPTOGRAM_3DS: (card) => ({
    cryptogram: cryptogramOf(card, 'cryptogram'),
    eci: eciOf(card, 'eciIndicator'),
    deviceBound: true,
  }),
};

function readPayment(fields: Fields): WalletPayment {
  if (textOf(fields, 'paymentMethod', 32) !== 'CARD') flawed('wrong_format');
  const card = fieldsOf(fields, 'paymentMethodDetails');
  const name = textOf(card, 'authMethod', 32);
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (!method) return flawed('wrong_format');
  return {
    kind: 'google_pay',
    tokenId: tokenIdOf('google_pay', textOf(fields, 'messageId', 512)),
    pan: panOf(card, 'pan'),
    expiry: expiryOf(card),
    ...method(card),
    // Google signs no amount.
    approved: null,
  };
}

function expiryOf(card: Fields): string {
  const month = numberOf(card, 'expirationMonth', 1, 12);
  const year = numberOf(card, 'expirationYear', 2000, 2099);
  return `${String(year).slice(2)}${String(month).padStart(2, '0')}`;
}

function numberOf(fields: Fields, name: string, least: number, most: number): number {
  const value = field(fields, name);
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    ? value
    : flawed('wrong_format');
}
