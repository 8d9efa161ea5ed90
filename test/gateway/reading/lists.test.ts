// docs/contract/gateway.md#lists, #addresses-and-encoding.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payment, type Reply, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const order = (reply: Reply) => reply.body.orders[0];
const authorize = (fields: Record<string, unknown> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment(fields));
const list = (query: string) => florin.merchant('GET', `/gateway/orders/?${query}`);
const ids = (reply: Reply): string[] => reply.body.orders.map(({ id }: { id: string }) => id);

test('items carry the base fields only; expandable objects with expand', async () => {
  await authorize();
  const base = Object.keys((await list('per_page=1')).body.orders[0]).sort();
  assert.deepEqual(base, [
    'amount',
    'amount_charged',
    'amount_refunded',
    'auth_code',
    'created',
    'currency',
    'description',
    'descriptor',
    'id',
    'merchant_order_id',
    'pan',
    'segment',
    'status',
    'updated',
  ]);
  const full = (await list('per_page=1&expand=card,client,location,custom_fields,issuer,secure3d,operations.cashflow'))
    .body.orders[0];
  for (const name of ['card', 'client', 'location', 'custom_fields', 'issuer', 'secure3d', 'operations'])
    assert.ok(name in full, name);
  assert.equal(full.operations[0].cashflow.amount, '12.50');
  assert.equal((await list('expand=nothing')).status, 422);
});

test('every filter finds what it names and nothing else', async () => {
  const made = order(
    await authorize({
      pan: '2222400060000007',
      merchant_order_id: 'F-1',
      location: { ip: '198.51.100.77' },
      client: { name: 'Grace 100%_Hopper', email: 'Grace@Example.test' },
    }),
  );
  await authorize();
  const { card, issuer } = order(await florin.merchant('GET', `/gateway/orders/${made.id}?expand=card,issuer`));
  for (const query of [
    'merchant_order_id=F-1,nothing',
    'location.ip=198.51.100.77',
    'client.name=00%25_hop',
    'client.email=EXAMPLE.test',
    `card.type=${card.type}`,
    `issuer.bin=${issuer.bin}`,
    `issuer.country=${issuer.country}`,
    `issuer.title=${encodeURIComponent(issuer.title.slice(1, 6).toUpperCase())}`,
    `status=authorized&card.subtype=${card.subtype}&card.type=mastercard`,
  ])
    assert.deepEqual(ids(await list(query)), [made.id], query);
  assert.deepEqual(ids(await list('client.name=%25x')), []);
  assert.deepEqual(ids(await list('status=charged,refunded')), []);
  assert.deepEqual(ids(await list('created_from=2199-01-01 00:00:00')), []);
  assert.ok(ids(await list('created_to=2199-01-01 00:00:00')).length > 1);
  assert.equal((await list('created_from=2026-02-30 00:00:00')).status, 422);
  assert.equal((await list('unknown=1')).status, 200);
});

test('pages walk to the end while orders are inserted: no loss, no repeat', async () => {
  for (let i = 0; i < 12; i++) await authorize();
  const expected = ids(await list('per_page=2000'));
  const seen: string[] = [];
  let next: string | undefined = '/gateway/orders/?per_page=5&count=1';
  let pages = 0;
  while (next) {
    const reply: Reply = await florin.merchant('GET', next);
    assert.ok(Number(reply.headers.get('x-total-count')) >= expected.length);
    seen.push(...ids(reply));
    const link = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    next = link?.slice(florin.url.length);
    if (pages++ === 0) await authorize();
  }
  assert.deepEqual(seen, expected);
  assert.equal((await list('after=bm90')).status, 422);
  assert.equal((await list('per_page=2001')).status, 422);
});

test('operations: type, status, extra and cashflow', async () => {
  const { id } = order(await authorize({ options: { auto_charge: 1 } }));
  await florin.merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 1 });
  const reply = await florin.merchant(
    'GET',
    '/gateway/operations/?type=charge,refund&status=success&expand=cashflow,extra',
  );
  assert.deepEqual(
    new Set(reply.body.operations.map(({ type }: { type: string }) => type)),
    new Set(['charge', 'refund']),
  );
  const [refund] = reply.body.operations;
  assert.equal(refund.order_id, id);
  assert.equal(refund.cashflow.receivable, '-1.00');
  assert.equal(refund.extra.network, 'visa');
  assert.match(refund.extra.rrn, /^\d{12}$/);
});

