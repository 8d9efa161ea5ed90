// What a field may be: null, of the wrong kind, a number that no float holds; which codes the rules give; which verbs a path has.
// docs/contract/issuing.md#field-errors, #amounts. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import net from 'node:net';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import {
  ADDRESS,
  assertBooksHold,
  assertConflict,
  assertInvalid,
  cardRequest,
  customer,
  DEBIT,
  issuingClient,
  newCard,
  tokenOf,
  UPGRADE,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

type Fields = Record<string, unknown>;
const request = (fields: Fields) => ada('POST', '/cards/request', cardRequest(fields));
const THREE_DS = { linkedUserId: '3001', primaryChannel: 'OTP_SMS' };

/** The text of a body with `"?"` in the place of a number that JSON.stringify would not write. */
const written = (body: object, number: string): string => JSON.stringify(body).replace('"?"', number);

const transferOf = (amount: unknown) => ({
  source: { type: 'managed_accounts', id: '2001' },
  destination: { type: 'managed_accounts', id: '2004' },
  destinationAmount: { currency: 'EUR', amount },
});
const limitOf = (amount: unknown) => ({
  data: { spendLimit: [{ value: { currency: 'EUR', amount }, interval: 'DAILY' }] },
});

test('An amount that is null is RANGE, not absent', async () => {
  const id = await newCard(ada, DEBIT);
  assertInvalid(await ada('POST', '/transfers', transferOf(null)), 'destinationAmount.amount RANGE');
  for (const method of ['PUT', 'PATCH']) {
    const limits = (data: object) => ada(method, `/cards/limits/${id}`, data);
    assertInvalid(await limits(limitOf(null)), 'data.spendLimit.0.value.amount RANGE');
    assertInvalid(
      await limits({ data: { minTransactionAmount: null, maxTransactionAmount: null } }),
      'data.minTransactionAmount RANGE',
      'data.maxTransactionAmount RANGE',
    );
  }
  assert.deepEqual((await ada('GET', `/cards/limits/${id}`)).body.cardLevelSpendRules, {});
});

test('REQUIRED absent or null: null in any other optional field counts as absent', async () => {
  const nothing = {
    tag: null,
    nameOnCardLine2: null,
    billingAddress: { ...ADDRESS, addressLine2: null, state: null },
    digitalWallets: null,
    authForwardingDefaultTimeoutDecision: null,
    threeDSecureAuthConfig: null,
    parentManagedAccountId: null,
    cardholderMobileNumber: null,
    externalHandle: null,
    externalData: null,
  };
  const made = await request(nothing);
  assert.equal(made.status, 200, made.text);
  const plain = await request({});
  assert.deepEqual({ ...made.body.data, id: 0 }, { ...plain.body.data, id: 0 });
  const inner = {
    digitalWallets: { walletsEnabled: null, pushProvisioningEnabled: null, artworkReference: null },
    threeDSecureAuthConfig: { ...THREE_DS, fallbackChannel: null },
  };
  assert.equal((await request(inner)).status, 200);
  const { id } = made.body;
  const lists = { allowedMerchantCategories: null, allowAtm: null, spendLimit: null };
  assert.equal((await ada('PUT', `/cards/limits/${id}`, { data: lists })).status, 204);
  const upgraded = await ada('POST', `/cards/upgrade/${id}`, { ...UPGRADE, bulkDelivery: null, nameOnCardLine2: null });
  assert.equal(upgraded.status, 200, upgraded.text);
  assert.equal(upgraded.body.physicalCardDetails.bulkDelivery, false);
});

test('An optional object given as something else is NOT_IN; data and billingAddress REQUIRED if no object', async () => {
  for (const wrong of ['x', 1, true, [], ['x']]) {
    assertInvalid(
      await request({ billingAddress: wrong, digitalWallets: wrong, threeDSecureAuthConfig: wrong }),
      'data.billingAddress REQUIRED',
      'data.digitalWallets NOT_IN',
      'data.threeDSecureAuthConfig NOT_IN',
    );
    assertInvalid(await ada('POST', '/cards/request', { type: 'consumer', data: wrong }), 'data REQUIRED');
    const id = await newCard(ada);
    assertInvalid(
      await ada('PATCH', `/cards/${id}`, { billingAddress: wrong, digitalWallets: wrong }),
      'billingAddress REQUIRED',
      'digitalWallets NOT_IN',
    );
    assertInvalid(await ada('PUT', `/cards/limits/${id}`, { data: wrong }), 'data REQUIRED');
  }
  assertInvalid(
    await request({ externalData: ['x', null] }),
    'data.externalData.0 NOT_IN',
    'data.externalData.1 NOT_IN',
  );
});

