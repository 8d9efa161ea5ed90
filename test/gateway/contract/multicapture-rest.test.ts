// Multicapture: what is left of a hold never outlives the last charge that it could be for. Seen from both sides: the order, and the
// books of the acquirer and of the card.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  await shop.terminal('several', { multicapture: true });
});

/** Ten authorized and three of them charged, seven are held. */
async function partly(): Promise<string> {
  const { id } = await shop.authorized({ amount: 10, options: { terminal: 'several' } });
  assert.equal(orderOf(await shop.act(id, 'charge', { amount: 3 })).status, 'charged');
  return id;
}

/** What the acquirer still has of the hold, in cents. */
async function heldAtAcquirer(id: string): Promise<number> {
  const { books } = (await florin.operator('GET', '/simulator/books')).body;
  const book = books.find(({ order_id }: { order_id: string }) => order_id === id);
  return Number(book.authorized) - Number(book.charged) - Number(book.reversed);
}

const typesOf = ({ operations }: { operations: { type: string; amount: string }[] }): string[] =>
  operations.map(({ type, amount }) => `${type} ${amount}`);

const ENDS = {
  'a cancel before settlement': [['cancel', {}]],
  'a refund of all that was charged': [['refund', {}]],
  'refunds that come to all that was charged': [
    ['refund', { amount: 1 }],
    ['refund', { amount: 2 }],
  ],
} as const;

for (const [what, acts] of Object.entries(ENDS))
  test(`${what} lets go of the rest by itself`, async () => {
    const id = await partly();
    for (const [action, body] of acts) assert.equal((await shop.act(id, action, body)).status, 200);
    const before = await shop.get(id);
    await shop.advance('1s');
    const after = await shop.get(id);
    assert.equal(after.status, before.status, 'the order is what it was');
    assert.equal(typesOf(after).at(-1), 'reverse 7.00');
    assert.equal(await heldAtAcquirer(id), 0);
    await shop.booksHold();
  });

test('a cancel after settlement, too', async () => {
  const id = await partly();
  await shop.advance('2d');
  assert.equal(orderOf(await shop.act(id, 'cancel')).status, 'refunded');
  await shop.advance('1s');
  assert.equal(await heldAtAcquirer(id), 0);
  await shop.booksHold();
});

for (const [end, status] of [
  ['cancel', 'reversed'],
  ['refund', 'refunded'],
] as const)
  test(`behind a ${end} a reverse lets go of the rest at once, and once`, async () => {
    const id = await partly();
    assert.equal(orderOf(await shop.act(id, end)).status, status);
    const reversed = orderOf(await shop.act(id, 'reverse'));
    assert.equal(reversed.status, status);
    assert.equal(typesOf(reversed).at(-1), 'reverse 7.00');
    assert.equal((await shop.act(id, 'reverse')).status, 402);
    await shop.advance('8d');
    assert.equal(typesOf(await shop.get(id)).length, 4);
    assert.equal(await heldAtAcquirer(id), 0);
    await shop.booksHold();
  });

test('a release that the issuer refuses is asked for again the next day, and the books hold meanwhile', async () => {
  const pan = simulated('30', '051');
  const { id } = await shop.authorized({ amount: 10, pan, options: { terminal: 'several' } });
  await shop.act(id, 'charge', { amount: 3 });
  assert.equal(orderOf(await shop.act(id, 'refund')).status, 'refunded');
  const refusals = async (): Promise<number> =>
    (await shop.get(id)).operations.filter(
      ({ type, status }: Record<string, string>) => type === 'reverse' && status === 'failure',
    ).length;
  await shop.advance('1s');
  assert.equal(await refusals(), 1);
  await shop.booksHold();
  await shop.advance('1h');
  assert.equal(await refusals(), 1);
  await shop.advance('1d');
  assert.equal(await refusals(), 2);
  assert.equal(await heldAtAcquirer(id), 700);
  await shop.booksHold();
});

test('what was charged back can be won again, so its rest stays until its time is over', async () => {
  const id = await partly();
  await shop.advance('2d');
  assert.equal((await florin.operator('POST', `/simulator/orders/${id}/chargeback`)).status, 204);
  await shop.advance('1h');
  assert.equal(await heldAtAcquirer(id), 700);
  await shop.advance('6d');
  assert.equal(await heldAtAcquirer(id), 0);
  await shop.booksHold();
});
