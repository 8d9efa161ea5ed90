// docs/contract/gateway.md#money-safety, 2: what has no answer is asked for after 1 s, 5 s, 30 s, 2 min, 10 min, 1 h and then hourly:
// reversals without end, the rest for seven days. Then, and where the answer can't be booked, it is an operator's to settle, with the books
// right.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { simulated, type TestApp, testApp } from '../../support/app.ts';
import { type Shop, shopOf } from '../../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  await florin.operator('PUT', '/simulator/clock', { now: '2026-12-01T12:00:00.000Z', frozen: true });
});

beforeEach(() => answers().then(() => undefined));

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, HOUR, HOUR];

/** From now on nobody answers. */
const silence = async (...operations: string[]): Promise<void> => {
  const { status } = await florin.operator('PUT', '/simulator/faults', {
    schedule: [...operations, 'inquire'].flatMap((operation) =>
      Array.from({ length: 250 }, (_, i) => ({ operation, ordinal: i + 1, fault: '910' })),
    ),
  });
  assert.equal(status, 200);
};
const answers = () => florin.operator('PUT', '/simulator/faults', { schedule: [] });

const nowMs = async (): Promise<number> => Date.parse((await florin.operator('GET', '/simulator/clock')).body.now);
/** How long until the order's operation in flight is asked for again; null: never. */
async function wait(id: string): Promise<number | null> {
  const { order } = (await florin.operator('GET', `/operator/orders/${id}/trace`)).body;
  return order.due.recover === undefined ? null : Date.parse(order.due.recover) - (await nowMs());
}

/** Every wait until `count` were seen. */
async function waits(id: string, count: number): Promise<(number | null)[]> {
  const seen: (number | null)[] = [];
  while (seen.length < count) {
    const ms = await wait(id);
    seen.push(ms);
    if (ms === null) break;
    await shop.advance(`${ms / SECOND}s`);
  }
  return seen;
}

for (const [action, digits] of [
  ['charge', '20'],
  ['reverse', '30'],
  ['refund', '40'],
] as const) {
  test(`${action} without an answer: asked for after 1 s, 5 s, 30 s, 2 min, 10 min, 1 h, hourly; then it is as it was at the acquirer`, async () => {
    const pan = simulated(digits, '911');
    const { id } = action === 'refund' ? await shop.charged({ pan }) : await shop.authorized({ pan });
    await silence();
    assert.equal((await shop.act(id, action)).status, 500);
    assert.deepEqual(await waits(id, 8), WAITS);
    assert.equal((await shop.act(id, action)).status, 402, 'in progress');
    await answers();
    await shop.advance('1h');
    const { operations } = await shop.get(id);
    assert.deepEqual([operations.at(-1).type, operations.at(-1).status], [action, 'success']);
    await shop.booksHold();
  });
}

test('a reversal that is owed has the same waits', async () => {
  await silence('authorize', 'reverse');
  const { body, status } = await shop.authorize();
  assert.equal(status, 500);
  // It went out behind the answer, and has a minute of its own.
  while ((await wait(body.order_id)) === MINUTE);
  assert.deepEqual(await waits(body.order_id, 8), WAITS);
  await answers();
  await shop.advance('1h');
  assert.equal(await wait(body.order_id), null);
  await shop.booksHold();
});

interface Stuck {
  readonly id: string;
  readonly order_id: string;
  readonly why: string;
  readonly answer: { readonly response_code: string } | null;
  readonly [field: string]: unknown;
}
const stuck = async (orderId: string): Promise<Stuck | undefined> =>
  (await florin.operator('GET', '/operator/operations/stuck')).body.operations.find(
    ({ order_id }: Stuck) => order_id === orderId,
  );
const told = { outcome: 'approved', reason: 'J. Doe, acquirer support, 14:05' };
const resolve = (id: string, body: Record<string, unknown> = told) =>
  florin.operator('POST', `/operator/operations/${id}/resolve`, body);
const red = async (): Promise<string[]> =>
  (await florin.operator('GET', '/operator/invariants?full=true')).body.checks
    .filter(({ ok }: { ok: boolean }) => !ok)
    .map(({ id }: { id: string }) => id);
