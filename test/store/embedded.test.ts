// docs/contract/sandbox.md#start: a database left running by a kill -9 is taken over, its data is there, and a second Florin is refused.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { migrate, openDatabase, StartError, startEmbedded } from '../../src/store/index.ts';
import { silent } from '../support/database.ts';

test('a server that was left running is adopted with its data; a newer database is refused', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'florin-embedded-'));
  const first = await startEmbedded(dir, { log: silent, clock: systemClock });
  await migrate(first.connection, silent);
  const before = openDatabase(first.connection, { log: silent });
  await before.query('create table left_behind as select 7::int8 as n');
  await before.close();
  // What a kill -9 of Florin leaves: the server runs on, nobody looks after it.
  first.leave();
  const second = await startEmbedded(dir, { log: silent, clock: systemClock });
  assert.equal(second.adopted, true);
  assert.equal(second.pid, first.pid);
  const after = openDatabase(second.connection, { log: silent });
  assert.deepEqual(await after.query('select n from left_behind'), [{ n: 7n }]);
  await after.query(`insert into florin_migrations (name, run_on) values ('9999_future', $1)`, [new Date(0)]);
  await assert.rejects(
    migrate(second.connection, silent),
    (error: Error) => error instanceof StartError && /9999_future/.test(error.message),
  );
  await after.close();
  await second.stop();
  const third = await startEmbedded(dir, { log: silent, clock: systemClock });
  assert.equal(third.adopted, false);
  await third.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a server that comes up but is slow to answer is waited for', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'florin-slow-'));
  /** Its process, as soon as connections find it: the last line of its file is its state. */
  const listening = (): number | null => {
    const [file] = globSync(path.join(dir, '**/postmaster.pid'));
    const [pid, , , , , , , state = ''] = file === undefined ? [] : readFileSync(file, 'utf8').split('\n');
    return /starting|ready/.test(state) ? Number(pid) : null;
  };
  let stopped: number | null = null;
  let asked = 0;
  const clock = {
    ...systemClock,
    // Called after each question that was not answered.
    async sleep(ms: number) {
      if (stopped !== null && ++asked === 1) process.kill(stopped, 'SIGCONT');
      await systemClock.sleep(ms);
      if (stopped === null && (stopped = listening()) !== null) process.kill(stopped, 'SIGSTOP');
    },
  };
  try {
    const server = await startEmbedded(dir, { log: silent, clock });
    assert.ok(asked > 0);
    await migrate(server.connection, silent);
    await server.stop();
  } finally {
    if (stopped !== null && asked === 0) process.kill(stopped, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
});

test('a second Florin on the same data is refused in one sentence, and the first goes on', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'florin-second-'));
  const config = (port: string) => readConfig({ DATA_DIR: dir, PORT: port, LOG_LEVEL: 'silent' }, {});
  const first = await startApp(config('0'), { log: silent });
  await assert.rejects(
    startApp(config('0'), { log: silent }),
    (error: Error) => error instanceof StartError && /Another Florin is running/.test(error.message),
  );
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
  // Nor when every connection of the first was lost: its sign of life is no connection.
  await first.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  await assert.rejects(startApp(config('0'), { log: silent }), /Another Florin is running/);
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200);
  await first.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('settings: environment before file, unknown and wrong ones named, live mode refuses default secrets', () => {
  assert.equal(readConfig({}, { PORT: '9000' }).port, 9000);
  assert.equal(readConfig({ PORT: '9001' }, { PORT: '9000' }).port, 9001);
  for (const [env, file, names] of [
    [{}, { PROT: '1' }, /PROT/],
    [{ FLORIN_MOOD: 'x' }, {}, /FLORIN_MOOD/],
    [{ PORT: '70000' }, {}, /PORT/],
    [{ FLORIN_MODE: 'prod' }, {}, /FLORIN_MODE/],
    [{ PUBLIC_URL: 'ftp://x' }, {}, /PUBLIC_URL/],
    [{ FLORIN_MODE: 'live' }, {}, /OPERATOR_SECRET/],
    [{ FLORIN_MODE: 'live', OPERATOR_SECRET: 'sandbox-operator' }, {}, /OPERATOR_SECRET/],
  ] as const) {
    assert.throws(
      () => readConfig(env, file),
      (error: Error) => error instanceof StartError && names.test(error.message),
    );
  }
});
