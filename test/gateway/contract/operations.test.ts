// docs/contract/gateway.md#statuses, #operation, #exchange-rates, #endpoints, #lists, #cashflow: what may be done to an order in which
// status, and how it is told, over HTTP. Rule: names are the contract's words.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { isLuhn } from '../../../src/base/index.ts';
import { CARD, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { openPage, typed } from '../../support/page.ts';
import { challenge, orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

interface Op {
  readonly type: string;
  readonly status: string;
  readonly amount: string;
  readonly [field: string]: unknown;
}
const told = ({ operations }: { operations: Op[] }) =>
  operations.map(({ type, status, amount }) => [type, status, amount]);
const location = { ip: '192.0.2.9' };
const idOf = async (reply: Promise<Reply>): Promise<string> => {
  const { body } = await reply;
  return body.order_id ?? body.orders[0].id;
};

/** An order in each status of the list. */
const MAKE: Readonly<Record<string, () => Promise<string>>> = {
  new: () => idOf(shop.create({ amount: '12.50' })),
  prepared: async () => (await shop.prepared()).id,
  authorized: async () => (await shop.authorized()).id,
  charged: async () => (await shop.charged()).id,
  reversed: async () => idOf(shop.act((await shop.authorized()).id, 'reverse')),
  refunded: async () => idOf(shop.act((await shop.charged()).id, 'refund')),
  rejected: async () => idOf(shop.act((await shop.prepared()).id, 'cancel')),
  fraud: () => idOf(shop.authorize({ pan: '4000000000000002' })),
  declined: () => idOf(shop.authorize({ pan: simulated('10', '051') })),
  chargedback: async () => {
    const { id } = await shop.charged();
    await shop.arrives(id, 'chargeback');
    return id;
  },
  credited: async () => idOf(shop.post((await shop.charged()).id, 'credit', { amount: 1, location })),
  error: () => idOf(shop.authorize({ pan: '5555555555555599' })),
};

/** What each action leads to where the table has a row; everywhere else it is refused, and nothing changes. */
const ROWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  charge: { authorized: 'charged' },
  reverse: { authorized: 'reversed' },
  refund: { charged: 'refunded' },
  cancel: { new: 'rejected', prepared: 'rejected', authorized: 'reversed', charged: 'reversed' },
};

for (const [status, make] of Object.entries(MAKE)) {
  test(`an order that is ${status}: charge, reverse, refund and cancel as the table of statuses says`, async () => {
    for (const [action, rows] of Object.entries(ROWS)) {
      const id = await make();
      const before = await shop.get(id);
      assert.equal(before.status, status);
      const reply = await shop.act(id, action);
      const next = rows[status];
      if (next === undefined) {
        assert.deepEqual(
          [...refusedAs(reply), reply.body.order_id],
          [402, 'rejected', false, null],
          `${action} ${reply.text}`,
        );
        assert.deepEqual(await shop.get(id), before, `${action}: a refusal adds no operation`);
      } else {
        assert.equal(reply.status, 200, `${action} ${reply.text}`);
        assert.equal(orderOf(reply).status, next, action);
        assert.equal((await shop.get(id)).status, next, action);
      }
    }
    await shop.booksHold();
  });
}

test('"An order with status declined, fraud, rejected or error also shows failure_type and failure_message", no other does', async () => {
  const failed = ['declined', 'fraud', 'rejected', 'error'];
  for (const [status, make] of Object.entries(MAKE)) {
    const order = await shop.get(await make());
    assert.equal('failure_type' in order, failed.includes(status), status);
    assert.equal('failure_message' in order, failed.includes(status), status);
    if (!failed.includes(status)) continue;
    assert.deepEqual([order.failure_type, typeof order.failure_message], [status, 'string']);
    assert.notEqual(order.failure_message, '');
    const [listed] = (await shop.list(`orders/?status=${status}&per_page=1`)).body.orders;
    assert.equal(listed.failure_type, status);
  }
});

test('status is a filter of comma-separated values; every status of the list is one', async () => {
  const all = Object.keys(MAKE);
  const { body } = await shop.list(`orders/?status=${all.join(',')}`);
  assert.deepEqual(new Set(body.orders.map(({ status }: { status: string }) => status)), new Set(all));
});

for (const [row, code, pan, http, status, operations] of [
  ['prepared | authorization approved | authorized', '1234', simulated('10', '000'), 200, 'authorized', ['success']],
  ['prepared | issuer declines | declined', '1234', simulated('10', '051'), 402, 'declined', ['failure']],
  ['prepared | failed authentication | rejected', '1111', simulated('10', '000'), 402, 'rejected', []],
  ['prepared | no final answer; a reversal is queued | error', '1234', simulated('10', '911'), 500, 'error', ['error']],
] as const) {
  for (const way of ['complete', 'complete3d20'] as const)
    test(`"${row}" by ${way}: "the bodies and status codes of authorize"`, async () => {
      const { id, ...prepared } = await shop.prepared({
        pan,
        options: { secure3d20_return_url: 'https://shop.example/n' },
      });
      const { fields } = await challenge(prepared, code);
      const reply = await shop.post(id, way, way === 'complete' ? { PaRes: fields.PaRes } : {});
      assert.equal(reply.status, http, reply.text);
      const after = await shop.get(id);
      assert.equal(after.status, status);
      assert.deepEqual(
        after.operations.map((operation: Op) => operation.status),
        operations,
      );
      if (http === 200) assert.equal(orderOf(reply).id, id);
      else assert.deepEqual([reply.body.failure_type, reply.body.order_id], [status, null]);
      // What an authentication has finished answers the same again.
      const again = await shop.post(id, way, way === 'complete' ? { PaRes: fields.PaRes } : {});
      assert.equal(again.status, http, again.text);
      assert.equal((await shop.get(id)).operations.length, after.operations.length);
      await shop.advance('1h');
      await shop.booksHold();
    });
}

for (const [row, pan, status, operations] of [
  ['new | authorization approved | authorized', '4111111111111111', 'authorized', ['success']],
  ['new | challenge needed | prepared', simulated('10', '920'), 'prepared', []],
  ['new | issuer declines | declined', simulated('10', '051'), 'declined', ['failure']],
  ['new | fraud rule | fraud', '4000000000000002', 'fraud', []],
  ['new | failed authentication | rejected', simulated('10', '923'), 'rejected', []],
  ['new | no final answer; a reversal is queued | error', simulated('10', '911'), 'error', ['error']],
] as const) {
  test(`"${row}", on the payment page; "the final status is reached before the payer leaves"`, async () => {
    await shop.withSettings({ page_attempts: 1 }, async () => {
      const created = await shop.create();
      const { id } = orderOf(created);
      const page = await openPage(created.headers.get('location') as string);
      assert.equal((await page.post(typed(pan, { month: '11', year: '2031' }))).status, 303);
      const order = await shop.get(id);
      assert.equal(order.status, status);
      assert.deepEqual(
        order.operations.map((operation: Op) => operation.status),
        operations,
      );
      await shop.advance('1h');
      await shop.booksHold();
    });
  });
}

test('complete needs PaRes, complete3d20 and resume take nothing; what was never prepared has nothing to complete', async () => {
  const { id } = await shop.prepared();
  assert.deepEqual(uris(await shop.post(id, 'complete')), ['#/PaRes']);
  assert.deepEqual(uris(await shop.post(id, 'complete', { PaRes: 5, pares: 'x' })), ['#/PaRes', '#/pares']);
  for (const way of ['complete3d20', 'resume']) {
    assert.deepEqual(uris(await shop.post(id, way, { amount: 1 })), ['#/amount'], way);
    // The cardholder is still at his bank.
    assert.deepEqual(refusedAs(await shop.post(id, way)), [402, 'rejected', false], way);
  }
  assert.equal((await shop.get(id)).status, 'prepared');
  for (const status of ['new', 'authorized', 'declined', 'credited']) {
    const other = (await MAKE[status]?.()) as string;
    for (const way of ['complete', 'complete3d20', 'resume'])
      assert.deepEqual(
        refusedAs(await shop.post(other, way, way === 'complete' ? { PaRes: 'x' } : {})),
        [402, 'rejected', false],
        `${status} ${way}`,
      );
  }
});

test('"Partial charge: a smaller amount charges that and releases the rest at once"', async () => {
  const { id } = await shop.authorized();
  const charged = orderOf(await shop.act(id, 'charge', { amount: 0.5 }));
  assert.deepEqual([charged.amount, charged.amount_charged, charged.status], ['12.50', '0.50', 'charged']);
  assert.deepEqual(told(charged), [
    ['authorize', 'success', '12.50'],
    ['charge', 'success', '0.50'],
  ]);
  assert.equal(charged.operations[1].cashflow.amount, '0.50');
  assert.deepEqual(refusedAs(await shop.act(id, 'refund', { amount: '0.51' })), [402, 'rejected', false]);
  assert.equal(orderOf(await shop.act(id, 'refund', { amount: 0.5 })).status, 'refunded');
  await shop.booksHold();
});

test('amounts of charge, refund and cancel: JSON number or decimal string; "a negative amount, zero, or three decimals: 422"', async () => {
  // NaN is null in JSON: somebody's sum went wrong, and all of it would be moved.
  for (const action of ['charge', 'refund', 'cancel'])
    for (const amount of [0, '0.00', -1, '-1', 1.001, '1.001', '1e1', 'x', true, [], {}, '', null, Number.NaN]) {
      const { id, status } = action === 'charge' ? await shop.authorized() : await shop.charged();
      assert.deepEqual(uris(await shop.act(id, action, { amount })), ['#/amount'], JSON.stringify([action, amount]));
      assert.equal((await shop.get(id)).status, status);
    }
  const { id: parent } = await shop.charged();
  const nothing = (path: string) => florin.merchant('POST', `/gateway/orders/${path}`, { amount: null, location });
  for (const path of ['create', 'authorize', `${parent}/rebill`, `${parent}/credit`])
    assert.ok(uris(await nothing(path)).includes('#/amount'), path);
  const yen = await shop.charged({ amount: 1000, currency: 'JPY' });
  assert.deepEqual(uris(await shop.act(yen.id, 'refund', { amount: '0.5' })), ['#/amount']);
  assert.equal(orderOf(await shop.act(yen.id, 'refund', { amount: '400' })).amount_refunded, '400.00');
  const { id } = await shop.authorized();
  assert.deepEqual(uris(await shop.act(id, 'reverse', { amount: 1 })), ['#/amount'], 'reverse: "No parameters"');
});

test('cancel with an amount: "before charge a reverse, after charge and before settlement a void, after settlement a refund"', async () => {
  const held = await shop.authorized();
  assert.deepEqual(refusedAs(await shop.act(held.id, 'cancel', { amount: 1 })), [402, 'rejected', false]);
  assert.equal(orderOf(await shop.post(held.id, 'cancel', { amount: '12.50' })).status, 'reversed');
  const voided = orderOf(await shop.post((await shop.charged()).id, 'cancel'));
  assert.deepEqual([voided.status, voided.amount_charged, voided.amount_refunded], ['reversed', '0.00', '0.00']);
  assert.deepEqual(told(voided).at(-1), ['reverse', 'success', '12.50']);
  const { id } = await shop.charged();
  await shop.advance('2d');
  const part = orderOf(await shop.act(id, 'cancel', { amount: '2.50' }));
  assert.deepEqual([part.status, part.amount_refunded], ['charged', '2.50']);
  assert.deepEqual(told(part).at(-1), ['refund', 'success', '2.50']);
  assert.deepEqual(refusedAs(await shop.act(id, 'cancel', { amount: '10.01' })), [402, 'rejected', false]);
  const rest = orderOf(await shop.act(id, 'cancel'));
  assert.deepEqual([rest.status, told(rest).at(-1)], ['refunded', ['refund', 'success', '10.00']]);
  await shop.booksHold();
});

test('an issuer that says no to a charge, reverse or refund: 402 declined, operation failure, the status stays', async () => {
  for (const [digits, action, status] of [
    ['20', 'charge', 'authorized'],
    ['30', 'reverse', 'authorized'],
    ['40', 'refund', 'charged'],
  ] as const) {
    const pan = simulated(digits, '005');
    const { id } = status === 'charged' ? await shop.charged({ pan }) : await shop.authorized({ pan });
    const reply = await shop.act(id, action);
    assert.deepEqual([...refusedAs(reply), reply.body.order_id], [402, 'declined', false, null], action);
    const after = await shop.get(id);
    assert.deepEqual([after.status, 'failure_type' in after], [status, false]);
    const last = after.operations.at(-1);
    assert.deepEqual([last.type, last.status, last.iso_response_code, last.auth_code], [action, 'failure', '05', '']);
  }
  await shop.booksHold();
});

test('POST /orders/:id/rebill: "new order, merchant-initiated, with the card of the parent order and its network transaction id"', async () => {
  const parent = await shop.charged({ client: { name: 'Parent' }, custom_fields: { p: '1' } });
  const whole = {
    amount: '5.10',
    currency: 'USD',
    cvv: '123',
    location,
    options: { recurring: 1 },
    client: { name: 'Ada' },
    custom_fields: { k: 'v' },
    extra_fields: { merchant: 'AGAIN' },
  };
  const made = orderOf(await shop.post(parent.id, 'rebill', whole));
  assert.notEqual(made.id, parent.id);
  assert.deepEqual(
    [made.status, made.amount, made.currency, made.pan, made.card, made.client, made.custom_fields, made.descriptor],
    ['authorized', '5.10', 'USD', parent.pan, parent.card, { name: 'Ada' }, { k: 'v' }, 'AGAIN'],
  );
  assert.deepEqual(told(made), [['authorize', 'success', '5.10']]);
  const [operation] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
  const days = (Date.parse(`${operation.extra.authorization_expires}Z`) - Date.parse(`${made.created}Z`)) / 86_400_000;
  assert.equal(Math.round(days), 5, '"7 days (5 for merchant-initiated)"');
  assert.equal((await shop.post(parent.id, 'rebill', { amount: 5, location, card: { cvv: '123' } })).status, 200);
  const least = orderOf(await shop.post(parent.id, 'rebill', { amount: 5, location }));
  assert.deepEqual(
    [least.currency, least.client, least.custom_fields],
    ['EUR', {}, {}],
    'nothing is taken over but the card',
  );
  assert.deepEqual(uris(await shop.post(parent.id, 'rebill')), ['#/amount', '#/location']);
  assert.deepEqual(uris(await shop.post(parent.id, 'rebill', { ...whole, pan: '4111111111111111', card: CARD })), [
    '#/card/expiration_month',
    '#/card/expiration_year',
    '#/card/holder',
    '#/pan',
  ]);
  assert.equal((await shop.get(parent.id)).amount, '12.50');
});

test('rebill and credit by the issuer’s answer: 402 declined, an order of its own; from an order without an approved card: 402 rejected', async () => {
  const rebilled = await shop.authorized({ pan: simulated('60', '051') });
  const refused = await shop.post(rebilled.id, 'rebill', { amount: 5, location });
  assert.deepEqual(refusedAs(refused), [402, 'declined', true]);
  assert.notEqual(refused.body.order_id, rebilled.id);
  const paid = await shop.charged({ pan: simulated('50', '005') });
  const credit = await shop.post(paid.id, 'credit', { amount: 5, location });
  assert.deepEqual(refusedAs(credit), [402, 'declined', true]);
  assert.deepEqual(told(await shop.get(credit.body.order_id)), [['credit', 'failure', '5.00']]);
  for (const status of ['new', 'prepared', 'declined', 'fraud', 'rejected', 'error', 'chargedback'])
    for (const action of ['rebill', 'credit']) {
      const reply = await shop.post((await MAKE[status]?.()) as string, action, { amount: 5, location });
      assert.deepEqual(refusedAs(reply).slice(0, 2), [402, 'rejected'], `${action} of ${status}`);
    }
});

test('POST /orders/:id/credit "payout to the card of that order (linked)"; /orders/credit "payout to a card (unlinked)"', async () => {
  const { id } = await shop.charged();
  const parent = await shop.get(id);
  const linked = orderOf(await shop.post(parent.id, 'credit', { amount: 20.5, currency: 'USD', location }));
  assert.notEqual(linked.id, parent.id);
  assert.deepEqual(
    [linked.status, linked.amount, linked.currency, linked.pan, linked.amount_charged, linked.amount_refunded],
    ['credited', '20.50', 'USD', parent.pan, '0.00', '0.00'],
  );
  assert.deepEqual(told(linked), [['credit', 'success', '20.50']]);
  assert.deepEqual(await shop.get(id), parent, 'the parent stays as it is');
  assert.deepEqual(uris(await shop.post(parent.id, 'credit')), ['#/amount', '#/location']);
  assert.deepEqual(uris(await shop.post(parent.id, 'credit', { amount: 0, location: {}, pan: '1' })), [
    '#/amount',
    '#/location/ip',
    '#/pan',
  ]);
  const post = (body: unknown) => florin.merchant('POST', '/gateway/orders/credit', body);
  await shop.withSettings({ unlinked_credit: true }, async () => {
    const pan = '2222400060000007';
    assert.deepEqual(uris(await post({})), ['#/amount', '#/pan']);
    assert.deepEqual(uris(await post({ amount: 1, pan: '2222400060000008' })), ['#/pan']);
    for (const fields of [
      {},
      { currency: 'GBP' },
      { card: { expiration_month: 1, expiration_year: 31, holder: 'Ada E' } },
    ]) {
      const made = orderOf(await post({ amount: '3.01', pan, ...fields }));
      assert.deepEqual([made.status, made.amount, made.pan], ['credited', '3.01', '222240******0007']);
    }
    assert.deepEqual(refusedAs(await post({ amount: 1, pan: simulated('50', '057') })), [402, 'declined', true]);
  });
  await shop.booksHold();
});

test('"charged, refunded in part | chargeback | chargedback"; "chargeback | representment won | charged"', async () => {
  const { id } = await shop.charged();
  await shop.act(id, 'refund', { amount: 2 });
  await shop.arrives(id, 'chargeback');
  const disputed = await shop.get(id);
  assert.deepEqual(
    [disputed.status, disputed.amount_charged, disputed.amount_refunded],
    ['chargedback', '12.50', '2.00'],
  );
  assert.deepEqual(told(disputed).at(-1), ['chargeback', 'success', '10.50'], 'what was left of the charge');
  assert.deepEqual(
    refusedAs(await shop.act(id, 'refund', { amount: 1 })),
    [402, 'rejected', false],
    'charged back counts',
  );
  await shop.arrives(id, 'representment');
  const won = await shop.get(id, 'operations.cashflow');
  assert.deepEqual([won.status, told(won).at(-1)], ['charged', ['representment', 'success', '10.50']]);
  assert.equal(orderOf(await shop.act(id, 'refund')).status, 'refunded');
  for (const outcome of ['930', '931']) {
    const settled = await shop.charged({ pan: simulated('70', outcome) });
    assert.equal((await shop.get(settled.id)).status, 'charged', 'not before settlement');
    await shop.advance('3d');
    assert.equal((await shop.get(settled.id)).status, 'chargedback', outcome);
  }
  await shop.booksHold();
});

test('"arn on charge and refund operations once cleared: 23 digits, check digit right"', async () => {
  const { id } = await shop.charged();
  await shop.act(id, 'refund', { amount: 1 });
  const arns = async () => (await shop.get(id)).operations.map(({ arn }: { arn?: string }) => arn);
  assert.deepEqual(await arns(), [undefined, undefined, undefined]);
  await shop.advance('2d');
  await shop.act(id, 'refund', { amount: 2 });
  const [authorize, charge, refund, later] = await arns();
  assert.deepEqual([authorize, later], [undefined, undefined]);
  for (const arn of [charge, refund]) {
    assert.match(arn, /^\d{23}$/);
    assert.ok(isLuhn(arn), arn);
  }
  assert.notEqual(charge, refund);
  const listed = (await shop.list('operations/?type=charge')).body.operations.find(
    ({ order_id }: Op) => order_id === id,
  );
  assert.equal(listed.arn, charge);
});

/** What the table of the document says an operation's group does: amount, incoming, fee, reserve, receivable. */
const flowOf = (cashflow: Record<string, string>) =>
  ['amount', 'incoming', 'fee', 'reserve', 'receivable'].map((name) => cashflow[name]);

test('Cashflow: the table of operations, fees "by the project’s pricing plan (per card type and country)", from one source', async () => {
  const rules = [
    { operation: 'charge', percent: '2.9', fixed: '0.30' },
    { operation: 'charge', card_type: 'mastercard', percent: '1', fixed: '0', max: '0.50' },
    { operation: 'charge', country: 'IRL', percent: '1', fixed: '0', min: '4.00' },
    ...Object.entries({ authorize: '0.05', reverse: '0.07', refund: '0.25', chargeback: '15' }).map(
      ([operation, fixed]) => ({ operation, percent: '0', fixed }),
    ),
  ];
  const plan = { rules, reserve: { percent: '5', days: 30 } };
  assert.equal((await florin.operator('PUT', '/operator/projects/sandbox-two/pricing', plan)).status, 200);
  const two = shopOf({ ...florin, merchant: florin.stranger });
  const { id } = await two.authorized({ amount: 100 });
  const charged = orderOf(await two.act(id, 'charge')).operations[1].cashflow;
  await two.act(id, 'refund', { amount: 40 });
  await two.arrives(id, 'chargeback');
  const reversed = await two.authorized({ amount: 100 });
  await two.act(reversed.id, 'reverse');
  const flows = async (order: string) =>
    (await two.get(order, 'operations.cashflow')).operations.map(({ type, cashflow }: Op) => [
      type,
      ...flowOf(cashflow as Record<string, string>),
    ]);
  const authorize = ['authorize', '100.00', '0.00', '0.05', '0.00', '-0.05'];
  assert.deepEqual(await flows(id), [
    authorize,
    ['charge', '100.00', '100.00', '3.20', '5.00', '91.80'],
    ['refund', '40.00', '0.00', '0.25', '0.00', '-40.25'],
    ['chargeback', '60.00', '0.00', '15.00', '0.00', '-75.00'],
  ]);
  assert.deepEqual(await flows(reversed.id), [authorize, ['reverse', '100.00', '0.00', '0.07', '0.00', '-0.07']]);
  const feeOf = async (pan: string) =>
    orderOf(await two.act((await two.authorized({ pan })).id, 'charge')).operations[1].cashflow.fee;
  assert.deepEqual([await feeOf('2222400060000007'), await feeOf('4242424242424242')], ['0.12', '4.00']);
  const listed = (await two.list('operations/?type=charge&expand=cashflow')).body.operations;
  assert.deepEqual(listed.find(({ order_id }: Op) => order_id === id).cashflow, charged);
  assert.equal(charged.currency, 'EUR');
  await two.booksHold();
});

test('"Order: created descending, id descending"; operations carry order_id and the fields of their table; expand=extra has its names', async () => {
  const { id } = await shop.charged();
  const refused = (await shop.authorize({ pan: simulated('10', '051') })).body.order_id;
  const rows = (await shop.list('operations/?per_page=3&expand=extra')).body.operations;
  assert.deepEqual(
    rows.map(({ order_id, type }: Op) => [order_id, type]),
    [
      [refused, 'authorize'],
      [id, 'charge'],
      [id, 'authorize'],
    ],
  );
  const base = ['type', 'status', 'amount', 'currency', 'auth_code', 'iso_message', 'iso_response_code', 'created'];
  const names =
    'rrn stan network network_transaction_id eci cvv_result avs_result authentication decline_category terminal authorization_expires';
  for (const { extra, ...rest } of rows) {
    assert.deepEqual(Object.keys(rest).sort(), [...base, 'order_id'].sort());
    assert.deepEqual(Object.keys(extra).sort(), names.split(' ').sort());
    assert.match(extra.rrn, /^\d{12}$/);
    assert.match(extra.stan, /^\d{6}$/);
    assert.deepEqual([extra.network, extra.terminal], ['visa', '1']);
  }
  const [failed, , approved] = rows;
  assert.deepEqual([failed.extra.decline_category, failed.extra.authorization_expires], ['later', null]);
  assert.deepEqual([approved.extra.decline_category, approved.extra.cvv_result], [null, 'M']);
  const days = Date.parse(`${approved.extra.authorization_expires}Z`) - Date.parse(`${approved.created}Z`);
  assert.equal(Math.round(days / 86_400_000), 7, 'authorization_expires');
  await shop.authorize({ pan: simulated('10', '922') });
  const [attempt] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
  assert.deepEqual([attempt.extra.eci, attempt.extra.authentication.letter], ['06', 'A']);
  assert.deepEqual(Object.keys(attempt.extra.authentication).sort(), ['exemption', 'letter', 'version']);
  assert.deepEqual(uris(await shop.list('operations/?expand=extra,colour')), ['#/expand']);
});

test('operations list: "status, type (comma-separated, for example charge,refund), created_from, created_to"', async () => {
  const found = async (query: string) => (await shop.list(`operations/?${query}`)).body.operations as Op[];
  for (const [query, field, values] of [
    ['type=charge,refund', 'type', ['charge', 'refund']],
    ['type=reverse,credit,chargeback,representment', 'type', ['reverse', 'credit', 'chargeback', 'representment']],
    ['status=failure,error', 'status', ['failure', 'error']],
    ['status=success', 'status', ['success']],
  ] as const)
    assert.deepEqual(new Set((await found(query)).map((row) => row[field])), new Set(values), query);
  const all = await found('');
  const [newest] = all as [Op];
  const oldest = all.at(-1) as Op;
  assert.equal((await found(`created_from=${oldest.created}&created_to=${newest.created}`)).length, all.length);
  assert.deepEqual(
    await found(`created_from=${newest.created}`),
    all.filter(({ created }) => created === newest.created),
  );
  assert.deepEqual(
    await found(`created_to=${oldest.created}`),
    all.filter(({ created }) => created === oldest.created),
  );
  assert.deepEqual(await found('type=charge&status=failure&created_to=2001-01-01 00:00:00'), []);
});

/** The addresses of a Link field by their relation. */
const linksOf = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url = '', rel = '']) => [
      rel,
      url.slice(florin.url.length),
    ]),
  );

