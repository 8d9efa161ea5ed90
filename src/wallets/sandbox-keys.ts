// P-256 keys made from bytes, so that a sandbox has the same keys at every start and in every process of one seed.
// Rule: for the sandbox only. A real wallet's keys are made where they are kept, never from a seed.
import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { assert, type Random } from '../base/index.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** 0x04 x y. */
  readonly point: Buffer;
}

/** The order of the group. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** More bytes than a key has: the remainder is then as good as uniform. */
const BYTES = 48;

function keyPairOf(bytes: Buffer): KeyPair {
  assert(bytes.length === BYTES, 'a key is made of 48 bytes');
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(d);
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const key = { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x, y };
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey), point };
}

/** The key of this name under the seed. */
export function seededKeyPair(seed: Buffer, name: string): KeyPair {
  assert(seed.length >= 32, 'a seed has at least 32 bytes');
  return keyPairOf(
    Buffer.from(hkdfSync('sha256', seed, Buffer.alloc(0), Buffer.from(`wallet sandbox/${name}`), BYTES)),
  );
}

/** A key to be used once. */
export const freshKeyPair = (random: Random): KeyPair => keyPairOf(random.bytes(BYTES));
