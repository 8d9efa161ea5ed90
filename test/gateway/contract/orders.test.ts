// docs/contract/gateway.md#order, #endpoints, #amounts, #tolerance: every field, option and
// format of a request and of the order that answers it, over HTTP. Rule: a test's name is the contract's sentence.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CARD, payment, simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});
const DATE_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const CLIENT = {
  address: 'Gedimino 1',
  city: 'Vilnius',
  country: 'LTU',
  email: 'ada@example.test',
  name: 'Ada Example',
  phone: '+37060000000',
  state: 'VL',
  zip: '01103',
  login: 'ada',
};
const words = (line: string): string[] => line.split(' ');
const BASE = words(
  'amount amount_charged amount_refunded auth_code created currency description descriptor id merchant_order_id operations pan segment status updated',
);
const EXPANDABLE = ['card', 'client', 'custom_fields', 'issuer', 'location', 'secure3d'];
const keys = (value: object) => Object.keys(value).sort();

test('POST /orders/create: amount is the only field that is required; the order has every field of the table', async () => {
  assert.deepEqual(uris(await florin.merchant('POST', '/gateway/orders/create', {})), ['#/amount']);
  const reply = await florin.merchant('POST', '/gateway/orders/create', { amount: 7 });
  assert.equal(reply.status, 201, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['orders']);
  assert.equal(reply.body.orders.length, 1);
  const { id, created, updated, ...rest } = orderOf(reply);
  assert.match(id, /^\d+$/);
  assert.match(created, DATE_TIME);
  assert.equal(updated, created);
  assert.deepEqual(rest, {
    merchant_order_id: null,
    status: 'new',
    amount: '7.00',
    amount_charged: '0.00',
    amount_refunded: '0.00',
    currency: 'EUR',
    description: null,
    descriptor: 'FLORIN*SANDBOX',
    auth_code: '',
    pan: '',
    segment: '',
    card: {},
    client: {},
    location: {},
    custom_fields: {},
    issuer: {},
    secure3d: {},
    operations: [],
  });
});

test('create takes every field of its table and every option, and gives back what belongs to the order', async () => {
  const sent = {
    amount: 10.1,
    currency: 'USD',
    merchant_order_id: 'A-1001',
    segment: 'autumn',
    description: 'Two books',
    client: CLIENT,
    custom_fields: { table: '4' },
    location: { ip: '192.0.2.7' },
  };
  const options = {
    expiration_timeout: '15m',
    force3d: 1,
    auto_charge: 1,
    language: 'de',
    return_url: 'https://shop.example/back?a=b',
    template: 'default',
    mobile: 0,
    terminal: '',
    wallet_a_pay_enabled: 1,
    wallet_b_pay_enabled: 0,
    secure3d20_return_url: 'https://shop.example/notify',
    exemption_mit: 0,
    static_link: 0,
  };
  const reply = await florin.merchant('POST', '/gateway/orders/create', { ...sent, options });
  assert.equal(reply.status, 201, reply.text);
  const made = orderOf(reply);
  for (const [name, value] of Object.entries(sent))
    assert.deepEqual(made[name], name === 'amount' ? '10.10' : value, name);
  assert.equal('options' in made, false, 'the table of the order has no options');
  assert.deepEqual(await shop.get(made.id, EXPANDABLE.join(',')), made);
});

test('"Body, required: amount; pan; card object with cvv, holder, expiration_month, expiration_year; location object with ip"', async () => {
  const post = (body: unknown) => florin.merchant('POST', '/gateway/orders/authorize', body);
  const empty = await post({});
  assert.deepEqual(uris(empty), ['#/amount', '#/card', '#/location', '#/pan']);
  for (const { message, attribute, details } of empty.body.errors) {
    assert.deepEqual([message, attribute], ['Required', 'required']);
    assert.ok(details.every((detail: unknown) => typeof detail === 'string'));
  }
  for (const name of ['amount', 'pan', 'card', 'location'])
    assert.deepEqual(uris(await shop.authorize({ [name]: undefined })), [`#/${name}`]);
  for (const name of keys(CARD))
    assert.deepEqual(uris(await shop.authorize({ card: { ...CARD, [name]: undefined } })), [`#/card/${name}`]);
  assert.deepEqual(uris(await shop.authorize({ location: {} })), ['#/location/ip']);
});

