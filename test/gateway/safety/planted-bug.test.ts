// A check that can't turn red checks nothing. Bugs planted between a decision and its commit, then ordinary payments over HTTP:
// `GET /operator/invariants` names the check that each bug violates, and no other. Rule: every bug names its exact checks.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AppOptions } from '../../../src/app.ts';
import { systemClock } from '../../../src/base/index.ts';
import { createNumbering } from '../../../src/events/index.ts';
import { orderInvariants } from '../../../src/gateway/orders/index.ts';
import { ledgerInvariants } from '../../../src/ledger/index.ts';
import type { Change, Command, Committer } from '../../../src/store/index.ts';
import { payment, type TestApp, testApp } from '../../support/app.ts';
import { silent } from '../../support/database.ts';

type Rewrite = (changes: readonly Change[], command: string) => readonly Change[];

/** Lets every command decide as it does, and commits what `rewrite` makes of its changes. */
const planting =
  (rewrite: Rewrite) =>
  (committer: Committer): Committer => ({
    submit: <Value>(command: Command<Value>): Promise<Value> =>
      committer.submit({
        ...command,
        decide: (state, told) => {
          const decision = command.decide(state, told);
          return { ...decision, changes: rewrite(decision.changes, command.name) };
        },
      }),
    waitingMs: () => committer.waitingMs(),
    drain: () => committer.drain(),
  });

/** Rewrites the changes of one command to one table. */
const at =
  (command: string, table: string, rewrite: (changes: readonly Change[]) => readonly Change[]): Rewrite =>
  (changes, name) => {
    if (name !== command) return changes;
    const mine = changes.filter((change) => change.table.name === table);
    return [...changes.filter((change) => change.table.name !== table), ...rewrite(mine)];
  };
const all =
  (...rewrites: readonly Rewrite[]): Rewrite =>
  (changes, name) =>
    rewrites.reduce((left, rewrite) => rewrite(left, name), changes);

const lost = (): Change[] => [];
const firstLost = (changes: readonly Change[]): readonly Change[] => changes.slice(1);
const doubled = (changes: readonly Change[]): readonly Change[] => [...changes, ...changes];
const set =
  (fields: (row: Readonly<Record<string, unknown>>) => Record<string, unknown>) =>
  (changes: readonly Change[]): readonly Change[] =>
    changes.map((change): Change => ({ ...change, row: { ...change.row, ...fields(change.row) } }));
/** One minor unit more on a line and its other side. */
const centMore = set((row) => {
  const side = row.currency !== 'EUR' ? 0n : row.account === 'merchant_payable' ? 1n : 0n;
  return { amount: (row.amount as bigint) + (`${row.account} ${row.currency}` === 'fx:USD/EUR EUR' ? -1n : side) };
});
const unasked = (row: Readonly<Record<string, unknown>>) => {
  const { recover: _, ...due } = row.due as Record<string, string>;
  return { due, next_at: null };
};
const unbooked = (row: Readonly<Record<string, unknown>>) => ({
  details: { ...(row.details as object), unbooked: { response_code: '00', auth_code: '', problem: 'a bug' } },
});
const twice = (row: Readonly<Record<string, unknown>>) => ({ amount: (row.amount as bigint) * 2n });
const sameArn = (): Record<string, unknown> => ({ arn: '74000000000000000000001' });

/** What waits for its position of a charge is only written with its refund. */
function overtaken(): Rewrite {
  let late: readonly Change[] = [];
  return all(
    at('charge.result', 'event_queue', (rows) => {
      late = rows;
      return [];
    }),
    at('refund.result', 'event_queue', (rows) => [...rows, ...late]),
  );
}

interface Planted {
  readonly bug: string;
  readonly rewrite: Rewrite;
  /** The checks that turn red, by name. */
  readonly red: readonly string[];
  /** What the charge is answered, where the bug shows in it. */
  readonly charge?: number;
  /** What time does is a part of it. */
  readonly days?: number;
  /** An order that is converted, and refunded whole. */
  readonly converted?: boolean;
  /** What is done behind the commits. */
  readonly behind?: string;
}

