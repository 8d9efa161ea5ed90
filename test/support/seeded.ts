// A sandbox that was started once, to copy: its projects, tenants and password hashes needn't be made again for every test file.
import { argon2Sync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Db, openDatabase } from '../../src/store/index.ts';
import { copyDatabase, SEEDED, silent, TEMPLATE, type TestServer } from './database.ts';
import { noneDecides } from './decisions.ts';
import { PASSWORD } from './issuing.ts';

export interface Seeded {
  readonly database: string;
  readonly dataDir: string;
}

export async function startOnce({ connection }: Pick<TestServer, 'connection'>): Promise<Seeded> {
  const seeded = { database: SEEDED, dataDir: mkdtempSync(path.join(os.tmpdir(), 'florin-seeded-')) };
  await copyDatabase(connection, seeded.database, TEMPLATE);
  const config = readConfig({ PORT: '0', DATA_DIR: seeded.dataDir, LOG_LEVEL: 'silent', WORKERS: 'off' }, {});
  const app = await startApp(config, {
    log: silent,
    guard: noneDecides,
    connection: { ...connection, database: seeded.database },
  });
  await app.stop();
  const database = openDatabase({ ...connection, database: seeded.database }, { log: silent, connections: 1 });
  await cheapPasswords(database);
  await database.close();
  return seeded;
}

/**
 * A run logs in thousands of times, and a password is made to cost a twentieth of a second. A hash says what it cost and is compared at
 * that, so these are compared for next to nothing; what tests say of the cost they say of passwords of their own.
 */
async function cheapPasswords(db: Db): Promise<void> {
  const [memory, passes, nonce] = [8, 1, Buffer.alloc(16, 7)];
  const hash = argon2Sync('argon2id', { message: PASSWORD, nonce, parallelism: 1, tagLength: 32, memory, passes });
  const password = { salt: nonce.toString('base64'), hash: hash.toString('base64'), memory, passes };
  await db.query('update users set password = $1 where password is not null', [JSON.stringify(password)]);
}

/** That of the run; null: this file runs alone, and makes what it needs. */
export const seededOfRun = (): Seeded | null => {
  const told = process.env.FLORIN_TEST_SEEDED;
  return told ? (JSON.parse(told) as Seeded) : null;
};