test('all wrong fields in one answer: primaryChannel outside of its set among the others', async () => {
  const wrong = { threeDSecureAuthConfig: { linkedUserId: 'x', primaryChannel: 'PIGEON_POST' }, currency: 'euro' };
  assertInvalid(
    await request(wrong),
    'data.threeDSecureAuthConfig.linkedUserId REGEX',
    'data.threeDSecureAuthConfig.primaryChannel NOT_IN',
    'data.currency SIZE',
  );
  const id = await newCard(ada);
  assertInvalid(
    await ada('PATCH', `/cards/${id}`, { ...wrong, renewalType: 'NEVER' }),
    'threeDSecureAuthConfig.linkedUserId REGEX',
    'threeDSecureAuthConfig.primaryChannel NOT_IN',
    'renewalType NOT_IN',
  );
  const onBehalf = await florin.operator('POST', '/operator/tenants/sandbox/identities/4001/cards', {
    data: cardRequest(wrong).data,
  });
  assert.equal(onBehalf.status, 422, onBehalf.text);
  assert.equal(onBehalf.body.errors.length, 3, onBehalf.text);
});

test('EXTERNAL_AUTHY has a configurable alias: its own tenant may say it, and hears what it said', async () => {
  const bea = await customer(florin, 'consumer@sandbox-two.test', 'sandbox-two-secret');
  const asked = (as: Client, primaryChannel: string, linkedUserId: string) =>
    as('POST', '/cards/request', cardRequest({ threeDSecureAuthConfig: { linkedUserId, primaryChannel } }));
  await florin.operator('PATCH', '/operator/tenants/sandbox', { settings: { authenticatorAlias: 'EXAMPLE_APP' } });
  const made = await asked(ada, 'EXAMPLE_APP', '3001');
  assert.equal(made.body.data.threeDSecureAuthConfig.primaryChannel, 'EXAMPLE_APP', made.text);
  const shown = await ada('GET', `/cards/${made.body.id}`);
  assert.equal(shown.body.threeDSecureAuthConfig.primaryChannel, 'EXAMPLE_APP');
  const { body } = await asked(ada, 'EXTERNAL_AUTHY', '3001');
  assert.equal(body.data.threeDSecureAuthConfig.primaryChannel, 'EXTERNAL_AUTHY');
  const changed = await ada('PATCH', `/cards/${made.body.id}`, { friendlyName: 'Other' });
  assert.equal(changed.body.threeDSecureAuthConfig.primaryChannel, 'EXAMPLE_APP', changed.text);
  assertConflict(await asked(ada, 'EXAMPLE_APP', '3004'), 'USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY');
  const path = 'data.threeDSecureAuthConfig.primaryChannel';
  assertInvalid(await asked(bea, 'EXAMPLE_APP', '3201'), `${path} NOT_IN`);
  assertInvalid(await asked(ada, 'constructor', '3001'), `${path} NOT_IN`);
});

/** No float stands between an amount's text and what it says: refused, or exact. */
const REFUSED = ['1.5', '"100"', '9007199254740993', '9007199254740990.6', '1.00000000000000000001', '1e-400', '1e400'];
const EXACT = [
  ['100', 100],
  ['1e2', 100],
  ['100.000', 100],
  ['1.25E2', 125],
] as const;

test('RANGE … not an integer, or wrong type for a number: amounts are exact or refused', async () => {
  const id = await newCard(ada, DEBIT);
  const limits = `/cards/limits/${id}`;
  for (const number of REFUSED) {
    assertInvalid(await ada('PUT', limits, written(limitOf('?'), number)), 'data.spendLimit.0.value.amount RANGE');
    const bounds = { data: { maxTransactionAmount: '?' } };
    assertInvalid(await ada('PUT', limits, written(bounds, number)), 'data.maxTransactionAmount RANGE');
    const transfer = await ada('POST', '/transfers', written(transferOf('?'), number));
    assertInvalid(transfer, 'destinationAmount.amount RANGE');
  }
  for (const [number, amount] of EXACT) {
    assert.equal((await ada('PUT', limits, written(limitOf('?'), number))).status, 204, number);
    const { cardLevelSpendRules } = (await ada('GET', limits)).body;
    assert.equal(cardLevelSpendRules.spendLimit[0].value.amount, amount, number);
  }
});