const BUGS: readonly Planted[] = [
  {
    bug: 'one entry of a charge is lost, its balance counted',
    rewrite: at('charge.result', 'postings', firstLost),
    red: ['balances_are_sums', 'groups_balance', 'hold_is_held'],
  },
  {
    bug: 'all entries of a charge are lost',
    rewrite: all(at('charge.result', 'postings', lost), at('charge.result', 'balances', lost)),
    red: ['hold_is_held', 'operation_has_group'],
  },
  {
    bug: 'the balances of a charge are counted twice',
    rewrite: at('charge.result', 'balances', doubled),
    red: ['balances_are_sums', 'holds_not_negative'],
  },
  {
    bug: 'a balance of a charge is not counted',
    rewrite: at('charge.result', 'balances', firstLost),
    red: ['balances_are_sums', 'books_balance'],
  },
  {
    bug: 'a refund is counted twice on the order',
    rewrite: at(
      'refund.result',
      'orders',
      set((row) => ({ amount_refunded: (row.amount_refunded as bigint) * 2n })),
    ),
    red: ['amounts_are_operations'],
  },
  {
    bug: 'a refund is not counted on the order',
    rewrite: at(
      'refund.result',
      'orders',
      set(() => ({ amount_refunded: 0n })),
    ),
    red: ['amounts_are_operations'],
  },
  {
    bug: 'the operation of a charge is left out',
    rewrite: at('charge.intent', 'operations', lost),
    charge: 500,
    red: ['in_flight_has_intent'],
  },
  {
    bug: 'a charge that moved money is called declined',
    rewrite: at(
      'charge.result',
      'operations',
      set(() => ({ status: 'declined' })),
    ),
    red: ['amounts_are_operations', 'operation_has_group'],
  },
  {
    bug: 'a charge is kept as a second authorize',
    rewrite: at(
      'charge.result',
      'operations',
      set(() => ({ type: 'authorize' })),
    ),
    red: ['amounts_are_operations', 'one_authorization'],
  },
  {
    bug: 'charge and refund carry one reference',
    rewrite: all(at('charge.result', 'operations', set(sameArn)), at('refund.result', 'operations', set(sameArn))),
    red: ['arn_once'],
  },
  {
    bug: 'the result of a charge is not written to its operation',
    rewrite: at('charge.result', 'operations', lost),
    red: ['amounts_are_operations', 'in_flight_has_intent', 'operation_has_group'],
  },
  {
    bug: 'the order of a charge stays as it was',
    rewrite: at('charge.result', 'orders', lost),
    red: ['amounts_are_operations', 'events_are_changes', 'hold_is_held', 'in_flight_has_intent'],
  },
  {
    bug: 'a charged order is called reversed',
    rewrite: at(
      'charge.result',
      'orders',
      set(() => ({ status: 'reversed' })),
    ),
    red: ['status_is_implied'],
  },
  {
    bug: 'a refund of a converted charge takes a cent too much',
    rewrite: all(at('refund.result', 'postings', centMore), at('refund.result', 'balances', centMore)),
    converted: true,
    red: ['conversion_adds_up'],
  },
  {
    bug: 'an operation in flight is asked for by nobody',
    rewrite: all(at('charge.intent', 'orders', set(unasked)), (changes, name) =>
      name === 'charge.result' ? [] : changes,
    ),
    red: ['in_flight_is_found_out'],
  },
  {
    bug: 'the answer to a charge is known, and not booked',
    rewrite: all(at('charge.intent', 'operations', set(unbooked)), (changes, name) =>
      name === 'charge.result' ? [] : changes,
    ),
    red: ['answers_are_booked'],
  },
  {
    bug: 'a payout is not counted',
    rewrite: at('credit.intent', 'payout_sums', lost),
    red: ['payouts_are_counted'],
  },
  {
    bug: 'the day’s settlement clears twice what was charged',
    rewrite: all(at('due.clear', 'postings', set(twice)), at('due.clear', 'balances', set(twice))),
    days: 1,
    red: ['cleared_once'],
  },
  {
    bug: 'the reserve of a charge is released twice',
    rewrite: all(at('due.reserve', 'postings', set(twice)), at('due.reserve', 'balances', set(twice))),
    days: 31,
    red: ['holds_not_negative', 'reserve_released_once'],
  },
  {
    bug: 'the event of a charge is left out',
    rewrite: at('charge.result', 'events', lost),
    red: ['events_are_changes'],
  },
  {
    bug: 'two events of an order have one number',
    rewrite: at(
      'refund.result',
      'events',
      set((row) => ({ sequence: row.sequence === 3 ? 1 : row.sequence })),
    ),
    red: ['events_are_changes', 'events_in_order'],
  },
  { bug: 'the event of a charge is told behind that of its refund', rewrite: overtaken(), red: ['events_in_order'] },
  {
    bug: 'the event of a charge waits for no position, and a position is left out',
    rewrite: at('charge.result', 'event_queue', lost),
    behind: 'update event_heads set position = position + 1',
    red: ['events_have_a_place', 'positions_without_gaps'],
  },
];

/** It follows from the others, and reads every account of an owner. */
const FULL_ONLY = new Set(['books_balance']);

interface Verdict {
  readonly ok: boolean;
  readonly red: readonly string[];
}

async function verdict(florin: TestApp, full = true): Promise<Verdict> {
  const { status, body } = await florin.operator('GET', `/operator/invariants?full=${full}`);
  assert.equal(status, 200);
  const checks = body.checks as { id: string; ok: boolean; violations: unknown[] }[];
  for (const { id, ok, violations } of checks) assert.equal(ok, violations.length === 0, id);
  return {
    ok: body.ok,
    red: checks
      .filter(({ ok }) => !ok)
      .map(({ id }) => id)
      .sort(),
  };
}

