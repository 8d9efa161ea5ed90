// docs/contract/gateway.md#tolerance, #card-data-in-the-wrong-place: what clients in loosely
// typed languages write is taken for what it means, and nothing else is; card data never stands in a query. A test's name is a sentence.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pino from 'pino';
import { CARD, payment, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
const lines: string[] = [];
before(async () => {
  const log = pino({ base: null, level: 'trace' }, { write: (line: string) => void lines.push(line) });
  florin = await testApp({}, { log });
  shop = shopOf(florin);
});

const CREATE = '/gateway/orders/create';
const AUTHORIZE = '/gateway/orders/authorize';
const NOTHING = [null, '', {}, []];
/** Sends a body as it is written here. */
const put = (path: string, text: string, headers: Record<string, string> = {}) =>
  florin.merchant('PUT', path, text, headers);
const errorsOf = async (reply: ReturnType<Shop['create']>) => (await reply).body.errors;

test('"An unknown name whose value is null, "", {} or [] is ignored", wherever it stands', async () => {
  for (const nothing of NOTHING) {
    const surprise = { colour: nothing, 'a.b': nothing, __proto__x: nothing };
    const body = { ...surprise, client: { name: 'Ada', ...surprise }, options: { ...surprise }, location: surprise };
    const made = await shop.create(body);
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([orderOf(made).client, orderOf(made).location], [{ name: 'Ada' }, {}]);
    const paid = await shop.authorize({
      ...surprise,
      card: { ...CARD, ...surprise },
      secure3d: { browser_details: surprise, ...surprise },
    });
    assert.equal(paid.status, 200, paid.text);
    const { id } = orderOf(paid);
    for (const action of ['charge', 'refund']) {
      const reply = await shop.act(id, action, surprise);
      assert.equal(reply.status, 200, reply.text);
    }
  }
  assert.equal((await florin.merchant('POST', `${CREATE}?colour=&client.size=`, { amount: 1 })).status, 201);
});

test('"with a value it is 422 Unknown property as the document says"', async () => {
  for (const value of [0, false, 'x', ' ', [null], { a: null }, 1, true])
    for (const reply of [
      await shop.create({ colour: value }),
      await shop.authorize({ colour: value }),
      await shop.act('1', 'reverse', { colour: value }),
    ]) {
      assert.deepEqual(uris(reply), ['#/colour'], JSON.stringify(value));
      assert.deepEqual(reply.body.errors, [{ message: 'Unknown property', uri: '#/colour' }]);
    }
});

test('"except id in the body of a call about that id"', async () => {
  const { id } = await shop.charged();
  assert.equal((await shop.act(id, 'refund', { id, amount: 1 })).status, 200);
  // More digits than a float has: a JSON number is compared as it was written.
  assert.equal((await put(`/gateway/orders/${id}/refund`, `{"amount": 1, "id": ${id} }`)).status, 200);
  assert.equal((await florin.merchant('PUT', `/gateway/orders/${id}/refund?id=${id}&amount=1`)).status, 200);
  assert.equal((await shop.post(id, 'credit', { id, amount: 1, location: { ip: '192.0.2.1' } })).status, 200);
  assert.equal((await shop.post(id, 'cancel', { id, amount: 1 })).status, 200);
  for (const other of ['1', `${id}0`, 1, true, [id], { id }])
    assert.deepEqual(await errorsOf(shop.act(id, 'refund', { id: other, amount: 1 })), [
      { message: 'Unknown property', uri: '#/id' },
    ]);
  assert.deepEqual(uris(await shop.act(id, 'refund', { client: { id } })), ['#/client'], 'only there');
  assert.deepEqual(uris(await shop.create({ id })), ['#/id'], 'a new order is about no id');
  assert.equal((await shop.get(id)).amount_refunded, '4.00');
});

test('"The message stays Unknown property; which name was probably meant goes into details"', async () => {
  for (const [wrong, uri, meant] of [
    [{ merchantOrderId: 'x' }, '#/merchantOrderId', 'merchant_order_id'],
    [{ merchant_oder_id: 'x' }, '#/merchant_oder_id', 'merchant_order_id'],
    [{ Currency: 'EUR' }, '#/Currency', 'currency'],
    [{ return_url: 'https://shop.example/' }, '#/return_url', 'options/return_url'],
    [{ options: { returnurl: 'https://shop.example/' } }, '#/options/returnurl', 'return_url'],
    [{ client: { Name: 'x' } }, '#/client/Name', 'name'],
    [{ 'client.name': 'x' }, '#/client.name', 'client/name'],
  ] as const)
    assert.deepEqual(await errorsOf(shop.create(wrong)), [
      { message: 'Unknown property', uri, details: [`probably ${meant}`] },
    ]);
  for (const colour of ['colour', 'zzz', 'x'])
    assert.deepEqual(await errorsOf(shop.create({ [colour]: 1 })), [
      { message: 'Unknown property', uri: `#/${colour}` },
    ]);
});

test('"[] counts as an empty object for custom_fields, client, location, options and as an empty body of PUT"', async () => {
  const empty = { custom_fields: [], client: [], location: [], options: [] };
  const made = orderOf(await shop.create(empty));
  assert.deepEqual([made.custom_fields, made.client, made.location], [{}, {}, {}]);
  const paid = orderOf(await shop.authorize({ ...empty, location: { ip: '192.0.2.1' } }));
  assert.equal(paid.status, 'authorized');
  assert.deepEqual(uris(await shop.authorize(empty)), ['#/location/ip']);
  for (const action of ['charge', 'refund']) assert.equal((await shop.act(paid.id, action, '[]')).status, 200, action);
  assert.equal((await shop.act((await shop.authorized()).id, 'reverse', ' [ ] ')).status, 200);
  for (const way of ['cancel', 'complete3d20', 'resume'])
    assert.notEqual((await shop.post(paid.id, way, '[]')).status, 422, way);
  for (const body of ['[1]', '[[]]']) assert.deepEqual(uris(await shop.act(paid.id, 'charge', body)), ['#/']);
  assert.deepEqual(uris(await florin.merchant('POST', CREATE, '[]')), ['#/'], 'create needs an object');
  for (const name of ['custom_fields', 'client', 'location', 'options'])
    assert.deepEqual(uris(await shop.create({ [name]: [1] })), [`#/${name}`]);
});

test('"null for a known name counts as absent"', async () => {
  const names = 'currency merchant_order_id segment description client custom_fields location options extra_fields';
  const nulls = Object.fromEntries(names.split(' ').map((name) => [name, null]));
  const made = orderOf(await shop.create(nulls));
  assert.deepEqual([made.currency, made.merchant_order_id, made.client], ['EUR', null, {}]);
  const paid = await shop.authorize({
    ...nulls,
    location: { ip: '192.0.2.1', country: null },
    client: { name: null },
    custom_fields: { a: null, b: 'x' },
    options: { force3d: null, terminal: null },
    secure3d: null,
    recurring_details: null,
  });
  assert.equal(paid.status, 200, paid.text);
  assert.deepEqual([orderOf(paid).client, orderOf(paid).custom_fields], [{}, { b: 'x' }]);
  assert.deepEqual(uris(await shop.authorize({ pan: null, card: null, location: null })), [
    '#/card',
    '#/location',
    '#/pan',
  ]);
});

test('empty results of an authentication elsewhere are none; an empty merchant_order_id is nobody’s', async () => {
  const secure3d = { xid: '', cavv: '', eci: '', ds_trans_id: '', browser_details: { window_width: '' } };
  const paid = orderOf(await shop.authorize({ secure3d }));
  assert.deepEqual([paid.status, paid.secure3d], ['authorized', {}]);
  assert.deepEqual(uris(await shop.authorize({ secure3d: { ...secure3d, eci: '07', ds_trans_id: 'x' } })), [
    '#/secure3d/ds_trans_id',
  ]);
  await shop.withSettings({ unique_merchant_order_id: true }, async () => {
    const [one, other] = [await shop.create({ merchant_order_id: '' }), await shop.create({ merchant_order_id: '' })];
    assert.notEqual(orderOf(one).id, orderOf(other).id);
  });
});

test('"Numbers for client.zip, client.phone and values of custom_fields become strings"', async () => {
  const body =
    '{"amount":1,"client":{"zip":10115,"phone":49301234567},"custom_fields":{"a":12,"b":1.50,"c":"x","d":0}}';
  const made = orderOf(await florin.merchant('POST', CREATE, body));
  assert.deepEqual(made.client, { zip: '10115', phone: '49301234567' });
  assert.deepEqual(made.custom_fields, { a: '12', b: '1.50', c: 'x', d: '0' });
  const { client, custom_fields } = await shop.get(made.id, 'client,custom_fields');
  assert.deepEqual([client, custom_fields], [made.client, made.custom_fields]);
  for (const value of [true, {}, [1]]) {
    assert.deepEqual(uris(await shop.create({ custom_fields: { a: value } })), ['#/custom_fields/a']);
    assert.deepEqual(uris(await shop.create({ client: { zip: value, city: 5 } })), ['#/client/city', '#/client/zip']);
  }
  const masked = orderOf(await shop.create({ custom_fields: { a: 4111111111111111 } }));
  assert.deepEqual(masked.custom_fields, { a: '411111******1111' });
});

test('"Flags accept 0, 1, "0", "1", false, true, "false", "true"", in the query too', async () => {
  for (const [value, status] of [
    [0, 'authorized'],
    ['0', 'authorized'],
    [false, 'authorized'],
    ['false', 'authorized'],
    [1, 'charged'],
    ['1', 'charged'],
    [true, 'charged'],
    ['true', 'charged'],
  ] as const) {
    assert.equal(orderOf(await shop.authorize({ options: { auto_charge: value } })).status, status, String(value));
    const path = `${AUTHORIZE}?options.auto_charge=${value}`;
    assert.equal(orderOf(await florin.merchant('POST', path, payment())).status, status, String(value));
  }
  for (const value of ['TRUE', 'yes', 'on', 2, '', [true]])
    assert.deepEqual(uris(await shop.create({ options: { mobile: value } })), ['#/options/mobile'], String(value));
});

test('"application/json may carry any parameter"', async () => {
  const post = (type: string) => florin.merchant('POST', CREATE, '{"amount":1}', { 'content-type': type });
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json; charset="utf8"; profile="x"',
    'application/json; odata.metadata=minimal',
    'application/json ;q=1 ',
    'application/json;',
  ])
    assert.equal((await post(type)).status, 201, type);
  for (const type of [
    'application/jsonp',
    'application/json-patch+json',
    'text/json',
    'application/x-www-form-urlencoded',
  ])
    assert.equal((await post(type)).status, 415, type);
});