test('authorize takes every optional field of its list, and its order has every field of the table, with formats', async () => {
  const reply = await shop.authorize({
    merchant_order_id: 'B-7',
    segment: 3,
    description: 'Tea',
    client: CLIENT,
    custom_fields: { k: 'v' },
    options: {
      force3d: 0,
      return_url: 'https://shop.example/',
      auto_charge: 0,
      terminal: '1',
      recurring: 1,
      secure3d20_return_url: 'https://shop.example/n',
      exemption_mit: 0,
    },
  });
  assert.equal(reply.status, 200, reply.text);
  const made = orderOf(reply);
  assert.deepEqual(keys(made), [...BASE, ...EXPANDABLE].sort());
  assert.deepEqual(
    [made.status, made.amount, made.amount_charged, made.amount_refunded, made.currency, made.pan, made.segment],
    ['authorized', '12.50', '0.00', '0.00', 'EUR', '411111******1111', '3'],
  );
  assert.match(made.auth_code, /^[A-Z0-9]{6}$/);
  for (const at of [made.created, made.updated]) assert.match(at, DATE_TIME);
  assert.ok(made.updated >= made.created);
  assert.deepEqual(made.card, { holder: 'Ada Example', subtype: 'classic', type: 'visa' });
  assert.deepEqual(made.client, CLIENT);
  assert.deepEqual(made.issuer, { bin: '411111', country: 'GBR', title: 'Harbour Lane Bank' });
  assert.deepEqual(made.location, { ip: '192.0.2.1' });
  assert.deepEqual(made.custom_fields, { k: 'v' });
  assert.deepEqual(made.secure3d, {});
  const { cashflow: _, ...operation } = made.operations[0];
  assert.match(operation.created, DATE_TIME);
  assert.deepEqual(operation, {
    type: 'authorize',
    status: 'success',
    amount: '12.50',
    currency: 'EUR',
    auth_code: made.auth_code,
    iso_message: 'Approved',
    iso_response_code: '00',
    created: operation.created,
  });
});

test('"card, client, location, custom_fields, issuer, secure3d: needs expand for GET", each by itself, in any number', async () => {
  const { id } = await shop.authorized({ client: CLIENT });
  assert.deepEqual(keys(await shop.get(id)), BASE);
  for (const name of EXPANDABLE) assert.deepEqual(keys(await shop.get(id, name)), [...BASE, name].sort(), name);
  assert.deepEqual(keys(await shop.get(id, EXPANDABLE.join(','))), [...BASE, ...EXPANDABLE].sort());
  assert.equal('cashflow' in (await shop.get(id)).operations[0], false);
  assert.deepEqual(
    keys((await shop.get(id, 'operations.cashflow')).operations[0].cashflow),
    words('amount currency fee incoming receivable reserve'),
  );
  assert.deepEqual(uris(await florin.merchant('GET', `/gateway/orders/${id}?expand=card,colour`)), ['#/expand']);
});

test('"form3d and form3d_html returned; secure3d holds reason and scenario; operations empty", only on authorize', async () => {
  const reply = await shop.authorize({ options: { force3d: 1 } });
  assert.equal(reply.status, 201, reply.text);
  const made = orderOf(reply);
  assert.deepEqual(keys(made), [...BASE, ...EXPANDABLE, 'form3d', 'form3d_html'].sort());
  assert.equal(made.status, 'prepared');
  assert.deepEqual(made.operations, []);
  assert.deepEqual(made.secure3d, { reason: 'forced', scenario: 'challenge' });
  const { MD, PaReq, TermUrl, action, method } = made.form3d;
  assert.deepEqual([method, TermUrl.startsWith(florin.url), URL.canParse(action)], ['POST', true, true]);
  for (const value of [MD, PaReq]) assert.match(value, /^[A-Za-z0-9+/=_-]+$/);
  // Shops look the form up by its id and submit it; nothing of the request stands in it.
  const html: string = made.form3d_html;
  assert.deepEqual(
    [html.match(/<form/g)?.length, /<form[^>]* id="form3d"/.test(html), /<script|onload/i.test(html)],
    [1, true, false],
  );
  for (const [name, value] of Object.entries({ MD, PaReq, TermUrl }))
    assert.match(html, new RegExp(`name="${name}" value="${value.replace(/[.*+?^$()|[\]\\]/g, '\\$&')}"`));
  assert.match(html, /<(button|input)[^>]* type="submit"/);
  assert.equal(html.includes('Ada'), false);
  const later = await shop.get(made.id, EXPANDABLE.join(','));
  assert.deepEqual(keys(later), [...BASE, ...EXPANDABLE].sort());
});