const audited = async (): Promise<string[]> =>
  (await florin.operator('GET', '/operator/audit?per_page=20')).body.audit
    .filter(({ action }: { action: string }) => action === 'operation.resolve')
    .map(({ target, result }: { target: string; result: string }) => `${target} ${result}`);

/** Nobody answers, the sixth try is due in ten minutes. */
async function silent(action: string, pan: string, key?: string): Promise<{ id: string; stuck: Stuck }> {
  const { id } = action === 'refund' ? await shop.charged({ pan }) : await shop.authorized({ pan });
  await silence(action);
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const reply = await florin.merchant('PUT', `/gateway/orders/${id}/${action}`, {}, headers);
  assert.equal(reply.status, 500);
  await waits(id, 3);
  assert.equal(await stuck(id), undefined, 'the fifth try is to come');
  await waits(id, 1);
  const found = await stuck(id);
  assert.ok(found, 'the sixth');
  return { id, stuck: found };
}

for (const [outcome, status, operation, http] of [
  ['approved', 'refunded', 'success', 200],
  ['declined', 'charged', 'failure', 402],
  ['never_arrived', 'charged', 'error', 500],
] as const) {
  test(`resolved as ${outcome}: order, books, event and the answer kept for its key are as if it had been answered`, async () => {
    const key = `refund-${outcome}`;
    const { id, stuck: found } = await silent('refund', '4111111111111111', key);
    const { type, amount, currency, project, tries, why, owed, answer } = found;
    assert.deepEqual(
      { type, amount, currency, project, tries, why, owed, answer },
      {
        type: 'refund',
        amount: '12.50',
        currency: 'EUR',
        project: 'sandbox',
        tries: 6,
        why: 'no_answer',
        owed: false,
        answer: null,
      },
    );
    const reply = await resolve(found.id, { ...told, outcome });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([reply.body.status, reply.body.order_id], [operation, id]);
    const order = await shop.get(id);
    assert.deepEqual([order.status, order.operations.at(-1).status], [status, operation]);
    assert.equal(await stuck(id), undefined);
    const again = await florin.merchant('PUT', `/gateway/orders/${id}/refund`, {}, { 'idempotency-key': key });
    assert.equal(again.status, http, again.text);
    const twice = await resolve(found.id);
    assert.deepEqual([twice.status, twice.body.title], [409, 'Conflict']);
    assert.match(twice.body.detail, /settled already/);
    assert.deepEqual((await audited()).slice(0, 2), [
      `${found.id}/approved operation_not_in_flight`,
      `${found.id}/${outcome} done`,
    ]);
    const { operations } = (await florin.operator('GET', `/operator/orders/${id}/trace`)).body;
    assert.deepEqual(
      [operations.at(-1).resolution.outcome, operations.at(-1).resolution.reason],
      [outcome, told.reason],
    );
    await answers();
    await shop.advance('2h');
    assert.deepEqual((await shop.get(id)).operations, order.operations, 'nobody asks any more');
    await shop.booksHold();
  });
}

test('what is not stuck, is being asked for, is unknown, or is told in contradiction is refused and changes nothing', async () => {
  const { id } = await shop.charged();
  await silence('refund');
  assert.equal((await shop.act(id, 'refund')).status, 500);
  const { operations } = (await florin.operator('GET', `/operator/orders/${id}/trace`)).body;
  const { reference } = operations.at(-1);
  assert.match((await resolve(reference)).body.detail, /still asked for/);
  await waits(id, 4);
  assert.equal((await resolve(reference, { ...told, response_code: '05' })).status, 422);
  assert.equal((await resolve(reference, { ...told, outcome: 'declined', response_code: '00' })).status, 422);
  assert.equal((await resolve(reference, { ...told, outcome: 'never_arrived', response_code: '05' })).status, 422);
  assert.equal((await resolve(reference, { outcome: 'approved' })).status, 422, 'without a reason');
  assert.equal((await resolve('1')).status, 409);
  await shop.advance('9m');
  assert.match((await resolve(reference)).body.detail, /within this minute/);
  assert.equal((await shop.get(id)).amount_refunded, '0.00');
  await answers();
  await shop.advance('2m');
  assert.equal((await shop.get(id)).status, 'refunded');
  await shop.booksHold();
});

