// docs/contract/sandbox.md#cards-and-faults, 3, and docs/contract/gateway.md#money-safety: every fault of the link ends in books that
// agree, and a seeded schedule of faults is replayed to the letter.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { truthIsTold } from '../events/truth.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const order = (reply: Reply) => reply.body.orders[0];
const authorize = (fields: Record<string, unknown> = {}) =>
  florin.merchant('POST', '/gateway/orders/authorize', payment(fields));
const get = async (id: string) => order(await florin.merchant('GET', `/gateway/orders/${id}`));
const advance = (by: string) => florin.operator('POST', '/simulator/clock/advance', { by });

/** What the acquirer holds, charged and gave back for each order, against what our orders say. */
async function booksAgree(): Promise<void> {
  const rows = await florin.database.query<{ type: string; ours: bigint; theirs: bigint }>(
    `select type, sum(ours)::int8 as ours, sum(theirs)::int8 as theirs from (
       select type, amount as ours, 0 as theirs from operations where status = 'success' and type in ('charge', 'refund', 'credit')
       union all
       select operation, 0, amount from simulator_transactions where effect and operation in ('charge', 'refund', 'credit')) b group by type`,
  );
  for (const { type, ours, theirs } of rows) assert.equal(ours, theirs, type);
  const orphans = await florin.database.query(
    `select a.subject_id from simulator_transactions a join orders o on o.project_id = a.owner_id and o.id = a.subject_id
     where a.operation = 'authorize' and a.effect and o.status = 'error'
       and not exists (select from simulator_transactions r where r.owner_id = a.owner_id and r.original_reference = a.reference and r.operation = 'reverse')`,
  );
  assert.deepEqual(orphans, [], 'a hold survives');
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
}

for (const [outcome, what, status] of [
  ['912', 'approved late but in time', 200],
  ['913', 'answered twice', 200],
  ['914', 'malformed answer', 500],
  ['915', 'connection reset', 500],
  ['916', 'answer after the deadline', 500],
] as const) {
  test(`authorize, ${outcome} ${what}: ${status}`, async () => {
    const reply = await authorize({ pan: simulated('10', outcome) });
    assert.equal(reply.status, status);
    const made = await get(reply.body.order_id ?? order(reply).id);
    assert.equal(made.status, status === 200 ? 'authorized' : 'error');
    assert.equal(made.operations.length, 1);
    await advance('1h');
    await booksAgree();
  });
}

for (const [operation, action] of [
  ['20', 'charge'],
  ['30', 'reverse'],
  ['40', 'refund'],
] as const) {
  for (const outcome of ['910', '911', '913', '914', '915', '916']) {
    test(`${action}, ${outcome}: found out and done once`, async () => {
      const made = order(
        await authorize({ pan: simulated(operation, outcome), options: { auto_charge: action === 'refund' } }),
      );
      const reply = await florin.merchant('PUT', `/gateway/orders/${made.id}/${action}`, {});
      assert.equal(reply.status, outcome === '913' ? 200 : 500);
      await advance('1h');
      const after = await get(made.id);
      assert.equal(after.status, { charge: 'charged', reverse: 'reversed', refund: 'refunded' }[action]);
      assert.equal(after.operations.filter(({ type }: { type: string }) => type === action).length, 1);
      await booksAgree();
    });
  }
}

test('credit without an answer: in flight, then credited once', async () => {
  const parent = order(await authorize({ pan: simulated('50', '911') })).id;
  const reply = await florin.merchant('POST', `/gateway/orders/${parent}/credit`, {
    amount: 3,
    location: { ip: '192.0.2.1' },
  });
  assert.equal(reply.status, 500);
  await advance('1h');
  assert.equal((await get(reply.body.order_id)).status, 'credited');
  await booksAgree();
});

/** A walk of payments under random faults of one seed: the statuses, in order. */
async function walk(seed: number): Promise<string[]> {
  await florin.operator('PUT', '/simulator/faults', { seed, rate: '0.3' });
  const statuses: string[] = [];
  for (let i = 0; i < 40; i++) {
    const reply = await authorize();
    statuses.push(`authorize ${reply.status}`);
    if (reply.status !== 200) continue;
    const { id } = order(reply);
    for (const action of ['charge', 'refund']) {
      statuses.push(`${action} ${(await florin.merchant('PUT', `/gateway/orders/${id}/${action}`, {})).status}`);
    }
  }
  await florin.operator('PUT', '/simulator/faults', { seed: 0 });
  await advance('2h');
  return statuses;
}

test('random faults by seed: the same seed does the same, and the books agree', async () => {
  const first = await walk(7);
  assert.ok(first.some((status) => status.endsWith('500')));
  assert.deepEqual(await walk(7), first);
  await booksAgree();
  const [left] = await florin.database.query<{ n: bigint }>(
    'select count(*) as n from orders where in_flight is not null',
  );
  assert.equal(left?.n, 0n);
  await truthIsTold(florin);
});