test('"Flags accept 0, 1, "0", "1", false, true, "false", "true"" and nothing else', async () => {
  const flags = words(
    'force3d auto_charge mobile exemption_mit static_link recurring wallet_a_pay_enabled wallet_b_pay_enabled apple_pay_enabled google_pay_enabled',
  );
  const all = (value: unknown) => Object.fromEntries(flags.map((flag) => [flag, value]));
  for (const value of [0, 1, '0', '1', false, true, 'false', 'true'])
    assert.equal((await shop.create({ options: all(value) })).status, 201, String(value));
  for (const value of [2, -1, '2', '', 'True', 'yes', [1], {}])
    assert.deepEqual(
      uris(await shop.create({ options: all(value) })),
      flags.map((flag) => `#/options/${flag}`).sort(),
      JSON.stringify(value),
    );
});

test('"expiration_timeout: a duration string with a unit suffix (30s, 15m, 2h, 1d; default 1 h)"', async () => {
  const ages = [
    ['30s', '29s', '2s'],
    ['15m', '14m', '2m'],
    [undefined, '59m', '2m'],
    ['2h', '119m', '2m'],
    ['1d', '23h', '61m'],
  ] as const;
  for (const [expiration_timeout, most, rest] of ages) {
    const { id } = orderOf(await shop.create({ options: { expiration_timeout } }));
    await shop.advance(most);
    assert.equal((await shop.get(id)).status, 'new', most);
    await shop.advance(rest);
    const over = await shop.get(id);
    assert.deepEqual([over.status, over.failure_type], ['rejected', 'rejected'], most);
  }
  for (const wrong of ['30', 'h', '1w', '-5m', '1.5h', '', ' 5m', 15])
    assert.deepEqual(
      uris(await shop.create({ options: { expiration_timeout: wrong } })),
      ['#/options/expiration_timeout'],
      String(wrong),
    );
});

test('return_url and secure3d20_return_url are URLs; terminal is the id of a terminal', async () => {
  for (const name of ['return_url', 'secure3d20_return_url'])
    for (const wrong of [
      'shop.example',
      '/back',
      'javascript:alert(1)',
      'https://u:p@shop.example/',
      'https://a b/',
      5,
    ])
      for (const send of [shop.create, shop.authorize])
        assert.deepEqual(uris(await send({ options: { [name]: wrong } })), [`#/options/${name}`], String(wrong));
  assert.deepEqual(uris(await shop.create({ options: { terminal: 'none' } })), ['#/options/terminal']);
  await shop.terminal('dollars', { currencies: ['USD'], descriptor: 'SHOP*USD' });
  const made = orderOf(await shop.create({ currency: 'USD', options: { terminal: 'dollars' } }));
  assert.equal(made.descriptor, 'SHOP*USD');
  assert.deepEqual(refusedAs(await shop.create({ options: { terminal: 'dollars' } })), [402, 'rejected', false]);
});

test('"options: recurring, apple_pay_enabled, google_pay_enabled (… the neutral wallet_a_pay_enabled, wallet_b_pay_enabled are accepted too)"', async () => {
  for (const name of [
    'recurring',
    'apple_pay_enabled',
    'google_pay_enabled',
    'wallet_a_pay_enabled',
    'wallet_b_pay_enabled',
  ])
    assert.equal((await shop.create({ options: { [name]: 1 } })).status, 201, name);
  for (const wrong of ['wallet_c_pay_enabled', 'Recurring', 'paypal_enabled'])
    assert.deepEqual(uris(await shop.create({ options: { [wrong]: 1 } })), [`#/options/${wrong}`]);
});

