// The audit log: a chain that tells when a row was changed or taken out, refused logins, and a table that only grows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Action, auditAppend, auditViolations } from '../../src/operator/index.ts';
import { keyed } from '../projects/bench.ts';
import { type Installation, installation } from './installation.ts';

let at: Installation;
before(async () => {
  at = await installation();
});
after(() => at.stop());

const ACTION: Action = { actor: 'operator', origin: '192.0.2.1', action: 'project.create', target: 'shop' };

/** Does something to the table that its trigger forbids. */
const behindItsBack = (sql: string): Promise<void> =>
  at.database.transaction(async (db) => {
    await db.query('alter table operator_audit disable trigger operator_audit_append_only');
    await db.query(sql);
    await db.query('alter table operator_audit enable trigger operator_audit_append_only');
  });

test('rows written at once by many are numbered without gaps and form one chain', async () => {
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      at.database.transaction((db) =>
        auditAppend(db, keyed, { ...ACTION, target: `shop ${i}` }, 'done', at.clock.now()),
      ),
    ),
  );
  const rows = await at.database.query<{ id: bigint }>('select id from operator_audit order by id');
  assert.deepEqual(
    rows.map(({ id }) => id),
    Array.from({ length: 30 }, (_, i) => BigInt(i + 1)),
  );
  assert.deepEqual(await auditViolations(at.database, keyed), []);
});

test('rates that are refused are told in a row of their own', async () => {
  const refused = await at.call('POST', '/rates', { rates: [{ from: 'EUR', to: 'EUR', rate: '1' }] });
  assert.equal(refused.status, 422);
  const [row] = await at.database.query<{ action: string; target: string; result: string }>(
    'select action, target, result from operator_audit order by id desc limit 1',
  );
  assert.deepEqual({ ...row }, { action: 'rates.load', target: '0 rates', result: 'unfit' });
});

test('a row that rolled back leaves no gap', async () => {
  await assert.rejects(
    at.database.transaction(async (db) => {
      await auditAppend(db, keyed, ACTION, 'done', at.clock.now());
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  await at.database.transaction((db) => auditAppend(db, keyed, ACTION, 'done', at.clock.now()));
  assert.deepEqual(await auditViolations(at.database, keyed), []);
});

test('the table takes no update, delete or truncate', async () => {
  for (const sql of [
    `update operator_audit set result = 'done' where id = 1`,
    'delete from operator_audit where id = 1',
    'truncate operator_audit',
  ]) {
    await assert.rejects(at.database.query(sql), /append-only/, sql);
  }
});

test('a changed row is named, a missing one shows in the row behind it, a forged one is found', async () => {
  await behindItsBack(`update operator_audit set target = 'other' where id = 5`);
  assert.deepEqual(await auditViolations(at.database, keyed), [5n]);
  await behindItsBack(
    `update operator_audit set target = 'shop 4' where id = 5; delete from operator_audit where id = 12`,
  );
  const violations = await auditViolations(at.database, keyed);
  assert.ok(violations.includes(13n), String(violations));
  const invariants = (await at.call('GET', '/invariants')).body;
  assert.equal(invariants.ok, false);
  assert.equal(invariants.checks.at(-1).id, 'audit_chain');
});

/** What the log tells of logins: [from where, at which API, result]. */
async function logins(): Promise<string[]> {
  const rows = await at.database.query<{ origin: string; target: string; result: string }>(
    `select origin, target, result from operator_audit where action = 'login' order by id`,
  );
  return rows.map(({ origin, target, result }) => `${origin} ${target} ${result}`);
}

test('a wrong secret is audited: the first five one by one, the others by number, and no more than the limit lets be', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 205; i++)
    statuses.push((await at.call('GET', '/audit', undefined, { authorization: 'Bearer wrong' })).status);
  assert.deepEqual(
    [statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length],
    [200, 5],
  );
  assert.equal((await at.call('GET', '/audit')).status, 200, 'the right secret still passes');
  at.tellRefusals();
  while ((await logins()).length < 6) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await logins(), [
    ...Array<string>(5).fill('127.0.0.1 operator unauthenticated'),
    '127.0.0.1 operator unauthenticated, 195 times',
  ]);
});
