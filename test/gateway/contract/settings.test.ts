// docs/contract/gateway.md: every sentence that says what a project's or terminal's setting does, over HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CARD, simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const dates = { expiration_month: 12, expiration_year: 2030 };

test('"The cvv and holder may be configured as optional in project settings"', async () => {
  const { holder, cvv } = CARD;
  const without = () => shop.authorize({ card: dates });
  assert.deepEqual(uris(await without()), ['#/card/cvv', '#/card/holder']);
  await shop.withSettings({ cvv_required: false }, async () => {
    assert.deepEqual(uris(await without()), ['#/card/holder']);
    assert.equal((await shop.authorize({ card: { ...dates, holder } })).status, 200);
  });
  await shop.withSettings({ holder_required: false }, async () => {
    assert.deepEqual(uris(await without()), ['#/card/cvv']);
    const reply = await shop.authorize({ card: { ...dates, cvv } });
    assert.deepEqual(orderOf(reply).card, { subtype: 'classic', type: 'visa' });
  });
  await shop.withSettings({ cvv_required: false, holder_required: false }, async () => {
    assert.equal((await without()).status, 200);
    // What is optional is still checked when it is there.
    assert.deepEqual(uris(await shop.authorize({ card: { ...dates, cvv: '12', holder: 'A' } })), [
      '#/card/cvv',
      '#/card/holder',
    ]);
  });
});

test('"Date-times carry no zone: they are UTC, unless a project’s time_zone setting says otherwise"', async () => {
  const made = await shop.charged();
  await florin.operator('POST', '/simulator/clock/freeze', {});
  const utc = await shop.get(made.id);
  const hours = (later: string, earlier: string) => (Date.parse(`${later}Z`) - Date.parse(`${earlier}Z`)) / 3_600_000;
  await shop.withSettings({ time_zone: 'Asia/Tokyo' }, async () => {
    const tokyo = await shop.get(made.id);
    for (const [name, here, there] of [
      ['created', tokyo.created, utc.created],
      ['updated', tokyo.updated, utc.updated],
      ['operation', tokyo.operations[0].created, utc.operations[0].created],
    ])
      assert.equal(hours(here, there), 9, name);
    const list = (query: string) => florin.merchant('GET', `/gateway/orders/?${query}`);
    const found = async (query: string) =>
      (await list(query)).body.orders.some(({ id }: { id: string }) => id === made.id);
    assert.equal(await found(`created_from=${tokyo.created}&created_to=${tokyo.created}`), true);
    assert.equal(await found(`created_to=${utc.created}`), false, 'read in the zone, the same words are earlier');
    const ping = (await florin.merchant('GET', '/gateway/ping')).body.date;
    assert.ok(Math.abs(hours(ping, (await florin.stranger('GET', '/gateway/ping')).body.date) - 9) < 0.01);
  });
});

for (const [handling, byIssuer, forced] of [
  ['authorize', 200, 200],
  ['reject_when_forced', 200, 402],
  ['reject', 402, 402],
] as const) {
  test(`"U: project setting (refuse when forced)": ${handling}`, async () => {
    await shop.withSettings({ unable_to_authenticate: handling }, async () => {
      for (const [options, status] of [
        [{}, byIssuer],
        [{ force3d: 1 }, forced],
      ] as const) {
        const reply = await shop.authorize({ pan: simulated('10', '925'), options });
        assert.equal(reply.status, status, reply.text);
        const made = await shop.get(reply.body.order_id ?? orderOf(reply).id, 'secure3d');
        assert.equal(made.secure3d.authorization_status, 'U');
        assert.equal(made.status, status === 200 ? 'authorized' : 'rejected');
        assert.equal(made.operations.length, status === 200 ? 1 : 0, 'a refusal sends nothing');
      }
    });
  });
}