const BROWSER = {
  browser_accept_header: 'text/html',
  browser_color_depth: 24,
  browser_ip: '192.0.2.1',
  browser_language: 'en-GB',
  browser_screen_height: 900,
  browser_screen_width: '1440',
  browser_timezone: 0,
  browser_user_agent: 'Browser/1.0',
  browser_java_enabled: false,
  window_height: 400,
  window_width: 250,
};

test('"secure3d (request): browser_details {…}; zero and false are values; dsrp"', async () => {
  for (const browser_details of [BROWSER, { browser_timezone: 0 }, { browser_java_enabled: 0 }, {}])
    assert.equal(
      (await shop.authorize({ secure3d: { browser_details } })).status,
      200,
      'browser details are no authentication',
    );
  for (const name of keys(BROWSER))
    assert.deepEqual(
      uris(await shop.authorize({ secure3d: { browser_details: { [name]: {} } } })),
      [`#/secure3d/browser_details/${name}`],
      name,
    );
  assert.deepEqual(
    uris(await shop.authorize({ secure3d: { browser_details: { browser_height: 1 }, colour: 'red', pares: 'x' } })),
    ['#/secure3d/browser_details/browser_height', '#/secure3d/colour', '#/secure3d/pares'],
  );
  const dsrp = Buffer.alloc(20, 3).toString('base64');
  const wallet = orderOf(await shop.authorize({ secure3d: { dsrp, eci: '07' } }));
  assert.deepEqual([wallet.status, wallet.secure3d.scenario], ['authorized', 'external']);
  assert.deepEqual(uris(await shop.authorize({ secure3d: { dsrp: 'AAAA', eci: '07' } })), ['#/secure3d/dsrp']);
});

test('"secure3d object (xid, cavv, eci, ds_trans_id: results of an earlier authentication)": each is checked', async () => {
  let fill = 100;
  const result = (fields: object = {}) => ({
    xid: 'MDAwMDAwMDAwMDAwMDAwMDAwMDE=',
    cavv: Buffer.alloc(20, fill++).toString('base64'),
    eci: '05',
    ds_trans_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
    ...fields,
  });
  const made = orderOf(await shop.authorize({ secure3d: result() }));
  assert.deepEqual([made.secure3d.scenario, made.secure3d.authorization_status], ['external', 'Y']);
  const attempt = orderOf(await shop.authorize({ secure3d: result({ eci: '06' }) }));
  assert.equal(attempt.secure3d.authorization_status, 'A');
  const pan = '2222400060000007';
  assert.equal((await shop.authorize({ pan, secure3d: result({ eci: '02' }) })).status, 200);
  for (const [fields, wrong] of [
    [{ cavv: Buffer.alloc(19).toString('base64') }, 'cavv'],
    [{ eci: '02' }, 'eci'],
    [{ eci: '00' }, 'eci'],
    [{ ds_trans_id: 'f25084f0' }, 'ds_trans_id'],
  ] as const)
    assert.deepEqual(uris(await shop.authorize({ secure3d: result(fields) })), [`#/secure3d/${wrong}`]);
  assert.deepEqual(uris(await shop.authorize({ pan, secure3d: result({ eci: '05' }) })), ['#/secure3d/eci']);
  assert.deepEqual(uris(await shop.authorize({ secure3d: result(), options: { force3d: 1 } })), ['#/options/force3d']);
});