test('Not JSON: 400 with an empty list, also for a name given twice and for what is nested deeper than ten', async () => {
  const whole = JSON.stringify(cardRequest({ tag: 'once' }));
  const limits = `/cards/limits/${await newCard(ada, DEBIT)}`;
  const limit = JSON.stringify(limitOf(100));
  const nested = (levels: number): string =>
    whole.replace('{', `{"unknown":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)},`);
  const malformed: readonly (readonly [method: string, path: string, body: string])[] = [
    ['POST', '/cards/request', whole.replace('"tag":"once"', '"tag":"once","tag":"once"')],
    ['POST', '/cards/request', whole.replace('"tag":"once"', '"tag":"once","t\\u0061g":"twice"')],
    ['POST', '/cards/request', whole.replace('"city"', '"city":"Rome","city"')],
    ['POST', '/cards/request', whole.replace('{', '{"unknown":1,"unknown":2,')],
    ['POST', '/cards/request', whole.replace('{', '{"unknown":[{"a":1,"a":1}],')],
    ['POST', '/cards/request', whole.replace('{', '{"__proto__":1,"__proto__":2,')],
    ['POST', '/cards/request', nested(11)],
    ['POST', '/cards/request', nested(5000)],
    ['PUT', limits, limit.replace('"amount":100', '"amount":100,"amount":1000000')],
    ['POST', '/transfers', JSON.stringify(transferOf(1)).replace('"amount":1', '"amount":1,"amount":2')],
  ];
  for (const [method, path, body] of malformed) {
    const reply = await ada(method, path, body);
    assert.equal(reply.status, 400, `${body.slice(0, 200)}: ${reply.text}`);
    assert.deepEqual(
      reply.body,
      { message: 'Invalid request', syntaxErrors: { invalidFields: [] } },
      body.slice(0, 200),
    );
  }
  assert.deepEqual((await ada('GET', limits)).body.cardLevelSpendRules, {});
  await assertBooksHold(florin);
  for (const body of [nested(10), `\ufeff${whole}`, whole.replace('{', '{"__proto__":1,"constructor":[],')])
    assert.equal((await ada('POST', '/cards/request', body)).status, 200, body.slice(0, 60));
});

test('cardId (path): REGEX; unknown: 404, however long', async () => {
  for (const digits of ['0', '00123', '9'.repeat(19), '9'.repeat(20), '1'.repeat(150)]) {
    const reply = await ada('GET', `/cards/${digits}`);
    assert.equal(reply.status, 404, digits);
    assert.deepEqual(Object.keys(reply.body), ['code', 'message']);
  }
  assertInvalid(await ada('GET', `/cards/${'a'.repeat(150)}`), 'cardId REGEX');
});

test('all wrong fields in one answer, in schema order: those of path, query and body', async () => {
  assertInvalid(await ada('POST', '/cards/activate/abc', {}), 'cardId REGEX', 'activationCode REQUIRED');
  assertInvalid(await ada('PUT', '/cards/limits/abc', { data: [] }), 'cardId REGEX', 'data REQUIRED');
  assertInvalid(await ada('GET', '/cards/transactions/abc?limit=0'), 'cardId REGEX', 'limit RANGE');
  assert.deepEqual((await ada('POST', '/cards/activate/abc', '{')).body.syntaxErrors.invalidFields, []);
});

test('a name of the query with two different values is a wrong field; with one value twice, empty or unknown it is none', async () => {
  assertInvalid(await ada('GET', '/cards?state=ACTIVE&state=BLOCKED'), 'state SIZE');
  assertInvalid(await ada('GET', '/cards?mode=x&limit=1&state=ACTIVE&limit=2&limit=1'), 'limit SIZE', 'mode NOT_IN');
  for (const query of ['state=ACTIVE&state=ACTIVE', 'state=ACTIVE&state=&state=', 'other=1&other=2', 'constructor=1'])
    assert.equal((await ada('GET', `/cards?${query}`)).status, 200, query);
});

