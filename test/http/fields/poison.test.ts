// Every field, parameter, name and header field of every route with everything that a database can't keep, one at a time in a request that
// is good otherwise: it is a wrong field, told in the API's own form, and never a fault of ours. What the fields are stands in /openapi.json.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { basic, payment, type TestApp, testApp } from '../../support/app.ts';
import { cardRequest, customer, newCard, PASSWORD, tokenOf, UPGRADE } from '../../support/issuing.ts';
import {
  ADDRESS_POISONS,
  misnamed,
  NO_UTF8,
  type Operation,
  operationsIn,
  POISONED_NAMES,
  POISONS,
  poisoned,
  QUERY_POISONS,
} from '../../support/poison.ts';

/** What can never be stored stands in every field; of what only might not be, each field has a third, unless FLORIN_TEST_POISON is `all`. */
const ALL = process.env.FLORIN_TEST_POISON === 'all';
const SOCKETS = 8;
const agent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS });
let florin: TestApp;
let token: string;
/** Of a credential that may change endpoints. */
let eventsSecret: string;
let orderId: string;
let cardId: string;
let userId: string;
let identityId: string;
let programmeId: string;
let operations: readonly Operation[];

/** Bodies that are described elsewhere. */
const SAME_BODY: Readonly<Record<string, string>> = {
  'POST /operator/tenants/{tenant}/identities/{id}/cards': 'POST /issuing/cards/request',
  'POST /operator/tenants/{tenant}/identities/{id}/accounts': 'POST /issuing/managed-accounts',
};

before(async () => {
  florin = await testApp();
  token = await tokenOf(florin);
  const rights = { label: 'events', rights: ['read', 'webhooks'] };
  eventsSecret = (await florin.operator('POST', '/operator/projects/sandbox/credentials', rights)).body.secret;
  orderId = (await florin.merchant('POST', '/gateway/orders/authorize', payment())).body.orders[0].id;
  const ada = await customer(florin);
  cardId = await newCard(ada);
  // A user of our own: the sandbox's are needed as they are.
  const user = { name: 'Grace', surname: 'Example', email: 'grace@shop.example', mobileNumber: '+35699000002' };
  userId = (await ada('POST', '/users', user)).body.id;
  const first = async (what: string, where = (_: { type?: string }): boolean => true): Promise<string> => {
    const { body } = await florin.operator('GET', `/operator/tenants/sandbox/${what}`);
    return body[what].find(where).id;
  };
  identityId = await first('identities', ({ type }) => type === 'consumer');
  programmeId = await first('programmes');
  const described = operationsIn(await (await fetch(`${florin.url}/openapi.json`)).json());
  operations = described.map((operation) => {
    const like = SAME_BODY[`${operation.method} ${operation.path}`];
    const other = described.find(({ method, path }) => `${method} ${path}` === like);
    return other ? { ...operation, fields: other.fields, objects: other.objects } : operation;
  });
});
after(() => agent.destroy());

interface Answered {
  readonly status: number;
  readonly text: string;
}

