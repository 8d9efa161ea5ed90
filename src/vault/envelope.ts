// Authenticated encryption as this room uses it: AES-256-GCM (NIST SP 800-38D), packed iv (12) + tag (16) + ciphertext.
// Rule: every ciphertext is bound to the row it belongs to; a row that carries another row's bytes does not open.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, type KeyObject } from 'node:crypto';

const IV = 12;
const TAG = 16;

/** Names the row and the key that a ciphertext is for. None of the parts contains a slash. */
const bound = (what: string, owner: bigint, id: bigint, keyId: string): Buffer =>
  Buffer.from(`${what}/${owner}/${id}/${keyId}`);

/** A record's own key, under a key-encrypting key. */
export const keyBinding = (owner: bigint, id: bigint, kekId: string): Buffer =>
  bound('vault_cards.wrapped_key', owner, id, kekId);
/** The card under its record's own key, which never changes: wrapping that key anew leaves the card as it is. */
export const cardBinding = (owner: bigint, id: bigint): Buffer => bound('vault_cards.sealed', owner, id, 'own');
export const cvvBinding = (owner: bigint, id: bigint, sadId: string): Buffer =>
  bound('vault_cvvs.sealed', owner, id, sadId);

/**
 * `iv`: 12 random bytes, never twice under one key: with random ones a key is good for 2^32 of them. A text is given as it is: a buffer
 * made of it would outlive the call, in memory that other buffers share.
 */
export function encrypt(key: KeyObject | Buffer, iv: Buffer, plain: Buffer | string, binding: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(binding);
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  cipher.final();
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** null: another key, another row, or changed bytes. */
export function decrypt(key: KeyObject | Buffer, packed: Buffer, binding: Buffer): Buffer | null {
  if (packed.length < IV + TAG) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, packed.subarray(0, IV), { authTagLength: TAG });
  decipher.setAAD(binding);
  decipher.setAuthTag(packed.subarray(IV, IV + TAG));
  const plain = decipher.update(packed.subarray(IV + TAG));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return plain;
}

export const hmac = (key: KeyObject | Buffer, data: Buffer | string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** HKDF-SHA-256 (RFC 5869): one key of 32 bytes for one purpose. */
export const derive = (master: KeyObject, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, '', `florin/${purpose}`, 32));

/** Tells keys apart without telling anything about them: eight bytes, hex. */
export const checkValue = (key: KeyObject | Buffer): string =>
  hmac(key, 'florin key check value').toString('hex', 0, 8);