test('a wrong verb on a documented path is 405 with Allow, and its name is no card id', async () => {
  for (const [method, path, allow] of [
    ['GET', '/cards/request', 'OPTIONS, POST'],
    ['PATCH', '/cards/request', 'OPTIONS, POST'],
    ['DELETE', '/cards/request/', 'OPTIONS, POST'],
    ['GET', '/cards/reveal?token=1', 'OPTIONS, POST'],
    ['PUT', '/cards', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/users/password', 'OPTIONS, POST'],
    ['GET', '/cards/activate/123', 'OPTIONS, POST'],
    ['POST', '/cards/limits/123', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['GET', '/auth/login', 'OPTIONS, POST'],
    ['DELETE', '/transfers/123', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const reply = await ada(method, path);
    assert.equal(reply.status, 405, `${method} ${path}: ${reply.text}`);
    assert.equal(reply.headers.get('allow'), allow, `${method} ${path}`);
    assert.deepEqual(reply.body, { code: 'METHOD_NOT_ALLOWED', message: 'Method not allowed' });
  }
  const options = await ada('OPTIONS', '/cards/request');
  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'OPTIONS, POST']);
});

test('the operator sets amounts that are exact, and null is the default of a setting, not of an amount in it', async () => {
  const profile = '/operator/tenants/sandbox/profiles/1001';
  const wrong = async (settings: string, uri: string): Promise<void> => {
    const reply = await florin.operator('PATCH', profile, `{"settings":${settings}}`);
    assert.deepEqual([reply.status, reply.body.errors?.[0].uri], [422, uri], `${settings}: ${reply.text}`);
  };
  for (const number of REFUSED) await wrong(`{"atmDailyLimit":${number}}`, '#/settings/atmDailyLimit');
  await wrong('{"fees":{"atmFixed":null}}', '#/settings/fees/atmFixed');
  await wrong('{"rules":{"minTransactionAmount":null}}', '#/settings/rules/minTransactionAmount');
  const set = await florin.operator('PATCH', profile, { settings: { atmDailyLimit: null } });
  assert.equal(set.status, 200, set.text);
});

test('deposits, purchases and what follows them: amounts exact or refused, null is not all of it', async () => {
  const { operator } = florin;
  const card = await newCard(ada, DEBIT);
  const buy = (amount: string) =>
    operator('POST', '/simulator/purchases', `{"cardId":"${card}","amount":${amount},"currency":"EUR","threeDs":true}`);
  const deposit = (amount: string) => operator('POST', '/simulator/accounts/2001/deposit', `{"amount":${amount}}`);
  for (const amount of [...REFUSED.filter((text) => text !== '"100"'), '1e2', 'null'])
    for (const reply of [await buy(amount), await deposit(amount)])
      assert.equal(reply.status, 422, `${amount}: ${reply.text}`);
  assert.equal((await deposit('"100"')).body.amount, 100);
  const { authorizationId } = (await buy('500')).body;
  for (const verb of ['clear', 'reverse', 'increment']) {
    const reply = await operator('POST', `/simulator/authorizations/${authorizationId}/${verb}`, { amount: null });
    assert.equal(reply.status, 422, `${verb}: ${reply.text}`);
  }
  assert.equal((await operator('POST', '/simulator/refunds', { authorizationId, amount: null })).status, 422);
  const { payments } = (await ada('GET', `/cards/payments/${card}`)).body;
  assert.deepEqual([payments.length, payments[0].held, payments[0].cleared], [1, 500, 0]);
});

test('429: x-ratelimit-limit, x-ratelimit-reset; they agree with retry-after', async () => {
  const limited = issuingClient(florin, 'sandbox-limited-secret', await tokenOf(florin));
  for (let i = 0; i < 3; i++) {
    const { status, headers, body } = await limited('GET', '/cards');
    assert.equal(status, 429);
    assert.equal(headers.get('x-ratelimit-limit'), '0');
    assert.match(headers.get('x-ratelimit-reset') ?? '', /^[1-9]\d*$/);
    assert.equal(headers.get('x-ratelimit-reset'), headers.get('retry-after'));
    assert.deepEqual(body, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests' });
  }
});

test('`idempotency-ref` is a field of the request: wrong ones are told as a header’s', async () => {
  const sent = (ref: string) => ada('POST', '/cards/request', cardRequest(), { 'idempotency-ref': ref });
  assertInvalid(await sent('x'.repeat(256)), 'idempotency-ref SIZE');
  assertInvalid(await sent('two words'), 'idempotency-ref REGEX');
  assert.equal((await sent('x'.repeat(255))).status, 200);
});

/** What a socket gets for bytes that no HTTP client would send. */
function raw(lines: string): Promise<string> {
  const { hostname, port } = new URL(florin.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(lines));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

test('`request-ref` header on every answer, each another', async () => {
  const of = (secret: string) => issuingClient(florin, secret)('GET', '/cards');
  const seen = new Set<string>();
  for (const [status, reply] of [
    [200, await ada('GET', '/cards')],
    [204, await ada('POST', '/auth/stepup/send-otp', {})],
    [400, await ada('POST', '/cards/request', '{')],
    [400, await ada('GET', '/%zz')],
    [401, await of('wrong')],
    [403, await issuingClient(florin, 'sandbox-secret', 'x')('GET', '/cards')],
    [404, await ada('GET', '/nothing/here')],
    [405, await ada('PUT', '/cards')],
    [409, await request({ profileId: '1005' })],
    [413, await ada('POST', '/cards/request', 'x'.repeat(70_000))],
    [415, await ada('POST', '/cards/request', '{}', { 'content-type': 'text/plain' })],
    [429, await of('sandbox-limited-secret')],
    [500, await of('sandbox-failing-secret')],
    [503, await of('sandbox-maintenance-secret')],
  ] as const) {
    assert.equal(reply.status, status, reply.text);
    seen.add(reply.headers.get('request-ref') ?? '');
  }
  for (const broken of [
    'GET /issuing/cards HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n',
    'POST /issuing/cards HTTP/9\r\n\r\n',
  ])
    seen.add(/^request-ref: (\S+)/m.exec(await raw(broken))?.[1] ?? '');
  assert.ok(!seen.has(''));
  assert.equal(seen.size, 16);
});

test('the books hold', () => assertBooksHold(florin));
