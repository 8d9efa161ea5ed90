// The numbers of processes: each draws one that nobody has, also where the sequence lies behind the table, as after a failover; and keeps
// it until somebody else takes it for dead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { type Lease, openLease, StartError } from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';

const open = (database: TestDatabase): Promise<Lease> =>
  openLease({ db: database, clock: systemClock, log: silent, alone: false });

test('a number that is taken is left to who has it, and another one drawn, also by many at once', async () => {
  const database = await testDatabase();
  await database.query(`select setval('process_ids', 1000)`);
  await database.query(
    `insert into processes (id, expires_at) select 1000 + n, '2100-01-01' from generate_series(1, 5) n`,
  );
  const leases = await Promise.all(Array.from({ length: 4 }, () => open(database)));
  const numbers = leases.map((lease) => lease.process());
  assert.deepEqual(
    numbers.sort((a, b) => Number(a - b)),
    [1006n, 1007n, 1008n, 1009n],
  );
  const living = await (leases[0] as Lease).living();
  for (const number of [1001n, 1005n, ...numbers]) assert.ok(living.has(number), String(number));
  for (const lease of leases) await lease.release();
  assert.deepEqual(
    await database.query('select count(*)::int4 as n from processes'),
    [{ n: 5 }],
    'only their own rows go',
  );
});

test('a sequence that gives out taken numbers only is one sentence', async () => {
  const database = await testDatabase();
  await database.query(`select setval('process_ids', 1)`);
  await database.query(`insert into processes (id, expires_at) select n, '2100-01-01' from generate_series(2, 1100) n`);
  await assert.rejects(open(database), (error) => error instanceof StartError && /process_ids/.test(error.message));
});

test('who looks for the dead behind an outage longer than its lease does not count itself among them', async () => {
  const database = await testDatabase();
  let elapsed = 0;
  const clock = { ...systemClock, elapsed: () => elapsed };
  // Signs of life don't come through: the next one is an hour away.
  const times = { leaseMs: 15_000, renewMs: 3_600_000 };
  const lease = await openLease({ db: database, clock, log: silent, alone: false, times });
  const number = lease.process();
  elapsed = 20_000;
  await database.query(`update processes set expires_at = clock_timestamp() - interval '5 s'`);
  assert.ok(!lease.held());
  assert.ok((await lease.living()).has(number));
  assert.equal(lease.process(), number);
  assert.ok(lease.held());
  await lease.release();
});

test('a process that was taken for dead goes on under one number, however often it notices', async () => {
  const database = await testDatabase();
  let elapsed = 0;
  const clock = { ...systemClock, elapsed: () => elapsed };
  const times = { leaseMs: 15_000, renewMs: 3_600_000 };
  const lease = await openLease({ db: database, clock, log: silent, alone: false, times });
  const before = lease.process();
  elapsed = 20_000;
  await database.query('delete from processes');
  const seen = await Promise.all([lease.living(), lease.living(), lease.living()]);
  assert.notEqual(lease.process(), before);
  for (const living of seen) assert.deepEqual([...living], [lease.process()]);
  await lease.release();
});
