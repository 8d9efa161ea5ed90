// The listener: paths, verbs, request ids, what is logged, what goes wrong before a handler.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { endpointOf } from '../../../src/http/index.ts';
import { type endpoints, type Principal, raw, type Service, SHOP, startService } from '../service.ts';

const send = (
  service: Service,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> =>
  fetch(service.url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: SHOP, ...headers },
    ...(body === undefined ? {} : { body }),
  });

describe('paths and verbs', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.server.close());

  for (const path of [
    '/test/ping',
    '/test/ping/',
    '/test/orders',
    '/test/orders/',
    '/test/orders/7',
    '/test/orders/7/',
  ]) {
    test(`GET ${path} answers itself, without a redirect`, async () => {
      assert.equal((await send(service, 'GET', path)).status, 200);
    });
  }

  test('HEAD answers the header of GET and no body', async () => {
    const got = await send(service, 'GET', '/test/ping');
    const head = await send(service, 'HEAD', '/test/ping/');
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
    for (const name of ['content-type', 'content-length', 'cache-control'])
      assert.equal(head.headers.get(name), got.headers.get(name));
  });

  const allowed: Readonly<Record<string, string>> = {
    '/test/ping': 'GET, HEAD, OPTIONS',
    '/test/orders/': 'GET, HEAD, OPTIONS',
    '/test/orders/7': 'GET, HEAD, OPTIONS',
    '/test/orders/7/cancel': 'OPTIONS, POST, PUT',
  };
  for (const [path, allow] of Object.entries(allowed)) {
    test(`OPTIONS ${path} is 204, a wrong verb 405, both with Allow`, async () => {
      const options = await send(service, 'OPTIONS', path);
      assert.deepEqual([options.status, options.headers.get('allow'), await options.text()], [204, allow, '']);
      for (const method of ['DELETE', 'PATCH', 'PROPFIND']) {
        const wrong = await send(service, method, path);
        assert.deepEqual(
          [wrong.status, wrong.headers.get('allow'), await wrong.json()],
          [405, allow, { kind: 'method_not_allowed' }],
        );
      }
    });
  }

  test('an unknown path is the API’s 404 below its prefix, a problem (RFC 9457) elsewhere', async () => {
    for (const path of ['/test', '/test/', '/test/nosuch', '/test/orders/1/2/3', `/test/orders/${'9'.repeat(300)}`]) {
      const response = await send(service, 'GET', path);
      assert.deepEqual([response.status, await response.json()], [404, { kind: 'not_found' }], path);
    }
    for (const path of ['/', '/nosuch', '/tests', '/test%2fping']) {
      const response = await send(service, 'POST', path, { 'content-type': 'text/plain' }, 'x');
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8', path);
      assert.deepEqual(await response.json(), { type: 'about:blank', title: 'Not found', status: 404 });
    }
  });

  test('a path that is no URL is 400, and U+0000 in a name is nobody’s id', async () => {
    for (const [path, status] of [
      ['/test/orders/%zz', 400],
      ['/test/orders/%ff', 400],
      ['/test/orders/%', 400],
      ['/test/orders/%00', 404],
    ] as const) {
      const response = await send(service, 'GET', path);
      assert.equal(response.status, status, path);
      assert.ok(['bad_request', 'not_found'].includes(((await response.json()) as { kind: string }).kind));
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f]{12}-/);
    }
    const elsewhere = await send(service, 'GET', '/%zz');
    assert.deepEqual(
      [elsewhere.status, elsewhere.headers.get('content-type')],
      [400, 'application/problem+json; charset=utf-8'],
    );
  });

  test('answers of an API are never cached, sniffed or framed', async () => {
    for (const path of ['/test/ping', '/test/nosuch', '/test/orders/none']) {
      const { headers } = await send(service, 'GET', path);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });
});

test('request ids are ours, all different, in the header and in the handler', async () => {
  const service = await startService();
  const ids = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const response = await send(service, 'GET', '/test/orders/1', { 'x-request-id': 'theirs', 'request-id': 'theirs' });
    const id = response.headers.get('x-request-id') as string;
    assert.equal(((await response.json()) as { requestId: string }).requestId, id);
    ids.add(id);
  }
  assert.equal(ids.size, 20);
  assert.ok(!ids.has('theirs'));
  await service.server.close();
});

