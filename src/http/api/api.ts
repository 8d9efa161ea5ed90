// Serves the endpoints of an API. Rule: one order of checks for every request: credentials, rights, rate, shape, then the handler.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assert, type Log, Refusal } from '../../base/index.ts';
import { type Caller, forCaller, type Once } from '../../store/index.ts';
import { API_HEADERS, Failure } from '../failure.ts';
import {
  type CompiledSchema,
  cardDataIn,
  compileSchema,
  fieldErrors,
  isCleanText,
  type JsonSchema,
  mergeQuery,
  type Pair,
  queryObject,
  queryPairs,
  readJson,
  Shape,
  type Tolerance,
  type Violation,
} from '../fields/index.ts';
import { asksForCsv, readBody, requireAccepts, requireJson, type Server, SHORT_COST } from '../listener/index.ts';
import { type Taken, tooMany } from '../rates/index.ts';
import type { RequestHead } from './authenticate.ts';
import type { Answer, AnyEndpoint, Api, Input, Reader } from './endpoint.ts';
import { goOn, unheard } from './going-on.ts';
import { onceFor, onceKeyIn } from './idempotency.ts';

export const NOTHING = Shape({});

/** Mounts an API: each endpoint under its methods, HEAD beside GET, OPTIONS and 405 by the server. */
export function api<Principal>(server: Server, declaration: Api<Principal>): void {
  server.ownPrefix(declaration.prefix, declaration.envelope);
  for (const endpoint of declaration.endpoints) {
    server.app.route({
      method: [endpoint.method].flat(),
      url: declaration.prefix + endpoint.path.replace(/\/$/, ''),
      handler: serve(server, declaration, endpoint),
    });
  }
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Is a body read, and an idempotency key? An API with a reader of its own keeps the keys of deletions too. */
export const isWrite = <Principal>({ reader, idempotency }: Api<Principal>, method: string): boolean =>
  WRITES.has(method) || (method === 'DELETE' && reader !== undefined && idempotency !== undefined);

/** What a request is once it has the right shape. */
interface Shaped {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly once: Once | null;
}

function serve<Principal>(
  server: Server,
  declaration: Api<Principal>,
  endpoint: AnyEndpoint<Principal>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { limits, failureOf = asFailure, reader, patient, idempotency, cause = 'api' } = declaration;
  const shape = reader ? readerShaper(declaration, reader, endpoint) : shaper(declaration, endpoint);
  const { media = 'application/json' } = endpoint;
  const writes = writesBy(declaration, endpoint);
  const inTime = patient ? null : server.inTime;
  const run = runner(declaration, endpoint);

  async function answerTo(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<Answer> {
    try {
      const head = headOf(server, request);
      const entering = enters(declaration, endpoint, head);
      const principal = entering instanceof Promise ? await entering : entering;
      if (limits) {
        const spent = spend(declaration, limits, principal, reply);
        if (spent) await spent;
      }
      const csv = endpoint.orCsv === true && asksForCsv(head.headers.accept);
      if (!csv) requireAccepts(head.headers.accept, media, endpoint.orCsv === true ? 'text/csv' : undefined);
      const sent = writes ? await received(declaration, request, principal) : NOTHING_SENT;
      // Before anything is looked at that may have changed since: what was answered is the answer.
      const replay = sent.once && (await idempotency?.lookup?.(sent.once));
      if (replay) return { ...replay, body: replay.body === '' ? null : replay.body };
      const shaped = await shape(request, principal, sent);
      const wanted = (): boolean => !caller.gone && !request.raw.socket.destroyed;
      const isAwaited = (): boolean => wanted() && !server.isClosing();
      const lastEventId = lastEventIdIn(head.headers);
      const more = { csv, lastEventId, isAwaited };
      const input = new HandlerInput(principal, shaped, request.id, head.remoteAddress, server.log, more);
      return await run(input, wanted);
    } catch (error) {
      throw error instanceof Refusal ? failureOf(error) : error;
    }
  }

  return async function handle(request, reply) {
    server.work.begin();
    const caller: Caller = { gone: false, made: null };
    const answering = forCaller(caller, cause, () => answerTo(request, reply, caller));
    // Also behind a client who was told that nobody knows: what has begun is finished.
    answering.then(server.work.end, server.work.end);
    try {
      const answer = await (inTime ? inTime(answering) : answering);
      if (!answer.live) return await send(reply, answer);
      const again = async () => enters(declaration, endpoint, headOf(server, request));
      return await goOn(server, request, reply, { ...answer, live: answer.live, media, again });
    } catch (error) {
      caller.gone = true;
      answering.then(unheard, () => undefined);
      return await server.refuse(error, request, reply, caller.made);
    }
  };
}

const headOf = (server: Server, request: FastifyRequest): RequestHead => ({
  headers: request.raw.headers,
  remoteAddress: server.remoteAddressOf(request),
  certificate: server.certificateOf(request),
});

/** Who asks, if he may. Throws 401, 403 or 429. */
function enters<Principal>(
  { authentication, allows }: Api<Principal>,
  { right }: AnyEndpoint<Principal>,
  head: RequestHead,
): Principal | Promise<Principal> {
  const allowed = (principal: Principal): Principal => {
    if (allows && !allows(principal, right, head)) throw new Failure('forbidden');
    return principal;
  };
  const checked = authentication.check(head);
  return checked instanceof Promise ? checked.then(allowed) : allowed(checked);
}

const lastEventIdIn = ({ 'last-event-id': id }: RequestHead['headers']): string | null =>
  typeof id === 'string' && id !== '' ? id : null;

/** What a refusal is on the wire. */
const asFailure = ({ kind, code, message }: Refusal): Failure => new Failure(kind, { code, message });

/** How the endpoint's handler is run: at once, or in its owner's turn. */
function runner<Principal>(
  { turns }: Api<Principal>,
  endpoint: AnyEndpoint<Principal>,
): (input: HandlerInput<Principal>, wanted: () => boolean) => Answer | Promise<Answer> {
  const { cost } = endpoint;
  if (!cost) return (input) => endpoint.handler(input) as Answer | Promise<Answer>;
  assert(turns, `${endpoint.operation} has a cost: its API needs turns`);
  return (input, wanted) => {
    const rows = cost(input.query);
    if (rows === 0) return endpoint.handler(input) as Answer | Promise<Answer>;
    return turns.turns.run({
      owner: turns.ownerOf(input.principal),
      long: rows > SHORT_COST,
      work: () => endpoint.handler(input),
      wanted,
    });
  };
}

class HandlerInput<Principal> implements Input<Principal, unknown, unknown, unknown> {
  readonly principal: Principal;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly once: Once | null;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly csv: boolean;
  readonly lastEventId: string | null;
  readonly isAwaited: () => boolean;
  readonly #log: Log;

  constructor(
    principal: Principal,
    { params, query, body, once }: Shaped,
    requestId: string,
    remoteAddress: string,
    log: Log,
    {
      csv,
      lastEventId,
      isAwaited,
    }: Pick<Input<Principal, unknown, unknown, unknown>, 'csv' | 'lastEventId' | 'isAwaited'>,
  ) {
    this.principal = principal;
    this.params = params;
    this.query = query;
    this.body = body;
    this.once = once;
    this.requestId = requestId;
    this.remoteAddress = remoteAddress;
    this.csv = csv;
    this.lastEventId = lastEventId;
    this.isAwaited = isAwaited;
    this.#log = log;
  }

  /** Made when asked for: few requests log anything. */
  get log(): Log {
    return this.#log.child({ requestId: this.requestId });
  }
}

function spend<Principal>(
  { envelope }: Api<Principal>,
  { limiter, rateOf }: NonNullable<Api<Principal>['limits']>,
  principal: Principal,
  reply: FastifyReply,
): Promise<void> | undefined {
  const limit = rateOf(principal);
  if (!limit) return undefined;
  const tell = (taken: Taken): void => {
    if (!taken.allowed) throw tooMany(taken);
    reply.headers(envelope.rate(taken.state));
  };
  const taken = limiter.take(limit.key, limit.rate);
  if (taken instanceof Promise) return taken.then(tell);
  tell(taken);
  return undefined;
}

/** What came with a request besides its address: the body's bytes and the idempotency key's promise. */
interface Sent {
  readonly bytes: Buffer;
  readonly once: Once | null;
}
const NOTHING_SENT: Sent = { bytes: Buffer.alloc(0), once: null };

type Shaper<Principal> = (request: FastifyRequest, principal: Principal, sent: Sent) => Promise<Shaped> | Shaped;

/** Whatever the bytes mean. */
async function received<Principal>(
  { idempotency, prefix }: Api<Principal>,
  request: FastifyRequest,
  principal: Principal,
): Promise<Sent> {
  const { raw } = request;
  const key = idempotency ? onceKeyIn(raw.rawHeaders, idempotency.header) : null;
  const reading = readBody(raw);
  const bytes = reading instanceof Promise ? await reading : reading;
  if (bytes.length > 0) requireJson(raw.headers);
  const once = key === null || !idempotency ? null : onceOf(idempotency, prefix, request, principal, key, bytes);
  return { bytes, once };
}

/** The path as it was asked for: an order's id in it keeps the keys of two orders apart. */
function onceOf<Principal>(
  options: NonNullable<Api<Principal>['idempotency']>,
  prefix: string,
  { url, method }: FastifyRequest,
  principal: Principal,
  key: string,
  bytes: Buffer,
): Once {
  const { owner, credential } = options.scopeOf(principal);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? '' : url.slice(mark + 1);
  const scope = { owner, credential: `${prefix} ${credential}`, method, path: path.replace(/\/$/, '') };
  return onceFor(options, scope, key, [search, bytes]);
}

const writesBy = <Principal>(api: Api<Principal>, { method }: AnyEndpoint<Principal>): boolean =>
  [method].flat().some((name) => isWrite(api, name));

/** For an API that reads in its own way. */
function readerShaper<Principal>(
  declaration: Api<Principal>,
  reader: Reader<Principal>,
  endpoint: AnyEndpoint<Principal>,
): Shaper<Principal> {
  const { params = NOTHING, query = NOTHING, body = NOTHING } = endpoint;
  const writes = writesBy(declaration, endpoint);
  const schemas = { params, query, body };
  return (request, principal, { bytes, once }) => ({
    ...reader(
      schemas,
      {
        params: request.params as Record<string, string>,
        query: queryPairs(request.url),
        body: writes ? bytes : null,
      },
      principal,
    ),
    once,
  });
}

/** Reads and checks everything that the client sent; every wrong field is in the one failure it throws. */
function shaper<Principal>(declaration: Api<Principal>, endpoint: AnyEndpoint<Principal>): Shaper<Principal> {
  const { strictQuery, tolerant, cardDataRefused } = declaration;
  const params = endpoint.params ? compileSchema(endpoint.params as JsonSchema) : null;
  const query = compileSchema((endpoint.query ?? NOTHING) as JsonSchema);
  const body = compileSchema((endpoint.body ?? NOTHING) as JsonSchema);

  function paramsOf(request: FastifyRequest): unknown {
    const given = request.params as Record<string, string>;
    for (const name in given) if (!isCleanText(given[name] as string)) throw new Failure('not_found');
    if (params) accept(params, given, []);
    return given;
  }

  const ownIdOf = ({ params }: FastifyRequest): string | null => (params as { id?: string }).id ?? null;
  const cardData = (request: FastifyRequest, pairs: readonly Pair[], { root }: CompiledSchema): Violation[] =>
    cardDataRefused && pairs.length > 0 ? cardDataIn(pairs, root, cardDataRefused.ids, ownIdOf(request)) : [];

  async function read(request: FastifyRequest, principal: Principal): Promise<Shaped> {
    const pairs = queryPairs(request.url);
    const { value, violations } = queryObject(pairs, query.root, strictQuery?.(principal) ?? false);
    const further = (await endpoint.wrongIn?.(value, principal)) ?? [];
    accept(query, value, [...cardData(request, pairs, query), ...violations], further);
    return { params: paramsOf(request), query: value, body: {}, once: null };
  }

  async function write(request: FastifyRequest, principal: Principal, { bytes, once }: Sent): Promise<Shaped> {
    const tolerance: Tolerance | null = tolerant ? { ownId: ownIdOf(request) } : null;
    const pairs = queryPairs(request.url);
    const { value, violations } = readJson(bytes, body.root, tolerance);
    const merged = mergeQuery(pairs, value, body.root, tolerance);
    const further = (await endpoint.wrongIn?.(value, principal)) ?? [];
    accept(body, value, [...cardData(request, pairs, body), ...violations, ...merged], further);
    return { params: paramsOf(request), query: {}, body: value, once };
  }

  return writesBy(declaration, endpoint) ? write : read;
}

/** Makes what was read what a handler gets. The first violation of a field is told: what reading found, the schema's, then `further`. */
function accept(
  schema: CompiledSchema,
  value: object,
  violations: readonly Violation[],
  further: readonly Violation[] = [],
): void {
  const broken = schema.check(value);
  if (violations.length > 0 || broken.length > 0 || further.length > 0) {
    throw new Failure('validation', { errors: fieldErrors([...violations, ...broken, ...further], schema.root) });
  }
  schema.clean(value);
}

function send(reply: FastifyReply, { status, body, location, headers, link, replayed }: Answer): FastifyReply {
  reply.code(status).headers(API_HEADERS);
  if (location) reply.header('location', location);
  if (link) reply.header('link', link);
  if (replayed) reply.header('idempotent-replay', 'true');
  if (headers) reply.headers(headers);
  if (body === null) return reply.removeHeader('content-type').send();
  return reply.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
