// The way to Postgres: a pool for reading and for rare writes, and sessions of their own for committers.
// Rule: types are fixed here once: int8 is bigint, timestamptz Date, date and numeric text, jsonb parsed.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { assert, type Log } from '../base/index.ts';
import { type Db, OutcomeUnknown, type Session, type Transaction } from './commit/index.ts';
import type { Connection } from './embedded/index.ts';

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
  /**
   * The same for statements of one text that are sent with every request and can be run in one way only: each connection parses and plans
   * them once, on connections of their own.
   */
  readonly prepared: Db;
  /** The same for statements that look at whole tables (proofs, reports): minutes instead of seconds, on connections of their own. */
  readonly patient: Db;
  /** Runs `work` in one transaction on one connection; rolls back when it throws. Any failure of its COMMIT is told as OutcomeUnknown. */
  transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value>;
  session(options?: SessionOptions): Promise<Session>;
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Off: a commit is answered before it is on disk (it still keeps its place in the log). */
  readonly synchronousCommit?: boolean;
}

/** After how many milliseconds nothing is waited for any longer. A connection that stays silent is given up and replaced. */
export interface Deadlines {
  readonly connectMs: number;
  /** The server gives up a statement. */
  readonly statementMs: number;
  /** We give up the connection; a little more than the server needs to tell that it has given up. */
  readonly answerMs: number;
  /** The server gives up a statement that waits for a row. */
  readonly lockMs: number;
  /** The server gives up a transaction whose client says nothing more, and with it the rows that it holds. */
  readonly idleInTransactionMs: number;
  /** Statements over whole tables. */
  readonly patientMs: number;
}

export const DEADLINES: Deadlines = {
  connectMs: 5_000,
  statementMs: 8_000,
  answerMs: 10_000,
  lockMs: 2_000,
  idleInTransactionMs: 8_000,
  patientMs: 300_000,
};

/** Parameters as Postgres reads them; arrays and dates are left to the driver. */
const encoded = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === 'bigint' ? value.toString() : Array.isArray(value) ? encoded(value) : value));

/** What the driver and the server are told for one connection. The server's side of TCP looks for a dead client by itself, too. */
const clientConfig = (
  connection: Connection,
  deadlines: Deadlines,
  statementMs: number,
  settings = '',
): pg.ClientConfig => ({
  ...connection,
  types,
  keepAlive: true,
  connectionTimeoutMillis: deadlines.connectMs,
  statement_timeout: statementMs,
  query_timeout: statementMs + (deadlines.answerMs - deadlines.statementMs),
  options: `-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 ${settings}`,
  lock_timeout: deadlines.lockMs,
  idle_in_transaction_session_timeout: deadlines.idleInTransactionMs,
});

export function openDatabase(
  connection: Connection,
  { log, connections = 20, deadlines = DEADLINES }: { log: Log; connections?: number; deadlines?: Deadlines },
): Database {
  const quick = renewedPool({ connection, deadlines, log }, connections, deadlines.statementMs);
  const steady = renewedPool({ connection, deadlines, log, keepPlans: true }, 8, deadlines.statementMs);
  const patient = renewedPool({ connection, deadlines, log }, 4, deadlines.patientMs);
  return {
    query: quick.query,
    prepared: { query: steady.prepared },
    patient: { query: patient.query },
    transaction: (work) => quick.use((client) => transaction(client, work)),
    session: (options = {}) => openSession(connection, deadlines, options, log),
    async close() {
      await Promise.all([quick.close(), steady.close(), patient.close()]);
    },
  };
}

async function transaction<Value>(client: pg.PoolClient, work: (db: Transaction) => Promise<Value>): Promise<Value> {
  const db = {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, encoded(values))).rows as Row[],
  } as Transaction;
  await client.query('begin');
  try {
    const value = await work(db);
    const { command } = await client.query('commit').catch((error: unknown) => {
      throw new OutcomeUnknown(error);
    });
    assert(command === 'COMMIT', 'a transaction went on after a statement of it had failed');
    return value;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      throw new Broken(failure.message, { cause: error });
    });
    throw error;
  }
}

/** The connection is of no more use; the cause is what the caller is told. */
class Broken extends Error {}

interface RenewedPool extends Db {
  readonly prepared: Db['query'];
  use<Value>(work: (client: pg.PoolClient) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly connection: Connection;
  readonly deadlines: Deadlines;
  readonly log: Log;
  readonly keepPlans?: boolean;
}

/** A new connection is told how to plan before anybody gets it: the pool waits for the answer, whatever its types say. */
const toldToPlan = ((client: pg.ClientBase) => client.query(CUSTOM)) as (client: pg.ClientBase) => void;

function openPool(
  { connection, deadlines, log, keepPlans = false }: PoolOptions,
  max: number,
  statementMs: number,
): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(connection, deadlines, statementMs, keepPlans ? '-c plan_cache_mode=force_generic_plan' : ''),
    // In a pool this is also how long one waits for a connection that others use.
    connectionTimeoutMillis: deadlines.answerMs,
    max,
    idleTimeoutMillis: 60_000,
    ...(keepPlans ? { onConnect: toldToPlan } : {}),
  });
  pool.on('error', (error) => {
    // One that we end ourselves is not lost, whoever is quicker to end it.
    if (!pool.ending) log.warn({ err: error }, 'idle connection lost');
  });
  return pool;
}

