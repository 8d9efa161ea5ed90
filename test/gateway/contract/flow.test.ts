// docs/contract/gateway.md#statuses: every move of the table over real HTTP, and the books after it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const order = (reply: Reply) => reply.body.orders[0];
const authorize = (fields: Record<string, unknown> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment(fields));
const act = (id: string, action: string, body: unknown = {}) =>
  florin.merchant('PUT', `/gateway/orders/${id}/${action}`, body);
const get = async (id: string, expand = '') =>
  order(await florin.merchant('GET', `/gateway/orders/${id}${expand ? `?expand=${expand}` : ''}`));
const operate = async (action: string, amount?: string) => {
  const id = order(await authorize()).id;
  return act(id, action, amount === undefined ? {} : { amount });
};

async function booksHold(): Promise<void> {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
  assert.equal(body.ok, true);
}

test('GET /ping answers message and date', async () => {
  const reply = await florin.merchant('GET', '/gateway/ping');
  assert.equal(reply.status, 200);
  assert.equal(reply.body.message, 'PONG!');
  assert.match(reply.body.date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
});

test('create: 201, status new, Location, no operations', async () => {
  const reply = await florin.merchant('POST', '/gateway/orders/create', {
    amount: 10.1,
    merchant_order_id: 'A-1',
    custom_fields: { a: 'b' },
  });
  assert.equal(reply.status, 201);
  assert.match(reply.headers.get('location') ?? '', /\/pay\/[\w-]{32}$/);
  assert.equal(order(reply).status, 'new');
  assert.deepEqual(order(reply).operations, []);
  assert.equal(order(reply).amount, '10.10');
});

test('authorize: 200, authorized, one authorize operation with status success', async () => {
  const reply = await authorize({ segment: 7, client: { name: 'Ada', email: 'ada@example.test' } });
  assert.equal(reply.status, 200);
  const made = order(reply);
  assert.equal(made.status, 'authorized');
  assert.equal(made.pan, '411111******1111');
  assert.equal(made.segment, '7');
  assert.deepEqual(made.card, { holder: 'Ada Example', subtype: 'classic', type: 'visa' });
  assert.equal(made.operations.length, 1);
  assert.equal(made.operations[0].type, 'authorize');
  assert.equal(made.operations[0].status, 'success');
  assert.equal(made.operations[0].iso_response_code, '00');
});

test('charge without amount takes all, with cashflow; a second one is 402 rejected', async () => {
  const id = order(await authorize({ amount: 100 })).id;
  const reply = await act(id, 'charge');
  assert.equal(reply.status, 200);
  assert.equal(order(reply).status, 'charged');
  assert.equal(order(reply).amount_charged, '100.00');
  assert.deepEqual(order(reply).operations[1].cashflow, {
    currency: 'EUR',
    amount: '100.00',
    fee: '3.20',
    incoming: '100.00',
    receivable: '91.80',
    reserve: '5.00',
  });
  const second = await act(id, 'charge');
  assert.equal(second.status, 402);
  assert.equal(second.body.failure_type, 'rejected');
  assert.equal(second.body.order_id, null);
});

test('partial charge releases the rest; more than the amount is 402', async () => {
  const id = order(await authorize()).id;
  assert.equal((await act(id, 'charge', { amount: 12.51 })).status, 402);
  const reply = await act(id, 'charge', { amount: 5 });
  assert.equal(order(reply).amount_charged, '5.00');
  assert.equal(order(reply).status, 'charged');
});

test('reverse: reversed, with a reverse operation; in any other status 402', async () => {
  const id = order(await authorize()).id;
  const reply = await act(id, 'reverse');
  assert.equal(order(reply).status, 'reversed');
  assert.equal(order(reply).operations[1].type, 'reverse');
  assert.equal((await act(id, 'reverse')).status, 402);
  assert.equal((await act(id, 'charge')).status, 402);
});

test('refund in parts keeps charged, the exact rest makes refunded, more is 402, zero and three decimals are 422', async () => {
  const id = order(await authorize()).id;
  assert.equal((await act(id, 'refund', { amount: 1 })).status, 402);
  await act(id, 'charge');
  const part = await act(id, 'refund', { amount: '4.00' });
  assert.equal(order(part).status, 'charged');
  assert.equal(order(part).amount_refunded, '4.00');
  assert.equal((await act(id, 'refund', { amount: 8.51 })).status, 402);
  for (const amount of [0, '1.005', -1, '1e2'])
    assert.equal((await act(id, 'refund', `{"amount":${JSON.stringify(amount)}}`)).status, 422);
  const rest = await act(id, 'refund');
  assert.equal(order(rest).status, 'refunded');
  assert.equal(order(rest).amount_refunded, '12.50');
  assert.equal((await act(id, 'refund')).status, 402);
});

test('cancel: a reverse, a void, a refund after settlement', async () => {
  assert.equal(order(await operate('cancel')).status, 'reversed');
  const charged = order(await authorize()).id;
  await act(charged, 'charge');
  const voided = await act(charged, 'cancel');
  assert.equal(order(voided).status, 'reversed');
  assert.equal(order(voided).amount_charged, '0.00');
  const settled = order(await authorize()).id;
  await act(settled, 'charge');
  assert.equal((await florin.operator('POST', '/simulator/clock/advance', { by: '2d' })).status, 200);
  const { arn } = (await get(settled)).operations[1];
  assert.match(arn, /^\d{23}$/);
  assert.equal(order(await act(settled, 'cancel')).status, 'refunded');
  const open = order(await florin.merchant('POST', '/gateway/orders/create', { amount: 3 })).id;
  assert.equal(order(await florin.merchant('POST', `/gateway/orders/${open}/cancel`)).status, 'rejected');
});

test('auto_charge: authorized and charged in one request', async () => {
  const reply = await authorize({ options: { auto_charge: 1 } });
  assert.equal(reply.status, 200);
  assert.equal(order(reply).status, 'charged');
  assert.deepEqual(
    order(reply).operations.map((operation: { type: string }) => operation.type),
    ['authorize', 'charge'],
  );
});

test('auto_charge that fails: 200 authorized, the failed operation is visible, retried, then reversed', async () => {
  const reply = await authorize({ pan: '4999992000500002', options: { auto_charge: '1' } });
  assert.equal(reply.status, 200);
  assert.equal(order(reply).status, 'authorized');
  assert.equal(order(reply).operations[1].status, 'failure');
  await florin.operator('POST', '/simulator/clock/advance', { by: '2d' });
  const later = await get(order(reply).id);
  assert.equal(later.status, 'reversed');
  assert.ok(later.operations.filter((operation: { type: string }) => operation.type === 'charge').length > 2);
});

test('issuer declines: 402 declined, order and operation say so', async () => {
  const reply = await authorize({ pan: '4999991005100008' });
  assert.equal(reply.status, 402);
  assert.equal(reply.body.failure_type, 'declined');
  const made = await get(reply.body.order_id);
  assert.equal(made.status, 'declined');
  assert.equal(made.failure_type, 'declined');
  assert.equal(made.operations[0].status, 'failure');
  assert.equal(made.operations[0].iso_response_code, '51');
});

test('soft decline A1: 402 Soft-Decline; the same card with force3d goes through 3-D Secure', async () => {
  const reply = await authorize({ pan: '4999991090100004' });
  assert.equal(reply.status, 402);
  assert.equal(reply.body.failure_message, 'Soft-Decline');
  assert.equal((await get(reply.body.order_id)).operations[0].iso_response_code, 'A1');
  const again = await authorize({ pan: '4999991090100004', options: { force3d: 1 } });
  assert.equal(again.status, 201);
  assert.equal(order(again).status, 'prepared');
  assert.equal(order(again).secure3d.reason, 'forced');
  assert.deepEqual(Object.keys(order(again).form3d).sort(), ['MD', 'PaReq', 'TermUrl', 'action', 'method']);
});

test('fixed cards: fraud, internal error', async () => {
  const fraud = await authorize({ pan: '4000000000000002' });
  assert.deepEqual([fraud.status, fraud.body.failure_type], [402, 'fraud']);
  assert.equal((await get(fraud.body.order_id)).status, 'fraud');
  assert.deepEqual((await get(fraud.body.order_id)).operations, []);
  const error = await authorize({ pan: '5555555555555599' });
  assert.deepEqual([error.status, error.body.failure_type], [500, 'error']);
});

test('authorize without an answer: 500 with order_id, order error, a reversal leaves no hold at the acquirer', async () => {
  for (const pan of ['4999991091000005', '4999991091100003']) {
    const reply = await authorize({ pan });
    assert.equal(reply.status, 500);
    assert.equal(reply.body.failure_type, 'error');
    assert.equal((await get(reply.body.order_id)).status, 'error');
  }
  await florin.operator('POST', '/simulator/clock/advance', { by: '1h' });
  await booksHold();
});

test('charge and refund without an answer: 500, in flight, other writes 402, then found out and finished', async () => {
  for (const [pan, action] of [
    [simulated('20', '911'), 'charge'],
    [simulated('20', '910'), 'charge'],
  ] as const) {
    const id = order(await authorize({ pan })).id;
    const reply = await act(id, action);
    assert.equal(reply.status, 500, pan);
    assert.equal((await get(id)).status, 'authorized');
    assert.equal((await act(id, 'reverse')).status, 402);
    await florin.operator('POST', '/simulator/clock/advance', { by: '1h' });
    assert.equal((await get(id)).status, 'charged', pan);
  }
});

test('authorization expires after seven days with a reverse operation; a later charge is 402', async () => {
  const id = order(await authorize()).id;
  await florin.operator('POST', '/simulator/clock/advance', { by: '8d' });
  const made = await get(id);
  assert.equal(made.status, 'reversed');
  assert.equal(made.operations[1].type, 'reverse');
  assert.equal((await act(id, 'charge')).status, 402);
});

test('chargeback after settlement', async () => {
  const id = order(await authorize({ pan: '4999997093000000', options: { auto_charge: 1 } })).id;
  await florin.operator('POST', '/simulator/clock/advance', { by: '3d' });
  const made = await get(id);
  assert.equal(made.status, 'chargedback');
  assert.equal(made.operations.at(-1).type, 'chargeback');
});

test('converted charge: fee and reserve in the accounting currency, refunds sum exactly', async () => {
  const id = order(await authorize({ amount: 10, currency: 'USD' })).id;
  const reply = await act(id, 'charge');
  assert.equal(order(reply).operations[1].cashflow.currency, 'EUR');
  await act(id, 'refund', { amount: 3.33 });
  await act(id, 'refund', { amount: 3.33 });
  await act(id, 'refund');
  const made = await get(id, 'operations.cashflow');
  const cents = (text: string) => Math.round(Number(text) * 100);
  const charged = made.operations
    .filter((o: { type: string }) => o.type === 'charge')
    .map((o: { cashflow: { amount: string } }) => cents(o.cashflow.amount));
  const refunded = made.operations
    .filter((o: { type: string }) => o.type === 'refund')
    .map((o: { cashflow: { amount: string } }) => cents(o.cashflow.amount));
  assert.equal(
    refunded.reduce((a: number, b: number) => a + b, 0),
    charged[0],
  );
});

test('rebill and credit: merchant-initiated with the parent card, linked payout', async () => {
  const parent = order(await authorize()).id;
  const rebill = await florin.merchant('POST', `/gateway/orders/${parent}/rebill`, {
    amount: 5,
    location: { ip: '192.0.2.9' },
  });
  assert.equal(rebill.status, 200);
  assert.equal(order(rebill).pan, '411111******1111');
  const credit = await florin.merchant('POST', `/gateway/orders/${parent}/credit`, {
    amount: 2,
    location: { ip: '192.0.2.9' },
  });
  assert.equal(credit.status, 200, credit.text);
  assert.equal(order(credit).status, 'credited');
  const unlinked = await florin.merchant('POST', '/gateway/orders/credit', { amount: 2, pan: '4111111111111111' });
  assert.equal(unlinked.status, 402);
});

test('reserve is released after 30 days, and the books hold after everything', async () => {
  await florin.operator('POST', '/simulator/clock/advance', { by: '40d' });
  await booksHold();
  const rows = await florin.database.query<{ amount: bigint }>(
    `select amount from balances where account like 'merchant_reserve%' and amount <> 0`,
  );
  assert.deepEqual(rows, []);
});

test('another project sees none of it: the same bytes as an unknown order', async () => {
  const id = order(await authorize()).id;
  const foreign = await florin.stranger('GET', `/gateway/orders/${id}`);
  const unknown = await florin.stranger('GET', '/gateway/orders/1234567890');
  assert.equal(foreign.status, 404);
  assert.equal(foreign.text, unknown.text);
  assert.equal((await florin.stranger('PUT', `/gateway/orders/${id}/charge`, {})).status, 404);
});
