// A TPC-B-like transaction through our driver, for machines without pgbench: what this Postgres does when each change has a
// transaction of its own.
import { systemRandom } from '../src/base/index.ts';
import type { Database } from '../src/store/index.ts';

const ACCOUNTS = 100_000;
const TELLERS = 10;

export async function prepareTpcb(database: Database): Promise<void> {
  await database.query('create table tpcb_branches (bid int primary key, bbalance int8 not null)');
  await database.query('create table tpcb_tellers (tid int primary key, tbalance int8 not null)');
  await database.query(
    'create table tpcb_accounts (aid int primary key, abalance int8 not null, filler text not null)',
  );
  await database.query('create table tpcb_history (tid int, bid int, aid int, delta int8, mtime timestamptz)');
  await database.query('insert into tpcb_branches values (1, 0)');
  await database.query('insert into tpcb_tellers select n, 0 from generate_series(1, $1::int) n', [TELLERS]);
  await database.query(`insert into tpcb_accounts select n, 0, repeat('x', 84) from generate_series(1, $1::int) n`, [
    ACCOUNTS,
  ]);
  await database.query('vacuum analyze tpcb_accounts');
}

/** Transactions a second with so many connections. */
export async function runTpcb(database: Database, connections: number, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const aid = 1 + systemRandom.int(ACCOUNTS);
      const tid = 1 + systemRandom.int(TELLERS);
      const delta = systemRandom.int(10_000) - 5000;
      await database.transaction(async (db) => {
        await db.query('update tpcb_accounts set abalance = abalance + $1 where aid = $2', [delta, aid]);
        await db.query('select abalance from tpcb_accounts where aid = $1', [aid]);
        await db.query('update tpcb_tellers set tbalance = tbalance + $1 where tid = $2', [delta, tid]);
        await db.query('update tpcb_branches set bbalance = bbalance + $1 where bid = 1', [delta]);
        await db.query('insert into tpcb_history values ($1, 1, $2, $3, now())', [tid, aid, delta]);
      });
      done++;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  return done / ((performance.now() - started) / 1000);
}
