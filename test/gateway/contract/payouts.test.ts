// docs/contract/gateway.md#payouts: a payout, a card's day and a project's day are bounded in the accounting currency, to the cent and
// however many ask at once; what is in flight counts, what failed is given back.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { addDays, dayOf } from '../../../src/base/index.ts';
import { type Client, client, payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { waitsForLock } from '../../support/database.ts';
import { orderOf, refusedAs, type Shop, shopOf } from '../../support/shop.ts';

const location = { ip: '192.0.2.1' };
const OVER = [402, 'rejected', false];

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  await florin.operator('PUT', '/simulator/clock', { now: '2026-12-01T12:00:00.000Z', frozen: true });
});
/** Every test has a day of its own. */
beforeEach(() => shop.advance('1d'));

/** To the card of an order. */
const pay = (id: string, amount: string, fields: Record<string, unknown> = {}): Promise<Reply> =>
  shop.post(id, 'credit', { amount, location, ...fields });
/** An order whose card was only verified. */
const verified = async (pan = '4111111111111111'): Promise<string> => (await shop.authorized({ amount: 0, pan })).id;

/** How many of the answers are orders that are credited; the others are all refused as over the bound. */
function paid(replies: readonly Reply[]): number {
  for (const reply of replies) if (reply.status !== 200) assert.deepEqual(refusedAs(reply), OVER, reply.text);
  return replies.filter((reply) => reply.status === 200 && orderOf(reply).status === 'credited').length;
}

test('10,000.00 a payout, also to a card that was only verified; a refusal counts for nothing', async () => {
  const id = await verified();
  assert.deepEqual(refusedAs(await pay(id, '9999999999.99')), OVER);
  assert.deepEqual(refusedAs(await pay(id, '10000.01')), OVER);
  assert.equal((await pay(id, '10000.00')).status, 200);
  assert.deepEqual(refusedAs(await pay(id, '0.01')), OVER, 'the day of the card is full');
  await shop.advance('11h');
  assert.deepEqual(refusedAs(await pay(id, '0.01')), OVER);
  await shop.advance('1h');
  assert.equal((await pay(id, '0.01')).status, 200, 'the next day');
  await shop.booksHold();
});

test('the same card by another order or by its number counts together; another card and another project do not', async () => {
  await shop.withSettings({ unlinked_credit: true }, async () => {
    const unlinked = (pan: string, amount: string) =>
      florin.merchant('POST', '/gateway/orders/credit', {
        amount,
        pan,
        card: { expiration_month: 1, expiration_year: 31 },
      });
    assert.equal((await pay(await verified(), '6000.00')).status, 200);
    assert.deepEqual(refusedAs(await unlinked('4111 1111 1111 1111', '4000.01')), OVER);
    assert.equal((await unlinked('4111111111111111', '4000.00')).status, 200);
    assert.deepEqual(refusedAs(await pay(await verified(), '0.01')), OVER);
    assert.equal((await pay(await verified('2222400060000007'), '10000.00')).status, 200);
  });
  const stranger = await florin.stranger('POST', '/gateway/orders/authorize', payment({ amount: 0 }));
  const theirs = await florin.stranger('POST', `/gateway/orders/${orderOf(stranger).id}/credit`, {
    amount: 10_000,
    location,
  });
  assert.equal(theirs.status, 200, theirs.text);
  await shop.booksHold();
});

test('what is declined is given back; what is in flight counts until it is known', async () => {
  const declined = await verified(simulated('50', '051'));
  for (let i = 0; i < 3; i++) assert.deepEqual(refusedAs(await pay(declined, '9000.00')), [402, 'declined', true]);
  const lost = await verified(simulated('50', '911'));
  assert.deepEqual(refusedAs(await pay(lost, '9000.00')), [500, 'error', true]);
  assert.deepEqual(refusedAs(await pay(lost, '1000.01')), OVER);
  await shop.advance('1h');
  assert.deepEqual(refusedAs(await pay(lost, '1000.01')), OVER, 'it was paid');
  await shop.booksHold();
});

test('a converted payout counts at its own rate', async () => {
  const { now } = (await florin.operator('GET', '/simulator/clock')).body;
  const rates = [{ from: 'USD', to: 'EUR', rate: '0.5', day: now.slice(0, 10) }];
  assert.equal((await florin.operator('POST', '/operator/rates', { rates, source: 'test' })).status, 200);
  const id = await verified();
  assert.deepEqual(refusedAs(await pay(id, '20000.02', { currency: 'USD' })), [402, 'rejected', false]);
  assert.equal((await pay(id, '19999.00', { currency: 'USD' })).status, 200);
  assert.deepEqual(refusedAs(await pay(id, '0.51')), OVER);
  assert.equal((await pay(id, '0.50')).status, 200);
  await shop.booksHold();
});

