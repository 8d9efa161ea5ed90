// A connection to an address that was judged: straight or through the operator's proxy, with TLS in it.
// Rule: no name is looked up here, and no certificate is let pass; a connection that isn't made in the end is closed.
import http from 'node:http';
import https from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { type Cause, reasonOf, Unanswered } from './causes.ts';
import type { Target } from './target.ts';

export interface Way {
  readonly socket: Socket;
  /** That was connected to. */
  readonly address: string;
}

export interface WayOptions {
  /** Certificates (PEM) that are trusted beside those that come with the runtime; null: none. */
  readonly ca: string | null;
  /** Makes all connections by CONNECT; null: none does. */
  readonly proxy: string | null;
}

export type OpenWay = (target: Target, addresses: readonly string[], signal: AbortSignal) => Promise<Way>;

/** Throws Unanswered, or the signal's reason. */
export function ways({ ca, proxy }: WayOptions): OpenWay {
  const trusted = ca === null ? {} : { ca: [...rootCertificates, ca] };
  let context: SecureContext | null = null;
  // Made with the first connection: it reads all certificates.
  const secureContext = (): SecureContext => (context ??= createSecureContext({ minVersion: 'TLSv1.2', ...trusted }));
  return async (target, addresses, signal) => {
    signal.throwIfAborted();
    const way =
      proxy === null
        ? await direct(target, addresses, signal)
        : await tunnel(proxy, trusted, target, addresses, signal);
    if (target.plain) return way;
    const secured = connectTls({
      socket: way.socket,
      host: target.host,
      ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
      secureContext: secureContext(),
      // Said, because the environment may say otherwise.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    await reached(secured, 'secureConnect', 'tls', signal);
    return { socket: secured, address: way.address };
  };
}

async function direct({ port }: Target, addresses: readonly string[], signal: AbortSignal): Promise<Way> {
  const [first = ''] = addresses;
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const socket = connectTcp({
    port,
    noDelay: true,
    ...(addresses.length === 1
      ? { host: first }
      : // All of them are tried in turn; the "look-up" answers what was looked up and judged before.
        { host: 'judged', autoSelectFamily: true, lookup: (_name, _options, callback) => callback(null, all) }),
  });
  await reached(socket, 'connect', 'connect', signal);
  return { socket, address: socket.remoteAddress ?? first };
}

/** The proxy is told the address, not the name, so that it looks nothing up. */
function tunnel(
  proxy: string,
  trusted: { readonly ca?: readonly string[] },
  { port }: Target,
  [address = '']: readonly string[],
  signal: AbortSignal,
): Promise<Way> {
  const url = new URL(proxy);
  const to = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const { username, password } = url;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void =>
      reject(signal.aborted ? reasonOf(signal) : new Unanswered('proxy', { cause }));
    const asked = (url.protocol === 'https:' ? https : http).request({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      method: 'CONNECT',
      path: to,
      headers: { host: to, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }) },
      agent: false,
      signal,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(trusted.ca ? { ca: [...trusted.ca] } : {}),
    });
    asked.once('error', fail);
    asked.once('connect', (answer, socket, head) => {
      const { statusCode = 0 } = answer;
      // Nobody speaks before we do: what is there already is not from where we wanted to go.
      socket.on('error', ignored);
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve({ socket, address });
      socket.destroy();
      fail();
    });
    asked.end();
  });
}

const ignored = (): void => undefined;

/** Until the event; whatever comes before it closes the socket. */
function reached(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  otherwise: Cause,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      socket.off(event, onReached).off('error', onError).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      end();
      socket.destroy();
      reject(error);
    };
    const onReached = (): void => {
      end();
      resolve();
    };
    const onError = (cause: unknown): void => fail(new Unanswered(otherwise, { cause }));
    const onClose = (): void => fail(new Unanswered(otherwise));
    const onAbort = (): void => fail(reasonOf(signal));
    // Beside ours, so that at no moment nobody listens.
    socket.on('error', ignored);
    socket.once(event, onReached).once('error', onError).once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
