// docs/contract/gateway.md#money-safety, 5: posting ids derive from the operation's id. Whoever comes twice, the acquirer's answer, two
// workers, a repeated message: every operation, its clearing and the release of its reserve stand in the books once.
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

/** Groups of the order by kind. */
async function groups(id: string): Promise<Record<string, number>> {
  const { postings } = (await florin.operator('GET', `/operator/orders/${id}/trace`)).body;
  const entries = new Map<string, string>();
  for (const { entry, kind } of postings) entries.set(entry, kind);
  const counts: Record<string, number> = {};
  for (const kind of entries.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

for (const fault of ['911', '913', '914', '916']) {
  test(`a refund with fault ${fault}, asked for by many at once: one group`, async () => {
    const { id } = await shop.charged({ pan: simulated('40', fault) });
    await shop.act(id, 'refund', { amount: '5.00' });
    await Promise.all(Array.from({ length: 8 }, () => shop.advance('2m')));
    assert.equal((await shop.get(id)).amount_refunded, '5.00');
    assert.deepEqual(await groups(id), { authorize: 1, charge: 1, refund: 1 });
    await shop.booksHold();
  });
}

/** A charge whose answer is slow: a worker asks for it and settles it before it comes. */
async function chargedTwiceTold(headers: Record<string, string>): Promise<Reply[]> {
  const slow = await testApp({}, { link: { slowMs: 2500, answerTimeoutMs: 20_000 } });
  const buyer = shopOf(slow);
  const { id } = await buyer.authorized({ pan: simulated('20', '912') });
  const charge = () => slow.merchant('PUT', `/gateway/orders/${id}/charge`, {}, headers);
  const first = charge();
  const isCharged = async (): Promise<boolean> => {
    const { books } = (await slow.operator('GET', '/simulator/books')).body;
    return books.some((book: { order_id: string; charged: string }) => book.order_id === id && book.charged !== '0');
  };
  for (let tries = 0; !(await isCharged()); tries++) assert.ok(tries < 500);
  await buyer.advance('2m');
  assert.equal((await buyer.get(id)).status, 'charged');
  return [await first, await charge()];
}

test('a charge that a worker has settled before its answer came: one answer, to the byte', async () => {
  const [told, again] = (await chargedTwiceTold({ 'idempotency-key': 'slow' })) as [Reply, Reply];
  assert.deepEqual([told.status, again.status], [200, 200]);
  assert.equal(told.text, again.text);
  assert.ok(told.body.orders[0].operations[1].cashflow);
});

test('without a key it has its financial details, too, and is charged once', async () => {
  const [told, again] = (await chargedTwiceTold({})) as [Reply, Reply];
  assert.deepEqual([told.status, again.status], [200, 402]);
  assert.ok(told.body.orders[0].operations[1].cashflow);
  assert.equal(told.body.orders[0].operations[0].cashflow, undefined);
});

test('settled and released by many at once: one clearing an operation, one release of the reserve', async () => {
  const { id } = await shop.charged();
  await shop.act(id, 'refund', { amount: '5.00' });
  await Promise.all(Array.from({ length: 8 }, () => shop.advance('31d')));
  assert.deepEqual(await groups(id), { authorize: 1, charge: 1, refund: 1, clearing: 2, reserve_release: 1 });
  await shop.booksHold();
});

test('the books take no second group of an operation, of its clearing or of its reserve', async () => {
  for (const kind of ['charge', 'clearing', 'reserve_release'])
    await assert.rejects(
      florin.database.query(
        `insert into postings select owner_id, case when entry_id = operation_id then entry_id else entry_id + 1 end, subject_id, operation_id,
           amount, created_at, line, subject_type, kind, account, currency from postings where kind = $1`,
        [kind],
      ),
      /duplicate key/,
      kind,
    );
});
