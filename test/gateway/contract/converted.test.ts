// docs/contract/gateway.md#cashflow: an order in another currency than the project's, refunded, charged back and voided in any parts, adds
// up to the cent in both; what is left of a rounding is taken by whatever empties the charge, and may be below zero.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { client, simulated, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  const fees = ['refund', 'chargeback', 'reverse'].map((operation) => ({ operation, percent: '1', fixed: '0' }));
  const rules = [{ operation: 'charge', percent: '2.9', fixed: '0.30' }, ...fees];
  const reply = await florin.operator('PUT', '/operator/projects/sandbox/pricing', {
    rules,
    reserve: { percent: '5', days: 30 },
  });
  assert.equal(reply.status, 200, reply.text);
});

const cents = (text: string): bigint => BigInt(text.replace('.', ''));

interface Line {
  readonly type: string;
  readonly amount: string;
  readonly cashflow: Readonly<Record<'amount' | 'fee' | 'incoming' | 'receivable' | 'reserve', string>>;
}

async function lines(id: string): Promise<readonly Line[]> {
  const { operations } = await shop.get(id, 'operations.cashflow');
  return operations.filter(({ status }: { status: string }) => status === 'success');
}

/** What came in by the order's charges is gone again, in its currency and in ours, and every cashflow is what was booked. */
async function addsUp(id: string): Promise<void> {
  const booked = await lines(id);
  const sum = (read: (line: Line) => string, ...types: string[]): bigint =>
    booked.filter(({ type }) => types.includes(type)).reduce((total, line) => total + cents(read(line)), 0n);
  for (const read of [({ amount }: Line) => amount, ({ cashflow }: Line) => cashflow.amount])
    assert.equal(sum(read, 'charge', 'representment'), sum(read, 'refund', 'chargeback'), JSON.stringify(booked));
  for (const { cashflow, type } of booked) {
    assert.ok(cents(cashflow.fee) >= 0n && cents(cashflow.reserve) >= 0n, type);
    const outgoing = ['refund', 'chargeback'].includes(type) ? cents(cashflow.amount) : 0n;
    const rest = cents(cashflow.incoming) - outgoing - cents(cashflow.fee) - cents(cashflow.reserve);
    assert.equal(cents(cashflow.receivable), rest, `${type} ${JSON.stringify(cashflow)}`);
  }
  const key = [(await florin.operator('GET', `/operator/orders/${id}/trace`)).body.order.id];
  const left = await florin.database.query(
    `select account, currency, sum(amount) as left from postings where subject_id = $1 and account like 'fx:%'
     group by account, currency having sum(amount) <> 0`,
    key,
  );
  assert.deepEqual(left, []);
  await shop.booksHold();
}

/** Refunds every part; the order ends refunded. */
async function refundedIn(parts: readonly string[], fields: Record<string, unknown>): Promise<string> {
  const { id } = await shop.charged(fields);
  for (const [i, amount] of parts.entries()) {
    const reply = await shop.act(id, 'refund', { amount });
    assert.equal(reply.status, 200, `part ${i + 1} of ${amount}: ${reply.text}`);
    assert.equal(orderOf(reply).status, i === parts.length - 1 ? 'refunded' : 'charged');
  }
  await addsUp(id);
  return id;
}

const times = (count: number, amount: string): string[] => Array.from({ length: count }, () => amount);

for (const [currency, amount, parts] of [
  ['USD', '87.25', ['9.89', '27.49', '5.04', '14.87', '29.95', '0.01']],
  ['JPY', '5', times(5, '1')],
  ['JPY', '100', [...times(9, '1'), '91']],
  ['PLN', '0.10', times(10, '0.01')],
  ['PLN', '0.02', ['0.01', '0.01']],
  ['GBP', '0.07', ['0.03', '0.03', '0.01']],
  ['USD', '10.05', ['10.05']],
] as const) {
  test(`${currency} ${amount} refunded as ${parts.join(' + ')}`, async () => {
    await refundedIn(parts, { currency, amount });
  });
}

test('the rest of a rounding may be below zero: JPY 5 are 0.03, five times 0.01 is too much', async () => {
  const id = await refundedIn(times(5, '1'), { currency: 'JPY', amount: '5' });
  const refunds = (await lines(id)).filter(({ type }) => type === 'refund').map(({ cashflow }) => cashflow);
  assert.deepEqual(
    refunds.map(({ amount }) => amount),
    ['0.01', '0.01', '0.01', '0.01', '-0.01'],
  );
  assert.deepEqual([refunds[4]?.receivable, refunds[4]?.fee, refunds[4]?.incoming], ['0.01', '0.00', '0.00']);
});

test('less than was held is charged, and refunds fail in between: the same sums', async () => {
  const { id } = await shop.authorized({ currency: 'USD', amount: '90.00' });
  await shop.act(id, 'charge', { amount: '87.25' });
  const plan = (schedule: unknown[]) => florin.operator('PUT', '/simulator/faults', { schedule });
  await plan([1, 3].map((ordinal) => ({ operation: 'refund', ordinal, fault: '005' })));
  const statuses: number[] = [];
  for (const amount of ['9.89', '27.49', '5.04', '9.89', '5.04', '44.82', '0.01'])
    statuses.push((await shop.act(id, 'refund', { amount })).status);
  await plan([]);
  assert.deepEqual(statuses, [402, 200, 402, 200, 200, 200, 200]);
  assert.equal((await shop.get(id)).status, 'refunded');
  await addsUp(id);
});