for (const name of ['orders', 'operations'])
  test(`${name}: "header Link (RFC 8288) with first, prev, next and an opaque after key; X-Total-Count on request"`, async () => {
    const status = name === 'orders' ? 'charged' : 'success';
    const first = await shop.list(`${name}/?per_page=2&count=1&status=${status}`);
    const rows = (reply: Reply) => reply.body[name] as unknown[];
    assert.deepEqual(Object.keys(linksOf(first)), ['first', 'next']);
    const walk = [first];
    for (let next = linksOf(first).next; next && walk.length < 4; next = linksOf(walk.at(-1) as Reply).next)
      walk.push(await florin.merchant('GET', next));
    const [, second, third] = walk as [Reply, Reply, Reply];
    assert.deepEqual(Object.keys(linksOf(second)), ['first', 'prev', 'next']);
    const whole = rows(await shop.list(`${name}/?status=${status}`));
    assert.deepEqual(walk.slice(0, 3).flatMap(rows), whole.slice(0, 6));
    for (const page of walk) assert.equal(page.headers.get('x-total-count'), String(whole.length));
    // A link keeps the filters, and each leads where it says.
    for (const [from, rel, to] of [
      [second, 'first', first],
      [second, 'prev', first],
      [third, 'prev', second],
      [third, 'first', first],
    ] as const) {
      const reply = await florin.merchant('GET', linksOf(from)[rel] as string);
      assert.deepEqual(rows(reply), rows(to), rel);
      assert.equal(linksOf(reply).next, linksOf(to).next, rel);
    }
    assert.deepEqual(Object.keys(linksOf(await shop.list(`${name}/?per_page=2000`))), ['first']);
    assert.equal((await shop.list(`${name}/`)).headers.has('x-total-count'), false);
    for (const wrong of ['per_page=0', 'per_page=2001', 'per_page=x', 'after=x', 'after=W10', 'count=2'])
      assert.deepEqual(uris(await shop.list(`${name}/?${wrong}`)), [`#/${wrong.split('=')[0]}`]);
  });

