// Cards of our own issuer at our own merchants: "Cards issued by our own issuing side behave by their real state", whatever the holder's name
// tells the sandbox's other issuers to do. Rule: what the merchant is told of his money, the cardholder is told of hers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { advance, assertBooksHold, customer, fundedCard } from '../../support/issuing.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
let ada: Client;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  ada = await customer(florin);
});

/** How a merchant pays with the card of a cardholder who is not there. */
async function paymentBy(id: string, holder: string): Promise<Record<string, unknown>> {
  const { number, cvv, expiryMmyy } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const expiry = { expiration_month: expiryMmyy.slice(0, 2), expiration_year: expiryMmyy.slice(2) };
  return { amount: 5, pan: number, card: { cvv, holder, ...expiry } };
}
const AGREED = {
  options: { exemption_mit: 1, auto_charge: 1 },
  recurring_details: { trace_id: 'ABC123', indicator: 'R' },
};

test('no name on the form authenticates a cardholder', async () => {
  const id = await fundedCard(ada, 1_000, { cardholderMobileNumber: '+35699111222' });
  for (const outcome of ['921', '922']) {
    const reply = await shop.authorize({ ...(await paymentBy(id, `SIM 10 ${outcome}`)), options: { force3d: 1 } });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(orderOf(reply).secure3d.scenario, 'challenge');
  }
});

test('no name on the form makes the cardholder dispute, and nobody else does it for her: money is never with neither of them', async () => {
  const id = await fundedCard(ada, 1_000);
  const { id: orderId, status } = orderOf(await shop.authorize({ ...(await paymentBy(id, 'SIM 70 930')), ...AGREED }));
  assert.equal(status, 'charged');
  const reply = await florin.operator('POST', `/simulator/orders/${orderId}/chargeback`, {});
  assert.equal(reply.status, 409, reply.text);
  await advance(florin, '3d');
  ada = await customer(florin);
  assert.equal((await shop.get(orderId)).status, 'charged');
  assert.equal((await ada('GET', `/cards/${id}`)).body.balances.actualBalance, 500);
  await shop.act(orderId, 'refund');
  assert.equal((await ada('GET', `/cards/${id}`)).body.balances.actualBalance, 1_000);
  await assertBooksHold(florin);
});

for (const end of ['cancel', 'refund'] as const)
  test(`multicapture: behind a ${end} of a part the cardholder has all of it again, to the cent`, async () => {
    await shop.terminal('several', { multicapture: true });
    ada = await customer(florin);
    const id = await fundedCard(ada, 1_000);
    const paid = { ...(await paymentBy(id, 'Ada Example')), amount: 10, recurring_details: AGREED.recurring_details };
    const { id: orderId } = await shop.authorized({ ...paid, options: { exemption_mit: 1, terminal: 'several' } });
    assert.equal(orderOf(await shop.act(orderId, 'charge', { amount: 3 })).status, 'charged');
    assert.equal((await shop.act(orderId, end)).status, 200);
    await advance(florin, '2d');
    ada = await customer(florin);
    const { balances } = (await ada('GET', `/cards/${id}`)).body;
    assert.deepEqual([balances.availableBalance, balances.actualBalance], [1_000, 1_000]);
    await assertBooksHold(florin);
  });