test('4276990011343663: "declined without 3-D Secure; with it the unable to verify enrolment scenario"', async () => {
  const pan = '4276990011343663';
  assert.deepEqual(refusedAs(await shop.authorize({ pan })), [402, 'declined', true]);
  await shop.withSettings({ unable_to_authenticate: 'authorize' }, async () => {
    const reply = await shop.authorize({ pan, options: { force3d: 1 } });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(orderOf(reply).secure3d, {
      reason: 'forced',
      scenario: 'unable_to_verify',
      authorization_status: 'U',
    });
  });
});

test('4276838748917319: "not enrolled scenario"', async () => {
  const reply = await shop.authorize({ pan: '4276838748917319', options: { force3d: 1 } });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(orderOf(reply).secure3d.scenario, 'not_enrolled');
});

test('"payout to a card (unlinked), off unless the project allows it"', async () => {
  const credit = () => florin.merchant('POST', '/gateway/orders/credit', { amount: 2, pan: '4111111111111111' });
  assert.deepEqual(refusedAs(await credit()), [402, 'rejected', false]);
  await shop.withSettings({ unlinked_credit: true }, async () => {
    const reply = await credit();
    assert.equal(reply.status, 200, reply.text);
    assert.equal(orderOf(reply).status, 'credited');
  });
  assert.equal((await credit()).status, 402);
});

test('"trace_id on operations when the project has it on"', async () => {
  const { id } = await shop.charged();
  const traces = async () => (await shop.get(id)).operations.map((operation: object) => 'trace_id' in operation);
  const listed = async () =>
    (await florin.merchant('GET', '/gateway/operations/?per_page=2')).body.operations.map(
      ({ trace_id }: { trace_id?: string }) => trace_id,
    );
  assert.deepEqual(await traces(), [false, false]);
  assert.deepEqual(await listed(), [undefined, undefined]);
  await shop.withSettings({ trace_id: true }, async () => {
    assert.equal((await traces())[0], true);
    assert.match((await shop.get(id)).operations[0].trace_id, /^\w+$/);
    assert.ok((await listed()).some((trace: string | undefined) => trace !== undefined));
  });
});

test('"Unknown filter names: ignored unless the project is set to strict, then 422"', async () => {
  const lists = ['orders', 'operations', 'exchange_rates'].map((name) => `/gateway/${name}/?colour=red`);
  for (const list of lists) assert.equal((await florin.merchant('GET', list)).status, 200, list);
  await shop.withSettings({ strict_filters: true }, async () => {
    for (const list of lists) assert.deepEqual(uris(await florin.merchant('GET', list)), ['#/colour'], list);
  });
});

test('"bad date-times: 422" in every list, with the filter’s pointer', async () => {
  for (const bad of ['2026-02-30 00:00:00', '2026-01-01', '2026-01-01T00:00:00Z', 'yesterday', '2026-01-01 24:00:00'])
    for (const name of ['orders', 'operations', 'exchange_rates'])
      for (const filter of ['created_from', 'created_to'])
        assert.deepEqual(
          uris(await florin.merchant('GET', `/gateway/${name}/?${filter}=${encodeURIComponent(bad)}`)),
          [`#/${filter}`],
          `${name} ${bad}`,
        );
});

