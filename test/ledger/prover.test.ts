// What a window finds and what only the full proof does: wrong old rows, wrong new ones, rows that are committed late; and that sums kept
// beside a load are exact.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Clock, idMaker, systemClock, systemRandom } from '../../src/base/index.ts';
import { orderInvariants } from '../../src/gateway/orders/index.ts';
import { authorizationInvariants } from '../../src/issuing/payments/index.ts';
import {
  createProver,
  type Entry,
  ledgerAuditor,
  ledgerInvariants,
  type Proof,
  type Prover,
  postOperation,
} from '../../src/ledger/index.ts';
import { type Change, type Committer, createCommitter } from '../../src/store/index.ts';
import { filesIn, textOf } from '../house/source.ts';
import { silent, slowCommitter, type TestDatabase, testDatabase } from '../support/database.ts';

const at = new Date('2026-11-21T10:00:00Z');
const OWNER = 7n;
/** Rows of a slice: a handful of orders. */
const ROWS = 20;
const ids = idMaker(systemClock, 1);
const never = new AbortController().signal;

const entry = (orderId: bigint): Entry => ({
  owner: OWNER,
  subject: { type: 'order', id: orderId },
  operationId: ids.next(),
  operation: 'charge',
  amount: { minor: 1000n + (orderId % 100n), currency: 'EUR' },
  hold: 0n,
  accounting: 'EUR',
  rate: null,
  plan: { rules: [], reserve: { percent: '0', days: 30 } },
  cardType: 'visa',
  country: 'DEU',
  link: 'simulator',
  at,
});
/** What a charge of the order books. */
const charge = (orderId: bigint): readonly Change[] => postOperation(entry(orderId)).changes;

let database: TestDatabase;
let committer: Committer;
let prover: Prover;

const proverOf = (time: Clock = systemClock): Prover =>
  createProver({ database, clock: systemClock, time, log: silent, auditors: [ledgerAuditor], rows: ROWS });

beforeEach(async () => {
  database = await testDatabase();
  committer = createCommitter({ connect: () => database.session(), clock: systemClock, ids, log: silent });
  prover = proverOf();
});

const commit = (changes: readonly Change[]): Promise<unknown> =>
  committer.submit({ name: 'test', owner: OWNER, needs: [], decide: () => ({ value: null, changes }) });
const charges = (count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, i) => commit(charge(BigInt(1 + i)))));
const red = ({ checks }: Proof): string[] => checks.filter(({ ok }) => !ok).map(({ id }) => id);

/** A line that a person puts into the books. */
const line = (orderId: bigint, amount: bigint, no: number): Promise<unknown> =>
  database.query(
    `insert into postings select owner_id, entry_id, subject_id, operation_id, $2, created_at, $3, subject_type, kind, 'merchant_payable', 'EUR'
     from postings where owner_id = $4 and subject_id = $1 order by entry_id, line limit 1`,
    [orderId, amount, no, OWNER],
  );

/** A clock whose second rest does not come: a chore that goes on beside the load is told to stop. */
function stopping(): { readonly time: Clock; readonly signal: AbortSignal } {
  const stop = new AbortController();
  let rests = 0;
  const time: Clock = {
    now: () => systemClock.now(),
    elapsed: () => systemClock.elapsed(),
    sleep: async () => {
      if (++rests === 2) stop.abort(new Error('stopping'));
    },
  };
  return { time, signal: stop.signal };
}

