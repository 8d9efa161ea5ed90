// Every operation of the gateway API once as it should go, and once refused where it can be: what the examples of its reference are.
import assert from 'node:assert/strict';
import { simulated, type TestApp } from '../../support/app.ts';
import { challenge, orderOf, shopOf } from '../../support/shop.ts';

const CHALLENGED = '4999991092000004';
const DECLINED = '4999991005100008';
const LOST = '4999991091000005';

const details = {
  merchant_order_id: 'A-1001',
  description: 'Two books',
  client: { name: 'Ada Example', email: 'ada@shop.example', country: 'DEU' },
  custom_fields: { basket: '17' },
};

export async function walkGateway(florin: TestApp): Promise<void> {
  const shop = shopOf(florin);
  const read = (path: string) => florin.merchant('GET', `/gateway${path}`);

  await read('/ping');
  await shop.create({ amount: 12.5, ...details, options: { return_url: 'https://shop.example/thanks' } });
  await shop.withSettings({ static_links: false }, async () => {
    await shop.create({ options: { static_link: 1 } });
  });
  const fresh = orderOf(await shop.create());

  const { id } = orderOf(await shop.authorize(details));
  await shop.act(id, 'charge', { amount: 12.5 });
  await shop.act(id, 'charge');
  await shop.act(id, 'reverse');
  await shop.act(id, 'refund', { amount: '99.00' });
  await shop.act(id, 'refund', { amount: 2.5 });
  const reversed = await shop.authorized();
  await shop.act(reversed.id, 'reverse');
  await shop.act(reversed.id, 'cancel');
  await shop.act((await shop.authorized()).id, 'cancel', { amount: 12.5 });
  await shop.authorize({ pan: DECLINED });
  await shop.authorize({ pan: LOST });
  await shop.post(id, 'rebill', { amount: 5, location: { ip: '192.0.2.1' } });
  await shop.post(id, 'credit', { amount: 1, location: { ip: '192.0.2.1' } });
  await shop.post(fresh.id, 'rebill', { amount: 5, location: { ip: '192.0.2.1' } });
  await shop.post(fresh.id, 'credit', { amount: 1, location: { ip: '192.0.2.1' } });
  const payout = { amount: 3, pan: '4111111111111111' };
  await florin.merchant('POST', '/gateway/orders/credit', payout);
  await shop.withSettings({ unlinked_credit: true }, async () => {
    await florin.merchant('POST', '/gateway/orders/credit', payout);
  });

  for (const way of ['complete', 'complete3d20', 'resume']) {
    const prepared = orderOf(await shop.authorize({ pan: CHALLENGED, ...details }));
    const { fields } = await challenge(prepared, '1234');
    const body = way === 'complete' ? { PaRes: fields.PaRes } : {};
    const reply = await shop.post(prepared.id, way, body);
    assert.equal(reply.status, 200, reply.text);
    await shop.post(id, way, way === 'complete' ? { PaRes: 'x' } : {});
  }
  assert.equal((await shop.authorize({ pan: simulated('10', '901') })).status, 402);

  await read(`/orders/${id}?expand=card,client,location,custom_fields,issuer,secure3d,operations.cashflow`);
  await read('/orders/?expand=card');
  await read('/operations/?expand=cashflow,extra');
  await read('/exchange_rates/?per_page=50');
}
