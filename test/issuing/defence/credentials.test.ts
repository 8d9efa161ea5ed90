// Who may ask the issuing API: every endpoint of its description without credentials, with wrong ones, with another tenant's; and every
// id in paths and bodies that is another identity's or tenant's. docs/contract/issuing.md#authentication.
// Rule: the endpoints come from /openapi.json, so that a new one is asked too; an id that its table of bodies doesn't know fails here.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  cardRequest,
  customer,
  DEBIT,
  issuingClient,
  newCard,
  PASSWORD,
  plasticCard,
  steppedUp,
  tokenOf,
  UPGRADE,
} from '../../support/issuing.ts';

interface Endpoint {
  readonly method: string;
  /** Below /issuing. */
  readonly path: string;
}

const LOGIN = '/auth/login';
/** The form of an id, and nobody's. */
const UNKNOWN = '1234567890123';
const REFUSED = { code: 'UNAUTHORIZED', message: 'Credentials or access token invalid' };

let florin: TestApp;
let endpoints: Endpoint[];
/** sandbox's consumer, another identity of the same tenant, and one of another tenant. */
let ada: Client;
let cor: Client;
let bea: Client;
let token: string;
let foreignToken: string;
/** What is Ada's, by the segment of a path that names its kind. */
let mine: Readonly<Record<'cards' | 'managed-accounts' | 'transfers' | 'users' | 'identities', string>>;
let virtual: string;
let stored: unknown;
let shown: unknown;

const counts = () =>
  florin.database.query(
    `select (select count(*) from cards) as cards, (select count(*) from managed_accounts) as accounts,
            (select count(*) from transfers) as transfers, (select count(*) from statement_entries) as entries,
            (select count(*) from used_reveals) as reveals, (select count(*) from idempotency_records) as records,
            (select count(*) from user_sessions where ended_at is not null) as ended, (select count(*) from events) as events,
            (select sum(actual) from funds) as actual`,
  );
/** Ada's things as she sees them, without the tokens that each look makes anew. */
const seen = async () => {
  const card = (await ada('GET', `/cards/${mine.cards}`)).body;
  const { body: limits } = await ada('GET', `/cards/limits/${mine.cards}`);
  const account = (await ada('GET', `/managed-accounts/${mine['managed-accounts']}`)).body;
  return { ...card, cardNumber: null, cvv: null, limits, account };
};

before(async () => {
  florin = await testApp();
  const { paths } = (await florin.operator('GET', '/openapi.json')).body;
  endpoints = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    path.startsWith('/issuing/')
      ? Object.keys(methods)
          .filter((method) => ['get', 'put', 'post', 'patch', 'delete'].includes(method))
          .map((method) => ({ method: method.toUpperCase(), path: path.slice('/issuing'.length) }))
      : [],
  );
  token = await tokenOf(florin);
  ada = issuingClient(florin, 'sandbox-secret', token);
  cor = await customer(florin, 'corporate@sandbox.test');
  foreignToken = await tokenOf(florin, 'consumer@sandbox-two.test', 'sandbox-two-secret');
  bea = issuingClient(florin, 'sandbox-two-secret', foreignToken);
  const cards = await plasticCard(ada, true);
  virtual = await newCard(ada);
  const moved = await ada('POST', '/transfers', {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id: cards },
    destinationAmount: { currency: 'EUR', amount: 500 },
  });
  assert.equal(moved.status, 200, moved.text);
  const [user] = (await ada('GET', '/users')).body.users;
  mine = {
    cards,
    'managed-accounts': '2001',
    transfers: moved.body.id,
    users: user.id,
    identities: user.identityId,
  };
  stored = await counts();
  shown = await seen();
});

const kindOf = ({ path }: Endpoint): keyof typeof mine => path.split('/')[1] as keyof typeof mine;
const at = (endpoint: Endpoint, id: string): string =>
  endpoint.path
    .replace('{kind}', 'BIOMETRICS')
    .replace(/\{\w+\}/, id)
    .replace(/\{\w+\}/, UNKNOWN);
/** A tenant's server asks for these, with a secret of its own and no token. */
const isOfEvents = ({ path }: Endpoint): boolean => /^\/(events|webhooks)\b/.test(path);
const hasBody = ({ method }: Endpoint): boolean => ['PUT', 'POST', 'PATCH'].includes(method);

