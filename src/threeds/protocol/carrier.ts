// What travels through browsers: MD, PaReq (creq), PaRes, cres. All of one alphabet (base64url), ids only, never card data.
// Rule: everything read here is hostile; a value that is not exactly what we would write reads as null.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Permutation, Random } from '../../base/index.ts';
import type { Keys } from './cavv.ts';
import type { Letter } from './eci.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

/** A random UUID (RFC 9562, version 4). */
export function uuid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// MD: 8 bytes owner, 8 bytes order (both permuted, as all ids outside), 32 bytes secret: 64 characters.

export interface Owner {
  readonly owner: bigint;
  readonly orderId: bigint;
}

const outwardBytes = (ids: Permutation, id: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(ids.outward(id)));
  return bytes;
};

/**
 * The MD of a transaction. Its 256 secret bits are what lets a browser act on it: only their hash is stored, and only who has our key
 * can make them again, for a payer who comes back to an unfinished challenge.
 */
export const makeMd = (
  ids: Permutation,
  keys: Keys,
  { owner, orderId, transactionId }: Owner & { readonly transactionId: bigint },
): string =>
  Buffer.concat([
    outwardBytes(ids, owner),
    outwardBytes(ids, orderId),
    keys.keyed('threeds.md', `${owner}/${orderId}/${transactionId}`),
  ]).toString('base64url');

/** Whose MD this claims to be; null when it is none of ours in form. Proves nothing: the hash does. */
export function readMd(ids: Permutation, md: string): Owner | null {
  if (!/^[A-Za-z0-9_-]{64}$/.test(md)) return null;
  const bytes = Buffer.from(md, 'base64url');
  const owner = ids.inward(bytes.readBigUInt64BE(0).toString());
  const orderId = ids.inward(bytes.readBigUInt64BE(8).toString());
  return owner === null || orderId === null ? null : { owner, orderId };
}

export const hashMd = (md: string): string => createHash('sha256').update(md).digest('base64url');

// The messages: JSON with exactly the fields below, each of a fixed form.

type Fields = Readonly<Record<string, RegExp>>;
type Message<F extends Fields> = { readonly [Name in keyof F]: string };

const encode = (message: Readonly<Record<string, string>>): string =>
  Buffer.from(JSON.stringify(message)).toString('base64url');

/** null unless `text` is canonical base64url of a JSON object with just these fields. */
function decode<F extends Fields>(text: string, fields: F): Message<F> | null {
  if (text.length > 1024 || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) return null;
  let message: unknown;
  try {
    message = JSON.parse(bytes.toString());
  } catch {
    return null;
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return null;
  const given = message as Record<string, unknown>;
  if (Object.keys(given).length !== Object.keys(fields).length) return null;
  for (const [name, form] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof value !== 'string' || !form.test(value)) return null;
  }
  return given as Message<F>;
}

/** EMV challenge window sizes: 250x400, 390x400, 500x600, 600x400, full. */
export type WindowSize = '01' | '02' | '03' | '04' | '05';

const VERSION = /^2\.[1-3]\.0$/;

const requestFields = {
  messageType: /^(CReq|Method)$/,
  messageVersion: VERSION,
  threeDSServerTransID: UUID,
  acsTransID: UUID,
  challengeWindowSize: /^0[1-5]$/,
};
export type ChallengeRequest = Message<typeof requestFields>;

/** PaReq and creq are the same value under two names. */
export const encodeRequest = (request: ChallengeRequest): string =>
  encode({
    messageType: request.messageType,
    messageVersion: request.messageVersion,
    threeDSServerTransID: request.threeDSServerTransID,
    acsTransID: request.acsTransID,
    challengeWindowSize: request.challengeWindowSize,
  });
export const decodeRequest = (text: string): ChallengeRequest | null => decode(text, requestFields);

/** What a response message tells, and what it is bound to. */
export interface ResponseFacts {
  readonly version: string;
  readonly serverTransId: string;
  readonly acsTransId: string;
  readonly dsTransId: string;
  readonly letter: Letter;
}

const STATUS = /^[YANRUI]$/;
const resultFields = {
  messageType: /^PaRes$/,
  messageVersion: VERSION,
  threeDSServerTransID: UUID,
  acsTransID: UUID,
  dsTransID: UUID,
  transStatus: STATUS,
  signature: /^[A-Za-z0-9_-]{43}$/,
};
const completionFields = {
  messageType: /^CRes$/,
  messageVersion: VERSION,
  threeDSServerTransID: UUID,
  acsTransID: UUID,
  challengeCompletionInd: /^Y$/,
  transStatus: STATUS,
};

const signature = (keys: Keys, facts: ResponseFacts): Buffer =>
  keys.keyed(
    'threeds.pares',
    JSON.stringify([facts.version, facts.serverTransId, facts.acsTransId, facts.dsTransId, facts.letter]),
  );

/** Signed by us, so that a merchant's own completion can't invent a result. */
export const encodePaRes = (keys: Keys, facts: ResponseFacts): string =>
  encode({
    messageType: 'PaRes',
    messageVersion: facts.version,
    threeDSServerTransID: facts.serverTransId,
    acsTransID: facts.acsTransId,
    dsTransID: facts.dsTransId,
    transStatus: facts.letter,
    signature: signature(keys, facts).toString('base64url'),
  });

export const encodeCres = (facts: ResponseFacts): string =>
  encode({
    messageType: 'CRes',
    messageVersion: facts.version,
    threeDSServerTransID: facts.serverTransId,
    acsTransID: facts.acsTransId,
    challengeCompletionInd: 'Y',
    transStatus: facts.letter,
  });

/** Is this PaRes ours and of just this transaction and result? */
export function matchesPaRes(keys: Keys, text: string, facts: ResponseFacts): boolean {
  const message = decode(text, resultFields);
  return (
    message !== null &&
    timingSafeEqual(Buffer.from(message.signature, 'base64url'), signature(keys, facts)) &&
    text === encodePaRes(keys, facts)
  );
}

/** Does the browser's cres say what the access control server reported? It is a signal, never a source. */
export const matchesCres = (text: string, facts: ResponseFacts): boolean =>
  decode(text, completionFields) !== null && text === encodeCres(facts);
