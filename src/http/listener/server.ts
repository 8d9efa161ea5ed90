// The listener: connections, time limits, request ids, access log, and the answers to what never reaches a handler.
// Rule: whatever arrives, however broken, is answered in the shape of the API it was meant for, and nothing of it is logged.
import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock, Log, Random } from '../../base/index.ts';
import { API_HEADERS, describeError, type Envelope, Failure, failureFrom, problemEnvelope } from '../failure.ts';
import { BODY_LIMIT, discardBody } from './body.ts';
import { createClientPort } from './client-port.ts';
import { answerMalformed, expectContinue, type MalformedError } from './malformed.ts';
import { timeLimit } from './overdue.ts';
import { routeTable } from './templates.ts';
import { type ClientTlsFiles, contextOf, type TlsFiles, tlsContext, watchTls } from './tls.ts';
import { openWire, type WireBody } from './wire.ts';

/** What counts requests (operations.ts). */
export interface RequestMetrics {
  started(): void;
  finished(method: string, route: string, status: number, seconds: number): void;
}

export interface ServerOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** Addresses (CIDR) whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  readonly metrics?: RequestMetrics | null;
  /** The service is reached by https: tell browsers to stay there. */
  readonly https?: boolean;
  /** Speak TLS; the certificate is followed when its files change. null: plain. */
  readonly tls?: TlsFiles | null;
  /** A second port, whose clients show a certificate. null: none. */
  readonly tlsClients?: (ClientTlsFiles & { readonly port: number }) | null;
  readonly timeouts?: Partial<Timeouts>;
  /** What this server sends to others bears this field: whatever comes back with it is refused. null: it sends nothing. */
  readonly ownMark?: OwnMark | null;
}

export interface OwnMark {
  /** A field's name, in small letters. */
  readonly header: string;
  /** Below this path it may come back; null: nowhere. */
  readonly except: string | null;
}

export interface Timeouts {
  /** From the first byte to the end of the header. */
  readonly headersMs: number;
  /** From the first byte to the end of the body. */
  readonly requestMs: number;
  /** How often the two above are looked at. */
  readonly checkMs: number;
  /** A connection on which nothing moves; longer than any handler may take. */
  readonly silenceMs: number;
  readonly keepAliveMs: number;
  /** After this long a client is told that the outcome is unknown; the contract says 30 s. */
  readonly answerMs: number;
  /** How long `close` waits for requests under way. */
  readonly drainMs: number;
  /** Within this time the client of an answer that goes on takes what waits for it, or is cut. */
  readonly takeMs: number;
}

const TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2000,
  silenceMs: 90_000,
  keepAliveMs: 72_000,
  answerMs: 28_000,
  drainMs: 12_000,
  takeMs: 10_000,
};
const HEADER_LIMIT = 16 * 1024;
const LONGEST_PARAM = 200;

export interface Server {
  /** For pages: what is mounted here itself has to set its own content security policy and caching. */
  readonly app: FastifyInstance;
  readonly log: Log;
  /** Rejects with Overdue when work takes longer than a client may wait. */
  inTime<Value>(work: Promise<Value>): Promise<Value>;
  /** From now on what goes wrong below the prefix is answered in this shape. */
  ownPrefix(prefix: string, envelope: Envelope): void;
  /** The client's address; that of the last untrusted hop behind trusted proxies. */
  remoteAddressOf(request: FastifyRequest): string;
  /** The fingerprint of the certificate that the client has shown; null: it came by the main port. */
  certificateOf(request: FastifyRequest): string | null;
  /** Answers a failure in the shape of the API it belongs to. Anything but a Failure is a 500 and logged; `made`: see FailureDetail. */
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, made?: string | null): FastifyReply;
  /** Counts work that has to end before the server is closed, also when its client has gone. */
  readonly work: { begin(): void; end(): void };
  /** For an answer that goes on. It is no request under way any more, and counted and logged as it begins. */
  goesOn(request: FastifyRequest, reply: FastifyReply): WireBody;
  /** Requests that are being answered. */
  underWay(): number;
  /** It answers what is under way, and nothing is to wait for more. */
  isClosing(): boolean;
  listen(options: { readonly host: string; readonly port: number }): Promise<Ports>;
  /** Takes no new connections, answers what is under way, then resolves; cuts what takes longer than the drain time. */
  close(): Promise<void>;
}

export interface Ports {
  readonly port: number;
  /** For clients with certificates; null: there is none. */
  readonly clientPort: number | null;
}

