// A small API of its own kind behind a real listener, for the tests of this room.
import { connect, type Socket } from 'node:net';
import pino from 'pino';
import Type from 'typebox';
import { type Clock, seededRandom, systemClock } from '../../src/base/index.ts';
import {
  Amount,
  type AnyEndpoint,
  type Api,
  api,
  basicAuthentication,
  Choice,
  createServer,
  DateTime,
  Digits,
  type Envelope,
  endpointOf,
  Failure,
  Flag,
  FlatMap,
  failureHeaders,
  Integer,
  IpAddress,
  List,
  Month,
  Optional,
  rateFields,
  type Server,
  type ServerOptions,
  Shape,
  Text,
  Token,
  Year,
} from '../../src/http/index.ts';

export interface Principal {
  readonly login: string;
  readonly rights: readonly string[];
}

export const LOGINS: Readonly<Record<string, { password: string; rights: readonly string[] }>> = {
  shop: { password: 'shop-sécret', rights: ['read', 'create'] },
  reader: { password: 'reader:secret', rights: ['read'] },
};

export const basic = (login: string, password: string): string =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
export const SHOP = basic('shop', 'shop-sécret');

/** An envelope that can't be taken for anything else's. */
export const envelope: Envelope = {
  failure: (kind, detail) => ({
    status:
      { timeout: 408, validation: 422, unauthenticated: 401, internal: 500 }[kind as string] ?? STATUSES[kind] ?? 400,
    headers: {
      ...failureHeaders(detail),
      ...(kind === 'unauthenticated' ? { 'www-authenticate': 'Basic realm="test"' } : {}),
    },
    body: {
      kind,
      ...(detail.errors ? { errors: detail.errors } : {}),
      ...(detail.message ? { message: detail.message } : {}),
    },
  }),
  rate: rateFields,
  schema: () => failureSchema,
};
const failureSchema = { title: 'Failure', type: 'object', properties: { kind: { type: 'string' } } };
const STATUSES: Readonly<Record<string, number>> = {
  bad_request: 400,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
};

export const orderBody = Shape(
  {
    amount: Amount(),
    currency: Optional(Text({ min: 3, max: 3 })),
    segment: Optional(Token()),
    pan: Optional(Digits({ min: 12, max: 19 })),
    card: Optional(
      Shape({
        cvv: Digits({ min: 3, max: 4 }),
        holder: Text({ min: 2, max: 40 }),
        expiration_month: Month(),
        expiration_year: Year(),
      }),
    ),
    location: Optional(Shape({ ip: IpAddress(), color_depth: Optional(Integer(0, 48)) })),
    options: Optional(Shape({ force3d: Optional(Flag()), auto_charge: Optional(Flag()) })),
    custom_fields: Optional(FlatMap(Text({ max: 255 }), { max: 10, names: '^[A-Za-z0-9_.-]{1,64}$' })),
  },
  { title: 'OrderRequest' },
);

const endpoint = endpointOf<Principal>();

/** Every endpoint answers what its handler was given. */
export const endpoints: readonly AnyEndpoint<Principal>[] = [
  endpoint({
    method: 'GET',
    path: '/ping',
    operation: 'ping',
    summary: 'Alive',
    right: null,
    answers: { 200: { description: 'pong' } },
    handler: () => ({ status: 200, body: '{"message":"PONG!"}' }),
  }),
  endpoint({
    method: 'GET',
    path: '/orders/',
    operation: 'orders',
    summary: 'Orders',
    right: 'read',
    query: Shape({
      status: Optional(List(['new', 'charged'] as const)),
      'card.type': Optional(Text()),
      created_from: Optional(DateTime()),
      per_page: Optional(Integer(1, 2000)),
      sort: Optional(Choice(['up', 'down'] as const)),
    }),
    answers: { 200: { description: 'orders' } },
    handler: ({ query }) => ({ status: 200, body: { query }, link: '<http://x/>; rel="first"' }),
  }),
  endpoint({
    method: 'GET',
    path: '/orders/:id',
    operation: 'order',
    summary: 'One order',
    right: 'read',
    params: Type.Object({ id: Type.String() }),
    answers: { 200: { description: 'order' } },
    handler: ({ params, requestId, remoteAddress }) => {
      if (params.id === 'none') throw new Failure('not_found');
      if (params.id === 'crash') throw new Error('a 4111111111111111 in an error');
      return { status: 200, body: { id: params.id, requestId, remoteAddress } };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/orders/create',
    operation: 'create',
    summary: 'Create',
    right: 'create',
    body: orderBody,
    example: { amount: 12.5 },
    answers: {
      201: {
        description: 'created',
        headers: { location: 'payment page' },
        schema: Type.Object({ orders: Type.Array(Type.Object({}, { title: 'Order' })) }),
      },
    },
    handler: ({ body }) => ({ status: 201, body: { body }, location: 'http://x/pay/1' }),
  }),
  endpoint({
    method: ['PUT', 'POST'],
    path: '/orders/:id/cancel',
    operation: 'cancel',
    summary: 'Cancel',
    right: 'create',
    answers: { 200: { description: 'order' } },
    handler: ({ params }) => ({ status: 200, body: { params } }),
  }),
];

export interface Service {
  readonly server: Server;
  readonly port: number;
  readonly url: string;
  /** What was logged, one JSON text a line. */
  readonly lines: string[];
}

export async function startService(
  options: Partial<ServerOptions> & { readonly api?: Partial<Api<Principal>>; readonly clock?: Clock } = {},
  prepare?: (server: Server) => void,
): Promise<Service> {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const { api: partial, ...serverOptions } = options;
  const server = createServer({ log, clock: systemClock, random: seededRandom(1), ...serverOptions });
  api<Principal>(server, {
    prefix: '/test',
    name: 'test',
    envelope,
    authentication: basicAuthentication<Principal>({
      authenticator: (login, password) => {
        const known = LOGINS[login];
        return known && known.password === password ? { login, rights: known.rights } : null;
      },
      failures: null,
    }),
    allows: (principal, right) => right === null || principal.rights.includes(right),
    endpoints,
    ...partial,
  });
  prepare?.(server);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, port, url: `http://127.0.0.1:${port}`, lines };
}

/** Sends bytes as they are and reads until the server closes the connection, or `until` is in what came. */
export function raw(port: number, bytes: string | Buffer, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (until !== undefined && text.includes(until)) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
