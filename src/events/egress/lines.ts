// A line: one connection, one message at a time on it; and those that are kept for the next message to the same place.
// Rule: a line is never connected anew, and lives five minutes at most: so no check is older than that.
import type { Client, Dispatcher } from 'undici';
import type { Clock } from '../../base/index.ts';
import { type Cause, reasonOf, Unanswered } from './causes.ts';
import type { Way } from './connection.ts';

export interface Outgoing {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** So much of the answer's body is read. */
  readonly mostBytes: number;
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

export interface Heard {
  readonly status: number;
  readonly headers: { readonly retryAfter: string | null; readonly contentType: string | null };
  readonly body: Buffer;
  /** There was more of it. */
  readonly truncated: boolean;
}

export interface Line {
  readonly address: string;
  /** Throws Unanswered, or the signal's reason. */
  exchange(message: Outgoing): Promise<Heard>;
  close(): void;
}

export interface Lines {
  /** One that is open and idle; null: none is. */
  idle(origin: string): Line | null;
  opened(origin: string, way: Way): Promise<Line>;
  close(): void;
}

const LONGEST_HEADER = 16_384;
/** Beside the body: header, informational answers, frames of chunks, TLS. Who sends more than this never comes to the point. */
const MOST_AROUND = 131_072;
const IDLE_MS = 15_000;
const MOST_IDLE = 512;

/** `reuseMs`: how old a line may be that carries another message. */
export function createLines(clock: Clock, reuseMs: number): Lines {
  const kept = new Map<string, Set<KeptLine>>();
  const open = new Set<KeptLine>();
  let count = 0;

  const drop = (origin: string, line: KeptLine): boolean => {
    const those = kept.get(origin);
    if (!those?.delete(line)) return false;
    count--;
    if (those.size === 0) kept.delete(origin);
    return true;
  };

  return {
    idle(origin) {
      for (const line of [...(kept.get(origin) ?? [])].toReversed()) {
        drop(origin, line);
        if (clock.elapsed() - line.since < reuseMs) return line;
        line.close();
      }
      return null;
    },
    async opened(origin, way) {
      const line = await openLine(origin, way, clock.elapsed(), {
        keep(self) {
          if (count >= MOST_IDLE || clock.elapsed() - self.since >= reuseMs) return self.close();
          const those = kept.get(origin) ?? new Set();
          kept.set(origin, those.add(self));
          count++;
        },
        gone(self) {
          open.delete(self);
          drop(origin, self);
        },
      });
      open.add(line);
      return line;
    },
    close() {
      for (const line of open) line.close();
    },
  };
}

interface KeptLine extends Line {
  readonly since: number;
}

interface Owner {
  keep(line: KeptLine): void;
  gone(line: KeptLine): void;
}

async function openLine(origin: string, { socket, address }: Way, since: number, owner: Owner): Promise<KeptLine> {
  // Loaded with the first message: many installations never send one.
  const { Client } = await import('undici');
  let connected = false;
  let most = 0;
  const client: Client = new Client(origin, {
    connect(_options, callback) {
      // Asked once, when the first message goes out; a second time would be another connection.
      if (connected) return callback(new Unanswered('reset'), null);
      connected = true;
      queueMicrotask(() => callback(null, socket));
    },
    allowH2: false,
    maxHeaderSize: LONGEST_HEADER,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });
  const line: KeptLine = {
    address,
    since,
    async exchange(message) {
      most = socket.bytesRead + message.mostBytes + MOST_AROUND;
      const heard = await exchanged(client, message, () => line.close());
      if (message.keep && !heard.truncated && !socket.destroyed) owner.keep(line);
      else line.close();
      return heard;
    },
    close() {
      socket.destroy();
      void client.destroy();
    },
  };
  // Counted before they are read: what isn't the body's has no other limit.
  socket.on('readable', () => {
    if (socket.bytesRead > most) socket.destroy(new Unanswered('malformed'));
  });
  socket.once('close', () => owner.gone(line));
  return line;
}

function exchanged(client: Client, message: Outgoing, cut: () => void): Promise<Heard> {
  const { signal, mostBytes } = message;
  return new Promise((resolve, reject) => {
    let status = 0;
    let headers: Heard['headers'] = { retryAfter: null, contentType: null };
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (outcome: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      outcome();
    };
    const answer = (truncated: boolean): void =>
      settle(() => resolve({ status, headers, body: Buffer.concat(chunks).subarray(0, mostBytes), truncated }));
    const fail = (error: Error): void => {
      settle(() => reject(error));
      cut();
    };
    const onAbort = (): void => fail(reasonOf(signal));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(_controller, code, fields) {
        status = code;
        headers = { retryAfter: only(fields['retry-after']), contentType: only(fields['content-type']) };
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= mostBytes) return;
        // The status is known: whoever goes on talking is left.
        answer(true);
        cut();
      },
      onResponseEnd: () => answer(false),
      onResponseError: (_controller, error) => fail(new Unanswered(causeOf(error), { cause: error })),
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    const { path, headers: sent, body, keep } = message;
    client.dispatch({ path, method: 'POST', headers: sent, body, ...(keep ? {} : { reset: true }) }, handler);
  });
}

const only = (field: string | string[] | undefined): string | null => [field].flat()[0] ?? null;

/** The client's words; those of the system (ECONNRESET, EPIPE) and all others tell of a connection that ended. */
const CAUSES: Readonly<Record<string, Cause>> = {
  HTTPParserError: 'malformed',
  ERR_ASSERTION: 'malformed',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'malformed',
  'bad response': 'malformed',
  'bad upgrade': 'malformed',
};

function causeOf(error: Error & { readonly code?: string }): Cause {
  if (error instanceof Unanswered) return error.why;
  const { code = '', name, message } = error;
  return CAUSES[code] ?? CAUSES[name] ?? CAUSES[message] ?? 'reset';
}