/** Long: one listener: what is set once for every request, in the order in which a request meets it. */
export function createServer(options: ServerOptions): Server {
  const { log, clock, metrics = null, trustedProxies = [] } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const prefixes: [prefix: string, envelope: Envelope][] = [];
  const routes = routeTable();
  const work = workCounter();
  const inFlight = new Set<FastifyReply['raw']>();
  const goingOn = new WeakSet<FastifyReply['raw']>();
  const idPrefix = options.random.bytes(6).toString('hex');
  let requests = 0;
  const nextId = (): string => `${idPrefix}-${(++requests).toString(36)}`;
  const fixedHeaders: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(options.https ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };

  const { tls = null, tlsClients = null, ownMark = null } = options;
  const http = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    maxHeaderSize: HEADER_LIMIT,
    insecureHTTPParser: false,
    // Checked below, where it can be answered in the right shape.
    requireHostHeader: false,
  };
  const app = Fastify({
    ...(tls ? { https: { ...http, ...tlsContext(tls) } } : {}),
    logger: false,
    genReqId: nextId,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionTimeout: timeouts.silenceMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: LONGEST_PARAM,
      // Queries are read in fields/query.ts, by those who need them.
      querystringParser: () => NO_QUERY,
    },
    http,
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    // Hooks don't run for these.
    frameworkErrors: (error, request, reply) => {
      log.info({ requestId: request.id, method: request.method, route: 'none', status: 400 }, 'request');
      identify(request, reply);
      refuse(error, request, reply);
    },
    clientErrorHandler: (error, socket) => malformed(error, socket),
  });

  const envelopeAt = (path: string): Envelope => {
    for (const [prefix, envelope] of prefixes) {
      if (path.startsWith(prefix) && (path.length === prefix.length || '/?#'.includes(path[prefix.length] as string)))
        return envelope;
    }
    return problemEnvelope;
  };

  /** What stands on every answer, also on those to broken requests. */
  const identify = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(fixedHeaders).header('x-request-id', request.id);
    const { requestIdHeader } = envelopeAt(request.url);
    if (requestIdHeader) reply.header(requestIdHeader, request.id);
  };

  const malformed = (error: MalformedError, socket: Socket): void => {
    const requestId = nextId();
    log.info({ requestId, code: error.code }, 'malformed request');
    answerMalformed(error, socket, fixedHeaders, requestId, envelopeAt);
  };

  app.addHook('onRoute', (route) => routes.add([route.method].flat(), route.url));

  app.addHook('onRequest', (request, reply, next) => {
    inFlight.add(reply.raw);
    metrics?.started();
    identify(request, reply);
    if (!isPlausible(request)) return next(new Failure('bad_request'));
    if (ownMark && isOurOwn(request, ownMark)) return next(new Failure('loop'));
    const allow = routes.refusedAt(request.method, pathOf(request.url));
    next(allow === null ? undefined : new Failure('method_not_allowed', { allow }));
  });

  const answered = (request: FastifyRequest, reply: FastifyReply): void => {
    inFlight.delete(reply.raw);
    const status = reply.raw.statusCode;
    const route = request.routeOptions.url ?? 'none';
    metrics?.finished(request.method, route, status, reply.elapsedTime / 1000);
    log.info(
      { requestId: request.id, method: request.method, route, status, ms: Math.round(reply.elapsedTime * 10) / 10 },
      'request',
    );
  };

  app.addHook('onResponse', (request, reply, next) => {
    if (!goingOn.has(reply.raw)) answered(request, reply);
    next();
  });

  // Bodies are read by those who want them, after the credentials: nothing is parsed on the way in.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));

  function refuse(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    made: string | null = null,
  ): FastifyReply {
    const failure = failureFrom(error, made);
    if (failure.kind === 'internal') log.error({ requestId: request.id, ...describeError(error) }, 'request failed');
    discardBody(request.raw);
    return sendFailure(envelopeAt(request.url), failure, reply);
  }

  app.setErrorHandler((error, request, reply) => refuse(error, request, reply));

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const allow = path === '*' ? 'GET, HEAD, OPTIONS, POST, PUT' : routes.allowedAt(path);
    if (allow && request.method === 'OPTIONS') {
      discardBody(request.raw);
      return reply.code(204).header('allow', allow).send();
    }
    return refuse(allow ? new Failure('method_not_allowed', { allow }) : new Failure('not_found'), request, reply);
  });

  const refuseTunnel = (_request: IncomingMessage, socket: unknown): void =>
    malformed({ code: 'CONNECT' }, socket as Socket);
  expectContinue(app.server);
  app.server.on('connect', refuseTunnel);
  const clients =
    tlsClients &&
    createClientPort({ files: tlsClients, http, clock, handler: (raw, reply) => app.routing(raw, reply) });
  if (clients) {
    clients.server.keepAliveTimeout = timeouts.keepAliveMs;
    clients.server.setTimeout(timeouts.silenceMs);
    clients.server.on('clientError', malformed).on('connect', refuseTunnel);
    expectContinue(clients.server);
  }

  const ending = new AbortController();
  function watchFiles(): void {
    const watching = { clock, log, signal: ending.signal };
    const server = app.server as unknown as TlsServer;
    if (tls) void watchTls([tls.certFile, tls.keyFile], () => server.setSecureContext(contextOf(tls)), watching);
    if (clients && tlsClients) {
      const { certFile, keyFile, caFile } = tlsClients;
      void watchTls([certFile, keyFile, caFile], () => clients.renew(), watching);
    }
  }

  return {
    app,
    log,
    inTime: timeLimit(clock, timeouts.answerMs),
    refuse,
    work,
    goesOn(request, reply) {
      goingOn.add(reply.raw);
      answered(request, reply);
      return openWire({
        clock,
        closing: ending.signal,
        takeMs: timeouts.takeMs,
        cut: () => void reply.raw.destroy(),
      });
    },
    underWay: () => inFlight.size,
    isClosing: () => ending.signal.aborted,
    ownPrefix: (prefix, envelope) => void prefixes.push([prefix, envelope]),
    remoteAddressOf: (request) =>
      plainAddress(isIP(request.ip) ? request.ip : (request.raw.socket.remoteAddress ?? '')),
    certificateOf: ({ raw }) => clients?.certificateOf(raw.socket) ?? null,
    async listen({ host, port }) {
      await app.listen({ host, port });
      const clientPort =
        clients && tlsClients
          ? await clients.listen({ host, port: tlsClients.port }).catch(async (error: unknown) => {
              await app.close();
              throw error;
            })
          : null;
      watchFiles();
      const address = app.server.address();
      return { port: typeof address === 'object' && address ? address.port : port, clientPort };
    },
    async close() {
      ending.abort(new Error('closing'));
      const cut = new AbortController();
      const closed = Promise.all([app.close(), clients?.close()]);
      // What is being answered now tells its client that the connection ends with it.
      for (const response of inFlight) if (!response.headersSent) response.shouldKeepAlive = false;
      const deadline = clock.sleep(timeouts.drainMs, cut.signal).then(
        () => {
          app.server.closeAllConnections();
          clients?.server.closeAllConnections();
        },
        () => undefined,
      );
      await Promise.race([Promise.all([closed, work.ended()]), deadline]);
      cut.abort();
      await closed;
    },
  };
}

