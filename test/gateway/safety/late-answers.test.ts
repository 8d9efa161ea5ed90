// An authorization whose answer is late: the issuer's hold runs since it was asked, and so does the order's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payment, simulated, testApp } from '../../support/app.ts';
import { shopOf } from '../../support/shop.ts';

test('an order is reversed when its hold ends, however late it was approved', async () => {
  const florin = await testApp({}, { link: { slowMs: 4000, answerTimeoutMs: 20_000 } });
  const shop = shopOf(florin);
  const answer = florin.merchant('POST', '/gateway/orders/authorize', payment({ pan: simulated('10', '912') }));
  let answered = false;
  answer.then(
    () => (answered = true),
    () => (answered = true),
  );
  const isAsked = async (): Promise<boolean> =>
    (await florin.operator('GET', '/simulator/books')).body.books.length > 0;
  for (let tries = 0; !(await isAsked()); tries++) assert.ok(tries < 500);
  // Less than after which a worker asks.
  await shop.advance('50s');
  assert.equal(answered, false, 'the answer is still to come');
  const { status, body } = await answer;
  assert.equal(status, 200);
  const { id } = body.orders[0];
  await shop.advance('604760s');
  assert.equal((await shop.get(id)).status, 'reversed', 'seven days and some seconds since it was asked for');
});