test('unique_merchant_order_id: "the same id and content return the first order, and with other content 402 rejected"', async () => {
  const twice = { merchant_order_id: 'U-0' };
  assert.notEqual((await shop.authorized(twice)).id, (await shop.authorized(twice)).id, 'off by default');
  await shop.withSettings({ unique_merchant_order_id: true }, async () => {
    const first = await shop.authorized({ merchant_order_id: 'U-1' });
    const again = await shop.authorized({ merchant_order_id: 'U-1' });
    assert.equal(again.id, first.id);
    assert.equal(again.operations.length, 1);
    for (const other of [{ amount: 13 }, { pan: '2222400060000007' }, { description: 'other' }]) {
      const reply = await shop.authorize({ merchant_order_id: 'U-1', ...other });
      assert.deepEqual(refusedAs(reply).slice(0, 2), [402, 'rejected'], JSON.stringify(other));
    }
    const created = orderOf(await shop.create({ merchant_order_id: 'U-2' }));
    assert.equal(orderOf(await shop.create({ merchant_order_id: 'U-2' })).id, created.id);
    assert.deepEqual(refusedAs(await shop.create({ merchant_order_id: 'U-2', amount: 6 })).slice(0, 2), [
      402,
      'rejected',
    ]);
    const all = await Promise.all(Array.from({ length: 10 }, () => shop.authorize({ merchant_order_id: 'U-3' })));
    const paid = all.filter(({ status }) => status === 200).map(orderOf);
    const [only] = (await florin.merchant('GET', '/gateway/orders/?merchant_order_id=U-3')).body.orders;
    for (const { id, status } of paid)
      assert.deepEqual([id, status], [only.id, 'authorized'], '200 is a payment that is done');
    for (const reply of all.filter(({ status }) => status !== 200))
      assert.deepEqual([...refusedAs(reply).slice(0, 2), reply.body.order_id], [500, 'error', only.id]);
  });
});

test('unique_merchant_order_id: the first order comes with what goes on with it, "201; Location" and "prepared with form3d"', async () => {
  await shop.withSettings({ unique_merchant_order_id: true }, async () => {
    const [made, again] = [
      await shop.create({ merchant_order_id: 'U-4' }),
      await shop.create({ merchant_order_id: 'U-4' }),
    ];
    assert.deepEqual([again.status, again.headers.get('location')], [201, made.headers.get('location')]);
    await shop.act(orderOf(made).id, 'cancel');
    assert.deepEqual(refusedAs(await shop.create({ merchant_order_id: 'U-4' })).slice(0, 2), [402, 'rejected']);
    const challenged = { merchant_order_id: 'U-5', pan: simulated('10', '920') };
    const [asked, repeated] = [await shop.authorize(challenged), await shop.authorize(challenged)];
    assert.deepEqual([repeated.status, orderOf(repeated)], [201, orderOf(asked)]);
  });
});

test('multicapture: "more charges up to the authorized amount; reverse then releases the rest and the status stays charged"', async () => {
  await shop.terminal('several', { multicapture: true });
  const { id } = await shop.authorized({ amount: 10, options: { terminal: 'several' } });
  for (const [amount, total] of [
    [3, '3.00'],
    ['4.50', '7.50'],
  ] as const) {
    const charged = orderOf(await shop.act(id, 'charge', { amount }));
    assert.deepEqual([charged.status, charged.amount_charged], ['charged', total]);
  }
  assert.deepEqual(refusedAs(await shop.act(id, 'charge', { amount: '2.51' })), [402, 'rejected', false]);
  const reversed = orderOf(await shop.act(id, 'reverse'));
  assert.deepEqual([reversed.status, reversed.amount_charged], ['charged', '7.50']);
  assert.deepEqual(
    reversed.operations.map(({ type, amount }: { type: string; amount: string }) => [type, amount]),
    [
      ['authorize', '10.00'],
      ['charge', '3.00'],
      ['charge', '4.50'],
      ['reverse', '2.50'],
    ],
  );
  assert.deepEqual(refusedAs(await shop.act(id, 'charge', { amount: 1 })), [402, 'rejected', false]);
  assert.deepEqual(refusedAs(await shop.act(id, 'reverse')), [402, 'rejected', false]);
  assert.equal(orderOf(await shop.act(id, 'refund')).amount_refunded, '7.50');
  const whole = await shop.authorized({ amount: 10, options: { terminal: 'several' } });
  await shop.act(whole.id, 'charge', { amount: 4 });
  assert.equal(orderOf(await shop.act(whole.id, 'charge')).amount_charged, '10.00', 'no amount: what is left');
  await shop.booksHold();
});

