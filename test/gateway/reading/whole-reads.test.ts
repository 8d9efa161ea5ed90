// What a read shows was all true at one moment: an operation never stands beside amounts from before it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

/** An order whose refund of 5.00 comes to its end while `read` is on its way between two tables. */
async function readWhileRefunded(read: (id: string) => Promise<Reply>): Promise<Reply> {
  const { id } = await shop.charged({ pan: simulated('40', '910') });
  await shop.act(id, 'refund', { amount: '5.00' });
  let answer: Promise<Reply> | undefined;
  await florin.database.transaction(async (db) => {
    await db.query('lock table operations in access exclusive mode');
    answer = read(id);
    for (let tries = 0; ; tries++) {
      const waiting = `select from pg_locks where not granted and relation = 'operations'::regclass`;
      if ((await florin.database.query(waiting)).length > 0) break;
      assert.ok(tries < 1000, 'the read does not come to the operations');
    }
    await db.query(
      `with ended as (update operations set status = 'success' where type = 'refund' and status = 'sent' returning order_id)
       update orders set amount_refunded = 500, in_flight = null where id = (select order_id from ended)`,
    );
  });
  return answer as Promise<Reply>;
}

for (const [what, path] of [
  ['an order', (id: string) => `/gateway/orders/${id}`],
  ['a list of orders', () => '/gateway/orders/?per_page=1&expand=operations.cashflow'],
] as const)
  test(`${what}: a refund that ends meanwhile is there with its amount, or not at all`, async () => {
    const { status, body } = await readWhileRefunded((id) => florin.merchant('GET', path(id)));
    assert.equal(status, 200);
    const [order] = body.orders;
    const shown = order.operations.some(
      ({ type, status: ended }: Record<string, string>) => type === 'refund' && ended === 'success',
    );
    assert.equal(order.amount_refunded, shown ? '5.00' : '0.00');
  });
