// Signatures after Standard Webhooks 1.0.0: v1 is HMAC-SHA-256, v1a is Ed25519. Pure functions.
// Rule: the time that is signed is the try's real one, never a sandbox's; keys are derived each time and lie nowhere.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';

/** A vault's keyed hash: 32 bytes, other ones for each purpose. */
export type Keyed = (purpose: string, data: string) => Buffer;

export type SignatureScheme = 'hmac' | 'ed25519' | 'both';

export interface SigningKey {
  /** 24 to 64 bytes. */
  readonly secret: Buffer;
  /** null: it signs by HMAC alone. */
  readonly ed25519: KeyObject | null;
}

/** So many sign at once: the present one, and those of before whose overlap isn't over. */
export const MOST_KEYS = 3;
/** The libraries of Standard Webhooks refuse what is further from their clock. */
const TOLERANCE_MS = 300_000;

/** The keys of an endpoint. `generation` grows with each rotation. */
export function endpointKey(keyed: Keyed, owner: bigint, endpoint: bigint, generation: number): SigningKey {
  const name = `${owner}/${endpoint}/${generation}`;
  return { secret: keyed('webhook.hmac', name), ed25519: privateKeyOf(keyed('webhook.ed25519', name)) };
}

/** What signs an owner's stream, and what is sent on from it: always the same. */
export const streamKey = (keyed: Keyed, owner: bigint): SigningKey => ({
  secret: keyed('stream.hmac', owner.toString()),
  ed25519: null,
});

/** A secret that its owner has made: `whsec_` and Base64 of 24 to 64 bytes. null: it is none. */
export function secretKey(text: string): SigningKey | null {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const secret = Buffer.from(base64 ?? '', 'base64');
  return secret.length >= 24 && secret.length <= 64 ? { secret, ed25519: null } : null;
}

export const secretText = ({ secret }: SigningKey): string => `whsec_${secret.toString('base64')}`;

/** `whpk_` and Base64 of the 32 bytes; null: the key has none. */
export function publicKeyText({ ed25519 }: SigningKey): string | null {
  if (!ed25519) return null;
  const { x = '' } = createPublicKey(ed25519).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** What stands before the 32 bytes of a private key in PKCS 8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

export interface Signed {
  readonly id: string;
  /** The real time of this try. */
  readonly at: Date;
  /** The bytes that are sent. */
  readonly body: string | Buffer;
  /** One to three, the newest first. */
  readonly keys: readonly SigningKey[];
  readonly scheme: SignatureScheme;
}

export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export function signatureHeaders({ id, at, body, keys, scheme }: Signed): SignatureHeaders {
  const timestamp = Math.floor(at.getTime() / 1000).toString();
  const bytes = Buffer.from(body);
  const head = `${id}.${timestamp}.`;
  const signatures = keys
    .slice(0, MOST_KEYS)
    .flatMap((key) => [
      ...(scheme === 'ed25519' && key.ed25519 ? [] : [`v1,${hmacOf(key, head, bytes).toString('base64')}`]),
      ...(scheme !== 'hmac' && key.ed25519
        ? [`v1a,${sign(null, Buffer.concat([Buffer.from(head), bytes]), key.ed25519).toString('base64')}`]
        : []),
    ]);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const hmacOf = ({ secret }: SigningKey, head: string, body: Buffer): Buffer =>
  createHmac('sha256', secret).update(head).update(body).digest();

/** Why a message isn't taken for one of ours; null: it is one. */
export function signatureProblem(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
  { keys, now }: { readonly keys: readonly SigningKey[]; readonly now: Date },
): 'missing' | 'too_old' | 'too_new' | 'wrong' | null {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return 'missing';
  if (!/^\d{1,12}$/.test(timestamp)) return 'missing';
  const age = now.getTime() - Number(timestamp) * 1000;
  if (Math.abs(age) > TOLERANCE_MS) return age > 0 ? 'too_old' : 'too_new';
  const head = `${id}.${timestamp}.`;
  const right = signatures.split(' ').some((signature) => {
    const [version, base64 = ''] = signature.split(',', 2);
    return keys.some((key) => isBy(key, version ?? '', Buffer.from(base64, 'base64'), head, body));
  });
  return right ? null : 'wrong';
}

function isBy(key: SigningKey, version: string, signature: Buffer, head: string, body: Buffer): boolean {
  if (version === 'v1') return signature.length === 32 && timingSafeEqual(signature, hmacOf(key, head, body));
  if (version !== 'v1a' || !key.ed25519) return false;
  return verify(null, Buffer.concat([Buffer.from(head), body]), createPublicKey(key.ed25519), signature);
}