const NO_QUERY: Record<string, string> = Object.freeze(Object.create(null) as Record<string, string>);

/** The IPv4 address inside a mapped IPv6 one. */
const plainAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] as string;

/** `http://host/path` → `/path` (RFC 9112, section 3.2.2 wants it understood). */
function originForm(url: string): string {
  if (url.charCodeAt(0) === 47 || !/^https?:\/\//i.test(url)) return url;
  const slash = url.indexOf('/', 8);
  return slash < 0 ? '/' : url.slice(slash);
}

const ONCE_ONLY: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'x-secret',
  'authorization-key',
]);

/** A Host field on HTTP/1.1, and nothing twice that two readers could understand in two ways (node keeps the first). */
function isPlausible(request: FastifyRequest): boolean {
  const { rawHeaders, headers, httpVersion } = request.raw;
  if (headers.host === undefined) return httpVersion === '1.0';
  let seen: Set<string> | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i] as string;
    if (raw.length > 17) continue;
    const name = raw.toLowerCase();
    if (!ONCE_ONLY.has(name)) continue;
    seen ??= new Set();
    if (seen.has(name)) return false;
    seen.add(name);
  }
  return true;
}

/** Sent by this server, or by another of this installation: an address outside leads back here. */
const isOurOwn = ({ raw, url }: FastifyRequest, { header, except }: OwnMark): boolean =>
  raw.headers[header] !== undefined && (except === null || !url.startsWith(except));

function sendFailure(envelope: Envelope, { kind, detail }: Failure, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = envelope.failure(kind, detail);
  return reply.code(status).headers(API_HEADERS).headers(headers).send(JSON.stringify(body));
}

function workCounter(): Server['work'] & { ended(): Promise<void> } {
  let running = 0;
  let waiting: (() => void)[] = [];
  return {
    begin: () => void running++,
    end() {
      if (--running > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    ended: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