test('"In a query string the names pan and cvv, and a card number in any value but merchant_order_id, are 422 and are not logged"', async () => {
  const number = '4111111111111111';
  const { id } = await shop.charged();
  for (const [method, path, uri] of [
    ['POST', `${CREATE}?amount=1&pan=${number}`, '#/pan'],
    ['POST', `${CREATE}?amount=1&PAN=1`, '#/PAN'],
    ['POST', `${AUTHORIZE}?card.cvv=9z8y7`, '#/card/cvv'],
    ['POST', `${AUTHORIZE}?cvv=9z8y7`, '#/cvv'],
    ['POST', `${AUTHORIZE}?card%5Bcvv%5D=9z8y7`, '#/card%5Bcvv%5D'],
    ['POST', `${CREATE}?amount=1&description=card+4111-1111%201111-1111`, '#/description'],
    ['POST', `${CREATE}?amount=1&client.name=${number}`, '#/client/name'],
    ['PUT', `/gateway/orders/${id}/refund?amount=${number}`, '#/amount'],
    ['GET', `/gateway/orders/${id}?pan=${number}`, '#/pan'],
    ['GET', `/gateway/orders/?card.pan=${number}`, '#/card.pan'],
    ['GET', `/gateway/orders/?client.name=${number}`, '#/client.name'],
    ['GET', `/gateway/orders/?colour=${number}`, '#/colour'],
    ['GET', `/gateway/operations/?cvv=9z8y7`, '#/cvv'],
    ['GET', `/gateway/exchange_rates/?from=${number}`, '#/from'],
  ] as const) {
    const reply = await florin.merchant(method, path, method === 'POST' ? payment({ pan: undefined }) : undefined);
    assert.equal(reply.status, 422, `${method} ${path} ${reply.text}`);
    const found = reply.body.errors.find((error: { uri: string }) => error.uri === uri);
    assert.equal(found?.attribute, 'query', `${path} ${reply.text}`);
    assert.doesNotMatch(reply.text, /4111[- ]?1111|9z8y7/);
  }
  assert.equal((await shop.get(id)).amount_refunded, '0.00');
  const named = orderOf(await florin.merchant('POST', `${CREATE}?amount=1&merchant_order_id=${number}`));
  assert.equal(named.merchant_order_id, number);
  const found = await shop.list(`orders/?merchant_order_id=${number}`);
  assert.deepEqual([found.status, orderOf(found).id], [200, named.id]);
  // An order's id has as many digits as a card number, and some pass its check.
  for (let i = 0; i < 5; i++) {
    const parent = (await shop.authorized()).id;
    const again = await florin.merchant('POST', `${AUTHORIZE}?recurring_details.parent_order_id=${parent}`, payment());
    assert.equal(again.status, 200, again.text);
  }
  assert.ok(lines.length > 0);
  assert.doesNotMatch(lines.join(''), /4111[- ]?1111|9z8y7/);
});

test('"POST and PUT parameters may come in the query string: body and query are merged; the same name with two values is 422"', async () => {
  const post = (query: string, body: object) => florin.merchant('POST', `${CREATE}?${query}`, body);
  for (const [query, body] of [
    ['amount=5', { amount: 5 }],
    ['options.mobile=1', { amount: 5, options: { mobile: 1 } }],
    ['options.mobile=true', { amount: 5, options: { mobile: true } }],
    ['custom_fields.a=5', { amount: 5, custom_fields: { a: 5 } }],
  ] as const)
    assert.equal((await post(query, body)).status, 201, query);
  assert.deepEqual(uris(await post('options.mobile=1', { amount: 5, options: { mobile: false } })), [
    '#/options/mobile',
  ]);
  assert.deepEqual(uris(await post('amount=5', { amount: 6 })), ['#/amount']);
});
