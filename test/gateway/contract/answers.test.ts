// docs/contract/gateway.md#errors, #credentials-and-isolation, #statuses, #3-d-secure, #cashflow: what an answer says, and what it leaves
// out. A test's name is a sentence of the contract.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CARD, payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { challenge, orderOf, refusedAs, type Shop, shopOf, uris } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

const location = { ip: '192.0.2.9' };
const { cvv: _, ...WITHOUT_CVV } = CARD;

test('"Country codes are ISO 3166-1 alpha-3", wherever one is given', async () => {
  const extra = { merchant: 'SHOP' };
  for (const wrong of ['LV', 'Latvia', 'ZZZ', 'lva', 'XKX', '428', ' LVA', 'EUR'])
    for (const send of [shop.create, shop.authorize])
      assert.deepEqual(
        uris(
          await send({
            client: { country: wrong },
            location: { ...location, country: wrong },
            extra_fields: { ...extra, country: wrong },
          }),
        ),
        ['#/client/country', '#/extra_fields/country', '#/location/country'],
        wrong,
      );
  const { id } = await shop.authorized();
  for (const action of ['rebill', 'credit'])
    assert.deepEqual(uris(await shop.post(id, action, { amount: 1, location, client: { country: 'LV' } })), [
      '#/client/country',
    ]);
  const made = orderOf(await shop.create({ client: { country: 'LVA' }, location: { country: 'EST' } }));
  assert.deepEqual([made.client, made.location], [{ country: 'LVA' }, { country: 'EST' }]);
  // A shop whose customer named none.
  const nowhere = orderOf(await shop.create({ client: { country: '', name: 'A' }, location: { country: '' } }));
  assert.deepEqual([nowhere.client, nowhere.location], [{ name: 'A' }, {}]);
  const rule = (expression: string) =>
    florin.operator('PUT', '/operator/projects/sandbox/rules/countries', {
      class: 'country',
      expression,
      action: 'refuse',
      dry_run: true,
      active: true,
    });
  for (const right of ['card.country == "LVA"', 'ip.country in ["LVA", "EST"]', '"LVA" != client.country'])
    assert.ok((await rule(right)).status < 300, right);
  for (const wrong of ['card.country == "LV"', 'ip.country in ["LVA", "Estonia"]', '"ZZZ" != client.country'])
    assert.equal((await rule(wrong)).status, 422, wrong);
  const plan = { rules: [{ operation: 'charge', country: 'LV', percent: '1', fixed: '0' }] };
  assert.equal((await florin.operator('PUT', '/operator/projects/sandbox-two/pricing', plan)).status, 422);
  assert.equal((await florin.operator('DELETE', '/operator/projects/sandbox/rules/countries')).status, 204);
});

test('"unknown template: 422"', async () => {
  for (const send of [shop.create, shop.authorize]) {
    assert.deepEqual(uris(await send({ options: { template: 'autumn' } })), ['#/options/template']);
    assert.deepEqual(uris(await send({ amount: 'x', options: { template: 7, terminal: 'none' } })), [
      '#/amount',
      '#/options/template',
      '#/options/terminal',
    ]);
    for (const template of ['', 'default', null]) assert.ok((await send({ options: { template } })).status < 300);
  }
  const path = '/operator/projects/sandbox/templates/autumn';
  assert.ok((await florin.operator('PUT', path, { brand: '#663300' })).status < 300);
  assert.equal((await shop.create({ options: { template: 'autumn' } })).status, 201);
  const foreign = await florin.stranger('POST', '/gateway/orders/create', {
    amount: 1,
    options: { template: 'autumn' },
  });
  assert.deepEqual(uris(foreign), ['#/options/template'], 'another project’s is unknown');
});

test('eci 5 and 05 are one', async () => {
  let fill = 50;
  const external = (eci: unknown) => ({
    cavv: Buffer.alloc(20, fill++).toString('base64'),
    eci,
    ds_trans_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  });
  for (const [eci, letter] of [
    ['05', 'Y'],
    ['5', 'Y'],
    [5, 'Y'],
    [6, 'A'],
  ] as const) {
    const made = orderOf(await shop.authorize({ secure3d: external(eci) }));
    assert.equal(made.secure3d.authorization_status, letter, String(eci));
    const [{ extra }] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
    assert.equal(extra.eci, `0${Number(eci)}`);
  }
  const pan = '2222400060000007';
  assert.equal((await shop.authorize({ pan, secure3d: external('2') })).status, 200);
  for (const wrong of ['50', '055', 55, 'x'])
    assert.equal((await shop.authorize({ secure3d: external(wrong) })).status, 422);
});