test('the description names every endpoint of both documents', () => {
  const named = new Set(endpoints.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/, '{}')}`));
  const documented = `POST /cards/request, POST /cards/activate/{}, PUT /cards/limits/{}, POST /auth/login, POST /auth/logout,
    POST /auth/stepup/send-otp, POST /auth/stepup/verify-otp, GET /cards, GET /cards/{}, PATCH /cards/{}, POST /cards/block/{},
    POST /cards/unblock/{}, POST /cards/remove/{}, POST /cards/upgrade/{}, GET /cards/limits/{}, PATCH /cards/limits/{},
    DELETE /cards/limits/{}, GET /cards/transactions/{}, GET /cards/payments/{}, POST /cards/report-lost/{},
    POST /cards/report-stolen/{}, POST /cards/replace-damaged/{}, POST /cards/replace-lost-stolen/{}, GET /cards/pin/{},
    POST /cards/pin/unblock/{}, POST /managed-accounts, GET /managed-accounts, GET /managed-accounts/{},
    POST /managed-accounts/block/{}, POST /managed-accounts/unblock/{}, POST /managed-accounts/remove/{},
    GET /managed-accounts/statement/{}, POST /transfers, GET /transfers`;
  assert.deepEqual(
    documented.split(/,\s*/).filter((endpoint) => !named.has(endpoint)),
    [],
  );
});

test('Missing or wrong x-secret: 401, whatever the token is', async () => {
  const secrets = [
    null,
    '',
    'x',
    'SANDBOX-SECRET',
    'sandbox-secret-',
    'andbox-secret',
    'Basic sandbox-secret',
    "sandbox-secret' or '1'='1",
    '__proto__',
    'sandbox-operator',
    'a'.repeat(600),
  ];
  for (const endpoint of endpoints)
    for (const secret of secrets)
      for (const key of [token, null]) {
        const what = `${endpoint.method} ${endpoint.path} ${secret?.slice(0, 30)}`;
        const reply = await issuingClient(florin, secret, key)(
          endpoint.method,
          at(endpoint, UNKNOWN),
          hasBody(endpoint) ? {} : undefined,
        );
        assert.deepEqual([reply.status, reply.body], [401, REFUSED], what);
        assert.ok(reply.headers.get('request-ref'), what);
      }
});

test('Missing token: 401. Tokens belong to the tenant of the secret, else 401. Unknown: 403 ACCESS_TOKEN_REQUIRED', async () => {
  const keys: readonly (readonly [key: string | null, status: number])[] = [
    [null, 401],
    ['', 401],
    [foreignToken, 401],
    ['x', 403],
    [token.toLowerCase(), 403],
    [token.slice(0, -1), 403],
    [`${token}A`, 403],
    [`Bearer ${token}`, 403],
    ['A'.repeat(54), 403],
    ['sandbox-secret', 403],
  ];
  for (const endpoint of endpoints.filter((one) => one.path !== LOGIN && !isOfEvents(one))) {
    for (const [key, status] of keys) {
      const reply = await issuingClient(florin, 'sandbox-secret', key)(
        endpoint.method,
        at(endpoint, UNKNOWN),
        hasBody(endpoint) ? {} : undefined,
      );
      const what = `${endpoint.method} ${endpoint.path} ${key}: ${reply.text}`;
      assert.equal(reply.status, status, what);
      if (status === 401) assert.deepEqual(reply.body, REFUSED, what);
      else assert.equal(reply.body.errorCode, 'ACCESS_TOKEN_REQUIRED', what);
    }
    const turned = await issuingClient(florin, 'sandbox-two-secret', token)(
      endpoint.method,
      at(endpoint, mine.cards),
      hasBody(endpoint) ? {} : undefined,
    );
    assert.deepEqual([turned.status, turned.body], [401, REFUSED], endpoint.path);
  }
});

test('login needs x-secret alone: a token changes nothing, and a user is of one tenant', async () => {
  const login = (secret: string, key: string | null, email: string) =>
    issuingClient(florin, secret, key)('POST', LOGIN, { email, password: { value: PASSWORD } });
  assert.equal((await login('sandbox-secret', 'nonsense', 'consumer@sandbox.test')).status, 200);
  const elsewhere = await login('sandbox-two-secret', null, 'consumer@sandbox.test');
  const nobody = await login('sandbox-two-secret', null, 'nobody@sandbox.test');
  assert.deepEqual([elsewhere.status, elsewhere.text], [401, nobody.text]);
});

test('401 comes before anybody reads the body: a valid one, a broken one and a huge one', async () => {
  const nobody = issuingClient(florin, 'wrong', token);
  for (const body of [cardRequest(), '{', '\0'.repeat(10), 'x'.repeat(60_000)])
    assert.deepEqual((await nobody('POST', '/cards/request', body)).body, REFUSED);
});

/** Bodies that are right, so that the id is what is judged: 400 comes before 404. By method and the path without its id. */
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH /cards': { friendlyName: 'Taken' },
  'PUT /cards/limits': { data: { allowAtm: false } },
  'PATCH /cards/limits': { data: { allowAtm: false } },
  'POST /cards/activate': { activationCode: UPGRADE.activationCode },
  'POST /cards/upgrade': UPGRADE,
  'POST /cards/block': undefined,
  'POST /cards/unblock': undefined,
  'POST /cards/remove': undefined,
  'POST /cards/report-lost': undefined,
  'POST /cards/report-stolen': undefined,
  'POST /cards/replace-damaged': {},
  'POST /cards/replace-lost-stolen': {},
  'POST /cards/pin/unblock': undefined,
  'POST /cards/wallet-tokens': { wallet: 'APPLE', device: 'phone-1' },
  'POST /managed-accounts/block': undefined,
  'POST /managed-accounts/unblock': undefined,
  'POST /managed-accounts/remove': undefined,
  'PATCH /users': { name: 'Taken' },
  'POST /users/activate': undefined,
  'POST /users/deactivate': undefined,
};

test("another identity's or tenant's id in a path: the same bytes as unknown", async () => {
  const withId = endpoints.filter((one) => !isOfEvents(one) && (one.path.includes('Id}') || one.path.includes('{id}')));
  assert.ok(withId.length >= 22, String(withId.length));
  for (const endpoint of withId) {
    const name = `${endpoint.method} ${endpoint.path.replace(/\/\{\w+\}/, '')}`;
    assert.ok(endpoint.method === 'GET' || endpoint.method === 'DELETE' || name in BODIES, `${name} has no body here`);
    const ask = (as: Client, id: string, headers = {}) => as(endpoint.method, at(endpoint, id), BODIES[name], headers);
    const expected = '{"code":"RESOURCE_NOT_FOUND","message":"Resource not found"}';
    for (const stranger of [cor, bea]) {
      const foreign = await ask(stranger, mine[kindOf(endpoint)]);
      assert.deepEqual([foreign.status, foreign.text], [404, expected], name);
      const repeated = await ask(stranger, mine[kindOf(endpoint)], { 'idempotency-ref': 'foreign' });
      assert.deepEqual([repeated.status, repeated.text], [404, expected], name);
      for (const id of [UNKNOWN, '0', '9'.repeat(18)]) {
        const unknown = await ask(stranger, id);
        assert.deepEqual([unknown.status, unknown.text], [404, expected], `${name} ${id}`);
      }
    }
    // Her own, but not of this kind.
    const wrong = kindOf(endpoint) === 'cards' ? mine.transfers : mine.cards;
    const other = await ask(ada, wrong);
    assert.deepEqual([other.status, other.text], [404, expected], `${name} of another kind`);
    for (const id of ['x', '1e3', '-1', '%00', '١٢٣', '1.0', '0x10']) {
      const malformed = await ask(cor, encodeURI(decodeURI(id)));
      assert.ok([400, 404].includes(malformed.status), `${name} ${id} ${malformed.status}`);
    }
  }
  assert.deepEqual(await seen(), shown, 'nothing of it has changed');
});

/** Bodies that reach the look-up of the endpoint. */
const OF_EVENTS: Readonly<Record<string, object>> = { replay: { from: 0 }, test: { type: 'card.created' } };

test("the secret of events opens events alone, with a token or without, and nobody else's", async () => {
  const made = await issuingClient(florin, 'sandbox-events', null)('POST', '/webhooks', {
    url: 'https://127.0.0.1:8443/events',
    events: ['*'],
  });
  assert.equal(made.status, 201, made.text);
  for (const endpoint of endpoints) {
    const body = hasBody(endpoint) ? (OF_EVENTS[endpoint.path.split('/').at(-1) as string] ?? {}) : undefined;
    const what = `${endpoint.method} ${endpoint.path}`;
    const ask = (secret: string, key: string | null, id: string) =>
      issuingClient(florin, secret, key)(endpoint.method, at(endpoint, id), body);
    if (!isOfEvents(endpoint)) {
      for (const key of [null, token]) assert.equal((await ask('sandbox-events', key, UNKNOWN)).status, 401, what);
      continue;
    }
    for (const key of [null, token]) assert.equal((await ask('sandbox-secret', key, UNKNOWN)).status, 401, what);
    if (!endpoint.path.includes('{')) continue;
    const [foreign, unknown] = [
      await ask('sandbox-two-events', null, made.body.id),
      await ask('sandbox-two-events', null, UNKNOWN),
    ];
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text], what);
  }
  assert.equal(
    (await issuingClient(florin, 'sandbox-events', null)('DELETE', `/webhooks/${made.body.id}`)).status,
    204,
  );
});

const sameBytes = async (what: string, code: string, ids: readonly string[], ask: (id: string) => Promise<Reply>) => {
  const replies: Reply[] = [];
  for (const id of [UNKNOWN, '0', ...ids]) replies.push(await ask(id));
  for (const reply of replies) {
    assert.equal(reply.status, 409, `${what} ${reply.text}`);
    assert.equal(reply.body.errorCode, code, `${what} ${reply.text}`);
    assert.equal(reply.text, replies[0]?.text, what);
  }
};

test('inside bodies the code that the contract names: parentManagedAccountId, linkedUserId, profileId', async () => {
  const card = (fields: object) => ada('POST', '/cards/request', cardRequest(fields as Record<string, unknown>));
  await sameBytes('parent', 'PARENT_MANAGED_ACCOUNT_NOT_FOUND', ['2002', '2101', mine.cards, '3001'], (id) =>
    card({ ...DEBIT, parentManagedAccountId: id }),
  );
  const config = (linkedUserId: string) => ({
    threeDSecureAuthConfig: { linkedUserId, primaryChannel: 'OTP_SMS' },
  });
  // Another identity's user, another tenant's, one of another programme, an identity, a card.
  const people = ['3011', '3201', '3021', '4001', mine.cards];
  await sameBytes('linked user', 'LINKED_USER_NOT_FOUND', people, (id) => card(config(id)));
  await sameBytes('linked user of a change', 'LINKED_USER_NOT_FOUND', people, (id) =>
    ada('PATCH', `/cards/${mine.cards}`, config(id)),
  );
  // A profile of another programme of her tenant, one that only the other tenant has, one for accounts.
  const two = await florin.operator('POST', '/operator/tenants/sandbox-two/profiles', {
    programmeId: '5101',
    name: 'Only there',
    settings: { mode: 'PREPAID_MODE', ownerType: 'consumer', currencies: ['EUR'], providers: ['MASTERCARD'] },
  });
  assert.equal(two.status, 201, two.text);
  await sameBytes('profile', 'PROFILE_NOT_FOUND', ['1021', two.body.id, '1011', '4001'], (id) =>
    card({ profileId: id }),
  );
  await sameBytes('account profile', 'PROFILE_NOT_FOUND', [two.body.id, '1001'], (id) =>
    ada('POST', '/managed-accounts', { profileId: id, friendlyName: 'Mine', currency: 'EUR' }),
  );
  assert.deepEqual(await seen(), shown);
});

test("inside bodies: a transfer from or to another's account or card is SOURCE_NOT_FOUND, DESTINATION_NOT_FOUND", async () => {
  const move = (as: Client, source: object, destination: object) =>
    as('POST', '/transfers', { source, destination, destinationAmount: { currency: 'EUR', amount: 1 } });
  const account = (id: string) => ({ type: 'managed_accounts', id });
  const card = (id: string) => ({ type: 'managed_cards', id });
  for (const [as, own, others, cards] of [
    [cor, '2002', ['2001', '2003', '2101', mine.cards], [mine.cards, virtual, '2001']],
    [bea, '2101', ['2001', '2002', '2003', mine.cards], [mine.cards, virtual, '2001']],
  ] as const) {
    await sameBytes('source', 'SOURCE_NOT_FOUND', others, (id) => move(as, account(id), account(own)));
    await sameBytes('source card', 'SOURCE_NOT_FOUND', cards, (id) => move(as, card(id), account(own)));
    await sameBytes('destination', 'DESTINATION_NOT_FOUND', others, (id) => move(as, account(own), account(id)));
    await sameBytes('destination card', 'DESTINATION_NOT_FOUND', cards, (id) => move(as, account(own), card(id)));
  }
});

test('lists and filters show nobody else’s: a filter by a foreign id is one by an unknown id', async () => {
  for (const stranger of [cor, bea]) {
    for (const [list, filter, id] of [
      ['/cards', 'parentManagedAccountId', '2001'],
      ['/cards', 'profileId', '1001'],
      ['/transfers', 'instrumentId', mine.cards],
      ['/transfers', 'instrumentId', '2001'],
      ['/managed-accounts', 'profileId', '1001'],
    ] as const) {
      const foreign = await stranger('GET', `${list}?${filter}=${id}`);
      assert.equal(foreign.status, 200);
      assert.deepEqual([foreign.body.count, foreign.body.responseCount], [0, 0], `${list} ${filter}`);
      assert.equal(foreign.text, (await stranger('GET', `${list}?${filter}=${UNKNOWN}`)).text);
    }
    assert.equal((await stranger('GET', '/cards')).body.count, 0);
    assert.equal((await stranger('GET', '/transfers')).body.count, 0);
    const accounts = (await stranger('GET', '/managed-accounts')).body.accounts as { id: string }[];
    assert.ok(accounts.length > 0 && accounts.every(({ id }) => !['2001', '2003', '2004'].includes(id)));
  }
});

test("a reveal token is its user's alone: another user of the identity, another identity, another tenant get what a made up one gets", async () => {
  const { body } = await ada('GET', `/cards/${mine.cards}`);
  const pin = (await ada('GET', `/cards/pin/${mine.cards}`)).body.pin.value;
  const lia = await customer(florin, 'linked@sandbox.test');
  for (const value of [body.cardNumber.value, body.cvv.value, pin] as string[]) {
    const forged = Buffer.from(value, 'base64url');
    forged[3] = (forged[3] as number) ^ 1;
    for (const stranger of [lia, cor, bea, await steppedUp(florin, 'corporate@sandbox.test')]) {
      const reply = await stranger('POST', '/cards/reveal', { token: value });
      const unknown = await stranger('POST', '/cards/reveal', { token: forged.toString('base64url') });
      assert.deepEqual([reply.status, reply.text], [404, unknown.text]);
    }
    assert.equal((await ada('POST', '/cards/reveal', { token: forged.toString('base64url') })).status, 404);
    assert.equal((await ada('POST', '/cards/reveal', { token: value })).status, 200, 'and it was not used up');
  }
});

test("an idempotency-ref is its user's alone: the same one of others finds nothing", async () => {
  const headers = { 'idempotency-ref': 'shared' };
  const request = cardRequest();
  const first = await ada('POST', '/cards/request', request, headers);
  const other = await bea('POST', '/cards/request', request, headers);
  const corporate = await cor('POST', '/cards/request', cardRequest({ profileId: '1003' }, 'corporate'), headers);
  const colleague = await (await customer(florin, 'linked@sandbox.test'))('POST', '/cards/request', request, headers);
  for (const reply of [first, other, corporate, colleague]) {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('idempotent-replay'), null);
  }
  assert.equal(new Set([first, other, corporate, colleague].map(({ body }) => body.id)).size, 4);
});

test('what was refused left nothing behind, and no session was ended', async () => {
  assert.equal((await ada('GET', '/cards?limit=1')).status, 200);
  const [now] = (await counts()) as Record<string, bigint>[];
  const [then] = stored as Record<string, bigint>[];
  // The four cards of the last test with their records, and three reveals of the one before.
  assert.deepEqual(now, {
    ...then,
    cards: (then?.cards as bigint) + 4n,
    records: (then?.records as bigint) + 4n,
    reveals: (then?.reveals as bigint) + 3n,
    // Those cards and reveals, and the endpoint that was made and removed, of which the operator is told, too.
    events: (then?.events as bigint) + 4n + 3n + 2n + 2n,
  });
});
