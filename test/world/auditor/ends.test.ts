// The last audit's own arithmetic: what went back of an order against what came, converted part by part. Each sentence has a case that
// speaks it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cashflowsAgree, eventsAgree, type Priced } from './ends.ts';

type Row = Priced['operations'][number];

const row = (type: string, amount: string, cashflow: Partial<Row['cashflow']>): Row => ({
  type,
  status: 'success',
  amount,
  created: '2026-12-01T12:00:00.000Z',
  cashflow: { currency: 'EUR', amount: '0', fee: '0', incoming: '0', receivable: '0', reserve: '0', ...cashflow },
});

/** Of 120.55 the merchant has what a fee of 2.9 % and 0.30, and a reserve of 5 %, leave. */
const charge = row('charge', '130.00', {
  amount: '120.55',
  incoming: '120.55',
  fee: '3.80',
  reserve: '6.03',
  receivable: '110.72',
});
const refunds = (...amounts: string[]): Row[] =>
  amounts.map((amount) => row('refund', '43.00', { amount, receivable: `-${amount}`.replace(/^--/, '') }));
const says = (status: string, rows: readonly Row[], currency = 'USD'): string =>
  cashflowsAgree('order 1', { status, currency, operations: [charge, ...rows] } as unknown as Priced) ?? 'agrees';

describe('what went back of a converted order', () => {
  test('is less than what came, until all is refunded', () => {
    assert.equal(says('charged', []), 'agrees');
    assert.equal(says('charged', refunds('60.27')), 'agrees');
    assert.equal(says('refunded', refunds('60.27', '60.28')), 'agrees');
  });

  test('may be more by half a cent a refund before the last one, which takes what is left: less than nothing', () => {
    assert.equal(says('charged', refunds('60.28', '60.28')), 'agrees');
    assert.equal(says('charged', refunds('40.19', '40.19', '40.18')), 'agrees');
    assert.equal(says('charged', refunds('30.14', '30.14', '30.14', '30.15')), 'agrees');
    assert.equal(says('refunded', refunds('60.28', '60.28', '-0.01')), 'agrees');
  });

  test('is told when rounding does not explain it', () => {
    assert.match(says('charged', refunds('120.56')), /more went back \(120.56\) than came \(120.55\)/);
    assert.match(says('charged', refunds('60.28', '60.29')), /more went back \(120.57\) than came \(120.55\)/);
    assert.match(says('charged', refunds('40.19', '40.19', '40.19')), /more went back \(120.57\)/);
  });

  test('is what came, to the cent, once all is refunded: however many parts it was', () => {
    assert.match(says('refunded', refunds('60.28', '60.28')), /all is refunded, 120.55 came and 120.56 went back/);
    assert.match(says('refunded', refunds('60.27', '60.27')), /all is refunded, 120.55 came and 120.54 went back/);
  });

  test('has no rounding where nothing is converted', () => {
    const own = { ...charge, amount: '120.55' };
    const order = (rows: Row[]) =>
      ({ status: 'charged', currency: 'EUR', operations: [own, ...rows] }) as unknown as Priced;
    assert.equal(cashflowsAgree('order 1', order(refunds('60.27', '60.28'))), null);
    assert.match(cashflowsAgree('order 1', order(refunds('60.28', '60.28'))) ?? '', /more went back/);
  });
});

test('a cashflow that does not add up, another fee and another reserve are told', () => {
  const other = (change: object): string =>
    cashflowsAgree('order 1', {
      status: 'charged',
      currency: 'USD',
      operations: [{ ...charge, cashflow: { ...charge.cashflow, ...change } }],
    } as unknown as Priced) ?? 'agrees';
  assert.match(other({ receivable: '110.73' }), /doesn't add up/);
  assert.match(other({ fee: '3.81', receivable: '110.71' }), /a fee of 2.9 % and 0.30 is another/);
  assert.match(other({ reserve: '6.04', receivable: '110.71' }), /a reserve of 5 % is another/);
});

describe('what was told of an order', () => {
  const shown = (status: string, more: object = {}) =>
    ({ id: '1', status, currency: 'USD', operations: [charge], ...more }) as unknown as Priced;
  const { cashflow: _, ...operation } = charge;
  const event = (sequence: number, type: string, status: string, previous: object = {}) => ({
    id: '1',
    type,
    timestamp: '2026-12-01T12:00:00.000Z',
    resource: { type: 'order', id: '1', sequence },
    cause: { by: 'api' },
    data: { object: { ...shown(status), operations: [operation] } as never, previous: previous as never },
  });
  const authorized = event(1, 'order.authorized', 'authorized');
  const charged = event(2, 'order.charged', 'charged', { status: 'authorized' });
  const told = (order: Priced, seen: string[], ...events: (typeof charged)[]): string =>
    eventsAgree('order 1', order, new Set(seen), events) ?? 'agrees';

  test('is what it shows, each change of it once', () => {
    assert.equal(told(shown('charged'), ['new', 'authorized', 'charged'], authorized, charged), 'agrees');
    assert.equal(told(shown('new'), ['new']), 'agrees');
    assert.match(told(shown('charged'), []), /is charged, and nothing was told of it/);
    assert.match(told(shown('refunded'), [], authorized, charged), /order.charged: GET shows {"status":"refunded"}/);
    assert.match(
      told(shown('charged'), ['reversed'], authorized, charged),
      /was shown reversed, and there is no event/,
    );
    const another = shown('charged', { operations: [{ ...charge, arn: '7' }] });
    assert.match(told(another, [], authorized, charged), /order.charged: GET shows other operations/);
  });

  test('has its number, its old values and a name that exists', () => {
    assert.match(told(shown('charged'), [], authorized, { ...charged, resource: authorized.resource }), /follows 1/);
    assert.match(told(shown('charged'), [], charged), /event 2, order.charged: follows undefined/);
    assert.match(told(shown('charged'), [], authorized, event(2, 'order.charged', 'charged')), /previous is {}/);
    assert.match(told(shown('authorized'), [], event(1, 'order.paid', 'authorized')), /there is no such type/);
    const again = event(2, 'order.charged', 'authorized');
    assert.match(told(shown('authorized'), [], authorized, again), /event 2, order.charged: nothing has changed/);
  });
});
