// Each half stands alone: a gateway without an issuer takes payments, and an issuer without a gateway answers for its cards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payment, testApp } from '../support/app.ts';
import { assertBooksHold, customer, fundedCard, purchase } from '../support/issuing.ts';
import { shopOf } from '../support/shop.ts';

test('the gateway alone: pays, charges, asks for 3-D Secure, settles; there is no issuing API', async () => {
  const florin = await testApp({}, { halves: ['gateway'] });
  const shop = shopOf(florin);
  const { id } = await shop.charged();
  const asked = await shop.authorize({ pan: '4000000000000002', options: { force3d: 1 } });
  assert.ok(asked.status < 500, asked.text);
  await shop.advance('3d');
  const trace = await florin.operator('GET', `/operator/orders/${id}/trace`);
  assert.equal(trace.status, 200, trace.text);
  for (const path of ['/issuing/cards', '/issuing/auth/login'])
    assert.equal((await florin.clientWith(null)('GET', path)).status, 404, path);
  assert.equal((await florin.operator('GET', '/operator/tenants')).status, 404);
  const { scenarios } = (await florin.operator('GET', '/simulator/scenarios')).body;
  assert.deepEqual([...new Set(scenarios.map(({ api }: { api: string }) => api))], ['gateway']);
  await assertBooksHold(florin);
});

test('the issuer alone: a card is made, funded and used; there is no gateway API and no payment page', async () => {
  const florin = await testApp({}, { halves: ['issuing'] });
  const ada = await customer(florin);
  const id = await fundedCard(ada, 1_000);
  assert.equal((await purchase(florin, id, 400)).responseCode, '00');
  assert.equal((await purchase(florin, id, 200, { currency: 'USD' })).responseCode, '00', 'abroad: there are rates');
  for (const path of ['/gateway/ping', '/gateway/orders/', '/pay/x'])
    assert.equal((await florin.merchant('GET', path)).status, 404, path);
  assert.equal((await florin.operator('GET', '/operator/projects')).status, 404);
  assert.equal((await florin.operator('GET', '/operator/rates')).status, 200);
  const advanced = await florin.operator('POST', '/simulator/clock/advance', { by: '40d' });
  assert.deepEqual([advanced.status, advanced.body.not_run], [200, []]);
  await assertBooksHold(florin);
});

test('a card of ours at a gateway whose issuer is not open is declined, and keeps its money', async () => {
  const florin = await testApp();
  const id = await fundedCard(await customer(florin), 1_000);
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const gateway = await florin.another({ halves: ['gateway'] });
  const reply = await florin.merchantOf(gateway)(
    'POST',
    '/gateway/orders/authorize',
    payment({
      pan: number,
      card: {
        cvv,
        holder: 'Ada Example',
        expiration_month: expiryMmyy.slice(0, 2),
        expiration_year: expiryMmyy.slice(2),
      },
      recurring_details: { trace_id: 'ABC123', indicator: 'R' },
      options: { exemption_mit: 1 },
    }),
  );
  assert.equal(reply.status, 402, reply.text);
  assert.equal(reply.body.failure_type, 'declined');
  const { balances } = (await (await customer(florin))('GET', `/cards/${id}`)).body;
  assert.deepEqual([balances.availableBalance, balances.actualBalance], [1_000, 1_000]);
  await assertBooksHold(florin);
});