test('the log knows the route and never the query, the body, a header or a card number', async () => {
  const service = await startService();
  await send(
    service,
    'POST',
    '/test/orders/create?segment=QUERYCANARY',
    { 'content-type': 'application/json', 'x-canary': 'HEADERCANARY' },
    '{"amount":1,"card":{"holder":"BODYCANARY"}}',
  );
  await send(service, 'GET', '/test/orders/PATHCANARY?x=QUERYCANARY');
  await send(service, 'GET', '/test/PATHCANARY?x=QUERYCANARY');
  const crashed = await send(service, 'GET', '/test/orders/crash');
  assert.deepEqual([crashed.status, await crashed.json()], [500, { kind: 'internal' }]);
  await service.server.close();
  const text = service.lines.join('');
  assert.doesNotMatch(text, /CANARY|4111111111111111|shop/i);
  const lines = service.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const error = lines.find((line) => line.level === 50);
  assert.deepEqual(
    [error?.requestId, error?.message],
    [crashed.headers.get('x-request-id'), 'a 411111******1111 in an error'],
  );
  const access = lines.filter((line) => line.msg === 'request');
  assert.deepEqual(
    access.map(({ method, route, status }) => [method, route, status]),
    [
      ['POST', '/test/orders/create', 422],
      ['GET', '/test/orders/:id', 200],
      ['GET', 'none', 404],
      ['GET', '/test/orders/:id', 500],
    ],
  );
  for (const { ms, requestId } of access) assert.ok(typeof ms === 'number' && typeof requestId === 'string');
});

test('a forwarded address counts only from a proxy that is trusted', async () => {
  const remote = async (trustedProxies: string[], forwarded: string): Promise<string> => {
    const service = await startService({ trustedProxies });
    const response = await send(service, 'GET', '/test/orders/1', { 'x-forwarded-for': forwarded });
    await service.server.close();
    return ((await response.json()) as { remoteAddress: string }).remoteAddress;
  };
  assert.equal(await remote([], '203.0.113.9'), '127.0.0.1');
  assert.equal(await remote(['127.0.0.0/8'], '203.0.113.9'), '203.0.113.9');
  assert.equal(await remote(['127.0.0.1'], '198.51.100.1, 203.0.113.9'), '203.0.113.9');
  assert.equal(await remote(['10.0.0.0/8'], '203.0.113.9'), '127.0.0.1');
  assert.equal(await remote(['127.0.0.1'], 'nonsense'), '127.0.0.1');
});

describe('close', () => {
  const slow = (): { endpoint: (typeof endpoints)[number]; entered: Promise<void>; release: () => void } => {
    let release = (): void => undefined;
    let enter = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const endpoint = endpointOf<Principal>()({
      method: 'GET',
      path: '/slow',
      operation: 'slow',
      summary: 'Waits',
      right: null,
      answers: { 200: { description: 'done' } },
      handler: async () => {
        enter();
        await released;
        return { status: 200, body: { done: true } };
      },
    });
    return { endpoint, entered, release };
  };

  test('what is under way is answered, tells that the connection ends, and nothing new is taken', async () => {
    const { endpoint, entered, release } = slow();
    const service = await startService({ api: { endpoints: [endpoint] } });
    const answer = send(service, 'GET', '/test/slow');
    await entered;
    const closed = service.server.close();
    await assert.rejects(send(service, 'GET', '/test/slow'));
    release();
    const response = await answer;
    assert.deepEqual(
      [response.status, response.headers.get('connection'), await response.json()],
      [200, 'close', { done: true }],
    );
    await closed;
  });

  test('waits for a handler whose client has gone', async () => {
    const { endpoint, entered, release } = slow();
    const service = await startService({ api: { endpoints: [endpoint] } });
    const request = httpRequest(`${service.url}/test/slow`, { headers: { authorization: SHOP } });
    request.on('error', () => undefined);
    request.end();
    await entered;
    request.destroy();
    let done = false;
    const closed = service.server.close().then(() => (done = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(done, false);
    release();
    await closed;
  });

  test('a request whose client went away while its credentials were looked up is over, and closing does not wait for it', async () => {
    let asked = (): void => undefined;
    let found = (): void => undefined;
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const finding = new Promise<void>((resolve) => (found = resolve));
    const endpoint = endpointOf<Principal>()({
      method: 'POST',
      path: '/order',
      operation: 'order',
      summary: 'Takes a body',
      right: null,
      answers: { 200: { description: 'done' } },
      handler: () => ({ status: 200, body: {} }),
    });
    const service = await startService({
      api: {
        endpoints: [endpoint],
        authentication: {
          schemes: {},
          check: async () => {
            asked();
            await finding;
            return { login: 'shop', rights: [] };
          },
        },
      },
    });
    const gone = new Promise<void>((resolve) =>
      service.server.app.server.once('connection', (socket) => socket.once('close', () => resolve())),
    );
    const request = httpRequest(`${service.url}/test/order`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '2' },
    });
    request.on('error', () => undefined);
    request.end('{}');
    await asking;
    request.destroy();
    await gone;
    const began = performance.now();
    found();
    await service.server.close();
    assert.ok(performance.now() - began < 10_000, 'closing waited for it');
  });

  test('cuts what takes longer than the drain time', async () => {
    const { endpoint, entered, release } = slow();
    const service = await startService({ api: { endpoints: [endpoint] }, timeouts: { drainMs: 50 } });
    const answer = raw(service.port, `GET /test/slow HTTP/1.1\r\nHost: a\r\nAuthorization: ${SHOP}\r\n\r\n`);
    await entered;
    await service.server.close();
    assert.equal(await answer, '');
    release();
  });
});
