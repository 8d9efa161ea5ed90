// What a committer sends reads as many rows as its group has, however many its owner has, also while Postgres knows nothing of the table.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { lookup, remove, type Session, statementsFor, table, update } from '../../src/store/index.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

interface Row {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly other: bigint;
  readonly name: string;
  readonly at: Date;
}
const rows = table<Row>('test_rows', { owner_id: 'int8', id: 'int8', other: 'int8', name: 'text', at: 'timestamptz' }, [
  'owner_id',
  'id',
]);

const OWNER = 7n;
const GROUP = 40;
const MANY = 5_000;
const AT = new Date('2026-01-01T00:00:00Z');
const group = Array.from({ length: GROUP }, (_, i) => BigInt(i * 100 + 1));
const others = group.map((id) => id + BigInt(MANY));

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** Rows that a plan's steps hand on or throw away. */
const rowsOf = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] + (plan['Rows Removed by Join Filter'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, step) => sum + rowsOf(step), 0);

/** What running a statement takes: rows and pages. */
async function workOf(db: Session, text: string, values: readonly unknown[]): Promise<number> {
  const [told] = await db.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const { Plan: plan } = told?.['QUERY PLAN'][0] ?? assert.fail('a plan');
  return rowsOf(plan) + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

const PLANTED = `update test_rows t set at = now() from unnest($1::int8[]) as v(id) where t.owner_id = $2 and t.id = v.id`;

describe('a statement of a committer', () => {
  let db: Session;
  before(async () => {
    const database: TestDatabase = await testDatabase();
    await database.query(
      'create table test_rows (owner_id int8, id int8, other int8 not null, name text not null, at timestamptz not null, primary key (owner_id, id))',
    );
    // Each of them has the key in its middle, and fewer pages than the primary key may have.
    await database.query('create index test_rows_at on test_rows (owner_id, at, id)');
    await database.query('create unique index test_rows_name on test_rows (owner_id, name, other)');
    await database.query('create index test_rows_other on test_rows (owner_id, other, id)');
    db = await database.session();
    // Planned before there is anything, as by a server that runs from the first day on.
    for (const { text, values } of statements()) await db.query(text, values);
    await db.query(PLANTED, [group, OWNER]);
    await database.query(
      `insert into test_rows select $1, i, i + ${MANY}, i::text, $2 from generate_series(1, ${MANY}) i order by i * 7919 % ${MANY}`,
      [OWNER, AT],
    );
  });

  const changes = group.map((id): Row => ({ owner_id: OWNER, id, other: id + BigInt(MANY), name: String(id), at: AT }));
  const statements = () => [
    { text: lookup(rows, { by: ['id'] }), values: [group, OWNER] },
    { text: lookup(rows, { by: ['id'], locked: true }), values: [group, OWNER] },
    { text: lookup(rows, { by: ['other'], order: 't.id' }), values: [others, OWNER] },
    { text: lookup(rows, { by: ['id'], only: `t.name <> ''` }), values: [group, OWNER] },
    ...statementsFor(changes.map((row) => update(rows, row))),
    ...statementsFor(changes.map(({ owner_id, id }) => remove(rows, { owner_id, id }))),
  ];

  it('reads the rows of its group and no more', async () => {
    for (const { text, values } of statements()) {
      const [, work] = await Promise.all([db.query('begin'), workOf(db, text, values), db.query('rollback')]);
      assert.ok(work >= GROUP && work < 60 * GROUP, `${work}: ${text}`);
    }
  });

  it('is seen to read an owner whole when it is planted as a join', async () => {
    const work = await workOf(db, PLANTED, [group, OWNER]);
    assert.ok(work > 10 * MANY, `${work}`);
  });

  it('finds and locks in the order of the values', async () => {
    const asked = group.toReversed();
    await db.query('begin');
    const found = await db.query<Row>(lookup(rows, { by: ['id'], locked: true }), [asked, OWNER]);
    await db.query('rollback');
    assert.deepEqual(
      found.map(({ id }) => id),
      asked,
    );
  });
});
