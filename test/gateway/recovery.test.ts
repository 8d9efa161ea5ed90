// gateway-decisions.md, "Money safety" 2: what has no answer is asked for after 1 s, 5 s, 30 s, 2 min, 10 min, 1 h and then hourly: reversals
// without end, the rest for seven days. Then, and where the answer can't be booked, it is an operator's to settle, with the books right.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { simulated, type TestApp, testApp } from '../support/app.ts';
import { type Shop, shopOf } from '../support/shop.ts';

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp();
  shop = shopOf(florin);
  await florin.operator('PUT', '/simulator/clock', { now: '2026-12-01T12:00:00.000Z', frozen: true });
});

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
