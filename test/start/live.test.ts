// What `florin serve` says and how it ends where it must not start; and what a live server that starts says of itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type App, startApp } from '../../src/app.ts';
import { createLog } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { noneDecides } from '../support/decisions.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const root = mkdtempSync(path.join(os.tmpdir(), 'florin-start-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => {
  const made = path.join(root, String(folders++));
  mkdirSync(made);
  return made;
};

const LIVE = {
  FLORIN_MODE: 'live',
  OPERATOR_SECRET: 'd5d0f3c1a97b4e2288f6b0a47e13c9de',
  PUBLIC_URL: 'https://pay.example',
  TRUSTED_PROXIES: '127.0.0.1',
};

const urlOf = ({ connection }: TestDatabase): string =>
  `postgres://${connection.user}@/${connection.database}?host=${encodeURIComponent(String(connection.host))}&port=${connection.port ?? 5432}`;

/** `florin serve` with these settings, until it ends by itself. */
async function served(env: Record<string, string>): Promise<{ code: number | null; says: string }> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    cwd: folder(),
    env: { PATH, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: folder(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let says = '';
  child.stderr.on('data', (part: Buffer) => (says += part.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, says };
}

async function refused(env: Record<string, string>, sentence: RegExp): Promise<void> {
  const { code, says } = await served(env);
  assert.equal(code, 1, says);
  assert.match(says, sentence);
  assert.match(says, /^[^\n]+\n$/, 'one sentence');
}

/** In this process, over a database of the tests; `lines`: what it logs. */
async function started(database: TestDatabase, env: Record<string, string>) {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const config = readConfig({ PORT: '0', DATA_DIR: folder(), WORKERS: 'off', ...env }, {});
  const app: App = await startApp(config, { log, guard: noneDecides, connection: database.connection });
  const ready = (await (await fetch(`${app.url}/readyz`)).json()) as { ok: boolean; warnings: string[] };
  return { app, lines, ready };
}

test('an empty secret, a live server without https and one without a proxy: one sentence, code 1', async () => {
  await refused({ OPERATOR_SECRET: '' }, /OPERATOR_SECRET/);
  await refused({ ...LIVE, OPERATOR_SECRET: '' }, /OPERATOR_SECRET/);
  await refused({ ...LIVE, PUBLIC_URL: 'http://pay.example' }, /PUBLIC_URL/);
  await refused({ ...LIVE, TRUSTED_PROXIES: '' }, /TRUSTED_PROXIES/);
});

test('a data directory that is a file, lies below one, or where no folders can be: one sentence, code 1', async () => {
  const file = path.join(folder(), 'a file');
  writeFileSync(file, 'x');
  const sentence = /^The data directory .* can't be used \((ENOTDIR|ENOENT|EACCES|EPERM)\): set DATA_DIR/;
  for (const dir of [file, path.join(file, 'below'), ...(existsSync('/proc/self') ? ['/proc/florin/data'] : [])])
    await refused({ DATA_DIR: dir }, sentence);
});

test('a database that was a sandbox never becomes live, and a live one no sandbox', async () => {
  const [sandbox, live] = [await testDatabase(), await testDatabase()];
  for (const { app } of [await started(sandbox, {}), await started(live, LIVE)]) await app.stop();
  await refused({ ...LIVE, DATABASE_URL: urlOf(sandbox) }, /was a sandbox/);
  await refused({ DATABASE_URL: urlOf(live) }, /live installation/);
  assert.deepEqual(await live.query('select count(*) as n from projects'), [{ n: 0n }]);
  assert.deepEqual(await sandbox.query('select mode from installation_mode'), [{ mode: 'sandbox' }]);
});

test('live on the embedded database, its keys beside it: said loudly, in the log and in /readyz', async () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const app = await startApp(readConfig({ PORT: '0', DATA_DIR: folder(), WORKERS: 'off', ...LIVE }, {}), {
    log,
    guard: noneDecides,
  });
  const ready = (await (await fetch(`${app.url}/readyz`)).json()) as object;
  await app.stop();
  assert.deepEqual(ready, {
    ok: true,
    checks: { database: true, disk: true, migrations: true },
    links: {},
    warnings: ['embedded_database', 'keys_beside_data'],
  });
  assert.equal(app.warnings.length, 2);
  for (const warning of ['embedded_database', 'keys_beside_data'])
    assert.ok(
      lines.some((line) => line.includes(warning) && line.includes('"level":40')),
      warning,
    );
});

test('KEY_FILE: made there, read there, and nothing is said of keys that lie apart', async () => {
  const database = await testDatabase();
  const KEY_FILE = path.join(folder(), 'keys.json');
  const first = await started(database, { ...LIVE, KEY_FILE });
  await first.app.stop();
  assert.deepEqual([first.ready.warnings, first.lines], [[], []]);
  // Another data directory, the same keys: had it made new ones, this database would have refused them.
  const second = await started(database, { ...LIVE, KEY_FILE });
  await second.app.stop();
  await refused({ ...LIVE, DATABASE_URL: urlOf(database) }, /is missing/);
  await refused({ ...LIVE, DATABASE_URL: urlOf(await testDatabase()), KEY_FILE: '/nowhere/keys.json' }, /ENOENT/);
});
