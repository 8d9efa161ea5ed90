// Asks a tenant's server about a payment: one signed HTTPS POST, answered in time or not at all (Standard Webhooks signatures).
// Rule: one attempt, no redirect, no address that isn't public; whatever goes wrong is a cause, never an exception.
import { createHmac } from 'node:crypto';
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Clock, Log } from '../base/index.ts';

export interface ForwardingRequest {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ForwardingAnswer {
  /** null: no answer that can be used. */
  readonly decision: 'APPROVE' | 'DECLINE' | null;
  readonly cause: string;
}

export interface ForwardingOptions {
  /** The real one, never a sandbox's: who checks the signature refuses a message whose time isn't the present. */
  readonly clock: Clock;
  readonly log: Log;
  /** Sandbox: plain HTTP, and addresses of this machine and its network. */
  readonly allowPrivate: boolean;
  /** For the whole exchange: name, connection, request and answer. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1500;
const MOST_BYTES = 16_384;
/** So many failures in a row open the circuit; then one request a while tries whether it is over. */
const FAILURES = 5;
const OPEN_MS = 30_000;

/** Everything that is no public unicast address (IANA special-purpose registries). */
const special = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(net, prefix, 'ipv4');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(net, prefix, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** `v1,` and base64 of HMAC-SHA-256 over id, time and body. */
export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** A name whose addresses are all public, checked at the moment of connecting, so that it can't change between. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses: LookupAddress[] = found;
    const [first] = addresses ?? [];
    if (error || !first || addresses.some(({ address }) => !isPublicAddress(address)))
      callback(error ?? Object.assign(new Error('not a public address'), { code: 'EACCES' }), '', 4);
    else if (options.all) callback(null, addresses, 0);
    else callback(null, first.address, first.family);
  });
};

/** Why an address is not even tried; null: it may be. */
function refusal(url: URL | null, allowPrivate: boolean): string | null {
  if (url?.username !== '' || url.password !== '') return 'no usable address';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'not https';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return !allowPrivate && isIP(host) !== 0 && !isPublicAddress(host) ? 'not a public address' : null;
}

/**
 * Connections for one message each, to the addresses that may be asked. The client looks at a message's deadline only once it is connected,
 * so name, connection and TLS have the same time of their own: whoever never greets back is hung up on.
 */
async function openClient({ allowPrivate, timeoutMs }: { allowPrivate: boolean; timeoutMs: number }) {
  // Loaded with the first message: many installations never send one.
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: publicLookup }) },
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MOST_BYTES,
  });
  return (url: URL, message: { headers: Readonly<Record<string, string>>; body: string; signal: AbortSignal }) =>
    request(url, { ...message, dispatcher, method: 'POST', reset: true });
}

/** The client's names for what the network calls otherwise. */
const CAUSES: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'failed',
};

const causeOf = (error: unknown): string => {
  const { code = 'failed' } = error as { readonly code?: string };
  return `no answer: ${CAUSES[code] ?? code}`;
};

const failedFor = (error: unknown, { aborted }: AbortSignal): ForwardingAnswer => ({
  decision: null,
  cause: aborted ? 'timeout' : causeOf(error),
});

/** `{"decision": "APPROVE" | "DECLINE"}` with status 200; anything else says nothing. */
function readAnswer(status: number, text: string): ForwardingAnswer {
  if (status !== 200) return { decision: null, cause: `status ${status}` };
  try {
    const { decision } = JSON.parse(text) as { readonly decision?: unknown };
    if (decision === 'APPROVE' || decision === 'DECLINE') return { decision, cause: 'answered' };
  } catch {
    // Not JSON: malformed like any other answer without a decision.
  }
  return { decision: null, cause: 'malformed answer' };
}

interface Circuit {
  failures: number;
  /** Monotonic; before it nothing is sent. */
  closedAtMs: number;
}

export function createForwarding(
  options: ForwardingOptions,
): (request: ForwardingRequest) => Promise<ForwardingAnswer> {
  const { clock, log, allowPrivate, timeoutMs = TIMEOUT_MS } = options;
  const circuits = new Map<string, Circuit>();
  let client: ReturnType<typeof openClient> | null = null;

  /** Opened with the first message, and again after it could not be. */
  const opened = (): ReturnType<typeof openClient> =>
    (client ??= openClient({ allowPrivate, timeoutMs }).catch((error: unknown) => {
      client = null;
      throw error;
    }));

  async function send(url: URL, { secret, id, body }: ForwardingRequest): Promise<ForwardingAnswer> {
    const text = JSON.stringify(body);
    const timestamp = Math.floor(clock.now().getTime() / 1000).toString();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(secret, id, timestamp, text),
    };
    const deadline = new AbortController();
    const done = new AbortController();
    const { signal } = deadline;
    // Whatever the client is at by then: nobody waits for it any longer.
    const late = clock.sleep(timeoutMs, done.signal).then(
      (): ForwardingAnswer => {
        deadline.abort();
        return { decision: null, cause: 'timeout' };
      },
      (): ForwardingAnswer => ({ decision: null, cause: 'done' }),
    );
    const exchanged = opened()
      .then((post) => post(url, { headers, body: text, signal }))
      .then(async (answer) => readAnswer(answer.statusCode, await answer.body.text()));
    try {
      return await Promise.race([exchanged.catch((error: unknown) => failedFor(error, signal)), late]);
    } finally {
      done.abort();
    }
  }

  return async (asked) => {
    const url = URL.parse(asked.url);
    const refused = refusal(url, allowPrivate);
    if (refused !== null || !url) return { decision: null, cause: refused ?? 'no usable address' };
    const circuit = circuits.get(asked.url) ?? { failures: 0, closedAtMs: 0 };
    circuits.set(asked.url, circuit);
    if (clock.elapsed() < circuit.closedAtMs) return { decision: null, cause: 'circuit open' };
    // While one request tries whether the server is back, the others don't wait for it.
    if (circuit.failures >= FAILURES) circuit.closedAtMs = clock.elapsed() + OPEN_MS;
    const answer = await send(url, asked);
    if (answer.decision) {
      circuit.failures = 0;
      circuit.closedAtMs = 0;
      return answer;
    }
    circuit.failures++;
    if (circuit.failures >= FAILURES) circuit.closedAtMs = clock.elapsed() + OPEN_MS;
    log.warn({ id: asked.id, cause: answer.cause, failures: circuit.failures }, 'forwarding was not answered');
    return answer;
  };
}
