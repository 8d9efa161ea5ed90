// Who may ask: every endpoint of the API description without credentials, with wrong ones, and with another project's orders.
// docs/contract/gateway.md#credentials-and-isolation, #errors.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { basic, type Client, payment, type Reply, type TestApp, testApp } from '../../support/app.ts';

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly api: string;
}

/** /issuing has credentials of its own: test/issuing/defence/credentials.test.ts. */
const API = /^\/(gateway|issuing|operator|simulator)\//;
/** What the gateway's permutation never made: the form of an id, and no order. */
const UNKNOWN = '1234567890';
const REFUSAL = { failure_type: 'rejected', failure_message: 'Login or password is wrong', order_id: null };

let florin: TestApp;
let described: Endpoint[];
let endpoints: Endpoint[];
let mine: string;
let stored: unknown;

/** What projects own: looking at the list of scenarios prepares something for the cardholders of the sandbox. */
const counts = () =>
  florin.database.query(
    `with mine as (select id from projects)
     select (select count(*) from orders) as orders, (select count(*) from operations) as operations,
            (select count(*) from events where owner_id in (select id from mine)) as events,
            (select count(*) from vault_cards where owner_id in (select id from mine)) as cards,
            (select count(*) from postings where owner_id in (select id from mine)) as postings,
            (select count(*) from idempotency_records where owner_id in (select id from mine)) as records,
            (select count(*) from mine) as projects, (select count(*) from project_credentials) as credentials`,
  );

/** Of another project, with the right to its own endpoints. */
let told: Client;

before(async () => {
  florin = await testApp();
  const description = (await florin.operator('GET', '/openapi.json')).body;
  described = Object.entries(description.paths as Record<string, Record<string, unknown>>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'put', 'post', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path, api: API.exec(path)?.[1] ?? '' })),
  );
  endpoints = described.filter(({ api }) => api !== 'issuing');
  mine = (await florin.merchant('POST', '/gateway/orders/authorize', payment())).body.orders[0].id;
  const rights = ['read', 'create', 'webhooks'];
  const made = await florin.operator('POST', '/operator/projects/sandbox-two/credentials', { label: 'events', rights });
  told = florin.clientWith(basic('sandbox-two', made.body.secret));
  stored = await counts();
});

const at = ({ path }: Endpoint, id = mine) => path.replace('{id}', id).replace(/\{\w+\}/g, 'sandbox');
const bodyOf = ({ method }: Endpoint) => (['PUT', 'POST', 'PATCH'].includes(method) ? {} : undefined);

function failure(reply: Reply, status: number, what = ''): void {
  assert.equal(reply.status, status, `${what} ${reply.text}`);
  assert.deepEqual(
    [reply.body?.failure_type, typeof reply.body?.failure_message, reply.body?.order_id],
    ['rejected', 'string', null],
    `${what} ${reply.text}`,
  );
  assert.match(reply.headers.get('x-request-id') ?? '', /./);
}

test('the description names the endpoints of four APIs, and nothing stands outside of them', () => {
  assert.ok(endpoints.length > 40, String(endpoints.length));
  assert.deepEqual([...new Set(described.map(({ api }) => api))].sort(), [
    'gateway',
    'issuing',
    'operator',
    'simulator',
  ]);
});

test('without credentials and with wrong ones: 401, a challenge, the same bytes whatever is wrong', async () => {
  const wrong: (string | null)[] = [
    null,
    '',
    'Basic',
    'Basic !!!!',
    basic('sandbox', 'wrong'),
    basic('sandbox', ''),
    basic('nobody', 'sandbox-secret'),
    basic('sandbox-two', 'sandbox-secret'),
    basic('SANDBOX', 'sandbox-secret'),
    basic('sandbox', 'sandbox-secret '),
    basic('sandbox', 'sandbox-secret\0'),
    basic('', 'sandbox-secret'),
    basic("sandbox' or '1'='1", 'x'),
    basic('__proto__', 'constructor'),
    `Basic ${basic('sandbox', 'sandbox-secret').slice(6)}AAAA`,
    'Bearer wrong',
    'Bearer sandbox-operator-',
    'Bearer ',
    `Digest username="sandbox"`,
    `Basic ${'A'.repeat(4096)}`,
  ];
  for (const endpoint of endpoints) {
    const seen = new Map<string, unknown>();
    const tries = wrong.concat(
      endpoint.api === 'gateway' ? ['Bearer sandbox-operator'] : [basic('sandbox', 'sandbox-secret')],
    );
    for (const authorization of tries) {
      const what = `${endpoint.method} ${endpoint.path} ${authorization}`;
      const reply = await florin.clientWith(authorization)(endpoint.method, at(endpoint), bodyOf(endpoint));
      assert.equal(reply.status, 401, what);
      assert.match(
        reply.headers.get('www-authenticate') ?? '',
        endpoint.api === 'gateway' ? /^Basic realm=/ : /^Bearer/,
        what,
      );
      seen.set(reply.text, authorization);
      if (endpoint.api === 'gateway') assert.deepEqual(reply.body, REFUSAL, what);
      else assert.equal(reply.body.status ?? reply.status, 401, what);
    }
    assert.equal(seen.size, 1, `${endpoint.method} ${endpoint.path}: ${[...seen.keys()]}`);
  }
});

test('a valid body, a broken one and a huge one are all 401 before anybody reads them', async () => {
  const nobody = florin.clientWith(basic('nobody', 'x'));
  for (const body of [payment(), '{', '\0'.repeat(10), 'x'.repeat(100_000)])
    assert.deepEqual((await nobody('POST', '/gateway/orders/authorize', body)).body, REFUSAL);
});

