// The edge below the framework: what node's parser refused, and expectations before a body.
// Rule: no more bytes go to a connection on which an answer has begun.
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { API_HEADERS, type Envelope, type FailureKind, STATUS } from '../failure.ts';
import { BODY_LIMIT } from './body.ts';

const MALFORMED: Readonly<Record<string, FailureKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

export interface MalformedError {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Answers what node's parser refused: only a socket is left, and perhaps the first line that tells where it was going. */
export function answerMalformed(
  error: MalformedError,
  socket: Socket,
  fixedHeaders: Readonly<Record<string, string>>,
  requestId: string,
  envelopeAt: (path: string) => Envelope,
): void {
  const response = (socket as Socket & { _httpMessage?: { _headerSent: boolean; req?: { url?: string } } })
    ._httpMessage;
  // Behind a response that has begun, more bytes would only be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || response?._headerSent) {
    socket.destroy();
    return;
  }
  const line = /^[A-Z]{3,12} (\/[^ \r\n]*)/.exec(
    Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1', 0, 256) : '',
  );
  const kind = MALFORMED[error.code ?? ''] ?? 'bad_request';
  const envelope = envelopeAt(response?.req?.url ?? line?.[1] ?? '');
  const { status, headers, body } = envelope.failure(kind, {});
  const text = JSON.stringify(body);
  // The envelope may have no status of its own for a request that never was one.
  const code = kind === 'bad_request' ? status : STATUS[kind];
  const fields = {
    ...fixedHeaders,
    'x-request-id': requestId,
    ...(envelope.requestIdHeader ? { [envelope.requestIdHeader]: requestId } : {}),
    ...API_HEADERS,
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${lines.join('')}\r\n${text}`);
  socket.on('finish', () => socket.destroy());
}

/** `Expect: 100-continue`: a body that would be refused is not asked for. Other expectations are ignored (RFC 9110, section 10.1.1). */
export function expectContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    if (!(Number(request.headers['content-length']) > BODY_LIMIT)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
