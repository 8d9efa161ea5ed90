// What a read shows was all true at one moment: an operation never stands beside amounts from before it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Transaction } from '../../../src/store/index.ts';
import { type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
});

/** Reads that come while somebody holds the operations, up to `waiting` statements of them; `meanwhile` is done before they go on. */
async function readHeld<Value>(
  waiting: number,
  read: () => Promise<Value>,
  meanwhile: (db: Transaction) => Promise<unknown> = async () => undefined,
): Promise<Value> {
  let answer: Promise<Value> | undefined;
  await florin.database.transaction(async (db) => {
    await db.query('lock table operations in access exclusive mode');
    answer = read();
    for (let tries = 0; ; tries++) {
      const held = `select from pg_locks where not granted and relation = 'operations'::regclass`;
      if ((await florin.database.query(held)).length >= waiting) break;
      assert.ok(tries < 1000, 'the read does not come to the operations');
    }
    await meanwhile(db);
  });
  return answer as Promise<Value>;
}

/** An order whose refund of 5.00 comes to its end while `read` is on its way between two tables. */
async function readWhileRefunded(read: (id: string) => Promise<Reply>): Promise<Reply> {
  const { id } = await shop.charged({ pan: simulated('40', '910') });
  await shop.act(id, 'refund', { amount: '5.00' });
  return readHeld(
    1,
    () => read(id),
    (db) =>
      db.query(
        `with ended as (update operations set status = 'success' where type = 'refund' and status = 'sent' returning order_id)
         update orders set amount_refunded = 500, in_flight = null where id = (select order_id from ended)`,
      ),
  );
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

test('an order that many read at once has each of its operations once, whoever reads it', async () => {
  const { id } = await shop.charged({ pan: simulated('40', '910') });
  const alone = await florin.merchant('GET', `/gateway/orders/${id}`);
  assert.deepEqual(
    alone.body.orders[0].operations.map(({ type }: { type: string }) => type),
    ['authorize', 'charge'],
  );
  // Two statements are sent; who comes behind them is read together.
  const read = (): Promise<Reply> => florin.merchant('GET', `/gateway/orders/${id}`);
  const replies = await readHeld(2, () => Promise.all(Array.from({ length: 12 }, read)));
  for (const { body } of replies) assert.deepEqual(body, alone.body);
});
