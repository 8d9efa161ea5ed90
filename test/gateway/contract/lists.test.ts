// docs/contract/gateway.md#lists, #exchange-rates: what a filter finds,
// which values it takes, which members a row has and in which order. A test's name is a sentence of the contract.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { luhnDigit } from '../../../src/base/index.ts';
import { type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { challenge, orderOf, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const found = async (query: string): Promise<string[]> => {
  const reply = await shop.list(`orders/?${query}`);
  assert.equal(reply.status, 200, `${query} ${reply.text}`);
  return reply.body.orders.map(({ id }: { id: string }) => id);
};
const linkOf = ({ headers }: Reply, rel: string): string | undefined =>
  new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1]?.slice(florin.url.length);

test('"In comma-separated filters \\, is a comma of the value"', async () => {
  const made: Record<string, string> = {};
  for (const merchant_order_id of ['A,1', 'A', '1', 'B\\C', 'A,1,x'])
    made[merchant_order_id] = orderOf(await shop.create({ merchant_order_id })).id;
  for (const [filter, ids] of [
    ['A\\,1', ['A,1']],
    ['A,1', ['A', '1']],
    ['A\\,1\\,x,A', ['A,1,x', 'A']],
    ['B\\C', ['B\\C']],
  ] as const)
    assert.deepEqual(
      new Set(await found(`merchant_order_id=${encodeURIComponent(filter)}`)),
      new Set(ids.map((id) => made[id])),
      filter,
    );
  // The links of a page carry the filter as it was meant.
  const filter = encodeURIComponent('A\\,1,A,1');
  const first = await shop.list(`orders/?per_page=1&merchant_order_id=${filter}`);
  const second = await florin.merchant('GET', linkOf(first, 'next') as string);
  const third = await florin.merchant('GET', linkOf(second, 'next') as string);
  assert.deepEqual(
    new Set([first, second, third].map((reply) => orderOf(reply).merchant_order_id)),
    new Set(['A,1', 'A', '1']),
  );
  assert.equal(linkOf(third, 'next'), undefined);
});

test('"Addresses are compared as addresses"', async () => {
  const make = async (ip: string): Promise<string> => orderOf(await shop.create({ location: { ip } })).id;
  const six = await make('2001:DB8:0:0:0:0:0:7');
  const four = await make('198.51.100.9');
  const mapped = await make('::ffff:198.51.100.9');
  for (const ip of ['2001:db8::7', '2001:0DB8:0000:0000:0000:0000:0000:0007', '2001:db8:0:0::7'])
    assert.deepEqual(await found(`location.ip=${ip}`), [six], ip);
  for (const ip of ['198.51.100.9', '::ffff:198.51.100.9', '::FFFF:C633:6409'])
    assert.deepEqual(await found(`location.ip=${ip}`), [mapped, four], ip);
  assert.deepEqual(new Set(await found('location.ip=2001:db8::7,198.51.100.9')), new Set([six, four, mapped]));
  assert.equal(
    orderOf(await shop.list(`orders/?location.ip=2001:db8::7&expand=location`)).location.ip,
    '2001:DB8:0:0:0:0:0:7',
  );
  for (const wrong of ['198.51.100', 'localhost', '2001:db8::7,x', 'fe80::1%25eth0'])
    assert.deepEqual(uris(await shop.list(`orders/?location.ip=${wrong}`)), ['#/location.ip'], wrong);
  assert.deepEqual(uris(await shop.create({ location: { ip: 'fe80::1%eth0' } })), ['#/location/ip']);
});

test('"A value outside a filter’s fixed set is 422", all of them at once', async () => {
  for (const [path, wrong] of [
    ['orders/', 'status=authorised'],
    ['orders/', 'status=new,Charged'],
    ['orders/', 'card.type=plastic'],
    ['orders/', 'card.type=visa,VISA'],
    ['orders/', 'card.subtype=iron'],
    ['orders/', 'issuer.country=LV'],
    ['orders/', 'issuer.country=LVA,Latvia'],
    ['orders/', 'issuer.country=ZZZ'],
    ['orders/', 'expand=cards'],
    ['operations/', 'status=charged'],
    ['operations/', 'status=sent'],
    ['operations/', 'type=capture'],
    ['operations/', 'expand=extras'],
    ['exchange_rates/', 'status=charged'],
    ['exchange_rates/', 'type=capture'],
  ] as const) {
    const reply = await shop.list(`${path}?${wrong}`);
    assert.deepEqual(uris(reply), [`#/${wrong.split('=')[0]}`], wrong);
    assert.equal(reply.body.errors[0].message, 'Not allowed');
  }
  assert.deepEqual(uris(await shop.list('orders/?status=x&card.type=x&card.subtype=x&issuer.country=x&per_page=0')), [
    '#/card.subtype',
    '#/card.type',
    '#/issuer.country',
    '#/per_page',
    '#/status',
  ]);
  const all = 'new,prepared,authorized,charged,reversed,refunded,rejected,fraud,declined,chargedback,credited,error';
  for (const right of [
    `orders/?status=${all}`,
    'orders/?card.type=visa,mastercard,amex,maestro&card.subtype=classic,debit,prepaid&issuer.country=LVA,GBR',
    'operations/?status=success,failure,error&type=authorize,charge,reverse,refund,credit,chargeback,representment',
    'exchange_rates/?status=success&type=charge&expand=cashflow,extra',
  ])
    assert.equal((await shop.list(right)).status, 200, right);
  const range = { brand: 'elo', subtype: 'black', title: 'Elo Bank', country: 'BRA' };
  assert.ok((await florin.operator('PUT', '/operator/bins/506699', range)).status < 300);
  assert.equal(
    (await shop.list('orders/?card.type=elo&card.subtype=black')).status,
    200,
    'what the operator adds is known',
  );
});

test('"Unknown filter names: ignored unless the project is set to strict, then 422"', async () => {
  const names = ['orders/?colour=red', 'operations/?colour=', 'exchange_rates/?a.b=1', 'ping?x=1'];
  for (const path of names) assert.equal((await shop.list(path)).status, 200, path);
  await shop.withSettings({ strict_filters: true }, async () => {
    for (const path of names) {
      const reply = await shop.list(path);
      assert.equal(reply.status, 422, path);
      assert.equal(reply.body.errors[0].message, 'Unknown property');
    }
    const near = await shop.list('orders/?card_type=visa&statuses=new');
    assert.deepEqual(
      near.body.errors.map(({ details }: { details: string[] }) => details),
      [['probably card.type'], ['probably status']],
    );
  });
});

test('"expand=cashflow on orders is an alias of operations.cashflow; on /operations/ the expands of orders are accepted and change nothing"', async () => {
  const { id } = await shop.charged();
  assert.deepEqual(await shop.get(id, 'cashflow'), await shop.get(id, 'operations.cashflow'));
  assert.ok((await shop.get(id, 'cashflow')).operations[1].cashflow);
  const [alias, named] = [
    await shop.list('orders/?expand=cashflow,card'),
    await shop.list('orders/?expand=card,operations.cashflow'),
  ];
  assert.equal(alias.text, named.text);
  const plain = await shop.list('operations/');
  const expands = 'card,client,location,custom_fields,issuer,secure3d,operations.cashflow';
  assert.equal((await shop.list(`operations/?expand=${expands}`)).text, plain.text);
  const both = (await shop.list(`operations/?expand=${expands},extra`)).body.operations[0];
  assert.deepEqual(['extra' in both, 'cashflow' in both], [true, false]);
});

/** The names of an object in the order in which they stand in the text. */
const order = (value: object): string => Object.keys(value).join(' ');
const EXPANDS = ['card', 'client', 'location', 'custom_fields', 'issuer', 'secure3d', 'operations.cashflow'];

test('the same members stand in the same order everywhere', async () => {
  const client = { zip: '1', name: 'Ada', login: 'a', address: 'x' };
  const location = { region: 'R', ip: '192.0.2.1', city: 'C', country: 'LTU' };
  const custom_fields = { zebra: '1', b: '2', aa: '3' };
  const fields = { client, location, custom_fields };
  const settled = await shop.charged(fields);
  const { id } = settled;
  await shop.advance('2d');
  const refunded = orderOf(await shop.act(id, 'refund', { amount: 1 }));
  const read = await shop.get(id, EXPANDS.join(','));
  const mixed = await shop.get(id, EXPANDS.toReversed().join(','));
  const [listed] = (await shop.list(`orders/?per_page=1&expand=${EXPANDS.toReversed().join(',')}`)).body.orders;
  for (const answer of [refunded, read, mixed, listed]) {
    assert.equal(order(answer), order(settled));
    for (const name of ['card', 'client', 'location', 'custom_fields', 'issuer', 'secure3d'])
      assert.equal(order(answer[name]), order(settled[name]), name);
  }
  assert.equal(JSON.stringify(mixed), JSON.stringify(read));
  assert.equal(JSON.stringify(listed), JSON.stringify(read));
  assert.equal(
    order(read),
    'id merchant_order_id status amount amount_charged amount_refunded currency description descriptor auth_code pan segment created updated ' +
      'card client location custom_fields issuer secure3d operations',
  );
  const base = 'type status amount currency auth_code iso_message iso_response_code created';
  assert.equal(order(read.operations[1]), `${base} arn cashflow`);
  await shop.withSettings({ trace_id: true }, async () => {
    const rows = (await shop.list('operations/?type=charge&per_page=1&expand=extra,cashflow')).body.operations;
    assert.equal(order(rows[0]), `${base} order_id arn trace_id cashflow extra`);
    assert.equal(order((await shop.get(id, 'cashflow')).operations[1]), `${base} arn trace_id cashflow`);
  });
  // A failed order, an order that waits, one that came back from its bank.
  const failed = (await shop.authorize({ ...fields, pan: simulated('10', '051') })).body.order_id;
  const prepared = await shop.prepared({ options: { secure3d20_return_url: 'https://shop.example/n' } });
  assert.equal(order(prepared), `${order(read)} form3d_html form3d`);
  assert.equal(order(prepared.form3d), 'MD PaReq TermUrl action method');
  await challenge(prepared, '1234');
  const completed = orderOf(await shop.post(prepared.id, 'complete3d20'));
  assert.equal(order(completed.secure3d), 'reason scenario authorization_status');
  for (const one of [failed, completed.id]) {
    const whole = await shop.get(one, EXPANDS.join(','));
    const row = (await shop.list(`orders/?per_page=5&expand=${EXPANDS.join(',')}`)).body.orders.find(
      (candidate: { id: string }) => candidate.id === one,
    );
    assert.equal(JSON.stringify(whole), JSON.stringify(row));
  }
});

test('"Unknown BIN: issuer {}, nothing half-empty"; the sandbox takes any number that passes Luhn', async () => {
  for (const [payload, type] of [
    ['400001000000000', 'visa'],
    ['111111111111111', undefined],
    ['000000000000000', undefined],
    ['999999999999', undefined],
    ['123456789012345678', undefined],
  ] as const) {
    const pan = `${payload}${luhnDigit(payload)}`;
    const reply = await shop.authorize({ pan });
    assert.equal(reply.status, 200, `${pan} ${reply.text}`);
    const whole = await shop.get(orderOf(reply).id, EXPANDS.join(','));
    for (const { issuer, card, status } of [orderOf(reply), whole]) {
      assert.deepEqual([issuer, status, card.type, card.holder], [{}, 'authorized', type, 'Ada Example'], pan);
      if (!type) assert.deepEqual(card, { holder: 'Ada Example' });
    }
    const [{ extra }] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
    assert.equal(extra.network, type ?? null);
    assert.deepEqual(await found(`issuer.bin=${pan.slice(0, 6)}`), [whole.id]);
    assert.equal(orderOf(await shop.act(whole.id, 'charge')).status, 'charged');
  }
  await shop.booksHold();
});

interface Rate {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly date: string;
}

/** Every page of a list of rates from an address on. */
async function walk(query: string): Promise<{ rows: Rate[]; pages: Reply[] }> {
  const pages = [await shop.list(`exchange_rates/?${query}`)];
  for (let next = linkOf(pages[0] as Reply, 'next'); next; next = linkOf(pages.at(-1) as Reply, 'next'))
    pages.push(await florin.merchant('GET', next));
  return { rows: pages.flatMap(({ body }) => body.exchange_rates as Rate[]), pages };
}

test('exchange rates: pages with Link as the other lists have, and the day in each row', async () => {
  const days = Array.from({ length: 1205 }, (_, i) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10));
  for (let from = 0; from < days.length; from += 200) {
    const rates = days
      .slice(from, from + 200)
      .map((day, i) => ({ from: 'EUR', to: 'USD', rate: `1.${1000 + from + i}`, day }));
    const reply = await florin.operator('POST', '/operator/rates', { rates, source: 'treasury' });
    assert.equal(reply.status, 200, reply.text);
  }
  const period = `date_from=${days[0]}&date_to=${days.at(-1)}`;
  const { rows, pages } = await walk(period);
  assert.deepEqual(
    pages.map(({ body }) => body.exchange_rates.length),
    [2000, 410],
    '"at most 2000 rows"',
  );
  assert.deepEqual(
    rows.filter(({ from }) => from === 'EUR').map(({ date }) => date),
    days.toReversed(),
  );
  assert.deepEqual(Object.keys(rows[0] as Rate), ['from', 'to', 'rate', 'date']);
  assert.equal(new Set(rows.map(({ from, date }) => from + date)).size, 2410);
  const small = await walk(`${period}&from=EUR&per_page=500&count=1`);
  assert.deepEqual(
    small.pages.map(({ body, headers }) => [body.exchange_rates.length, headers.get('x-total-count')]),
    [500, 500, 205].map((length) => [length, '1205']),
  );
  const [first, second, third] = small.pages as [Reply, Reply, Reply];
  assert.deepEqual([linkOf(first, 'prev'), linkOf(third, 'next')], [undefined, undefined]);
  for (const [page, rel, to] of [
    [third, 'prev', second],
    [second, 'prev', first],
    [third, 'first', first],
  ] as const) {
    const reply = await florin.merchant('GET', linkOf(page, rel) as string);
    assert.equal(reply.text, to.text, rel);
    assert.equal(linkOf(reply, 'next'), linkOf(to, 'next'));
  }
  const latest = await walk('');
  const paged = await walk('per_page=7');
  assert.ok(paged.pages.length > 3);
  assert.deepEqual(paged.rows, latest.rows);
  assert.equal(latest.pages[0]?.headers.has('x-total-count'), false);
  for (const wrong of ['per_page=0', 'per_page=2001', 'after=x', 'after=W10', 'count=2'])
    assert.deepEqual(uris(await shop.list(`exchange_rates/?${wrong}`)), [`#/${wrong.split('=')[0]}`]);
  const foreign = linkOf(await shop.list('operations/?per_page=1'), 'next')?.split('after=')[1];
  assert.deepEqual(uris(await shop.list(`exchange_rates/?after=${foreign}`)), ['#/after']);
});
