// A sandbox that was started once, to copy: its projects, tenants and password hashes needn't be made again for every test file.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/store/index.ts';
import { silent, TEMPLATE, type TestServer } from './database.ts';

export interface Seeded {
  readonly database: string;
  readonly dataDir: string;
}

export async function startOnce({ connection }: Pick<TestServer, 'connection'>): Promise<Seeded> {
  const seeded = { database: 'florin_seeded', dataDir: mkdtempSync(path.join(os.tmpdir(), 'florin-seeded-')) };
  const admin = openDatabase(connection, { log: silent, connections: 1 });
  await admin.query(`create database ${seeded.database} template ${TEMPLATE}`);
  await admin.close();
  const config = readConfig({ PORT: '0', DATA_DIR: seeded.dataDir, LOG_LEVEL: 'silent', WORKERS: 'off' }, {});
  const app = await startApp(config, { log: silent, connection: { ...connection, database: seeded.database } });
  await app.stop();
  return seeded;
}

/** That of the run; null: this file runs alone, and makes what it needs. */
export const seededOfRun = (): Seeded | null => {
  const told = process.env.FLORIN_TEST_SEEDED;
  return told ? (JSON.parse(told) as Seeded) : null;
};