test('a payout that never arrived ends its order and is given back; one that was approved is credited', async () => {
  for (const [outcome, status] of [
    ['never_arrived', 'error'],
    ['approved', 'credited'],
  ] as const) {
    const { id } = await shop.authorized();
    await silence('credit');
    const { body } = await shop.post(id, 'credit', { amount: '1.00', location: { ip: '192.0.2.1' } });
    await waits(body.order_id, 4);
    assert.equal((await resolve((await stuck(body.order_id))?.id ?? '', { ...told, outcome })).status, 200);
    assert.equal((await shop.get(body.order_id)).status, status);
    await answers();
    await shop.booksHold();
  }
});

test('a reversal that is owed is acknowledged; that it never arrived is no end of it', async () => {
  await silence('authorize', 'reverse');
  const { body } = await shop.authorize();
  while ((await wait(body.order_id)) === MINUTE);
  await waits(body.order_id, 4);
  const found = await stuck(body.order_id);
  assert.deepEqual([found?.type, found?.owed], ['reverse', true]);
  assert.match((await resolve(found?.id ?? '', { ...told, outcome: 'never_arrived' })).body.detail, /still owed/);
  assert.equal((await resolve(found?.id ?? '')).status, 200);
  const order = await shop.get(body.order_id);
  assert.deepEqual([order.status, order.operations.length], ['error', 1]);
  await answers();
  await shop.booksHold();
});

test('seven days without an answer: a charge is asked for no more and red, a reversal is asked for and red; both can be resolved', async () => {
  const charged = await silent('charge', '4111111111111111');
  const reversed = await silent('reverse', '4111111111111111');
  // Hourly for a week is long to play: they began a week earlier.
  await florin.database.query(
    `update operations set created_at = (created_at at time zone 'UTC' - interval '7 days') at time zone 'UTC' where id = any($1::int8[])`,
    [[charged.stuck.id, reversed.stuck.id]],
  );
  await shop.advance('1h');
  assert.equal(await wait(charged.id), null);
  assert.notEqual(await wait(reversed.id), null);
  assert.deepEqual([(await stuck(charged.id))?.why, (await stuck(reversed.id))?.why], ['given_up', 'no_answer']);
  assert.deepEqual(await red(), ['in_flight_is_found_out']);
  assert.equal((await resolve(charged.stuck.id)).status, 200);
  assert.equal((await resolve(reversed.stuck.id)).status, 200);
  assert.deepEqual(
    [(await shop.get(charged.id)).status, (await shop.get(reversed.id)).status],
    ['charged', 'reversed'],
  );
  await answers();
  await shop.booksHold();
});

test('an answer that can’t be booked: 500, in flight, red and shown; booked by itself once the cause is mended', async () => {
  const { id } = await shop.charged({ currency: 'USD' });
  const rates = await florin.database.query<{ id: bigint; rate: unknown }>(
    `select id, rate from operations where type = 'charge' and currency = 'USD'`,
  );
  await florin.database.query(`update operations set rate = null where type = 'charge' and currency = 'USD'`);
  const reply = await shop.act(id, 'refund');
  assert.deepEqual([reply.status, reply.body.order_id], [500, null]);
  assert.equal((await shop.act(id, 'refund')).status, 402, 'in progress');
  assert.deepEqual(await red(), ['answers_are_booked']);
  const found = await stuck(id);
  assert.deepEqual([found?.why, found?.answer?.response_code], ['not_bookable', '00']);
  await waits(id, 4);
  for (const { id: charge, rate } of rates)
    await florin.database.query('update operations set rate = $2 where id = $1', [charge, JSON.stringify(rate)]);
  await shop.advance('10m');
  const order = await shop.get(id);
  assert.deepEqual(
    [order.status, order.operations.filter(({ type }: { type: string }) => type === 'refund').length],
    ['refunded', 1],
  );
  await shop.booksHold();
});