test('"recurring_details (parent_order_id, trace_id, indicator)": R, I, U, C; "trace_id, when given, must be the parent’s"', async () => {
  let parent = '';
  let trace_id = '';
  await shop.withSettings({ trace_id: true }, async () => {
    const made = await shop.authorized();
    parent = made.id;
    trace_id = made.operations[0].trace_id;
  });
  const again = (recurring_details: object, fields: object = {}) => shop.authorize({ recurring_details, ...fields });
  for (const indicator of ['R', 'I', 'U', 'C'])
    assert.equal((await again({ parent_order_id: parent, trace_id, indicator })).status, 200, indicator);
  const body = JSON.stringify(payment({ recurring_details: { parent_order_id: parent } }));
  const numbered = await florin.merchant('POST', '/gateway/orders/authorize', body.replace(`"${parent}"`, parent));
  assert.equal(numbered.status, 200, 'a JSON number keeps its digits');
  for (const wrong of ['r', 'X', '', 1])
    assert.deepEqual(uris(await again({ parent_order_id: parent, indicator: wrong })), [
      '#/recurring_details/indicator',
    ]);
  assert.deepEqual(uris(await again({ parent: '1' })), ['#/recurring_details/parent']);
  assert.deepEqual(refusedAs(await again({ parent_order_id: parent, trace_id: '999999999999999' })), [
    402,
    'rejected',
    true,
  ]);
  // "the parent order must be ours, approved": not one that was declined, or that only waits.
  const declined = (await shop.authorize({ pan: simulated('10', '051') })).body.order_id;
  assert.deepEqual(
    refusedAs(await again({ parent_order_id: declined, indicator: 'R' }, { pan: simulated('10', '051') })),
    [402, 'rejected', true],
  );
  const waiting = orderOf(await shop.create()).id;
  assert.deepEqual(refusedAs(await again({ parent_order_id: waiting, indicator: 'R' })), [402, 'rejected', true]);
  // The customer is present: so he is asked for the code on his card, like without a parent.
  const { cvv: _, ...withoutCvv } = CARD;
  assert.equal((await again({ parent_order_id: parent, indicator: 'I' }, { card: withoutCvv })).status, 200);
  assert.deepEqual(uris(await again({ parent_order_id: parent, indicator: 'C' }, { card: withoutCvv })), [
    '#/card/cvv',
  ]);
});

test('"exemption_mit: merchant-initiated exemption flag": no CVV is needed, and the operation says it', async () => {
  const { cvv: _, ...card } = CARD;
  const recurring_details = { parent_order_id: (await shop.authorized()).id };
  const { id } = await shop.authorized({ card, options: { exemption_mit: 1 }, recurring_details });
  const [operation] = (await florin.merchant('GET', '/gateway/operations/?per_page=1&expand=extra')).body.operations;
  assert.equal(operation.order_id, id);
  assert.equal(operation.extra.authentication.exemption, 'mit');
});

test('"extra_fields {merchant, city, country}: dynamic descriptor" of create and authorize', async () => {
  const extra_fields = { merchant: 'BOOKS', city: 'Vilnius', country: 'LTU' };
  for (const send of [shop.create, shop.authorize]) {
    assert.equal(orderOf(await send({ extra_fields })).descriptor, 'BOOKS Vilnius LT');
    assert.equal(orderOf(await send({ extra_fields: { merchant: 'BOOKS' } })).descriptor, 'BOOKS');
    assert.deepEqual(uris(await send({ extra_fields: { ...extra_fields, country: 'LT', street: 'x' } })), [
      '#/extra_fields/country',
      '#/extra_fields/street',
    ]);
  }
});

/** The text of an amount as it stands in the JSON. */
const withAmount = (path: string, text: string, fields: Record<string, unknown> = {}) => {
  const { amount: _, ...rest } = payment(fields);
  const body = path.endsWith('authorize') ? rest : fields;
  return florin.merchant('POST', path, `{"amount":${text},${JSON.stringify(body).slice(1)}`.replace(',}', '}'));
};