test('"secure3d.reason (absent for an authentication done elsewhere)"', async () => {
  const secure3d = {
    cavv: Buffer.alloc(20, 1).toString('base64'),
    eci: '05',
    ds_trans_id: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  };
  const made = orderOf(await shop.authorize({ secure3d }));
  assert.deepEqual(made.secure3d, { scenario: 'external', authorization_status: 'Y' });
  assert.deepEqual((await shop.get(made.id, 'secure3d')).secure3d, made.secure3d);
});

test('"exemption_mit without an agreement that we know (parent order or trace id): 402 rejected on authorize, ignored on create"', async () => {
  const options = { exemption_mit: 1 };
  for (const recurring_details of [undefined, {}, { indicator: 'R' }]) {
    const refused = await shop.authorize({ card: WITHOUT_CVV, options, recurring_details });
    assert.deepEqual(refusedAs(refused), [402, 'rejected', true]);
    const order = await shop.get(refused.body.order_id);
    assert.deepEqual([order.status, order.operations], ['rejected', []], 'nothing was sent');
  }
  const parent = (await shop.authorized()).id;
  for (const recurring_details of [{ parent_order_id: parent }, { trace_id: '067294534318210' }]) {
    const made = orderOf(await shop.authorize({ card: WITHOUT_CVV, options, recurring_details }));
    assert.equal(made.status, 'authorized');
    const [{ extra }] = (await shop.list('operations/?per_page=1&expand=extra')).body.operations;
    assert.deepEqual(Object.values(extra.authentication), ['', null, 'mit']);
  }
  const created = await shop.create({ options });
  assert.equal(created.status, 201, created.text);
  // An empty or half agreement makes nobody a merchant who may do without the code on the card.
  for (const recurring_details of [{}, { indicator: 'R' }])
    assert.deepEqual(uris(await shop.authorize({ card: WITHOUT_CVV, recurring_details })), ['#/card/cvv']);
});

test('complete, complete3d20 and resume before the cardholder came back say so: 402 rejected, and the order goes on waiting', async () => {
  const messageOf = (reply: Reply): string => {
    assert.deepEqual(refusedAs(reply).slice(0, 2), [402, 'rejected'], reply.text);
    return reply.body.failure_message;
  };
  const ways = ['complete', 'complete3d20', 'resume'];
  const body = (way: string) => (way === 'complete' ? { PaRes: 'x' } : {});
  for (const pan of ['4111111111111111', simulated('10', '928')]) {
    const prepared = await shop.prepared({ pan });
    for (const way of ways)
      assert.match(messageOf(await shop.post(prepared.id, way, body(way))), /cardholder has not finished/i);
    assert.equal((await shop.get(prepared.id)).status, 'prepared');
  }
  const other = (await shop.authorized()).id;
  for (const way of ways) assert.match(messageOf(await shop.post(other, way, body(way))), /not waiting/i);
  const back = await shop.prepared({ options: { secure3d20_return_url: 'https://shop.example/n' } });
  await challenge(back, '1234');
  assert.match(messageOf(await shop.post(back.id, 'complete', { PaRes: 'forged' })), /PaRes/);
  assert.equal((await shop.post(back.id, 'complete3d20')).status, 200);
});

test('"fraud: the class of the rule, never its detail", also of the sandbox’s own card', async () => {
  for (const cls of ['velocity', 'amount', 'country', 'list', 'other']) {
    const rule = { class: cls, expression: 'amount == 777.0', action: 'refuse', dry_run: false, active: true };
    assert.ok((await florin.operator('PUT', '/operator/projects/sandbox/rules/secret', rule)).status < 300);
    const reply = await shop.authorize({ amount: 777 });
    assert.deepEqual(refusedAs(reply), [402, 'fraud', true]);
    assert.equal(reply.body.failure_message, `Refused by fraud rules: ${cls}`);
    assert.equal((await shop.get(reply.body.order_id)).failure_message, reply.body.failure_message);
  }
  assert.equal((await florin.operator('DELETE', '/operator/projects/sandbox/rules/secret')).status, 204);
  const fixed = await shop.authorize({ pan: '4000000000000002' });
  assert.equal(fixed.body.failure_message, 'Refused by fraud rules: other');
});