function send(
  method: string,
  path: string,
  body: Buffer | null,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const { hostname, port } = new URL(florin.url);
  const all = {
    ...credentials(path),
    ...(body ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {}),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers: all, agent }, (response) => {
      // A stream goes on: its head is the answer.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.destroy();
        return resolve({ status: response.statusCode ?? 0, text: '' });
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}

function credentials(path: string): Record<string, string> {
  // Nobody is logged out on the way.
  if (/^\/issuing\/(events|webhooks)\b/.test(path)) return { 'x-secret': 'sandbox-events' };
  if (path.startsWith('/issuing'))
    return { 'x-secret': 'sandbox-secret', 'authorization-key': path.includes('/auth/logout') ? 'none' : token };
  if (path.startsWith('/gateway'))
    return { authorization: basic('sandbox', path.startsWith('/gateway/webhooks') ? eventsSecret : 'sandbox-secret') };
  return { authorization: 'Bearer sandbox-operator' };
}

/** At an address that is looked up nowhere. */
const endpointBody = () => ({ url: 'https://10.0.0.7/events', events: ['webhook.*'], description: 'Shop' });

/** Bodies that are good and change nothing that others need, where the description's example isn't one. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  'POST /issuing/auth/login': () => ({ email: 'level1@sandbox.test', password: { value: PASSWORD } }),
  'POST /issuing/auth/stepup/send-otp': () => ({ channel: 'SMS' }),
  'POST /issuing/auth/stepup/verify-otp': () => ({ verificationCode: '123456' }),
  'POST /issuing/cards/request': () => cardRequest(),
  'POST /issuing/cards/reveal': () => ({ token: 'A'.repeat(76) }),
  'POST /issuing/cards/upgrade/{cardId}': () => UPGRADE,
  'PATCH /issuing/cards/{cardId}': () => ({ tag: 'a' }),
  'POST /issuing/transfers': () => ({
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id: cardId },
    destinationAmount: { currency: 'EUR', amount: 1 },
  }),
  'POST /issuing/users/password': () => ({ oldPassword: { value: 'x'.repeat(12) }, newPassword: { value: PASSWORD } }),
  'POST /gateway/orders/authorize': () => payment(),
  'POST /gateway/orders/credit': () => ({ amount: 1, currency: 'EUR', pan: '4111111111111111' }),
  'PUT /gateway/orders/{id}/charge': () => ({ amount: 99 }),
  'PUT /gateway/orders/{id}/refund': () => ({ amount: 99 }),
  'PUT /gateway/orders/{id}/cancel': () => ({ amount: 99 }),
  'POST /gateway/orders/{id}/cancel': () => ({ amount: 99 }),
  'POST /gateway/orders/{id}/rebill': () => ({ amount: 1, location: { ip: '192.0.2.1' } }),
  'POST /gateway/orders/{id}/credit': () => ({ amount: 1, location: { ip: '192.0.2.1' } }),
  'POST /gateway/orders/{id}/complete': () => ({ PaRes: 'eJx' }),
  'POST /operator/projects': () => ({ login: 'sandbox', name: 'Shop', accounting_currency: 'EUR' }),
  'PATCH /operator/projects/{login}': () => ({ name: 'Shop' }),
  'PUT /operator/projects/{login}/rules/{id}': () => ({
    class: 'amount',
    expression: 'amount > 9999.0',
    action: 'refuse',
  }),
  'PUT /operator/bins/{prefix}': () => ({ brand: 'visa', subtype: 'debit' }),
  'POST /operator/tenants': () => ({ name: 'Bank' }),
  'PATCH /operator/tenants/{tenant}': () => ({ settings: {} }),
  'PATCH /operator/tenants/{tenant}/programmes/{id}': () => ({ settings: {} }),
  'PATCH /operator/tenants/{tenant}/profiles/{id}': () => ({ settings: {} }),
  'POST /operator/tenants/{tenant}/secrets': () => ({ label: 'server' }),
  'PUT /operator/tenants/{tenant}/secrets/{id}/certificates': () => ({ certificates: ['ab'.repeat(32)] }),
  'POST /operator/tenants/{tenant}/programmes': () => ({ name: 'Programme' }),
  'POST /operator/tenants/{tenant}/profiles': () => ({ programmeId, name: 'Profile' }),
  'POST /operator/card-ranges': () => ({ name: 'range', brand: 'VISA', prefix: '459999' }),
  'PATCH /operator/issuing-settings': () => ({ settings: {} }),
  'POST /operator/tenants/{tenant}/identities': () => ({ programmeId, type: 'consumer', name: 'Ada' }),
  'POST /operator/tenants/{tenant}/identities/{id}/users': () => ({ name: 'Ada', surname: 'E', email: 'ada@x.test' }),
  'PUT /operator/tenants/{tenant}/users/{id}/factors/{kind}': () => ({ active: true }),
  'POST /operator/tenants/{tenant}/users/{id}/password': () => ({ value: 'one-two-three-four' }),
  'PUT /operator/cards/{id}/manufacturing': () => ({ state: 'REQUESTED' }),
  'POST /simulator/accounts/{id}/deposit': () => ({ amount: 1 }),
  'POST /simulator/challenges/{id}': () => ({ result: 'success' }),
  'POST /simulator/wallet-tokens/{id}': () => ({ cardId, result: 'success' }),
  'POST /simulator/purchases': () => ({ cardId, amount: 1, currency: 'EUR', channel: 'ecommerce', threeDs: true }),
  'POST /simulator/authorizations/{id}/increment': () => ({ amount: 1 }),
  'POST /simulator/refunds': () => ({ cardId, amount: 1, currency: 'EUR' }),
  ...Object.fromEntries(
    ['/gateway', '/issuing', '/operator', '/operator/projects/{login}', '/operator/tenants/{tenant}'].map((at) => [
      `POST ${at}/webhooks`,
      endpointBody,
    ]),
  ),
  // What there is none of is tested by none.
  ...Object.fromEntries(
    ['/gateway', '/issuing', '/operator', '/operator/projects/{login}', '/operator/tenants/{tenant}'].map((at) => [
      `POST ${at}/webhooks/{id}/test`,
      () => ({ type: 'webhook.updated' }),
    ]),
  ),
  // What there is none of is replayed to none.
  ...Object.fromEntries(
    ['/gateway', '/operator', '/operator/projects/{login}', '/operator/tenants/{tenant}'].map((at) => [
      `POST ${at}/webhooks/{id}/replay`,
      () => ({ from: at === '/gateway' ? '2020-01-01 00:00:00' : '2020-01-01T00:00:00Z' }),
    ]),
  ),
  'POST /issuing/webhooks/{id}/replay': () => ({ from: 1_577_836_800_000 }),
  'PUT /simulator/faults': () => ({}),
  'PUT /simulator/clock': () => ({ frozen: false }),
  'POST /simulator/clock/advance': () => ({ by: '1s' }),
};

/** What stands in a path for a parameter that isn't the poisoned one. */
const PARAMS: Readonly<Record<string, () => string>> = {
  login: () => 'sandbox',
  tenant: () => 'sandbox',
  cardId: () => cardId,
  prefix: () => '411111',
  kind: () => 'BIOMETRICS',
  userId: () => userId,
};
const SPECIAL: readonly (readonly [start: string, id: () => string])[] = [
  ['/gateway/orders', () => orderId],
  ['/operator/orders', () => orderId],
  ['/simulator/orders', () => orderId],
  ['/operator/cards', () => cardId],
  ['/issuing/managed-accounts', () => '2001'],
  ['/operator/managed-accounts', () => '2001'],
  ['/simulator/accounts', () => '2001'],
  ['/operator/projects', () => 'x'],
  ['/operator/tenants/{tenant}/identities', () => identityId],
  ['/operator/tenants/{tenant}/programmes', () => programmeId],
  ['/operator/tenants/{tenant}/profiles', () => '1001'],
  ['/operator/tenants/{tenant}/users', () => userId],
];

const bodyOf = ({ method, path, example }: Operation): unknown => BODIES[`${method} ${path}`]?.() ?? example;

function addressOf({ path }: Operation, name: string | null = null, value = ''): string {
  return path.replace(/\{(\w+)\}/g, (_, param: string) => {
    if (param === name) return value;
    const known = PARAMS[param] ?? SPECIAL.find(([start]) => path.startsWith(start))?.[1];
    return known?.() ?? '1';
  });
}

interface Shot {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer | null;
  readonly headers?: Record<string, string>;
  /** It can't be taken: the answer is the API's word for a wrong field. */
  readonly wrong: boolean;
}

/** The API's own word for a field that is wrong. */
const REFUSED: Readonly<Record<string, readonly number[]>> = {
  gateway: [422],
  issuing: [400],
  operator: [422],
  simulator: [422],
};
const apiOf = (path: string): string => path.split('/')[1] as string;

async function fire(shots: readonly Shot[]): Promise<string[]> {
  const failures: string[] = [];
  const queue = shots.values();
  const shoot = async (): Promise<void> => {
    for (const { what, method, path, body, headers, wrong } of queue) {
      const { status, text } = await send(method, path, body, headers);
      const bad = status < 200 || status >= 500 || (wrong && !REFUSED[apiOf(path)]?.includes(status));
      if (bad) failures.push(`${method} ${path.slice(0, 100)} ${what} -> ${status} ${text.slice(0, 150)}`);
    }
  };
  await Promise.all(Array.from({ length: SOCKETS }, shoot));
  return failures;
}

test('the bodies that are poisoned are good ones', async () => {
  const failures = [];
  for (const operation of operations.filter(({ fields }) => fields.length > 0)) {
    const { method, path } = operation;
    const { status, text } = await send(method, addressOf(operation), Buffer.from(JSON.stringify(bodyOf(operation))));
    if (status === 400 || status === 422 || status >= 500) failures.push(`${method} ${path} ${status} ${text}`);
  }
  assert.deepEqual(failures, []);
});

test('every field of every body', async () => {
  const shots = operations.flatMap((operation) =>
    operation.fields.flatMap((field, n) =>
      POISONS.filter(({ unstorable }, i) => ALL || unstorable || (i + n) % 3 === 0).map(
        ({ name, bytes, unstorable }): Shot => ({
          what: `${field.join('.')}: ${name}`,
          method: operation.method,
          path: addressOf(operation),
          body: poisoned(bodyOf(operation), field, bytes),
          wrong: unstorable,
        }),
      ),
    ),
  );
  assert.ok(shots.length > 3000, `${shots.length}`);
  assert.deepEqual(await fire(shots), []);
});

test('every body whose bytes are no UTF-8, and every name in it', async () => {
  const shots = operations.flatMap((operation): Shot[] => {
    const { method, path: template, objects, fields } = operation;
    const path = addressOf(operation);
    const [field] = fields;
    const body = bodyOf(operation);
    if (!field) return [];
    return [
      ...NO_UTF8.map((bytes) => ({
        what: `bytes ${bytes.toString('hex')}`,
        method,
        path,
        body: poisoned(body, field, bytes),
        wrong: true,
      })),
      ...objects.flatMap((object) =>
        POISONED_NAMES.map((name) => ({
          what: `name ${name.toString('hex', 0, 20)} in ${object.join('.')}`,
          method,
          path,
          body: misnamed(body, object, name),
          // Issuing ignores names that it doesn't know, whatever they are.
          wrong: !template.startsWith('/issuing'),
        })),
      ),
    ];
  });
  assert.deepEqual(await fire(shots), []);
});

test('every part of every address', async () => {
  const shots = operations.flatMap((operation): Shot[] => {
    const { method, params, query, fields } = operation;
    const body = fields.length > 0 ? Buffer.from(JSON.stringify(bodyOf(operation))) : null;
    const shot = (what: string, path: string): Shot => ({ what, method, path, body, wrong: false });
    const address = addressOf(operation);
    // A full page of these lists is long.
    const short = (['per_page', 'limit'] as const).find((name) => query.includes(name));
    const asked = (name: string, value: string): string =>
      `${address}?${name}=${value}${short && short !== name ? `&${short}=1` : ''}`;
    return [
      ...params.flatMap((name) =>
        ADDRESS_POISONS.map((poison) => shot(name, addressOf(operation, name, poison.replaceAll('+', '%20')))),
      ),
      ...query.flatMap((name) => QUERY_POISONS.map((poison) => shot(name, asked(name, poison)))),
      ...ADDRESS_POISONS.slice(0, 3).flatMap((poison) => [
        shot('unknown', asked('unknown', poison)),
        shot('name', asked(poison, '1')),
      ]),
    ];
  });
  assert.deepEqual(await fire(shots), []);
});

const UNSTORABLE_TEXT = ['\u0000', 'a\u0000b', '\xed\xa0\x80', '\xff', '\xc0\x80'];

test('credentials and keys', async () => {
  const failures: string[] = [];
  const basic = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
  for (const text of UNSTORABLE_TEXT) {
    const wrong: readonly (readonly [path: string, headers: Record<string, string>])[] = [
      ['/gateway/ping', { authorization: basic(`${text}:sandbox-secret`) }],
      ['/gateway/ping', { authorization: basic(`sandbox:${text}`) }],
      ['/gateway/ping', { authorization: basic(`sandbox:sandbox-secret${text}`) }],
      ['/operator/projects', { authorization: `Bearer ${basic(text)}` }],
    ];
    for (const [path, headers] of wrong) {
      const { status } = await send('GET', path, null, headers);
      if (status !== 401) failures.push(`${path} ${JSON.stringify(headers)} ${status}`);
    }
  }
  // A header field can't hold U+0000: the listener refuses such a request whole. Other bytes are Latin-1 and no credential of ours.
  for (const byte of ['\u0080', '\u00ff', '\u00c0\u0080', '\u00ed\u00a0\u0080'])
    for (const [path, name] of [
      ['/issuing/cards', 'x-secret'],
      ['/gateway/ping', 'authorization'],
      ['/operator/projects', 'authorization'],
    ] as const) {
      const { status } = await send('GET', path, null, { [name]: `a${byte}` });
      if (status !== 401) failures.push(`${path} ${name} ${status}`);
    }
  for (const [path, name] of [
    ['/gateway/orders/create', 'idempotency-key'],
    ['/issuing/managed-accounts', 'idempotency-ref'],
  ] as const)
    for (const key of ['a\u00ff', '\u0080', 'x'.repeat(256)]) {
      const { status } = await send('POST', path, Buffer.from('{}'), { [name]: key });
      if (status !== 400) failures.push(`${path} ${name} ${status}`);
    }
  assert.deepEqual(failures, []);
});

test('afterwards the books hold, and every route still answers', async () => {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.equal(body.ok, true, JSON.stringify(body.checks.filter(({ ok }: { ok: boolean }) => !ok)));
  assert.deepEqual((await florin.merchant('GET', `/gateway/orders/${orderId}`)).status, 200);
});