test('"Amounts on input: JSON number, or decimal string; digits with at most two decimals … at most 12 digits in minor units"', async () => {
  for (const [text, shown] of [
    ['1', '1.00'],
    ['"1"', '1.00'],
    ['0.01', '0.01'],
    ['"0.01"', '0.01'],
    ['0.1', '0.10'],
    ['"19.9"', '19.90'],
    ['1.10', '1.10'],
    ['9999999999.99', '9999999999.99'],
    ['"9999999999.99"', '9999999999.99'],
    // Each of these is another number as a float.
    ['8.95', '8.95'],
    ['4503599627.37', '4503599627.37'],
  ] as const)
    for (const path of ['/gateway/orders/create', '/gateway/orders/authorize']) {
      const reply = await withAmount(path, text);
      assert.equal(orderOf(reply)?.amount, shown, `${path} ${text} ${reply.text}`);
    }
  const wrong =
    '1.001|"1.001"|1e2|"1e2"|1E0|-1|"-1"|"+1"|"NaN"|"Infinity"|10000000000|""|"10000000000.00"|" 1"|"1,00"|"1."|".5"|"01"|"0x1"|true|[]|{}|null|"\\u0661"'.split(
      '|',
    );
  for (const text of wrong)
    for (const path of ['/gateway/orders/create', '/gateway/orders/authorize'])
      assert.deepEqual(uris(await withAmount(path, text)), ['#/amount'], `${path} ${text}`);
});

test('"greater than zero (zero is allowed on authorize as a card verification)"', async () => {
  for (const zero of ['0', '0.00', '"0"', '"0.00"']) {
    assert.deepEqual(uris(await withAmount('/gateway/orders/create', zero)), ['#/amount']);
    const made = orderOf(await withAmount('/gateway/orders/authorize', zero));
    assert.deepEqual([made.status, made.amount], ['authorized', '0.00']);
    assert.deepEqual(refusedAs(await shop.act(made.id, 'charge')), [402, 'rejected', false]);
  }
});

test('"currencies without decimals accept whole amounts only and print .00"; "Currency codes are ISO-4217 three-letter codes"', async () => {
  const path = '/gateway/orders/create';
  for (const text of ['1200', '"1200"', '1200.00', '"1200.0"'])
    assert.equal(orderOf(await withAmount(path, text, { currency: 'JPY' })).amount, '1200.00', text);
  assert.equal(orderOf(await withAmount(path, '999999999999', { currency: 'JPY' })).amount, '999999999999.00');
  for (const text of ['12.5', '"0.01"', '1000000000000'])
    assert.deepEqual(uris(await withAmount(path, text, { currency: 'JPY' })), ['#/amount'], text);
  for (const currency of ['eur', 'EU', 'EURO', 'XXX', '978', 978, 'KWD', '', []])
    assert.deepEqual(uris(await shop.create({ currency })), ['#/currency'], String(currency));
  // A currency that exists, but that no terminal of the project takes, is the gateway's no, not a wrong field.
  assert.deepEqual(refusedAs(await shop.create({ currency: 'SEK' })), [402, 'rejected', false]);
});

test('"segment may be a number or a string; it is stored as a string"; merchant_order_id and description', async () => {
  for (const [segment, stored] of [
    [7, '7'],
    ['7', '7'],
    ['spring', 'spring'],
    [1.5, '1.5'],
  ])
    assert.equal(orderOf(await shop.create({ segment })).segment, stored);
  assert.deepEqual(uris(await shop.create({ segment: [], description: 5, merchant_order_id: {} })), [
    '#/description',
    '#/merchant_order_id',
    '#/segment',
  ]);
  const text = 'Žalia arbata 茶 🫖 “quoted” <b>';
  const made = orderOf(await shop.create({ description: text, merchant_order_id: text }));
  assert.deepEqual([made.description, made.merchant_order_id], [text, text], 'JSON in UTF-8');
});

test('"expiration_month and expiration_year may be numbers or strings, year two or four digits"', async () => {
  const card = (expiration_month: unknown, expiration_year: unknown) =>
    shop.authorize({ card: { ...CARD, expiration_month, expiration_year } });
  for (const month of [1, '1', '01', 12, '12'])
    for (const year of [30, '30', 2030, '2030'])
      assert.equal((await card(month, year)).status, 200, `${month} ${year}`);
  for (const month of [0, 13, '00', '001', 'May', '', 1.5, true])
    assert.deepEqual(uris(await card(month, 2030)), ['#/card/expiration_month'], String(month));
  for (const year of [3, 203, '1930', '20300', 'XX', '', true])
    assert.deepEqual(uris(await card(1, year)), ['#/card/expiration_year'], String(year));
});

