// Migrations: plain SQL files, forward only, run at start under a lock so that two processes may start at once.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Log } from '../../base/index.ts';
import type { Db } from '../commit/index.ts';
import { type Connection, StartError } from '../embedded/index.ts';

const DIRECTORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../migrations');
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

const USER = 'check the user and the password in DATABASE_URL';
const PLACE = 'check host and port in DATABASE_URL, and that it runs';
/** What an operator can do about what the database, or the way to it, says to who begins: by its code. */
const HELP: Readonly<Record<string, string>> = {
  '28000': USER,
  '28P01': USER,
  '3D000': 'make it, or name another in DATABASE_URL',
  '42501': 'the user of DATABASE_URL must own it',
  ECONNREFUSED: PLACE,
  EHOSTUNREACH: PLACE,
  ENOENT: PLACE,
  ENOTFOUND: PLACE,
  ETIMEDOUT: PLACE,
};

function told(error: unknown): never {
  const { code = '', message } = error as { code?: string; message?: string };
  const help = HELP[code];
  throw help ? new StartError(`The database can't be used (${message || code}): ${help}.`) : error;
}

/** Brings the database to this version's schema. Throws StartError when it can't be used, or is already further than we know. */
export async function migrate(connection: Connection, log: Log): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect().catch(told);
  try {
    await migrateOver(client, log);
  } catch (error) {
    if (error instanceof pg.DatabaseError) told(error);
    throw error;
  } finally {
    await client.end();
  }
}

async function migrateOver(client: pg.Client, log: Log): Promise<void> {
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
  if (done.rows.length === ours.size) return;
  // The library is loaded where there is work for it: most starts find none.
  const { runner } = await import('node-pg-migrate');
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
}