test('"one successful charge an order" where the terminal does not allow more, "and releases the rest at once"', async () => {
  const { id } = await shop.authorized({ amount: 10 });
  assert.equal(orderOf(await shop.act(id, 'charge', { amount: 4 })).status, 'charged');
  assert.deepEqual(refusedAs(await shop.act(id, 'charge', { amount: 1 })), [402, 'rejected', false]);
  assert.deepEqual(refusedAs(await shop.act(id, 'reverse')), [402, 'rejected', false]);
  await shop.booksHold();
});

test('"authorized | charge (… by the project’s capture delay) | charged", and not before it', async () => {
  await shop.withSettings({ capture_delay: '2h' }, async () => {
    const { id } = await shop.authorized();
    const released = await shop.authorized();
    await shop.act(released.id, 'reverse');
    await shop.advance('119m');
    assert.equal((await shop.get(id)).status, 'authorized');
    await shop.advance('2m');
    const later = await shop.get(id);
    assert.deepEqual([later.status, later.amount_charged], ['charged', '12.50']);
    assert.equal((await shop.get(released.id)).status, 'reversed');
  });
});

test('capture delay: an authorization that was made without it is left to the merchant', async () => {
  const { id } = await shop.authorized();
  await shop.advance('3h');
  assert.equal((await shop.get(id)).status, 'authorized');
});

test('"CVV 102 no match (82 when the terminal demands it)"', async () => {
  const card = { ...CARD, cvv: '102' };
  const { id } = await shop.authorized({ card });
  const [operation] = (await florin.merchant('GET', '/gateway/operations/?per_page=1&expand=extra')).body.operations;
  assert.equal(operation.order_id, id);
  assert.equal(operation.extra.cvv_result, 'N');
  await shop.terminal('exact', { cvv_must_match: true });
  const reply = await shop.authorize({ card, options: { terminal: 'exact' } });
  assert.deepEqual(refusedAs(reply), [402, 'declined', true]);
  assert.equal((await shop.get(reply.body.order_id)).operations[0].iso_response_code, '82');
});

test('"A project setting step_up_automatically (off) turns A1 into 201 with a form"', async () => {
  const pan = '4999991090100004';
  assert.deepEqual(refusedAs(await shop.authorize({ pan })), [402, 'declined', true]);
  await shop.withSettings({ step_up_automatically: true }, async () => {
    const reply = await shop.authorize({ pan });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(orderOf(reply).secure3d.reason, 'soft_decline');
  });
});

test('"static links must be enabled in the settings"', async () => {
  const options = { static_link: 1 };
  // Off by default; the sandbox's project has them on.
  await shop.withSettings({ static_links: false }, async () => {
    assert.deepEqual(refusedAs(await shop.create({ options })), [402, 'rejected', false]);
  });
  await shop.withSettings({ static_links: true }, async () => {
    assert.equal((await shop.create({ options })).status, 201);
  });
});

test('"Currencies with three decimals are refused when a project is configured"', async () => {
  const project = { login: 'three', name: 'Three', accounting_currency: 'KWD' };
  assert.equal((await florin.operator('POST', '/operator/projects', project)).status, 422);
  const terminal = { descriptor: 'X', currencies: ['KWD'], link: 'simulator', merchant_id: 'M', mcc: '5999' };
  assert.equal((await florin.operator('PUT', '/operator/projects/sandbox/terminals/three', terminal)).status, 422);
});

test('"scenario … exempt": a payment without its cardholder, of a card that would have wanted him', async () => {
  const recurring = {
    recurring_details: { indicator: 'U', trace_id: '123456789012345' },
    options: { exemption_mit: 1 },
  };
  const wanted = await shop.authorized({ pan: simulated('10', '920'), ...recurring });
  assert.deepEqual(wanted.secure3d, { reason: 'mandate', scenario: 'exempt' });
  assert.deepEqual((await shop.authorized(recurring)).secure3d, {}, 'a card that would not');
});