describe('a proof', () => {
  it('looks at each owner in turn: whose changes never end keeps nobody else waiting', async () => {
    const busy = `insert into commit_groups (owner_id, id, written, made_at, subjects) select $1, n, true, now(), '{' || n || '}' from generate_series(1, $2) n`;
    await database.query(busy, [OWNER, 1200]);
    await database.query(busy, [OWNER + 1n, 1]);
    const { time, signal } = stopping();
    await proverOf(time).changed(signal);
    const waiting = await database.query('select distinct owner_id from commit_groups where subjects is not null');
    assert.deepEqual(waiting, [{ owner_id: OWNER }]);
  });

  it('finds a wrong new row by window, once it is looked at, and again until it is right', async () => {
    await charges(10);
    assert.deepEqual(red(await prover.full()), []);
    const [lost, ...rest] = charge(3n);
    assert.equal(lost?.table.name, 'postings');
    await commit(rest);
    await commit(charge(4n));
    const first = await prover.quick();
    assert.deepEqual(red(first), ['groups_balance', 'balances_are_sums']);
    assert.deepEqual([first.covered.lookedAt, first.covered.waiting], [2, 0n]);
    const again = await prover.quick();
    assert.deepEqual([red(again), again.covered.lookedAt], [['groups_balance', 'balances_are_sums'], 0]);
    await commit([lost]);
    assert.ok(!red(await prover.quick()).includes('groups_balance'));
    assert.deepEqual(red(await prover.full()), []);
  });

  it('finds a wrong old row only when the whole history is looked at, and then in every proof until it is right', async () => {
    await charges(20);
    assert.deepEqual(red(await prover.full()), []);
    await line(5n, 5n, 50);
    await commit(charge(6n));
    assert.deepEqual(red(await prover.quick()), [], 'nobody touched its order');
    // As the chore does it, a day later.
    await database.query(
      `update proofs set proved_at = (proved_at at time zone 'UTC' - interval '25 hours') at time zone 'UTC'`,
    );
    await prover.slices(never);
    const found = await prover.quick();
    assert.deepEqual(red(found), ['groups_balance', 'balances_are_sums']);
    assert.deepEqual(
      found.checks.flatMap(({ violations }) => violations.map((row) => (row as { subject?: bigint }).subject)),
      [5n, undefined],
    );
    await line(5n, -5n, 51);
    assert.deepEqual(red(await prover.quick()), ['balances_are_sums'], 'the sums are those of the proof');
    assert.deepEqual(red(await prover.full()), []);
  });

  it('finds what is committed late, with an id from before what is proved already', async () => {
    await charges(3);
    const slow = slowCommitter(database, ids);
    const changes = charge(2n).slice(0, 1);
    const late = slow.committer.submit({
      name: 'late',
      owner: OWNER,
      needs: [],
      decide: () => ({ value: null, changes }),
    });
    await slow.sent;
    await commit(charge(3n));
    const before = await prover.quick();
    assert.deepEqual([red(before), before.covered.waiting], [[], 0n]);
    slow.go();
    await late;
    const [newest] = await database.query<{ subjects: string | null }>(
      'select subjects from commit_groups order by id desc limit 1',
    );
    assert.deepEqual(newest, { subjects: null }, 'its id lies before one that is proved');
    const after = await prover.quick();
    assert.deepEqual(red(after), ['groups_balance', 'balances_are_sums']);
    assert.equal(after.covered.lookedAt, 1);
  });

  it('goes on in another process where it was stopped, and counts what is posted meanwhile once', async () => {
    await charges(20);
    const { time, signal } = stopping();
    await proverOf(time).slices(signal);
    const { covered } = await prover.quick();
    assert.deepEqual([covered.owners, covered.proved, covered.underWay, covered.slices], [1n, 0n, 1n, 2n]);
    // One that is passed, one that is ahead, one that is new; proved before the rest is, or not.
    await Promise.all([commit(charge(1n)), commit(charge(20n)), commit(charge(99n))]);
    await prover.quick();
    await Promise.all([commit(charge(1n)), commit(charge(20n)), commit(charge(98n))]);
    await proverOf().slices(never);
    const ended = await prover.quick();
    assert.deepEqual([red(ended), ended.covered.proved, ended.covered.underWay], [[], 1n, 0n]);
    assert.ok(ended.covered.slices === 0n && ended.covered.oldest !== null);
    const sums = await database.query<{ amount: bigint }>(
      'select sum(amount) as amount from postings group by account order by account',
    );
    const kept = await database.query<{ amount: bigint }>('select amount from proved_sums order by account');
    assert.deepEqual(
      kept.map(({ amount }) => String(amount)),
      sums.map(({ amount }) => String(amount)),
    );
  });

  it('is green beside a load, whoever proves what at once', async () => {
    await charges(10);
    let loading = true;
    const load = (async () => {
      for (let i = 0; i < 30; i++)
        await Promise.all(Array.from({ length: 5 }, () => commit(charge(BigInt(1 + systemRandom.int(40))))));
      loading = false;
    })();
    const found: string[] = [];
    const prove = async (how: 'quick' | 'full'): Promise<void> => {
      const one = proverOf();
      while (loading) found.push(...red(await one[how]()));
    };
    await Promise.all([load, prove('quick'), prove('full'), prove('full')]);
    assert.deepEqual([...found, ...red(await prover.full())], []);
  });

  it('leaves nothing of what was proved behind', async () => {
    await charges(10);
    for (let i = 0; i < 3; i++) await prover.full();
    const [left] = await database.query<{ runs: bigint; touched: bigint; reds: bigint }>(
      `select (select count(distinct run) from proved_sums) as runs, (select count(*) from proof_reds) as reds,
         (select count(*) from commit_groups where subjects is not null or entries is not null) as touched`,
    );
    assert.deepEqual(left, { runs: 1n, reds: 0n, touched: 0n });
  });
});

it('a table that an invariant of subjects reads says whose row it is', () => {
  const subjects = [...ledgerInvariants, ...orderInvariants, ...authorizationInvariants].filter(
    ({ of }) => of === 'subject',
  );
  const read = new Set(
    subjects.flatMap(({ sql }) => [...sql.matchAll(/\b(?:from|join) (?!lateral)([a-z_]+) /g)].map((match) => match[1])),
  );
  // Changed together with postings.
  read.delete('balances');
  // Written behind the commits: what is numbered after it was proved the full proof meets.
  read.delete('event_log');
  // Says what was dropped: that asks less of a proof, and never more.
  read.delete('event_floors');
  assert.ok(read.size >= 8, [...read].join());
  const declared = new Set(
    filesIn('src', '.ts').flatMap((file) =>
      [...textOf(file).matchAll(/\btable(?:<\w+>)?\(\s*'(\w+)',[^;]*\bsubjects: \[/g)].map((match) => match[1]),
    ),
  );
  assert.deepEqual(
    [...read].filter((name) => !declared.has(name)),
    [],
  );
});

it('no index of operations names what a result changes: each result would write every index anew', async () => {
  const named = async (): Promise<string[]> => {
    const rows = await database.query<{ name: string; text: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'operations'::regclass order by 1`,
    );
    assert.ok(rows.some(({ name }) => name === 'operations_payouts'));
    return rows
      .filter(({ text }) => /\b(status|details|iso_\w+|auth_code|resolved_at|tries)\b/.test(text))
      .map(({ name }) => name);
  };
  assert.deepEqual(await named(), []);
  await database.query(`create index planted on operations (id) where status = 'sent'`);
  assert.deepEqual(await named(), ['planted']);
});