/** A Florin of the test's own, which ends with the test: each holds a pool of connections. */
async function florinOf(context: TestContext, options: AppOptions): Promise<TestApp> {
  // What a planted bug makes of the answers is no news.
  const florin = await testApp({}, { ...options, watch: () => undefined });
  context.after(() => florin.app.stop());
  return florin;
}

/** Every event that waits has its position. */
async function numbered({ database }: TestApp): Promise<void> {
  const numbering = createNumbering({ database, clock: systemClock, log: silent });
  while ((await database.query('select from event_queue limit 1')).length > 0) await numbering.settle();
}

/** 12.50 held, charged, 3.00 of it refunded (converted: all of it), 1.00 paid out. */
async function pay(
  florin: TestApp,
  { charge = 200, converted = false, days = 0 }: Partial<Planted> = {},
): Promise<void> {
  const body = payment(converted ? { currency: 'USD' } : {});
  const held = await florin.merchant('POST', '/gateway/orders/authorize', body);
  assert.equal(held.status, 200, held.text);
  const { id } = held.body.orders[0];
  const charged = await florin.merchant('PUT', `/gateway/orders/${id}/charge`, {});
  assert.equal(charged.status, charge, charged.text);
  await florin.merchant('PUT', `/gateway/orders/${id}/refund`, converted ? {} : { amount: '3.00' });
  const paid = { amount: '1.00', location: { ip: '192.0.2.1' } };
  await florin.merchant('POST', `/gateway/orders/${id}/credit`, paid);
  if (days > 0) await florin.operator('POST', '/simulator/clock/advance', { by: `${days}d` });
}

test('without a bug every check is green, also behind a door that changes nothing', async (context) => {
  const names = new Map<string, Set<string>>();
  const watching = planting((changes, command) => {
    const tables = names.get(command) ?? new Set();
    for (const change of changes) tables.add(change.table.name);
    names.set(command, tables);
    return changes;
  });
  for (const options of [{}, { plant: watching }]) {
    const florin = await florinOf(context, options);
    await pay(florin);
    assert.deepEqual(await verdict(florin), { ok: true, red: [] });
  }
  // What the bugs below change is there to be changed.
  for (const command of ['charge.result', 'refund.result'])
    for (const table of ['orders', 'operations', 'postings', 'balances', 'events'])
      assert.ok(names.get(command)?.has(table), `${command} writes ${table}`);
});

for (const each of BUGS) {
  const { bug, rewrite, red } = each;
  test(`${bug}: ${red.join(', ')}`, async (context) => {
    let planted = false;
    const florin = await florinOf(context, {
      plant: planting((changes, command) => (planted ? rewrite(changes, command) : changes)),
    });
    // So that there is something proved already.
    await pay(florin);
    assert.deepEqual(await verdict(florin), { ok: true, red: [] });
    planted = true;
    await pay(florin, each);
    await numbered(florin);
    if (each.behind) await florin.database.query(each.behind);
    const quick = red.filter((id) => !FULL_ONLY.has(id));
    assert.deepEqual(await verdict(florin, false), { ok: false, red: quick }, 'of what has changed');
    const metrics = await (await fetch(`${florin.url}/metrics`)).text();
    assert.match(metrics, /^florin_unproved_commits 0$/m);
    // What is open is asked for each time, and not kept.
    const kept = quick.length > 0 && !quick.includes('in_flight_is_found_out');
    assert.equal(/^florin_invariants_violated [1-9]/m.test(metrics), kept);
    assert.deepEqual(await verdict(florin), { ok: false, red }, 'of the whole history');
  });
}

test('no check without a bug that turns it red', () => {
  const reds = new Set(BUGS.flatMap(({ red }) => red));
  // The test below is its bug.
  reds.add('amounts_in_bounds');
  assert.deepEqual(
    [...orderInvariants, ...ledgerInvariants].map(({ id }) => id).filter((id) => !reds.has(id)),
    [],
  );
});

test('a refund above the charge: the database refuses it; where it does not, amounts_in_bounds is red', async (context) => {
  const above = at(
    'refund.result',
    'orders',
    set(() => ({ amount_refunded: 99_999n })),
  );
  const florin = await florinOf(context, { plant: planting(above) });
  await pay(florin);
  assert.deepEqual(await verdict(florin), { ok: true, red: [] });
  const bounds = await florin.database.query<{ name: string }>(
    `select conname::text as name from pg_constraint where contype = 'c' and conrelid = 'orders'::regclass`,
  );
  assert.ok(bounds.length >= 4);
  for (const { name } of bounds) await florin.database.query(`alter table orders drop constraint "${name}"`);
  await pay(florin);
  assert.deepEqual(await verdict(florin), { ok: false, red: ['amounts_are_operations', 'amounts_in_bounds'] });
});
