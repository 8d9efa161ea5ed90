// What a client sends and wants to get: body bytes within a limit, content type, accepted types.
// Rule: a refused body is still read up to a bound, so that the refusal reaches a client that is busy sending.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';

export const BODY_LIMIT = 64 * 1024;

/** What is read and thrown away behind a refusal before the connection is cut. */
const DISCARD_LIMIT = 1024 * 1024;

const EMPTY = Buffer.alloc(0);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** The body's bytes. Throws 413 over the limit, 400 when the client went away. */
export function readBody(request: IncomingMessage, limit = BODY_LIMIT): Promise<Buffer> | Buffer {
  if (!hasBody(request)) return EMPTY;
  if (Number(request.headers['content-length']) > limit) throw new Failure('too_large');
  // It went away while its credentials were looked up: its end was told to nobody, and is not told again.
  if (request.destroyed) throw new Failure('bad_request');
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        stop();
        reject(new Failure('too_large'));
      } else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onClose = (): void => {
      stop();
      reject(new Failure('bad_request'));
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** Lets an unread body run out; cuts the connection when there is too much of it. */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARD_LIMIT) request.destroy();
  });
  request.resume();
}

/** With any parameter: the type has none (RFC 8259, section 11), and that the text is UTF-8 is judged by its bytes. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)/i;

/** Throws 415 unless the body is declared as JSON, without a content coding. Asked only when there is a body. */
export function requireJson(headers: IncomingMessage['headers']): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  const isJson = type === 'application/json' || (type !== undefined && JSON_TYPE.test(type));
  if (!isJson || (coding !== undefined && coding.toLowerCase() !== 'identity'))
    throw new Failure('unsupported_media_type');
}

/**
 * Throws 406 unless the type may be answered (RFC 9110, section 12.5.1): the most precise range that covers it decides. `orElse`: another
 * type that the client could have asked for.
 */
export function requireAccepts(accept: string | undefined, type: MediaType, orElse?: MediaType): void {
  if (accept === undefined || accept === '*/*' || accept === type || accepts(accept, type)) return;
  const types = orElse === undefined ? type : `${type} and ${orElse}`;
  throw new Failure('not_acceptable', { message: `Only ${types} can be answered` });
}

/** What endpoints answer with when all is well. */
export type MediaType = 'application/json' | 'text/html' | 'text/csv' | 'text/event-stream';

const PRECISION: Readonly<Record<MediaType, Readonly<Record<string, number>>>> = {
  'application/json': { '*/*': 1, 'application/*': 2, 'application/json': 3 },
  'text/html': { '*/*': 1, 'text/*': 2, 'text/html': 3 },
  'text/csv': { 'text/csv': 3 },
  'text/event-stream': { '*/*': 1, 'text/*': 2, 'text/event-stream': 3 },
};

/** CSV is named, JSON isn't: where both can be answered, JSON is what everybody else gets. */
export const asksForCsv = (accept: string | undefined): boolean =>
  accept !== undefined && accepts(accept, 'text/csv') && !/application\/json/i.test(accept);

function accepts(accept: string, wanted: MediaType): boolean {
  let best = 0;
  let accepted = accept.trim() === '';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const precision = PRECISION[wanted][type] ?? 0;
    if (precision <= best) continue;
    best = precision;
    accepted = !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  }
  return accepted;
}
