// What may follow by itself, as the auditor knows it: a hold that ends by its time, and what a hold leaves when its order is over.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaymentBook, type PaymentShown, type Step } from './cards.ts';
import { OrderBook, type OrderShown } from './orders.ts';

const WEEK_MS = 7 * 86_400_000;

test('a clearing behind the end of its hold takes what was held by then, and not what had been reversed', () => {
  const shown = (held: number, cleared: number): PaymentShown => ({
    id: '1',
    state: 'CLEARED',
    approved: true,
    merchant: { name: 'c1p1' },
    held,
    cleared,
    refunded: 0,
  });
  const book = new PaymentBook('c1p1', { asked: 1976, foreign: false, now: 0 });
  const done = (what: Step['do'], amount: number | null, now: number): void =>
    assert.equal(book.answered({ do: what, amount }, 'done', 1, now), null);
  done('purchase', 1976, 0);
  done('reverse', 967, 0);
  assert.equal(book.look(shown(0, 0), 2, WEEK_MS), null);
  done('clear', null, WEEK_MS);
  assert.match(book.look(shown(0, 1976), 3, WEEK_MS) ?? 'agrees', /it can only be held 0, cleared 1009/);
  assert.equal(book.look(shown(0, 1009), 3, WEEK_MS), null);
});

test('what several charges left is released once all of them have gone back, and not before', () => {
  const operation = (type: string, amount: string) => ({ type, amount, status: 'success', created: '' });
  const CHARGED = [operation('authorize', '16.70'), operation('charge', '7.00')];
  const REVERSE = operation('reverse', '9.70');
  const shown = (status: string, ...operations: OrderShown['operations']): OrderShown => ({
    id: '1',
    pan: '',
    status,
    amount: '16.70',
    amount_charged: '7.00',
    amount_refunded: status === 'refunded' ? '7.00' : '0.00',
    currency: 'GBP',
    operations,
  });
  const bookOf = (): OrderBook => {
    const book = new OrderBook(
      {
        tag: 'o1',
        project: 'world',
        amount: '16.70',
        currency: 'GBP',
        autoCharge: false,
        captureDelayMs: null,
        disputes: false,
        merchantInitiated: false,
      },
      0,
    );
    for (const type of ['authorize', 'charge']) book.claim(1, type, null, 'done', '200');
    book.claim(2, 'refund', null, 'unknown', '500');
    return book;
  };
  const refund = operation('refund', '7.00');
  assert.equal(bookOf().look(shown('refunded', ...CHARGED, refund, REVERSE), 2, 0), null);
  const more = operation('reverse', '9.71');
  assert.match(bookOf().look(shown('refunded', ...CHARGED, refund, more), 2, 0) ?? 'agrees', /reverse of 9.71/);
  assert.match(
    bookOf().look(shown('charged', ...CHARGED, REVERSE), 2, 0) ?? 'agrees',
    /reverse of 9.70 was asked for at step 0/,
  );
});
