// docs/contract/gateway.md#errors, #order-of-checks, #idempotency: each status with its body, each
// wrong field, the order of the checks, and what is kept for a key, over HTTP. Rule: texts are asserted only where the contract has them.
import assert from 'node:assert/strict';
import http from 'node:http';
import { before, test } from 'node:test';
import { basic, CARD, type Client, payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const DECLINED = simulated('10', '051');
const AUTHORIZE = '/gateway/orders/authorize';
const location = { ip: '192.0.2.9' };

/** A request as it is written here: header fields may stand twice, the body may be any bytes. */
const raw = (method: string, path: string, headers: http.OutgoingHttpHeaders, body: string | Buffer) =>
  new Promise<Pick<Reply, 'status' | 'body' | 'text'>>((resolve, reject) => {
    const all = { authorization: basic('sandbox', 'sandbox-secret'), 'content-type': 'application/json', ...headers };
    const request = http.request(new URL(path, florin.url), { method, headers: all }, (response) => {
      const answer = (parts: string[]) => {
        const text = parts.join('');
        resolve({ status: response.statusCode ?? 0, text, body: text === '' ? null : JSON.parse(text) });
      };
      response.setEncoding('utf8').toArray().then(answer, reject);
    });
    request.on('error', reject).end(body);
  });

/** A login of its own for project `sandbox`. */
async function credential(rights: readonly string[]): Promise<Client> {
  const path = '/operator/projects/sandbox/credentials';
  const reply = await florin.operator('POST', path, { label: rights.join(), rights });
  assert.equal(reply.status, 201, reply.text);
  return florin.clientWith(basic('sandbox', reply.body.secret));
}

test('"Every error returns a failure response (failure_type, failure_message, order_id)", errors "only for validation failures"', async () => {
  const { id } = await shop.authorized();
  const [charged, lost] = [await shop.charged(), await shop.authorized({ pan: simulated('20', '910') })];
  const payout = await shop.authorized({ pan: simulated('50', '910') });
  const wide = { description: 'x'.repeat(70_000) };
  for (const [status, type, named, reply] of [
    [402, 'declined', true, await shop.authorize({ pan: DECLINED })],
    [402, 'fraud', true, await shop.authorize({ pan: '4000000000000002' })],
    [402, 'rejected', false, await shop.act(id, 'refund')],
    [402, 'rejected', false, await shop.act(charged.id, 'charge')],
    [402, 'rejected', false, await shop.act(charged.id, 'reverse')],
    [402, 'rejected', false, await shop.act(id, 'cancel', { amount: 1 })],
    [402, 'rejected', false, await shop.post(id, 'complete3d20')],
    [500, 'error', false, await shop.act(lost.id, 'charge')],
    [500, 'error', true, await shop.post(payout.id, 'credit', { amount: 1, location: { ip: '192.0.2.9' } })],
    [402, 'rejected', true, await shop.authorize({ card: { ...CARD, expiration_year: 2020 } })],
    [422, 'validation', false, await shop.authorize({ amount: 'x' })],
    [422, 'validation', false, await shop.act(id, 'charge', { amount: 0 })],
    [500, 'error', true, await shop.authorize({ pan: '5555555555555599' })],
    [500, 'error', true, await shop.authorize({ pan: simulated('10', '910') })],
    [401, 'rejected', false, await florin.clientWith(null)('GET', `/gateway/orders/${id}`)],
    [404, 'rejected', false, await florin.merchant('GET', '/gateway/orders/1234567890')],
    [405, 'rejected', false, await florin.merchant('DELETE', `/gateway/orders/${id}`)],
    [406, 'rejected', false, await florin.merchant('GET', `/gateway/orders/${id}`, undefined, { accept: 'text/html' })],
    [413, 'rejected', false, await shop.create(wide)],
    [415, 'rejected', false, await florin.merchant('POST', AUTHORIZE, {}, { 'content-type': 'text/plain' })],
  ] as const) {
    assert.deepEqual(refusedAs(reply), [status, type, named], reply.text);
    const names = ['failure_message', 'failure_type', 'order_id'];
    assert.deepEqual(Object.keys(reply.body).sort(), status === 422 ? ['errors', ...names] : names);
    assert.ok(typeof reply.body.failure_message === 'string' && reply.body.failure_message !== '');
    if (named) assert.match(reply.body.order_id, /^\d+$/);
    // "the request id stands in a header"
    assert.match(reply.headers.get('x-request-id') ?? '', /^[\w-]{8,}$/);
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  }
});

/** docs/contract/gateway.md#response-codes: the code and what it says. */
const CODES = `00 approved; 01 refer; 04 pick up; 05 do not honor; 12 invalid transaction; 13 invalid amount; 14 invalid card number;
15 no such issuer; 41 lost; 43 stolen; 51 insufficient funds; 54 expired; 57 not permitted to cardholder; 58 not permitted to terminal;
59 suspected fraud; 61 exceeds amount limit; 62 restricted card; 63 security violation; 65 exceeds frequency limit; 75 PIN tries;
78 no account; 82 wrong CVV; 85 verification ok; 91 issuer unavailable; 92 cannot route; 93 law; 94 duplicate; 96 malfunction;
A1 soft; 03 merchant; 30 format`;
const ERRORS = new Set('03 30 91 92 94 96'.split(' '));

test('"ISO codes … declined for issuer refusals; error (500) for 03, 30, 91, 92, 94, 96. Each with a retry category"', async () => {
  for (const entry of CODES.split(/;\s*/)) {
    const code = entry.slice(0, 2);
    const word = (entry.slice(3).split(' ').at(-1) as string).toLowerCase();
    const approved = code === '00' || code === '85';
    const type = ERRORS.has(code) ? 'error' : 'declined';
    const reply = await shop.authorize({ pan: simulated('10', code === 'A1' ? '901' : `0${code}`) });
    const order = await shop.get(reply.body.order_id ?? orderOf(reply).id);
    const [operation] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
    assert.deepEqual([operation.order_id, operation.iso_response_code], [order.id, code], entry);
    const message = operation.iso_message.toLowerCase();
    assert.ok(message.includes(word), `${entry}: ${operation.iso_message}`);
    if (approved) {
      assert.deepEqual([reply.status, order.status, operation.status], [200, 'authorized', 'success'], entry);
      assert.equal(operation.extra.decline_category, null);
      continue;
    }
    assert.deepEqual(refusedAs(reply), [type === 'error' ? 500 : 402, type, true], entry);
    // "Operations: failure = the issuer said no; error = technical or no answer"; "failure_message … declined: the ISO message".
    assert.deepEqual([order.status, operation.status], [type, type === 'error' ? 'error' : 'failure'], entry);
    if (type === 'declined') assert.equal(reply.body.failure_message, operation.iso_message);
    assert.match(operation.extra.decline_category, /^(never|later|correct_data|generic)$/, entry);
    assert.equal(order.failure_message, reply.body.failure_message);
  }
});

test('"Holder name SIM <operation> <outcome>"; fixed cards come first', async () => {
  const named = (holder: string, fields: object = {}) =>
    shop.authorize({ card: { ...CARD, holder }, pan: '4242424242424242', ...fields });
  for (const [holder, type] of [
    ['SIM 10 051', 'declined'],
    ['sim authorize 51', 'declined'],
    ['SIM authorize A1', 'declined'],
    ['SIM 10 096', 'error'],
    ['SIM 10 910', 'error'],
  ] as const)
    assert.equal((await named(holder)).body.failure_type, type, holder);
  assert.equal((await named('SIM 10 920')).status, 201);
  const later = orderOf(await named('SIM charge 05')).id;
  assert.deepEqual(refusedAs(await shop.act(later, 'charge')), [402, 'declined', false]);
  assert.equal((await named('SIM 10 051', { pan: '4111111111111111' })).status, 200, '"first match wins"');
});

test('"failure_type declined and failure_message Soft-Decline; the order’s operation has iso_response_code A1", retried with the same card', async () => {
  const pan = '4999991090100004';
  const reply = await shop.authorize({ pan });
  const order_id = reply.body.order_id;
  assert.deepEqual(reply.body, { failure_type: 'declined', failure_message: 'Soft-Decline', order_id });
  const order = await shop.get(order_id);
  assert.deepEqual([order.status, order.operations[0].status], ['declined', 'failure'], 'no status but declined');
  assert.equal(order.operations[0].iso_response_code, 'A1');
  assert.equal((await shop.prepared({ pan })).secure3d.reason, 'forced');
});

test('"fraud: the class of the rule, never its detail"', async () => {
  const rule = { class: 'velocity', expression: 'amount > 777.0', action: 'refuse', dry_run: false, active: true };
  const path = '/operator/projects/sandbox/rules/secret-name';
  const put = await florin.operator('PUT', path, rule);
  assert.ok(put.status < 300, put.text);
  const reply = await shop.authorize({ amount: 778 });
  assert.deepEqual(refusedAs(reply), [402, 'fraud', true]);
  assert.match(reply.body.failure_message, /velocity/i);
  assert.doesNotMatch(reply.text, /777|secret-name|amount >/);
  assert.deepEqual((await shop.get(reply.body.order_id)).operations, [], 'a refusal sends nothing');
  assert.equal((await florin.operator('DELETE', path)).status, 204);
});

test('422 "message (string), uri (JSON pointer …), attribute (name of the rule …) and details (array of strings)"; Required; Unknown property', async () => {
  const reply = await shop.authorize({ pan: undefined, colour: 'red', amount: 'x', card: { ...CARD, cvv: undefined } });
  assert.deepEqual([reply.body.failure_type, reply.body.order_id], ['validation', null]);
  const byUri = Object.fromEntries(reply.body.errors.map((error: { uri: string }) => [error.uri, error]));
  assert.deepEqual(byUri['#/colour'], { message: 'Unknown property', uri: '#/colour' });
  for (const uri of ['#/pan', '#/card/cvv']) {
    assert.deepEqual([byUri[uri]?.message, byUri[uri]?.attribute], ['Required', 'required'], uri);
    assert.ok(Array.isArray(byUri[uri].details));
  }
  assert.deepEqual(Object.keys(byUri['#/amount']).sort(), ['attribute', 'details', 'message', 'uri']);
  assert.ok(byUri['#/amount'].details.every((detail: unknown) => typeof detail === 'string'));
});

test('"every wrong field is reported at once", also those that a schema can’t know', async () => {
  const reply = await florin.merchant('POST', AUTHORIZE, {
    amount: '1.5',
    currency: 'JPY',
    pan: '4111111111111112',
    card: { expiration_month: 13, expiration_year: 'x' },
    client: { name: 5, colour: 'x' },
    custom_fields: { a: true },
    options: { terminal: 'none', return_url: 'x', force3d: 1, colour: 1 },
    secure3d: { eci: '05', cavv: 'AAAA' },
    extra: 1,
  });
  assert.deepEqual(uris(reply), [
    '#/amount',
    '#/card/cvv',
    '#/card/expiration_month',
    '#/card/expiration_year',
    '#/card/holder',
    '#/client/colour',
    '#/client/name',
    '#/custom_fields/a',
    '#/extra',
    '#/location',
    '#/options/colour',
    '#/options/force3d',
    '#/options/return_url',
    '#/options/terminal',
    '#/pan',
    '#/secure3d/cavv',
    '#/secure3d/ds_trans_id',
  ]);
  assert.deepEqual(uris(await shop.create({ amount: 1.5, currency: 'JPY', options: { terminal: 'none' } })), [
    '#/amount',
    '#/options/terminal',
  ]);
  assert.deepEqual(uris(await florin.merchant('POST', '/gateway/orders/credit', { pan: '1234567890123', amount: 0 })), [
    '#/amount',
    '#/pan',
  ]);
});

test('"uri is a JSON pointer in fragment form, escaped"', async () => {
  for (const [name, pointer] of [
    ['a/b', '#/a~1b'],
    ['a~b', '#/a~0b'],
    ['~1', '#/~01'],
    ['a b', '#/a%20b'],
    ['a"b', '#/a%22b'],
    ['100%', '#/100%25'],
    ['ž', '#/%C5%BE'],
    ['', '#/'],
  ] as const) {
    assert.deepEqual(uris(await shop.create({ [name]: 1 })), [pointer], name);
    if (name !== '')
      assert.deepEqual(uris(await shop.create({ client: { [name]: 1 } })), [`#/client${pointer.slice(1)}`]);
  }
});

test('"values are never echoed"', async () => {
  const secret = 'Zq8canary';
  const { id } = await shop.authorized();
  const wrong = (value: unknown) => ({
    ...Object.fromEntries(['amount', 'currency', 'merchant_order_id', 'segment', 'pan'].map((name) => [name, [value]])),
    description: { value },
    client: { country: [value], name: { value } },
    card: { cvv: value, holder: [value], expiration_month: value, expiration_year: value },
    location: { ip: value },
    options: { force3d: value, return_url: value, expiration_timeout: value, terminal: [value] },
    secure3d: { eci: value, ds_trans_id: value },
    recurring_details: { parent_order_id: value, indicator: value },
    custom_fields: { k: [value] },
  });
  for (const reply of [
    await shop.authorize(wrong(secret)),
    await shop.create(wrong(secret)),
    await shop.create({ options: { terminal: secret } }),
    await shop.authorize({ secure3d: { eci: '05', cavv: secret } }),
    await shop.act(id, 'charge', { amount: secret }),
    await florin.merchant('PUT', `/gateway/orders/${id}/charge?amount=${secret}`),
    await shop.list(`orders/?expand=${secret}&created_from=${secret}&per_page=${secret}&after=${secret}`),
    await shop.list(`exchange_rates/?date=${secret}&from=${secret}`),
  ]) {
    assert.equal(reply.status, 422, reply.text);
    assert.doesNotMatch(reply.text, new RegExp(secret), reply.text);
  }
});

test('422 "not JSON (one error at #/)"; a name twice in an object is a wrong field; an empty body is an empty object', async () => {
  const bodies = [
    '{',
    'null',
    '[]',
    '"x"',
    '1',
    'amount=5',
    '{"amount":5,}',
    "{'amount':5}",
    '{"amount":5}{}',
    '\u00a0',
  ];
  for (const body of bodies) {
    const reply = await raw('POST', '/gateway/orders/create', {}, body);
    assert.equal(reply.status, 422, body);
    assert.equal(reply.body.failure_type, 'validation');
    assert.deepEqual(
      reply.body.errors.map(({ uri }: { uri: string }) => uri),
      ['#/'],
      body,
    );
  }
  const latin = await raw(
    'POST',
    '/gateway/orders/create',
    {},
    Buffer.from('{"amount":5,"description":"\xe9"}', 'latin1'),
  );
  assert.deepEqual(
    latin.body.errors.map(({ uri }: { uri: string }) => uri),
    ['#/'],
    '"JSON in UTF-8"',
  );
  assert.deepEqual(uris(await florin.merchant('POST', '/gateway/orders/create', '{"amount":5,"amount":6}')), [
    '#/amount',
  ]);
  assert.deepEqual(uris(await florin.merchant('POST', '/gateway/orders/create')), ['#/amount']);
});

test('403 "known login, forbidden action or address"', async () => {
  const { id } = await shop.charged();
  const calls: Readonly<Record<string, (client: Client) => Promise<Reply>>> = {
    read: (client) => client('GET', `/gateway/orders/${id}`),
    create: (client) => client('POST', '/gateway/orders/create', { amount: 1 }),
    capture: (client) => client('PUT', `/gateway/orders/${id}/charge`, {}),
    refund: (client) => client('PUT', `/gateway/orders/${id}/refund`, { amount: '0.01' }),
    payout: (client) => client('POST', `/gateway/orders/${id}/credit`, { amount: 1, location }),
  };
  for (const right of Object.keys(calls)) {
    const client = await credential([right]);
    for (const [needed, call] of Object.entries(calls)) {
      const reply = await call(client);
      if (needed === right) assert.notEqual(reply.status, 403, needed);
      else assert.deepEqual(refusedAs(reply), [403, 'rejected', false], `${needed} with ${right}`);
    }
    const broken = await client('POST', right === 'create' ? `/gateway/orders/${id}/cancel` : AUTHORIZE, '{');
    assert.equal(broken.status, 403, 'before the shape is looked at');
  }
  await shop.withSettings({ allowed_addresses: ['192.0.2.0/24'] }, async () => {
    for (const reply of [
      await shop.list('orders/'),
      await shop.create(),
      await florin.merchant('POST', AUTHORIZE, '{'),
    ])
      assert.deepEqual(refusedAs(reply), [403, 'rejected', false]);
    assert.equal((await florin.stranger('GET', '/gateway/orders/')).status, 200);
    assert.equal((await florin.clientWith(basic('sandbox', 'wrong'))('GET', '/gateway/orders/')).status, 401);
  });
  await shop.withSettings({ allowed_addresses: ['127.0.0.0/8', '::1'] }, async () => {
    assert.equal((await shop.list('orders/')).status, 200);
  });
});

test('413 "body over 64 KiB": the limit itself is taken', async () => {
  const body = JSON.stringify({ amount: 1 });
  const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
  const post = (bytes: number) => florin.merchant('POST', '/gateway/orders/create', padded(bytes));
  assert.equal((await post(64 * 1024)).status, 201);
  assert.equal((await post(64 * 1024 + 1)).status, 413);
});

test('429 "rate: failure body, Retry-After, RateLimit fields", by credential', async () => {
  await shop.withSettings({ rate_limit: { per_second: 1, burst: 3 } }, async () => {
    const other = await credential(['read']);
    const replies = await Promise.all(Array.from({ length: 12 }, () => shop.list('orders/?per_page=1')));
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0, 'some of them at once are too many');
    for (const reply of refused) {
      assert.deepEqual(refusedAs(reply), [429, 'rejected', false]);
      assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    for (const { headers } of replies) {
      assert.match(headers.get('ratelimit') ?? '', /;r=\d+;t=\d+/);
      assert.match(headers.get('ratelimit-policy') ?? '', /;q=3;w=3/);
    }
    assert.equal((await other('GET', '/gateway/orders/?per_page=1')).status, 200);
  });
});

test('"Checks run in one order: credentials, shape, existence, state, limits, fraud, issuer"', async () => {
  const unknown = '1234567890';
  const { id } = await shop.authorized();
  await shop.act(id, 'reverse');
  const wrong = { amount: '0.001' };
  const nobody = florin.clientWith(basic('nobody', 'x'));
  assert.equal((await nobody('PUT', `/gateway/orders/${unknown}/charge`, wrong)).status, 401);
  for (const [action, body] of [
    ['charge', wrong],
    ['refund', wrong],
    ['cancel', wrong],
    ['reverse', { amount: 1 }],
  ] as const) {
    assert.equal((await shop.act(unknown, action, body)).status, 422, `${action}: shape before existence`);
    assert.equal((await shop.act(unknown, action)).status, 404, `${action}: existence`);
    assert.equal((await shop.act(id, action, body)).status, 422, `${action}: shape before state`);
    assert.equal((await shop.act(id, action)).status, 402, `${action}: state`);
  }
  for (const action of ['rebill', 'credit']) {
    assert.equal((await shop.post(unknown, action, { amount: 1.5, currency: 'JPY', location })).status, 422, action);
    assert.equal((await shop.post(unknown, action, { amount: 1, location })).status, 404, action);
  }
  for (const action of ['complete3d20', 'resume'])
    assert.equal((await shop.post(unknown, action, { a: 1 })).status, 422, action);
  const expired = { ...CARD, expiration_year: 2020 };
  const fraud = '4000000000000002';
  assert.equal((await shop.authorize({ pan: fraud, amount: '1.001' })).status, 422, 'shape before fraud');
  const own = await shop.authorize({ pan: fraud, card: expired });
  assert.equal(own.body.failure_type, 'rejected', 'the gateway’s own rules before fraud');
  await shop.terminal('always', { secure3d: 'always' });
  const asked = await shop.authorize({ pan: fraud, options: { terminal: 'always' } });
  assert.equal(asked.body.failure_type, 'fraud', 'fraud before the issuer and 3-D Secure');
  assert.equal((await shop.authorize({ pan: DECLINED, card: expired })).body.failure_type, 'rejected');
});

/** A request with an idempotency key, and whether its answer is a repeat. */
const keyed = (client: Client, method: string, path: string, body: unknown, key: string) =>
  client(method, `/gateway/orders/${path}`, body, { 'idempotency-key': key });
const isRepeat = ({ headers }: Reply): boolean => headers.get('idempotent-replay') === 'true';

test('"Idempotency-Key, optional, on every POST and PUT … Replay returns status, body and Location and a header saying so"', async () => {
  const { merchant } = florin;
  const terms = { amount: 1, location };
  let count = 0;
  const charged = async () => (await shop.charged()).id;
  const authorized = async () => (await shop.authorized()).id;
  await shop.withSettings({ unlinked_credit: true }, async () => {
    for (const [method, path, body, status] of [
      ['POST', 'create', { amount: 5 }, 201],
      ['POST', 'authorize', payment(), 200],
      ['POST', 'authorize', payment({ options: { force3d: 1 } }), 201],
      ['POST', 'authorize', payment({ pan: DECLINED }), 402],
      ['POST', 'authorize', payment({ pan: '4000000000000002' }), 402],
      ['POST', 'authorize', payment({ pan: '5555555555555599' }), 500],
      ['POST', 'credit', { amount: 1, pan: '4111111111111111' }, 200],
      ['PUT', `${await authorized()}/charge`, { amount: 1 }, 200],
      ['PUT', `${await authorized()}/reverse`, {}, 200],
      ['PUT', `${await charged()}/refund`, { amount: 1 }, 200],
      ['PUT', `${await charged()}/reverse`, {}, 402],
      ['PUT', `${await charged()}/cancel`, {}, 200],
      ['POST', `${await authorized()}/cancel`, {}, 200],
      ['POST', `${await charged()}/rebill`, terms, 200],
      ['POST', `${await charged()}/credit`, terms, 200],
      ['POST', `${(await shop.prepared()).id}/complete3d20`, {}, 402],
      ['POST', `${(await shop.prepared()).id}/resume`, {}, 402],
      ['POST', `${(await shop.prepared()).id}/complete`, { PaRes: 'x' }, 402],
    ] as const) {
      const what = `${method} ${path} ${status}`;
      const key = `every-${count++}`;
      const first = await keyed(merchant, method, path, body, key);
      assert.equal(first.status, status, `${what} ${first.text}`);
      const again = await keyed(merchant, method, path, body, key);
      assert.deepEqual([again.status, again.text], [status, first.text], what);
      assert.equal(again.headers.get('location'), first.headers.get('location'), what);
      assert.deepEqual([isRepeat(first), isRepeat(again)], [false, true], what);
    }
  });
  await shop.booksHold();
});

test('"Stored: 200, 201, 402 and settled 500s; not 401, 403, 404, 413, 422, 429": what was not kept leaves the key free', async () => {
  const { merchant } = florin;
  const key = 'not-kept';
  const reader = await credential(['read']);
  for (const [status, reply] of [
    [401, await keyed(florin.clientWith(null), 'POST', 'create', { amount: 1 }, key)],
    [403, await keyed(reader, 'POST', 'create', { amount: 1 }, key)],
    [413, await keyed(merchant, 'POST', 'create', { amount: 1, description: 'x'.repeat(70_000) }, key)],
    [
      415,
      await florin.merchant('POST', '/gateway/orders/create', '{}', { 'idempotency-key': key, 'content-type': 'a/b' }),
    ],
    [422, await keyed(merchant, 'POST', 'create', { amount: 'x' }, key)],
    [422, await keyed(merchant, 'POST', 'create', '{', key)],
  ] as const) {
    assert.equal(reply.status, status, reply.text);
    assert.equal(isRepeat(reply), false);
  }
  const made = await keyed(merchant, 'POST', 'create', { amount: 1 }, key);
  assert.deepEqual([made.status, isRepeat(made)], [201, false]);
  for (let i = 0; i < 2; i++) {
    const unknown = await keyed(merchant, 'PUT', '1234567890/charge', {}, key);
    assert.deepEqual([unknown.status, isRepeat(unknown)], [404, false]);
  }
  // The amount is judged by the order's currency: a 422 from behind the lock is not kept either.
  const yen = await shop.charged({ amount: 1000, currency: 'JPY' });
  assert.equal((await keyed(merchant, 'PUT', `${yen.id}/refund`, { amount: '0.5' }, key)).status, 422);
  assert.equal((await keyed(merchant, 'PUT', `${yen.id}/refund`, { amount: '5' }, key)).status, 200);
  await shop.withSettings({ rate_limit: { per_second: 1, burst: 1 } }, async () => {
    const limited = await Promise.all(
      [0, 1, 2].map((i) => keyed(merchant, 'POST', 'create', { amount: 2 }, `limited-${i}`)),
    );
    const statuses = limited.map(({ status }) => status);
    assert.ok(statuses.includes(429), statuses.join());
  });
  for (let i = 0; i < 3; i++)
    assert.equal((await keyed(merchant, 'POST', 'create', { amount: 2 }, `limited-${i}`)).status, 201);
});

test('"Scope: credential, method, path. … Other body, same key: 422", also another query', async () => {
  const { merchant, stranger } = florin;
  const key = 'scope';
  const second = await credential(['create', 'read']);
  const made = [];
  for (const client of [merchant, second, stranger])
    made.push(await keyed(client, 'POST', 'create', { amount: 1 }, key));
  assert.deepEqual(
    made.map((reply) => [reply.status, isRepeat(reply)]),
    Array(3).fill([201, false]),
  );
  assert.equal(new Set(made.map((reply) => orderOf(reply).id)).size, 3);
  assert.equal((await keyed(merchant, 'POST', 'authorize', payment(), key)).status, 200, 'another path');
  const [a, b] = [await shop.charged(), await shop.charged()];
  for (const { id } of [a, b])
    assert.equal((await keyed(merchant, 'PUT', `${id}/refund`, { amount: 1 }, key)).status, 200, 'another order');
  for (const method of ['PUT', 'POST']) {
    const reply = await keyed(merchant, method, `${a.id}/cancel`, { amount: 2 }, key);
    assert.deepEqual([reply.status, isRepeat(reply)], [200, false], 'another method');
  }
  assert.equal((await shop.get(a.id)).amount_refunded, '5.00');
  const refund = (body: unknown, query = '') => keyed(merchant, 'PUT', `${a.id}/refund${query}`, body, key);
  for (const other of [await refund({ amount: 2 }), await refund({}), await refund({ amount: 1 }, '?amount=1')]) {
    assert.deepEqual([uris(other), other.body.failure_type, other.body.order_id], [['#/'], 'validation', null]);
  }
  assert.equal(isRepeat(await refund({ amount: 1 })), true, 'the first one is still there');
  const card = payment({ card: { ...CARD, cvv: '124' } });
  assert.equal(
    (await keyed(merchant, 'POST', 'authorize', card, key)).status,
    422,
    'a security code is part of the body',
  );
});

test('"1 to 255 visible characters; given twice: 400"', async () => {
  const body = JSON.stringify({ amount: 1 });
  const path = '/gateway/orders/create';
  for (const wrong of [['a', 'a'], ['a', 'b'], '', 'k'.repeat(256), 'a b', '\u00e9']) {
    const reply = await raw('POST', path, { 'Idempotency-Key': wrong }, body);
    assert.deepEqual(
      [reply.status, reply.body.failure_type, reply.body.order_id],
      [400, 'rejected', null],
      String(wrong),
    );
  }
  for (const right of ['k'.repeat(255), '!', '~"\\,;{}'])
    assert.equal((await raw('POST', path, { 'Idempotency-Key': right }, body)).status, 201, right);
});

test('409 "the same idempotency key is being processed: failure body, Retry-After"', async () => {
  // The issuer takes its time, so the others arrive while the first is under way.
  const body = payment({ pan: simulated('10', '912') });
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => keyed(florin.merchant, 'POST', 'authorize', body, 'slow')),
  );
  const busy = replies.filter(({ status }) => status === 409);
  assert.ok(busy.length > 0, 'some came meanwhile');
  for (const reply of busy) {
    assert.deepEqual(refusedAs(reply), [409, 'rejected', false]);
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  const done = replies.filter(({ status }) => status === 200);
  assert.equal(done.length + busy.length, 10);
  assert.equal(new Set(done.map(({ text }) => text)).size, 1);
  assert.equal(isRepeat(await keyed(florin.merchant, 'POST', 'authorize', body, 'slow')), true);
});

test('"Kept 7 days"', async () => {
  const again = () => keyed(florin.merchant, 'POST', 'create', { amount: 3 }, 'a-week');
  assert.equal((await again()).status, 201);
  await shop.advance('167h');
  assert.equal(isRepeat(await again()), true);
  await shop.advance('2h');
  const fresh = await again();
  assert.deepEqual([fresh.status, isRepeat(fresh)], [201, false]);
});