/**
 * A pool that is replaced as a whole when one of its connections stays silent: where one was cut off without a word, the others were,
 * too, and each would cost its user the same wait.
 */
function renewedPool(options: PoolOptions, max: number, statementMs: number): RenewedPool {
  const { log } = options;
  const ending = new Set<Promise<void>>();
  const open = (): pg.Pool => openPool(options, max, statementMs);
  let pool = open();
  const end = (old: pg.Pool): Promise<void> => {
    const ended = old.end().finally(() => ending.delete(ended));
    ending.add(ended);
    return ended;
  };
  const renew = (old: pg.Pool): void => {
    if (old !== pool) return;
    log.warn({}, 'a connection to Postgres stays silent; all are replaced');
    pool = open();
    end(old).catch(() => undefined);
  };
  const sent = async (query: pg.QueryConfig): Promise<unknown[]> => {
    const from = pool;
    try {
      return (await from.query<object>(query)).rows;
    } catch (error) {
      if (isSilence(error)) renew(from);
      throw error;
    }
  };
  const nameOf = statementNames();
  return {
    async use(work) {
      const from = pool;
      const client = await from.connect();
      let broken: Error | undefined;
      // Between two statements nobody waits for an answer: unheard, the loss of the connection would end the process.
      const onLost = (error: Error): void => {
        broken = error;
      };
      client.on('error', onLost);
      try {
        return await work(client);
      } catch (error) {
        if (isSilence(error)) renew(from);
        if (!(error instanceof Broken)) throw error;
        broken = error;
        throw error.cause;
      } finally {
        client.off('error', onLost);
        client.release(broken);
      }
    },
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await sent({ text, values: encoded(values) })) as Row[],
    prepared: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await sent({ name: nameOf(text), text, values: encoded(values) })) as Row[],
    async close() {
      await Promise.all([...ending, pool.end()]);
    },
  };
}

/** The driver's words for an answer that is overdue; it has no code. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Query read timeout' || (error instanceof Broken && isSilence(error.cause)));

/**
 * Plans are made for the rows at hand: a plan made while a table was empty would walk any of its indexes for ever. Every statement of a
 * committer finds its rows by key, so nested loops over an index are right whatever the statistics say.
 */
const SESSION = `set plan_cache_mode = force_custom_plan; set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off`;

/** Whether tables may lie on several nodes: only values tell on which, and a plan for any values can't be made. */
const SPREAD = `select from pg_extension where extname = 'citus'`;
const CUSTOM = `select set_config('plan_cache_mode', 'force_custom_plan', false) from (${SPREAD}) c`;

/**
 * What is sent until the code that sends it pauses leaves with one write: a call of the system for each statement costs both sides more
 * than some statements do.
 */
function oneWrite(stream: pg.Connection['stream']): () => void {
  let corked = false;
  return () => {
    if (corked) return;
    corked = true;
    stream.cork();
    queueMicrotask(() => {
      corked = false;
      stream.uncork();
    });
  };
}

/** What a connection calls its prepared statements. */
function statementNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    let name = names.get(text);
    if (!name) names.set(text, (name = createHash('sha256').update(text).digest('base64url').slice(0, 32)));
    return name;
  };
}

async function openSession(
  connection: Connection,
  deadlines: Deadlines,
  { synchronousCommit = true }: SessionOptions,
  log: Log,
): Promise<Session> {
  // In a pipeline the driver ends the connection when an answer is overdue: what was sent behind it could not come either.
  const client = new pg.Client({
    ...clientConfig(connection, deadlines, deadlines.statementMs),
    pipeline: true,
    application_name: 'florin committer',
  });
  let broken = false;
  client.on('error', (error) => {
    broken = true;
    log.warn({ err: error }, 'session lost');
  });
  client.on('end', () => {
    broken = true;
  });
  await client.connect();
  await client.query(synchronousCommit ? SESSION : `${SESSION}; set synchronous_commit = off`);
  const spread = (await client.query(SPREAD)).rowCount === 1;
  const nameOf = statementNames();
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  const inOneWrite = oneWrite(stream);
  let unanswered = 0;
  const counted = async <Value>(answer: Promise<Value>): Promise<Value> => {
    unanswered++;
    try {
      return await answer;
    } finally {
      unanswered--;
    }
  };
  return {
    spread,
    get broken() {
      return broken;
    },
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      inOneWrite();
      const asked =
        values.length === 0
          ? client.query(text)
          : client.query({ name: nameOf(text), text, values: encoded(values) as string[] });
      return (await counted<{ rows: unknown[] }>(asked)).rows as Row[];
    },
    async commit() {
      inOneWrite();
      return (await counted(client.query('commit'))).command === 'COMMIT';
    },
    close() {
      broken = true;
      // A polite end waits for answers; a connection that still owes some is cut.
      if (unanswered > 0) stream.destroy();
      else client.end().catch(() => undefined);
    },
  };
}
