// AES-256-GCM as the vault uses it: iv (12), tag (16), ciphertext in one value; associated data binds it to its row.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../base/index.ts';

export function encrypt(key: Buffer, plain: Buffer, bound: string, random: Random): Buffer {
  const iv = random.bytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** null: another key, another row, or changed bytes. */
export function decrypt(key: Buffer, sealed: Buffer, bound: string): Buffer | null {
  if (sealed.length < 28) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch {
    return null;
  }
}