test('"card.holder 2 to 40 characters"; the CVV three or four digits; the card number 13 to 19 with its check digit', async () => {
  const holder = (text: unknown) => shop.authorize({ card: { ...CARD, holder: text } });
  for (const text of ['Bo', 'x'.repeat(40), 'Žydrūnas Čiurlionis'])
    assert.equal(orderOf(await holder(text)).card.holder, text);
  for (const text of ['B', '', 'x'.repeat(41), 5, ['Ada']])
    assert.deepEqual(uris(await holder(text)), ['#/card/holder'], String(text));
  for (const cvv of ['12', '12345', '12a', '', true, {}])
    assert.deepEqual(uris(await shop.authorize({ card: { ...CARD, cvv } })), ['#/card/cvv'], JSON.stringify(cvv));
  for (const cvv of [123, '0123']) assert.equal((await shop.authorize({ card: { ...CARD, cvv } })).status, 200);
  for (const pan of ['4111111111111112', '411111111111', '41111111111111111111', '4111111111111x11', '', true])
    assert.deepEqual(uris(await shop.authorize({ pan })), ['#/pan'], String(pan));
  assert.equal(orderOf(await shop.authorize({ pan: 4111111111111111 })).pan, '411111******1111');
  assert.equal(orderOf(await shop.authorize({ pan: '4111 1111 1111 1111' })).pan, '411111******1111');
});

test('"client: object with address, city, country, email, name, phone, state, zip, login (strings)"; "location object with ip"', async () => {
  for (const name of keys(CLIENT)) {
    const value = name === 'country' ? 'LTU' : 'x';
    assert.deepEqual(orderOf(await shop.create({ client: { [name]: value } })).client, { [name]: value });
    const number = await shop.create({ client: { [name]: 5 } });
    if (['zip', 'phone'].includes(name)) assert.deepEqual(orderOf(number).client, { [name]: '5' });
    else assert.deepEqual(uris(number), [`#/client/${name}`]);
  }
  assert.deepEqual(uris(await shop.create({ client: { age: '5', Name: 'x' } })), ['#/client/Name', '#/client/age']);
  for (const client of [['Ada'], 'Ada', 5]) assert.deepEqual(uris(await shop.create({ client })), ['#/client']);
  for (const ip of ['192.0.2.1', '2001:db8::1'])
    for (const send of [shop.create, shop.authorize])
      assert.deepEqual(orderOf(await send({ location: { ip } })).location, { ip });
  for (const ip of ['192.0.2', '192.0.2.256', 'localhost', '', 5, '192.0.2.1/24'])
    for (const send of [shop.create, shop.authorize])
      assert.deepEqual(uris(await send({ location: { ip } })), ['#/location/ip'], String(ip));
});

test('"custom_fields: flat map, at most 10 keys, key 1 to 64 of letters, digits, _ . -, value a string up to 255; returned as sent"', async () => {
  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`Key_${i}.a-b`, `v${i}`]));
  const right = [ten, { ['k'.repeat(64)]: 'v'.repeat(255) }, { '-': '', '1': 'x' }, {}];
  for (const custom_fields of right)
    for (const send of [shop.create, shop.authorize]) {
      const made = orderOf(await send({ custom_fields }));
      assert.deepEqual(made.custom_fields, custom_fields);
      assert.deepEqual((await shop.get(made.id, 'custom_fields')).custom_fields, custom_fields);
    }
  assert.deepEqual(uris(await shop.create({ custom_fields: { ...ten, eleven: 'x' } })), ['#/custom_fields']);
  for (const name of ['', 'a b', 'ž', 'a/b', 'k'.repeat(65)])
    assert.equal((await shop.create({ custom_fields: { [name]: 'x' } })).status, 422, name);
  for (const value of [true, {}, [], 'v'.repeat(256)])
    assert.deepEqual(uris(await shop.create({ custom_fields: { k: value } })), ['#/custom_fields/k']);
});

