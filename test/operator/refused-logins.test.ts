// Wrong logins in the audit log: how many rows a flood of them is, from one address, from many, for one login; and over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditRefusals, auditViolations } from '../../src/operator/index.ts';
import { refusalTallies } from '../../src/operator/refused-logins.ts';
import type { Db } from '../../src/store/index.ts';
import { keyed, silent } from '../projects/bench.ts';
import { basic, testApp } from '../support/app.ts';
import { installation } from './installation.ts';

const MINUTE_MS = 60_000;

/** Rows of a story: what was told at once, and what the ends of its windows told. */
function story() {
  const tallies = refusalTallies();
  const rows: string[] = [];
  const put = ({ origin, target, times }: { origin: string; target: string; times: number }): void =>
    void rows.push(`${origin} ${target} ${times}`);
  return {
    rows,
    wrong(minute: number, address: string, login: string | null = null): void {
      const row = tallies.note(minute * MINUTE_MS, address, 'gateway', login);
      if (row) put(row);
    },
    over: (minute: number, all = false): void => tallies.over(minute * MINUTE_MS, all).forEach(put),
  };
}

test('one address: five one by one, then one row in ten minutes with the number, and five again after a quiet time', () => {
  const { rows, wrong, over } = story();
  for (let i = 0; i < 303; i++) wrong(0, '192.0.2.1');
  assert.deepEqual(rows.splice(0), Array(5).fill('192.0.2.1 gateway 1'));
  over(9);
  assert.deepEqual(rows, [], 'not before its time');
  over(10);
  assert.deepEqual(rows.splice(0), ['192.0.2.1 gateway 298']);
  for (let i = 0; i < 1000; i++) wrong(15, '192.0.2.1');
  over(20);
  assert.deepEqual(rows.splice(0), ['192.0.2.1 gateway 1000'], 'who goes on is told by number only');
  over(30);
  over(40);
  assert.deepEqual(rows, [], 'of nobody nothing is told');
  for (let i = 0; i < 6; i++) wrong(41, '192.0.2.1');
  assert.equal(rows.length, 5);
});

test('an IPv6 customer is one party, each row of his tells the address, the number his network', () => {
  const { rows, wrong, over } = story();
  for (let i = 0; i < 100; i++) wrong(0, `2001:db8:1:2::${i.toString(16)}`);
  over(10);
  assert.deepEqual(rows, [
    ...[0, 1, 2, 3, 4].map((i) => `2001:db8:1:2::${i} gateway 1`),
    '2001:db8:1:2::/64 gateway 95',
  ]);
});

test('one login from ten thousand addresses: twenty one by one, one row for the others', () => {
  const { rows, wrong, over } = story();
  for (let i = 0; i < 10_000; i++) wrong(0, `10.${i >> 8}.${i & 255}.1`, 'shop');
  over(10);
  assert.deepEqual(rows.slice(20), ['many gateway 9980']);
});

test('ten thousand logins from ten thousand addresses: what is remembered, and told, is bounded; every one is in a number', () => {
  const { rows, wrong, over } = story();
  for (let i = 0; i < 10_000; i++) for (let n = 0; n < 7; n++) wrong(0, `10.${i >> 8}.${i & 255}.1`, `shop ${i} ${n}`);
  over(5, true);
  assert.ok(rows.length <= 6001, `${rows.length} rows`);
  assert.equal(
    rows.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0),
    70_000,
  );
});

test('two hundred rows are written a few at a time, in their order, so that nobody waits long for the chain', async () => {
  const { database, clock, stop } = await installation();
  const portions: number[] = [];
  const work: Promise<unknown>[] = [];
  const counted: typeof database.transaction = (written) =>
    database.transaction(async (db) => {
      const before = await rowsOf(db);
      const value = await written(db);
      portions.push((await rowsOf(db)) - before);
      return value;
    });
  const rowsOf = async (db: Db): Promise<number> =>
    Number((await db.query<{ n: bigint }>('select count(*) as n from operator_audit'))[0]?.n);
  const refusals = auditRefusals({
    database: { transaction: counted },
    keyed,
    clock,
    log: silent,
    background: (written) => work.push(written),
  });
  for (let i = 0; i < 200; i++) refusals.refused(`192.0.2.${i}`, 'gateway', null);
  await Promise.all(work);
  assert.ok(Math.max(...portions) <= 20, portions.join());
  const rows = await database.query<{ origin: string }>('select origin from operator_audit order by id');
  assert.deepEqual(
    rows.map(({ origin }) => origin),
    Array.from({ length: 200 }, (_, i) => `192.0.2.${i}`),
  );
  assert.deepEqual(await auditViolations(database, keyed), []);
  await stop();
});

test('over HTTP: 300 wrong logins at each door are six rows each, told at the latest when the server stops, and no name in any', async () => {
  const florin = await testApp();
  const wrong = florin.clientWith(basic('a-secret-by-mistake', 'wrong'));
  const operator = florin.clientWith('Bearer wrong');
  const issuing = florin.clientWith(null);
  for (let i = 0; i < 300; i++) {
    assert.equal((await wrong('GET', '/gateway/ping')).status, 401);
    assert.equal((await operator('GET', '/operator/audit')).status, 401);
    assert.equal((await issuing('GET', '/issuing/cards', undefined, { 'x-secret': 'wrong' })).status, 401);
  }
  await florin.restart();
  const { body, text } = await florin.operator('GET', '/operator/audit?per_page=1000');
  const rows = body.audit.filter(({ action }: { action: string }) => action === 'login');
  assert.equal(rows.length, 18);
  for (const door of ['gateway', 'operator', 'issuing']) {
    const results = rows.filter(({ target }: { target: string }) => target === door);
    assert.deepEqual(
      results.map(({ result }: { result: string }) => result),
      ['unauthenticated, 295 times', ...Array<string>(5).fill('unauthenticated')],
    );
  }
  assert.doesNotMatch(text, /mistake/);
});
