// The one way in which Florin calls an address that somebody else named: judged, looked up once, connected to what was judged, one POST.
// Rule: whatever comes back or doesn't is a value; one message has one try, and all of it ends within the time it was given.
import type { Clock } from '../../base/index.ts';
import type { Allow } from './addresses.ts';
import { type Cause, type Refusal, reasonOf, Unanswered } from './causes.ts';
import { type OpenWay, ways } from './connection.ts';
import { createLines, type Heard, type Line, type Lines } from './lines.ts';
import { addressesOf, type Ground, type Lookup, realLookup, type Target, targetOf } from './target.ts';

export interface EgressOptions {
  readonly allow: Allow;
  /** The addresses (URLs) by which this server is reached, as it knows them now. */
  readonly own: () => readonly string[];
  /** Of its own addresses this may be called: the path before a name, as `/simulator/inbox/`; null: nothing. */
  readonly inbox: string | null;
  /** Certificates (PEM) trusted beside the public ones; null: none. */
  readonly ca: string | null;
  /** All connections are made by it, by CONNECT; null: none is. The environment's proxies are never asked. */
  readonly proxy: string | null;
  /** The real one. */
  readonly clock: Clock;
  readonly lookup?: Lookup;
  /** Name, connection, proxy and TLS together. */
  readonly connectMs?: number;
  /** How old a connection may be that carries another message. */
  readonly reuseMs?: number;
}

export interface Message {
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** For all of it: name, connection, request and answer. */
  readonly timeoutMs: number;
  /** Of the answer's body, at most 16 KiB (as many unless told). */
  readonly maxBytes?: number;
  /** Ends the try: `stopped`. */
  readonly signal?: AbortSignal;
  /** Use a connection of before, and keep this one. False unless told. */
  readonly keepAlive?: boolean;
}

/** What came back: any status, also a redirect, which is never followed. Or `cause`: why nothing did. */
export type Answer =
  | (Heard & { readonly cause: null; readonly address: string; readonly ms: number })
  | { readonly cause: Cause; readonly address: string | null; readonly ms: number };

export interface Egress {
  /** Why an address can't be called, by what is written in it; null: nothing speaks against it. */
  check(url: string): Refusal | null;
  /** With its name looked up: for whoever saves it. */
  resolves(url: string): Promise<Refusal | null>;
  /** One POST. Never throws. */
  post(url: string, message: Message): Promise<Answer>;
  /** Ends what is under way as `stopped`. */
  close(): void;
}

const CONNECT_MS = 5_000;
const REUSE_MS = 300_000;
const MOST_BYTES = 16_384;

export function createEgress(options: EgressOptions): Egress {
  const { clock, lookup = realLookup(), connectMs = CONNECT_MS, reuseMs = REUSE_MS } = options;
  const ground: Ground = options;
  const line: Opener = { ground, clock, lookup, connectMs, openWay: ways(options), lines: createLines(clock, reuseMs) };
  const closing = new AbortController();

  async function post(text: string, message: Message): Promise<Answer> {
    const began = clock.elapsed();
    let address: string | null = null;
    const ms = (): number => Math.round(clock.elapsed() - began);
    const target = targetOf(ground, text);
    if (typeof target === 'string') return { cause: target, address, ms: 0 };
    const headers = headersOf(message.headers);
    if (!headers) return { cause: 'bad_header', address, ms: 0 };
    const over = limited(clock, message.timeoutMs, 'timeout', [message.signal, closing.signal]);
    try {
      const used = await lineFor(line, target, message.keepAlive ?? false, over.signal);
      address = used.address;
      const heard = await used.exchange({
        path: target.url.pathname + target.url.search,
        headers,
        body: typeof message.body === 'string' ? Buffer.from(message.body) : message.body,
        mostBytes: Math.min(message.maxBytes ?? MOST_BYTES, MOST_BYTES),
        keep: message.keepAlive ?? false,
        signal: over.signal,
      });
      return { cause: null, ...heard, address, ms: ms() };
    } catch (error) {
      return { cause: causeOf(error), address, ms: ms() };
    } finally {
      over.end();
    }
  }

  return {
    check(url) {
      const target = targetOf(ground, url);
      return typeof target === 'string' ? target : null;
    },
    async resolves(url) {
      const target = targetOf(ground, url);
      if (typeof target === 'string') return target;
      const over = limited(clock, connectMs, 'dns', [closing.signal]);
      try {
        await orAborted(addressesOf(ground, target, lookup), over.signal);
        return null;
      } catch (error) {
        const cause = causeOf(error);
        return cause === 'not_public' || cause === 'plain_http' || cause === 'own_host' ? cause : 'dns';
      } finally {
        over.end();
      }
    },
    post,
    close() {
      closing.abort(new Unanswered('stopped'));
      line.lines.close();
    },
  };
}

/** Anything else is our own mistake, and harms nobody but this message. */
const causeOf = (error: unknown): Cause => (error instanceof Unanswered ? error.why : 'stopped');

interface Opener {
  readonly ground: Ground;
  readonly clock: Clock;
  readonly lookup: Lookup;
  readonly connectMs: number;
  readonly openWay: OpenWay;
  readonly lines: Lines;
}

async function lineFor(opener: Opener, target: Target, kept: boolean, signal: AbortSignal): Promise<Line> {
  const { ground, clock, lookup, connectMs, openWay, lines } = opener;
  const origin = `${target.plain ? 'http' : 'https'}://${target.url.host.replace(/\.(?=:|$)/, '')}`;
  const idle = kept ? lines.idle(origin) : null;
  if (idle) return idle;
  const over = limited(clock, connectMs, 'connect_timeout', [signal]);
  try {
    const addresses = await orAborted(addressesOf(ground, target, lookup), over.signal);
    return await lines.opened(origin, await openWay(target, addresses, over.signal));
  } finally {
    over.end();
  }
}

const DONE = new Error('done');

/** A signal that tells when time is up, or any of the others has. */
function limited(clock: Clock, ms: number, cause: Cause, others: readonly (AbortSignal | undefined)[]) {
  const over = new AbortController();
  const done = new AbortController();
  const stop = (event: Event): void => stopped((event.target as AbortSignal).reason);
  const stopped = (reason: unknown): void =>
    over.abort(reason instanceof Unanswered ? reason : new Unanswered('stopped'));
  for (const other of others) {
    if (other?.aborted) stopped(other.reason);
    other?.addEventListener('abort', stop, { once: true });
  }
  clock.sleep(ms, done.signal).then(
    () => over.abort(new Unanswered(cause)),
    () => undefined,
  );
  return {
    signal: over.signal,
    end(): void {
      for (const other of others) other?.removeEventListener('abort', stop);
      // A reason of its own would be made with a stack each time.
      done.abort(DONE);
    },
  };
}

/** What comes later is forgotten. */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
/** What a field may hold: nothing that ends it (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Those that say where a message begins and ends, how it travels, or who we are to somebody else, are nobody's but ours. */
const OURS: ReadonlySet<string> = new Set(
  (
    'host content-length transfer-encoding connection keep-alive upgrade expect te trailer proxy-authorization proxy-connection ' +
    'accept-encoding cookie'
  ).split(' '),
);

/** null: one of them can't be sent as it is. */
function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  for (const [name, value] of Object.entries(headers))
    if (!NAME.test(name) || OURS.has(name) || !VALUE.test(value)) return null;
  return { 'user-agent': 'florin', ...headers };
}
