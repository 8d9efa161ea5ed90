// A start whose database goes away under it: one sentence, and the next start finds everything in order.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Connection } from '../../src/store/index.ts';
import { testDatabase } from '../support/database.ts';
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts';

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-away-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const addressOf = ({ host, port, user, database }: Connection): string =>
  `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host ?? '')}`;

interface Ended {
  readonly code: number | null;
  readonly says: string;
}

/** Until it ends by itself, or is there: then it is ended. */
function start(proxy: PostgresProxy): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    DATABASE_URL: addressOf(proxy.connection),
  };
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let says = '';
  child.stderr.on('data', (text: Buffer) => void (says += text));
  child.stdout.once('data', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, says })));
}

/** The answer to that commit is lost, and the database is away from then on; how many commits there were by then. */
const loses = (proxy: PostgresProxy, nth: number): (() => number) => {
  let seen = 0;
  proxy.refuseAfterFaultMs = 60_000;
  proxy.failCommit('answer lost', { when: () => ++seen === nth });
  return () => seen;
};

test('the database goes away while Florin starts: one sentence, code 1; then it starts', async () => {
  const proxy = await postgresProxy((await testDatabase()).connection);
  after(() => proxy.close());
  for (const nth of [1, 2]) {
    const seen = loses(proxy, nth);
    const { code, says } = await start(proxy);
    assert.equal(seen(), nth, 'it was met');
    assert.equal(code, 1, says);
    const sentence = /^The database can't be reached, or went away while Florin was starting \([^\n]+\n$/;
    assert.match(says, sentence, `commit ${nth}`);
    proxy.refuse(false);
  }
  const { code, says } = await start(proxy);
  assert.deepEqual({ code, says }, { code: 0, says: '' });
});