test('a project has bounds of its own', async () => {
  const id = await verified();
  const bounds = { payout_limit: '50.00', payout_limit_card_day: 60, payout_limit_project_day: '100.00' };
  await shop.withSettings(bounds, async () => {
    assert.deepEqual(refusedAs(await pay(id, '50.01')), OVER);
    assert.equal((await pay(id, '50.00')).status, 200);
    assert.deepEqual(refusedAs(await pay(id, '10.01')), OVER);
    assert.equal((await pay(id, '10.00')).status, 200);
    const other = await verified('2222400060000007');
    assert.deepEqual(refusedAs(await pay(other, '40.01')), OVER);
    assert.equal((await pay(other, '40.00')).status, 200);
    assert.deepEqual(refusedAs(await pay(other, '0.01')), OVER);
  });
  await shop.booksHold();
});

test('a payout that is repeated with its key counts once', async () => {
  const id = await verified();
  const again = () =>
    florin.merchant(
      'POST',
      `/gateway/orders/${id}/credit`,
      { amount: '6000.00', location },
      { 'idempotency-key': 'one' },
    );
  const first = await again();
  assert.equal(first.status, 200, first.text);
  assert.equal((await again()).text, first.text);
  assert.equal((await pay(id, '4000.00')).status, 200);
  assert.deepEqual(refusedAs(await pay(id, '0.01')), OVER);
});

test('a payout that waits over midnight counts on the day on which it is decided', async () => {
  const { now } = (await florin.operator('GET', '/simulator/clock')).body;
  const at = (moment: string) => florin.operator('PUT', '/simulator/clock', { now: moment, frozen: true });
  const today: string = now.slice(0, 10);
  const tomorrow = dayOf(addDays(new Date(now), 1));
  await at(`${today}T23:59:00.000Z`);
  const id = await verified();
  assert.equal((await pay(id, '1000.00')).status, 200);
  let asked: Promise<Reply> | undefined;
  let moved: Promise<Reply> | undefined;
  await florin.database.transaction(async (db) => {
    await db.query('select from payout_sums for update');
    asked = pay(id, '9000.00');
    for (let tries = 0; !(await waitsForLock(florin.database)); tries++)
      assert.ok(tries < 5000, 'the payout does not come to the lock');
    // What is due then waits for the lock, too, so the clock's answer is not waited for.
    moved = at(`${tomorrow}T00:01:00.000Z`);
    for (let tries = 0; !(await florin.operator('GET', '/simulator/clock')).text.includes(tomorrow); tries++)
      assert.ok(tries < 5000, 'the clock does not move');
  });
  const { operations } = orderOf((await asked) as Reply);
  assert.equal((await moved)?.status, 200);
  assert.equal(operations[0].created.slice(0, 10), tomorrow);
  assert.deepEqual(refusedAs(await pay(id, '1000.01')), OVER);
  assert.equal((await pay(id, '1000.00')).status, 200);
  await shop.booksHold();
});

test('120 at once, by two servers on one database: to a card and in all exactly what is allowed', async () => {
  const second = await florin.another();
  const merchant = florin.merchantOf(second);
  const cards = ['4111111111111111', '2222400060000007', ...['10', '20', '30', '40'].map((of) => simulated(of, '000'))];
  const ids = await Promise.all(cards.map((pan) => verified(pan)));
  const credit = (client: Client, i: number) =>
    client('POST', `/gateway/orders/${ids[i % ids.length] as string}/credit`, { amount: '999.00', location });
  const bound = { payout_limit_project_day: '40000.00' };
  await shop.withSettings(bound, async () => {
    // What one server changes, the other sees within seconds; what it changes itself, at once.
    const same = await client(second.url, 'Bearer sandbox-operator')(
      'PATCH',
      '/operator/projects/sandbox/settings',
      bound,
    );
    assert.equal(same.status, 200, same.text);
    const both = [florin.merchant, merchant];
    const replies = await Promise.all(
      Array.from({ length: 120 }, (_, i) => credit(both[i % 7 < 3 ? 0 : 1] as Client, i)),
    );
    assert.equal(paid(replies), 40, 'of the project');
    const perCard = await florin.database.query<{ amount: bigint }>(`select amount from payout_sums where card <> ''`);
    assert.ok(perCard.every(({ amount }) => amount <= 1_000_000n));
  });
  const alone = await verified(simulated('70', '000'));
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      (i % 2 ? florin.merchant : merchant)('POST', `/gateway/orders/${alone}/credit`, { amount: '999.00', location }),
    ),
  );
  assert.equal(paid(replies), 10, 'of the card');
  await shop.booksHold();
});
