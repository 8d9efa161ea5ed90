// The way to Postgres: a pool for reading and for rare writes, and sessions of their own for committers.
// Rule: types are fixed here once: int8 is bigint, timestamptz Date, date and numeric text, jsonb parsed.
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../base/index.ts';
import type { Db, Session } from './commit.ts';
import type { Connection } from './embedded.ts';

const parsers = new Map<number, (text: string) => unknown>([
  [20, (text) => BigInt(text)],
  [1082, (text) => text],
  [1700, (text) => text],
]);
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export interface Database extends Db {
  /** Runs `work` in one transaction on one connection; rolls back when it throws. */
  transaction<Value>(work: (db: Db) => Promise<Value>): Promise<Value>;
  session(options?: SessionOptions): Promise<Session>;
  /** Held until the connection ends; null: somebody else holds it. */
  holdLock(lockClass: number, number: number): Promise<HeldLock | null>;
  close(): Promise<void>;
}

export interface HeldLock {
  release(): Promise<void>;
}

export interface SessionOptions {
  /** Off: a commit is answered before it is on disk (it still keeps its place in the log). */
  readonly synchronousCommit?: boolean;
}

/** Parameters as Postgres reads them; arrays and dates are left to the driver. */
const encoded = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === 'bigint' ? value.toString() : Array.isArray(value) ? encoded(value) : value));

export function openDatabase(
  connection: Connection,
  { log, connections = 20 }: { log: Log; connections?: number },
): Database {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: connections,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
  });
  pool.on('error', (error) => log.warn({ err: error }, 'idle connection lost'));
  const on = (client: { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> }): Db => ({
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, encoded(values))).rows as Row[],
  });
  return {
    ...on(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('begin');
        const value = await work(on(client));
        await client.query('commit');
        return value;
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    session: (options = {}) => openSession(connection, options, log),
    async holdLock(lockClass, number) {
      const client = new pg.Client({ ...connection, types });
      client.on('error', (error) => log.error({ err: error }, 'the connection that holds a lock was lost'));
      await client.connect();
      const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, $2) as held', [
        lockClass,
        number,
      ]);
      if (rows[0]?.held) return { release: () => client.end() };
      await client.end();
      return null;
    },
    close: () => pool.end(),
  };
}

/**
 * Plans are made for the rows at hand: a generic plan made while a table was empty would scan it for ever. Every statement of a
 * committer finds its rows by key, so nested loops over an index are right whatever the statistics say.
 */
const SESSION = `set plan_cache_mode = force_custom_plan; set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set statement_timeout = '30s'`;

async function openSession(
  connection: Connection,
  { synchronousCommit = true }: SessionOptions,
  log: Log,
): Promise<Session> {
  const client = new pg.Client({ ...connection, types, pipeline: true, application_name: 'florin committer' });
  let broken = false;
  client.on('error', (error) => {
    broken = true;
    log.warn({ err: error }, 'session lost');
  });
  client.on('end', () => {
    broken = true;
  });
  await client.connect();
  for (const setting of SESSION.split('; ')) await client.query(setting);
  if (!synchronousCommit) await client.query('set synchronous_commit = off');
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    let name = names.get(text);
    if (!name) names.set(text, (name = createHash('sha256').update(text).digest('base64url').slice(0, 32)));
    return name;
  };
  return {
    get broken() {
      return broken;
    },
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const result =
        values.length === 0
          ? await client.query(text)
          : await client.query({ name: nameOf(text), text, values: encoded(values) });
      return result.rows as Row[];
    },
    close() {
      broken = true;
      client.end().catch(() => undefined);
    },
  };
}