/** Bodies that reach the look-up of the order: the shape is checked before existence. */
const BODIES: Readonly<Record<string, unknown>> = {
  rebill: { amount: 5, location: { ip: '192.0.2.9' } },
  credit: { amount: 5, location: { ip: '192.0.2.9' } },
  complete: { PaRes: 'x' },
  replay: { from: '2020-01-01 00:00:00' },
  test: { type: 'order.charged' },
};

/** Who may change endpoints has a right of its own. */
const strangerOf = ({ path }: Endpoint): Client => (/\/(webhooks|events)\b/.test(path) ? told : florin.stranger);

test('an order of another project is answered with the bytes of an unknown one, at every endpoint', async () => {
  const withId = endpoints.filter(({ api, path }) => api === 'gateway' && path.includes('{id}'));
  assert.ok(withId.length >= 10, String(withId.length));
  for (const endpoint of withId) {
    const body = endpoint.method === 'GET' ? undefined : (BODIES[endpoint.path.split('/').at(-1) as string] ?? {});
    const what = `${endpoint.method} ${endpoint.path}`;
    const stranger = strangerOf(endpoint);
    const foreign = await stranger(endpoint.method, at(endpoint), body);
    failure(foreign, 404, what);
    for (const id of [UNKNOWN, '0', '9'.repeat(19), '9'.repeat(30), '-1', '1e3', 'x', '..%2f..', '١٢٣']) {
      const unknown = await stranger(endpoint.method, at(endpoint, encodeURI(decodeURI(id))), body);
      assert.equal(unknown.text, foreign.text, `${what} ${id}`);
      assert.equal(unknown.status, 404, `${what} ${id}`);
    }
    failure(await stranger(endpoint.method, at(endpoint, '%00'), body), 404, what);
  }
});

test('ids inside bodies: a foreign parent order is the same as an unknown one', async () => {
  const withParent = (parent_order_id: string) =>
    florin.stranger(
      'POST',
      '/gateway/orders/authorize',
      payment({ amount: 1, recurring_details: { parent_order_id, indicator: 'U' }, options: { exemption_mit: 1 } }),
    );
  const shown = ({ status, body }: Reply) => ({ status, ...body, order_id: null });
  const foreign = await withParent(mine);
  assert.deepEqual(shown(foreign), shown(await withParent(UNKNOWN)));
  assert.ok(foreign.status === 402 || foreign.status === 422, foreign.text);
  // Refused orders are orders too: these two are known of.
  stored = await counts();
});

test('a wrong verb is 405 with Allow; OPTIONS tells the same; HEAD is GET without a body', async () => {
  const paths = new Map<string, Set<string>>();
  for (const { method, path } of endpoints.filter(({ api }) => api === 'gateway'))
    paths.set(path, (paths.get(path) ?? new Set()).add(method));
  for (const [path, methods] of paths) {
    const endpoint = { method: '', path, api: 'gateway' };
    for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']) {
      const target = at(endpoint);
      // `/orders/create` and its like are also the place of an order id that isn't one.
      if (methods.has(method) || (method === 'GET' && /\/orders\/(create|authorize|credit)$/.test(path))) continue;
      const reply = await florin.merchant(method, target);
      failure(reply, 405, `${method} ${path}`);
      for (const allowed of methods) assert.match(reply.headers.get('allow') ?? '', new RegExp(allowed), path);
    }
    const options = await florin.merchant('OPTIONS', at(endpoint));
    assert.equal(options.status, 204, path);
    for (const allowed of methods) assert.match(options.headers.get('allow') ?? '', new RegExp(allowed), path);
  }
  for (const target of ['/gateway/ping', `/gateway/orders/${mine}`, '/gateway/orders/', '/gateway/operations/']) {
    const head = await florin.merchant('HEAD', target);
    assert.deepEqual([head.status, head.text], [200, ''], target);
  }
  assert.equal((await florin.clientWith(null)('HEAD', `/gateway/orders/${mine}`)).status, 401);
});

test('every path works with and without its trailing slash, and is never redirected', async () => {
  for (const endpoint of endpoints.filter(({ method }) => method === 'GET')) {
    const client = endpoint.api === 'gateway' ? florin.merchant : florin.operator;
    const bare = at(endpoint).replace(/\/$/, '');
    // A stream goes on: of that its head is asked for.
    const method = bare.endsWith('/events/stream') ? 'HEAD' : 'GET';
    const replies = [await client(method, bare), await client(method, `${bare}/`)];
    assert.equal(replies[0]?.status, replies[1]?.status, endpoint.path);
    assert.ok((replies[0] as Reply).status < 300 || replies[0]?.status === 404 || replies[0]?.status === 422, bare);
  }
});

test('406, 413, 415: in the failure shape, and nothing is stored', async () => {
  const post = (body: unknown, headers: Record<string, string>) =>
    florin.merchant('POST', '/gateway/orders/authorize', body, headers);
  for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'text/*'])
    failure(await post(payment(), { accept }), 406, accept);
  for (const length of [64 * 1024 + 1, 200_000])
    failure(await post(JSON.stringify(payment({ description: 'x'.repeat(length) })), {}), 413, String(length));
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx'])
    failure(await post(payment(), { 'content-type': type }), 415, type);
  failure(await post(payment(), { 'content-encoding': 'gzip' }), 415, 'gzip');
  failure(await florin.merchant('GET', '/gateway/nothing'), 404);
});

test('none of this left anything behind', async () => assert.deepEqual(await counts(), stored));
