// What is told about the APIs and about the service's health, and links between pages.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import {
  type Api,
  basicAuthentication,
  createMetrics,
  documentation,
  type Metrics,
  openapiOf,
  operations,
  pageLinks,
  rateLimiter,
} from '../../../src/http/index.ts';
import { endpoints, envelope, type Principal, type Service, SHOP, startService } from '../service.ts';

const declaration: Api<Principal> = {
  prefix: '/test',
  name: 'test',
  envelope,
  authentication: basicAuthentication<Principal>({ authenticator: () => null, failures: null }),
  endpoints,
  allows: () => true,
  limits: { limiter: rateLimiter(systemClock), rateOf: () => null },
  idempotency: {
    keyed: () => Buffer.alloc(32),
    header: 'idempotency-key',
    keepMs: 1,
    reused: 'validation',
    scopeOf: () => ({ owner: 1n, credential: '' }),
  },
};

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

describe('the API description', () => {
  const document: Json = openapiOf([declaration], { title: 'Test', version: '1.2.3' });

  test('has every endpoint under every verb, and nothing else', () => {
    assert.equal(document.openapi, '3.1.0');
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method} ${path}`),
    );
    const declared = endpoints.flatMap(({ method, path }) =>
      [method].flat().map((one) => `${one.toLowerCase()} /test${path.replace(':id', '{id}')}`),
    );
    assert.deepEqual(listed.sort(), declared.sort());
  });

  test('every reference leads somewhere, every operation has a name of its own', () => {
    const names: string[] = [];
    const visit = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return;
      if (typeof value.$ref === 'string') {
        const found = value.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, name: string) => at?.[name], document);
        assert.ok(found, value.$ref);
      }
      if (typeof value.operationId === 'string') names.push(value.operationId);
      Object.values(value).forEach(visit);
    };
    visit(document);
    assert.equal(new Set(names).size, names.length);
    assert.doesNotMatch(JSON.stringify(document), /"x-(kind|range|list)"/);
  });

  test('tells how to ask, what goes in, and what may go wrong', () => {
    const create = document.paths['/test/orders/create'].post;
    assert.deepEqual(create.security, [{ basic: [] }]);
    assert.deepEqual(Object.keys(create.responses), [
      '201',
      '400',
      '401',
      '403',
      '406',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
    ]);
    assert.equal(create.requestBody.content['application/json'].example.amount, 12.5);
    const { properties, required } = document.components.schemas.OrderRequest;
    assert.deepEqual(required, ['amount']);
    assert.deepEqual(properties.amount.type, ['number', 'string']);
    assert.deepEqual(properties.options.properties.force3d.anyOf, [
      { type: 'integer', enum: [0, 1] },
      { type: 'boolean' },
      { type: 'string', enum: ['0', '1', 'false', 'true'] },
    ]);
    assert.deepEqual(
      create.parameters.map((parameter: Json) => [parameter.in, parameter.name]),
      [['header', 'idempotency-key']],
    );
    const list = document.paths['/test/orders/'].get;
    assert.deepEqual(
      list.parameters.map((parameter: Json) => parameter.name),
      ['status', 'card.type', 'created_from', 'per_page', 'sort'],
    );
    assert.deepEqual([list.parameters[3].schema.minimum, list.parameters[3].schema.maximum], [1, 2000]);
    assert.deepEqual(document.components.responses.test_unauthenticated.content['application/json'].example, {
      kind: 'unauthenticated',
    });
    assert.deepEqual(document.components.securitySchemes.basic.scheme, 'basic');
  });

  test('its parts are those that operations belong to, in the order of the APIs', () => {
    const [plain, ...others] = endpoints;
    assert.ok(plain);
    const parts: Api<Principal>[] = [
      {
        ...declaration,
        name: 'Shops',
        description: 'Sells.',
        endpoints: others.map((one) => ({ ...one, tag: 'Orders' })),
      },
      {
        ...declaration,
        name: 'Cards',
        prefix: '/cards',
        description: 'Issues.',
        endpoints: [{ ...plain, tag: 'Cards' }],
      },
      { ...declaration, name: 'Cards', prefix: '/more', description: 'Issues.', endpoints: [plain] },
    ];
    const { tags, paths }: Json = openapiOf(parts, { title: 'Test', version: '1' });
    assert.deepEqual(tags, [
      { name: 'Shops: Orders', description: 'Sells.' },
      { name: 'Cards: Cards', description: 'Issues.' },
      { name: 'Cards' },
    ]);
    const carried = Object.values(paths).flatMap((item: Json) =>
      Object.values(item).flatMap(({ tags: own }: Json) => own),
    );
    assert.deepEqual(new Set(carried), new Set(tags.map(({ name }: Json) => name)));
  });

  test('two APIs with a schema of the same name keep both', () => {
    const otherFailure = { title: 'Failure', type: 'object' };
    const other: Api<Principal> = {
      ...declaration,
      prefix: '/other',
      name: 'other',
      envelope: { ...envelope, schema: () => otherFailure },
    };
    const both: Json = openapiOf([declaration, other], { title: 'Both', version: '1' });
    assert.deepEqual(both.components.schemas.Failure_2, { title: 'Failure', type: 'object' });
    assert.equal(
      both.components.responses.other_internal.content['application/json'].schema.$ref,
      '#/components/schemas/Failure_2',
    );
  });
});

describe('beside the APIs', () => {
  let service: Service;
  let metrics: Metrics;
  let ready = true;
  before(async () => {
    metrics = createMetrics();
    service = await startService({ metrics }, (server) => {
      documentation(server, [declaration], { title: 'Test', version: '1.2.3' });
      operations(server, {
        metrics: () => metrics.registry.metrics(),
        ready: async () => {
          if (!ready) throw new Error('the database is away');
          return { ok: true, checks: { database: true } };
        },
      });
    });
  });
  after(() => service.server.close());
  const get = (path: string, method = 'GET'): Promise<Response> =>
    fetch(service.url + path, { method, redirect: 'manual' });

  test('/openapi.json is the description', async () => {
    const response = await get('/openapi.json');
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(
      await response.json(),
      JSON.parse(JSON.stringify(openapiOf([declaration], { title: 'Test', version: '1.2.3' }))),
    );
  });

  for (const path of ['/docs', '/docs/']) {
    test(`${path} is a page whose every part is served here, under a policy that allows nothing else`, async () => {
      const response = await get(path);
      assert.equal(response.status, 200);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(policy, /https?:|unsafe-eval|script-src[^;]*unsafe|upgrade-insecure/);
      const html = await response.text();
      const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, part = '']) => new URL(part, `${service.url}${path}`),
      );
      assert.ok(parts.length >= 5);
      assert.doesNotMatch(html, /<script(?![^>]*src=)/);
      for (const part of parts) {
        assert.equal(part.origin, service.url);
        const loaded = await fetch(part);
        assert.equal(loaded.status, 200, part.pathname);
        await loaded.arrayBuffer();
      }
    });
  }

  test('a wrong verb is 405 with Allow here too', async () => {
    for (const path of ['/openapi.json', '/docs', '/healthz', '/metrics']) {
      const response = await get(path, 'DELETE');
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'], path);
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8');
    }
  });

  test('/healthz answers while the process does; /readyz when the service can work', async () => {
    assert.deepEqual(await (await get('/healthz')).json(), { ok: true });
    assert.deepEqual(await (await get('/readyz')).json(), { ok: true, checks: { database: true } });
    ready = false;
    const response = await get('/readyz');
    assert.deepEqual([response.status, await response.json()], [503, { ok: false, checks: {} }]);
    ready = true;
  });

  test('/metrics counts by route template, never by what the client wrote', async () => {
    for (const id of ['CANARY1', 'CANARY2', 'CANARY3'])
      await fetch(`${service.url}/test/orders/${id}?q=CANARY`, { headers: { authorization: SHOP } });
    await get('/CANARY');
    metrics.group(17, 2.5);
    const response = await get('/metrics');
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    assert.match(
      text,
      /http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/test\/orders\/:id",http_response_status_code="200"\} 3/,
    );
    assert.match(text, /http_server_active_requests 1/);
    assert.match(text, /committer_group_size_sum 17/);
    assert.match(text, /committer_group_duration_seconds_sum 0\.0025/);
    assert.match(text, /process_cpu_user_seconds_total/);
    assert.doesNotMatch(text, /CANARY/);
  });
});

describe('page links', () => {
  const page = {
    publicUrl: 'https://pay.example',
    path: '/gateway/orders/',
    query: { status: ['new', 'charged'], 'client.name': 'a&b "c"', per_page: 2, after: 'x', gone: undefined },
  };

  test('carry every filter, changed for each page', () => {
    assert.equal(
      pageLinks({ ...page, first: { after: null }, next: { after: 'y+z' } }),
      '<https://pay.example/gateway/orders/?status=new%2Ccharged&client.name=a%26b+%22c%22&per_page=2>; rel="first", ' +
        '<https://pay.example/gateway/orders/?status=new%2Ccharged&client.name=a%26b+%22c%22&per_page=2&after=y%2Bz>; rel="next"',
    );
  });

  test('without pages there is no field', () => {
    assert.equal(pageLinks({ ...page, first: null, next: null }), null);
    assert.equal(pageLinks({ publicUrl: '', path: '/p', query: {}, prev: {} }), '</p>; rel="prev"');
  });
});
