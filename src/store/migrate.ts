// Migrations: plain SQL files, forward only, run at start under a lock so that two processes may start at once.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import type { Log } from '../base/index.ts';
import { StartError } from './binaries.ts';
import type { Db } from './command.ts';
import type { Connection } from './embedded.ts';

const DIRECTORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../migrations');
const LOCK = 7_046_001;

const known = (): string[] =>
  readdirSync(DIRECTORY)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name) && name !== 'schema.sql')
    .map((name) => name.slice(0, -4));

/** Is the schema this version's? False also when a newer Florin has been at it since the start. */
export async function migrated(db: Db): Promise<boolean> {
  const rows = await db.query<{ name: string }>('select name from florin_migrations');
  const ours = new Set(known());
  return rows.length === ours.size && rows.every(({ name }) => ours.has(name));
}

/** Brings the database to this version's schema. Throws StartError when it is already further than we know. */
export async function migrate(connection: Connection, log: Log): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const ours = new Set(known());
    const exists = await client.query(`select to_regclass('florin_migrations') as name`);
    const done = exists.rows[0]?.name
      ? await client.query<{ name: string }>('select name from florin_migrations')
      : { rows: [] };
    const foreign = done.rows.find(({ name }) => !ours.has(name));
    if (foreign)
      throw new StartError(
        `The database is newer than this Florin (it has the migration ${foreign.name}): start the newer version.`,
      );
    const ran = await runner({
      dbClient: client,
      dir: DIRECTORY,
      ignorePattern: 'schema\\.sql',
      direction: 'up',
      migrationsTable: 'florin_migrations',
      checkOrder: true,
      noLock: true,
      singleTransaction: true,
      log: () => undefined,
    });
    if (ran.length > 0) log.info({ migrations: ran.map(({ name }) => name) }, 'database migrated');
  } finally {
    await client.end();
  }
}