test('exchange rates: "nothing given: the latest rate of each pair"; date, period, from, to; "date with either: 422"', async () => {
  const rate = (day: string, text: string) => ({ from: 'EUR', to: 'USD', rate: text, day });
  const days = [rate('2026-01-05', '1.1'), rate('2026-01-06', '1.2'), rate('2026-01-07', '1.25')];
  assert.equal((await florin.operator('POST', '/operator/rates', { rates: days, source: 'treasury' })).status, 200);
  const found = async (query: string) => {
    const reply = await shop.list(`exchange_rates/?${query}`);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(Object.keys(reply.body), ['exchange_rates']);
    return reply.body.exchange_rates as { from: string; to: string; rate: string; date: string }[];
  };
  const latest = await found('');
  const pairs = latest.map(({ from, to }) => `${from}${to}`);
  assert.equal(new Set(pairs).size, pairs.length, 'one row a pair');
  for (const row of latest) {
    assert.deepEqual(Object.keys(row), ['from', 'to', 'rate', 'date']);
    assert.match(row.rate, /^\d+\.\d{6}$/);
    assert.ok(pairs.includes(`${row.to}${row.from}`), 'the inverse is a row of its own');
  }
  const usd = (text: string, date: string) => ({ from: 'EUR', to: 'USD', rate: text, date });
  const [given, inverse] = [
    usd('1.200000', '2026-01-06'),
    { from: 'USD', to: 'EUR', rate: '0.833333', date: '2026-01-06' },
  ];
  assert.deepEqual(await found('date=2026-01-06'), [given, inverse]);
  assert.deepEqual(await found('date=2026-01-06&from=USD'), [inverse]);
  assert.deepEqual(await found('date=2026-01-04'), []);
  const three = [usd('1.250000', '2026-01-07'), given, usd('1.100000', '2026-01-05')];
  assert.deepEqual(await found('date_from=2026-01-05&date_to=2026-01-07&to=USD'), three);
  assert.deepEqual(await found('created_from=2026-01-05 00:00:00&created_to=2026-01-07 23:59:59&to=USD'), three);
  await shop.withSettings({ time_zone: 'Asia/Tokyo' }, async () => {
    const day = 'created_from=2026-01-06 00:00:00&created_to=2026-01-06 23:59:59';
    assert.deepEqual(await found(`${day}&to=USD`), [given], 'days are days in every zone');
  });
  assert.deepEqual(await found('date_to=2026-01-05&from=EUR'), three.slice(2));
  assert.deepEqual((await found('date_from=2026-01-06&from=EUR&to=USD')).slice(-2), three.slice(0, 2));
  assert.deepEqual(
    await found('from=JPY&to=GBP'),
    latest.filter(({ from, to }) => from === 'JPY' && to === 'GBP'),
  );
  assert.equal(
    (await found('expand=cashflow&status=success&type=charge')).length,
    latest.length,
    'listed, without meaning',
  );
  for (const period of [
    'date_from=2026-01-05',
    'date_to=2026-01-05',
    'created_from=2026-01-05 00:00:00',
    'created_to=2026-01-05 00:00:00',
  ])
    assert.deepEqual(uris(await shop.list(`exchange_rates/?date=2026-01-05&${period}`)), ['#/date'], period);
  for (const wrong of ['date=2026-02-30', 'date_from=05.01.2026', 'date_to=2026-01', 'from=EURO', 'to=usd'])
    assert.deepEqual(uris(await shop.list(`exchange_rates/?${wrong}`)), [`#/${wrong.split('=')[0]}`]);
});

test('"Page size 2000 by default and at most"', async () => {
  for (let made = 0; made < 2050; made += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => florin.stranger('POST', '/gateway/orders/create', { amount: 1 })),
    );
  const first = await florin.stranger('GET', '/gateway/orders/?status=new');
  assert.equal(first.body.orders.length, 2000);
  const rest = await florin.stranger('GET', linksOf(first).next as string);
  assert.equal(rest.body.orders.length, 50);
  assert.equal(linksOf(rest).next, undefined);
});