test('forms of input: query merged with the body, flags, years, amounts, currencies', async () => {
  const merged = await florin.merchant(
    'POST',
    '/gateway/orders/authorize?currency=USD&location.ip=192.0.2.7',
    payment({ currency: undefined, location: undefined }),
  );
  assert.equal(merged.status, 200, merged.text);
  assert.equal(order(merged).currency, 'USD');
  assert.equal((await florin.merchant('POST', '/gateway/orders/authorize?currency=USD', payment())).status, 422);
  for (const flag of [1, '1', true])
    assert.equal(order(await authorize({ options: { auto_charge: flag } })).status, 'charged');
  for (const flag of [0, '0', false])
    assert.equal(order(await authorize({ options: { auto_charge: flag } })).status, 'authorized');
  const card = { cvv: '123', holder: 'Ada Example', expiration_month: '1', expiration_year: '31' };
  assert.equal((await authorize({ card })).status, 200);
  assert.equal(order(await authorize({ amount: 1200, currency: 'JPY' })).amount, '1200.00');
  for (const [amount, currency] of [
    ['12.50', 'JPY'],
    ['1', 'KWD'],
    ['1', 'XXX'],
    ['1.005', 'EUR'],
    ['10000000000000', 'EUR'],
  ]) {
    assert.equal((await authorize({ amount, currency })).status, 422, `${amount} ${currency}`);
  }
  assert.equal(order(await authorize({ amount: 0 })).status, 'authorized');
  assert.equal((await florin.merchant('POST', '/gateway/orders/create', { amount: 0 })).status, 422);
  const old = await authorize({ card: { ...card, expiration_year: 2020 } });
  assert.deepEqual([old.status, old.body.failure_type], [402, 'rejected']);
});

test('every wrong field at once, with its pointer; unknown properties at every level', async () => {
  const reply = await florin.merchant('POST', '/gateway/orders/authorize', {
    amount: 'x',
    pan: '4111111111111112',
    card: { holder: 'A', expiration_month: 13, expiration_year: 2030, colour: 1 },
    location: {},
    extra: 1,
    options: { force3d: 7 },
    custom_fields: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v'])),
  });
  assert.equal(reply.status, 422);
  assert.equal(reply.body.failure_type, 'validation');
  assert.equal(reply.body.order_id, null);
  const uris = reply.body.errors.map(({ uri }: { uri: string }) => uri);
  for (const uri of [
    '#/amount',
    '#/card/holder',
    '#/card/expiration_month',
    '#/card/colour',
    '#/location/ip',
    '#/extra',
    '#/options/force3d',
    '#/custom_fields',
  ]) {
    assert.ok(uris.includes(uri), `${uri} in ${uris}`);
  }
  assert.equal(reply.body.errors.find(({ uri }: { uri: string }) => uri === '#/extra').message, 'Unknown property');
  assert.equal(reply.body.errors.find(({ uri }: { uri: string }) => uri === '#/location/ip').message, 'Required');
  const cvv = await authorize({ card: { holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 } });
  assert.equal(cvv.body.errors[0].uri, '#/card/cvv');
});

test('settings: multicapture, capture delay, fraud rule, terminal that always authenticates', async () => {
  const terminal = { descriptor: 'MULTI', currencies: ['EUR'], link: 'simulator', merchant_id: 'M1', mcc: '5999' };
  assert.ok(
    (await florin.operator('PUT', '/operator/projects/sandbox/terminals/multi', { ...terminal, multicapture: true }))
      .status < 300,
  );
  const { id } = order(await authorize({ amount: 10, options: { terminal: 'multi' } }));
  for (const amount of [3, 4]) {
    assert.equal(order(await florin.merchant('PUT', `/gateway/orders/${id}/charge`, { amount })).status, 'charged');
  }
  assert.equal((await florin.merchant('PUT', `/gateway/orders/${id}/charge`, { amount: 4 })).status, 402);
  const rest = await florin.merchant('PUT', `/gateway/orders/${id}/reverse`);
  assert.equal(order(rest).status, 'charged');
  assert.equal(order(rest).amount_charged, '7.00');
  await florin.operator('PUT', '/operator/projects/sandbox/terminals/always', { ...terminal, secure3d: 'always' });
  const always = await authorize({ options: { terminal: 'always' } });
  assert.deepEqual([always.status, order(always).secure3d.reason], [201, 'terminal']);
  assert.equal((await authorize({ options: { terminal: 'none' } })).status, 422);
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', { capture_delay: '1h' });
  const delayed = order(await authorize()).id;
  await florin.operator('POST', '/simulator/clock/advance', { by: '61m' });
  assert.equal(order(await florin.merchant('GET', `/gateway/orders/${delayed}`)).status, 'charged');
  await florin.operator('PATCH', '/operator/projects/sandbox/settings', {
    capture_delay: null,
    trace_id: true,
    strict_filters: true,
    time_zone: 'Asia/Tokyo',
  });
  assert.equal((await list('unknown=1')).status, 422);
  assert.ok(order(await authorize()).operations[0].trace_id);
  const rule = { class: 'amount', expression: 'amount > 500.0', action: 'refuse', dry_run: false, active: true };
  const put = await florin.operator('PUT', '/operator/projects/sandbox/rules/large', rule);
  assert.ok(put.status < 300, put.text);
  const refused = await authorize({ amount: 501 });
  assert.deepEqual([refused.status, refused.body.failure_type], [402, 'fraud']);
  assert.equal((await authorize({ amount: 499 })).status, 200);
  assert.equal((await florin.operator('GET', '/operator/invariants?full=true')).body.ok, true);
});