test('"A card number inside description, client, custom_fields, extra_fields … is masked; merchant_order_id is left as it is"', async () => {
  const number = '4111111111111111';
  for (const [written, shown] of [
    [number, '411111******1111'],
    ['4111 1111 1111 1111', '411111******1111'],
    ['4111-1111-1111-1111', '411111******1111'],
    [`card ${number}, thanks`, 'card 411111******1111, thanks'],
    // Not a card number: a wrong check digit, a range of no network, and too few digits.
    ['4111111111111112', '4111111111111112'],
    ['1111111111111117', '1111111111111117'],
    ['411111111111', '411111111111'],
  ] as const)
    for (const send of [shop.create, shop.authorize]) {
      const made = orderOf(
        await send({
          description: written,
          merchant_order_id: written,
          client: { name: written, phone: written },
          custom_fields: { note: written },
          extra_fields: { merchant: written.slice(0, 25) },
        }),
      );
      const whole = await shop.get(made.id, 'client,custom_fields');
      for (const { description, merchant_order_id, client, custom_fields } of [made, whole])
        assert.deepEqual(
          [description, merchant_order_id, client, custom_fields],
          [shown, written, { name: shown, phone: shown }, { note: shown }],
        );
      if (written.length <= 25) assert.equal(whole.descriptor, shown);
    }
});

test('"POST and PUT parameters: the query string may also be used in some cases"; "the same name with two values is 422"', async () => {
  const reply = await florin.merchant(
    'POST',
    '/gateway/orders/create?amount=5.50&client.name=Ada&options.expiration_timeout=15m&custom_fields.a.b=c',
  );
  assert.equal(reply.status, 201, reply.text);
  const made = orderOf(reply);
  assert.deepEqual([made.amount, made.client, made.custom_fields], ['5.50', { name: 'Ada' }, { 'a.b': 'c' }]);
  const post = (query: string, body: unknown) => florin.merchant('POST', `/gateway/orders/create?${query}`, body);
  assert.equal((await post('amount=5', { amount: '5' })).status, 201, 'the same value twice is one value');
  assert.deepEqual(uris(await post('amount=6', { amount: '5' })), ['#/amount']);
  assert.deepEqual(uris(await post('amount=6&amount=5', {})), ['#/amount']);
  assert.deepEqual(uris(await post('client.name=B', { amount: 5, client: { name: 'A' } })), ['#/client/name']);
  assert.deepEqual(uris(await post('colour=red', { amount: 5 })), ['#/colour']);
  const { id } = await shop.authorized();
  const part = await florin.merchant('PUT', `/gateway/orders/${id}/charge?amount=3.25`);
  assert.equal(orderOf(part).amount_charged, '3.25');
});

test('"secure3d.reason: forced … risk, terminal, mandate. secure3d.scenario: frictionless, challenge, attempt, not_enrolled, …"', async () => {
  const rule = { class: 'amount', expression: 'amount > 888.0', action: 'force3d', dry_run: false, active: true };
  assert.ok((await florin.operator('PUT', '/operator/projects/sandbox/rules/large', rule)).status < 300);
  await shop.terminal('always', { secure3d: 'always' });
  for (const [fields, reason, scenario, letter] of [
    [{ amount: 889 }, 'risk', 'challenge'],
    [{ options: { terminal: 'always' } }, 'terminal', 'challenge'],
    [{ amount: 889, options: { force3d: 1 } }, 'forced', 'challenge'],
    [{ pan: simulated('10', '920') }, 'mandate', 'challenge'],
    [{ pan: simulated('10', '921') }, 'mandate', 'frictionless', 'Y'],
    [{ pan: simulated('10', '922'), amount: 889 }, 'risk', 'attempt', 'A'],
    [{ pan: simulated('10', '926') }, 'mandate', 'unable_to_verify', 'U'],
    [{ pan: '4276838748917319', options: { terminal: 'always' } }, 'terminal', 'not_enrolled', 'A'],
  ] as const) {
    const { secure3d } = orderOf(await shop.authorize(fields));
    const status = letter === undefined ? {} : { authorization_status: letter };
    assert.deepEqual(secure3d, { reason, scenario, ...status }, scenario);
  }
});