test('Cashflow "only through GET with expand, and in the answer of charge, as the document says"', async () => {
  const flows = (reply: Reply) =>
    orderOf(reply).operations.map((operation: object & { type: string }) => [operation.type, 'cashflow' in operation]);
  const authorized = await shop.authorize();
  assert.deepEqual(flows(authorized), [['authorize', false]]);
  const { id } = orderOf(authorized);
  const charged = await shop.act(id, 'charge');
  assert.deepEqual(flows(charged), [
    ['authorize', false],
    ['charge', true],
  ]);
  assert.deepEqual(flows(await shop.act(id, 'refund', { amount: 1 })).at(-1), ['refund', false]);
  assert.deepEqual(flows(await shop.act((await shop.authorized()).id, 'reverse')).at(-1), ['reverse', false]);
  assert.deepEqual(flows(await shop.act((await shop.charged()).id, 'cancel')).at(-1), ['reverse', false]);
  assert.deepEqual(flows(await shop.authorize({ options: { auto_charge: 1 } })), [
    ['authorize', false],
    ['charge', false],
  ]);
  assert.deepEqual(flows(await shop.post(id, 'credit', { amount: 1, location })), [['credit', false]]);
  const read = await shop.get(id, 'operations.cashflow');
  assert.ok(read.operations.every((operation: object) => 'cashflow' in operation));
  assert.deepEqual(read.operations[1].cashflow, orderOf(charged).operations[1].cashflow);
});

test('404 "unknown order, or another project’s: the same bytes", whatever is asked of it', async () => {
  const foreign = (await shop.charged()).id;
  const strange = shopOf({ ...florin, merchant: florin.stranger });
  const bytes = new Set<string>();
  for (const id of [foreign, '1234567890', '0', 'abc', '%00', '9'.repeat(30), '9'.repeat(300)]) {
    const replies = [
      await florin.stranger('GET', `/gateway/orders/${id}`),
      await florin.stranger('GET', `/gateway/orders/${id}/?expand=card`),
      ...(await Promise.all(['charge', 'reverse', 'refund', 'cancel'].map((action) => strange.act(id, action)))),
      await strange.post(id, 'complete', { PaRes: 'x' }),
      ...(await Promise.all(['complete3d20', 'resume', 'cancel'].map((action) => strange.post(id, action)))),
      ...(await Promise.all(['rebill', 'credit'].map((action) => strange.post(id, action, { amount: 1, location })))),
    ];
    for (const { status, text } of replies) {
      assert.equal(status, 404, id);
      bytes.add(text);
    }
  }
  assert.equal(bytes.size, 1, [...bytes].join('\n'));
});

test('429 "Retry-After, RateLimit fields" agree with each other', async () => {
  await shop.withSettings({ rate_limit: { per_second: 2, burst: 4 } }, async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => shop.list('orders/?per_page=1')));
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length > 20);
    for (const { headers } of refused) {
      const [, remaining, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      assert.equal(headers.get('ratelimit-policy'), '"default";q=4;w=2');
      assert.deepEqual([remaining, seconds], ['0', headers.get('retry-after')]);
    }
    for (const { status, headers } of replies) {
      if (status !== 200) continue;
      const [, remaining, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      assert.ok(
        Number(remaining) < 4 && Number(seconds) <= 2,
        'never more than the policy has, full again within its window',
      );
      assert.equal(headers.has('retry-after'), false);
    }
  });
});

test('"HEAD and OPTIONS behave; a wrong verb is 405 with Allow", with and without the trailing slash', async () => {
  const { id } = await shop.authorized();
  for (const [path, allow] of [
    ['/gateway/ping', 'GET, HEAD, OPTIONS'],
    ['/gateway/orders', 'GET, HEAD, OPTIONS'],
    [`/gateway/orders/${id}`, 'GET, HEAD, OPTIONS'],
    ['/gateway/operations', 'GET, HEAD, OPTIONS'],
    ['/gateway/exchange_rates', 'GET, HEAD, OPTIONS'],
    ['/gateway/orders/create', 'OPTIONS, POST'],
    ['/gateway/orders/authorize', 'OPTIONS, POST'],
    ['/gateway/orders/credit', 'OPTIONS, POST'],
    [`/gateway/orders/${id}/charge`, 'OPTIONS, PUT'],
    [`/gateway/orders/${id}/cancel`, 'OPTIONS, POST, PUT'],
    [`/gateway/orders/${id}/rebill`, 'OPTIONS, POST'],
  ] as const)
    for (const slash of ['', '/']) {
      const options = await florin.merchant('OPTIONS', path + slash);
      assert.deepEqual([options.status, options.headers.get('allow'), options.text], [204, allow, ''], path + slash);
      for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (allow.split(', ').includes(verb)) continue;
        const reply = await florin.merchant(verb, path + slash);
        assert.deepEqual(
          [...refusedAs(reply), reply.headers.get('allow')],
          [405, 'rejected', false, allow],
          `${verb} ${path}`,
        );
      }
      if (!allow.includes('HEAD')) continue;
      const [head, get] = [await florin.merchant('HEAD', path + slash), await florin.merchant('GET', path + slash)];
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)), path);
      assert.deepEqual(get.headers.get('location'), null, 'never redirected');
    }
  const bodies = await florin.merchant('POST', '/gateway/orders/authorize/', payment());
  assert.equal(bodies.status, 200);
});