test('charged back after refunds in part: the chargeback takes the rest, its representment gives it back, then it is refunded', async () => {
  const { id } = await shop.charged({ currency: 'JPY', amount: '5' });
  for (const amount of ['1', '1']) assert.equal((await shop.act(id, 'refund', { amount })).status, 200);
  await shop.arrives(id, 'chargeback');
  await addsUp(id);
  await shop.arrives(id, 'representment');
  for (const [i, status] of ['charged', 'charged', 'refunded'].entries())
    assert.equal(orderOf(await shop.act(id, 'refund', { amount: '1' })).status, status, `${i}`);
  await addsUp(id);
});

test('what comes to an order later stands behind what came before, though another server says that it is earlier', async () => {
  const second = client((await florin.another()).url, 'Bearer sandbox-operator');
  const { now } = (await florin.operator('GET', '/simulator/clock')).body;
  const { id } = await shop.charged({ currency: 'JPY', amount: '75' });
  assert.equal((await shop.act(id, 'refund', { amount: '59' })).status, 200);
  await shop.advance('1h');
  await shop.arrives(id, 'chargeback');
  // The first server's ids stay where they were; the second has drawn none since.
  for (const operator of [florin.operator, second])
    assert.equal((await operator('PUT', '/simulator/clock', { now, frozen: false })).status, 200);
  assert.equal((await second('POST', `/simulator/orders/${id}/representment`)).status, 204);
  assert.equal(orderOf(await shop.act(id, 'refund', {})).status, 'refunded');
  const types = (await shop.get(id)).operations.map(({ type }: { type: string }) => type);
  assert.deepEqual(types, ['authorize', 'charge', 'refund', 'chargeback', 'representment', 'refund']);
  await addsUp(id);
});

test('a voided charge takes everything back, its fees with it', async () => {
  const { id } = await shop.charged({ currency: 'USD', amount: '0.10' });
  assert.equal(orderOf(await shop.act(id, 'cancel')).status, 'reversed');
  await shop.booksHold();
  const left = await florin.database.query(
    `select account from postings where account not like 'hold%' and subject_id = (select max(id) from orders) group by account, currency having sum(amount) <> 0`,
  );
  assert.deepEqual(left, []);
});

test('a refund that the acquirer was asked for is booked like one that was answered', async () => {
  const amounts = async (pan: string): Promise<unknown> => {
    const { id } = await shop.charged({ currency: 'USD', amount: '87.25', pan });
    for (const amount of ['29.95', '29.95', '27.35']) {
      await shop.act(id, 'refund', { amount });
      await shop.advance('1m');
    }
    assert.equal((await shop.get(id)).status, 'refunded');
    await addsUp(id);
    return (await lines(id)).filter(({ type }) => type === 'refund').map(({ cashflow }) => cashflow);
  };
  const answered = await amounts('4111111111111111');
  assert.deepEqual(await amounts(simulated('40', '910')), answered);
  assert.deepEqual(await amounts(simulated('40', '911')), answered);
});

test('several charges at rates of their own: each goes back at its own, in their order', async () => {
  await shop.terminal('several', { multicapture: true, currencies: ['USD'] });
  const rate = async (value: string): Promise<void> => {
    const { body } = await florin.operator('GET', '/simulator/clock');
    const rates = [{ from: 'USD', to: 'EUR', rate: value, day: body.now.slice(0, 10) }];
    const reply = await florin.operator('POST', '/operator/rates', { rates, source: 'test' });
    assert.equal(reply.status, 200, reply.text);
  };
  const { id } = await shop.authorized({ currency: 'USD', amount: '3.00', options: { terminal: 'several' } });
  await rate('0.50');
  await shop.act(id, 'charge', { amount: '1.00' });
  await rate('0.90');
  await shop.act(id, 'charge', { amount: '1.00' });
  await shop.act(id, 'refund', { amount: '1.50' });
  assert.equal(orderOf(await shop.act(id, 'refund', { amount: '0.50' })).status, 'refunded');
  const booked = await lines(id);
  assert.deepEqual(
    booked.map(({ type, cashflow }) => [type, cashflow.amount]),
    [
      ['authorize', booked[0]?.cashflow.amount],
      ['charge', '0.50'],
      ['charge', '0.90'],
      ['refund', '0.95'],
      ['refund', '0.45'],
    ],
  );
  await addsUp(id);
  // What was never charged is still held, and is let go when its time is over.
  await shop.advance('8d');
  const { operations, status } = await shop.get(id);
  assert.deepEqual([status, operations.at(-1).type, operations.at(-1).status], ['refunded', 'reverse', 'success']);
  await shop.booksHold();
});

test('the cashflow of an authorization stays what it was when the rate changes', async () => {
  const { id } = await shop.authorized({ currency: 'GBP', amount: '10.00' });
  const before = (await lines(id))[0]?.cashflow;
  const { body } = await florin.operator('GET', '/simulator/clock');
  const rates = [{ from: 'GBP', to: 'EUR', rate: '2', day: body.now.slice(0, 10) }];
  await florin.operator('POST', '/operator/rates', { rates, source: 'test' });
  assert.deepEqual((await lines(id))[0]?.cashflow, before);
  await shop.act(id, 'charge');
  assert.deepEqual((await lines(id))[0]?.cashflow, before);
});
