// Real Postgres for tests: one embedded server a run (or a test file that runs alone), one migrated template, a fresh copy each time.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLog, type IdMaker, systemClock, systemRandom } from '../../src/base/index.ts';
import {
  type Change,
  type Committer,
  type Connection,
  createCommitter,
  type Database,
  type Db,
  migrate,
  openDatabase,
  startEmbedded,
} from '../../src/store/index.ts';
import { tellWrongStatements } from '../owners/statements.ts';
import { atEnd } from './ends.ts';

export const silent = createLog('silent');
/** The database that is migrated and nothing else. */
export const TEMPLATE = 'florin_template';
/** One in which a sandbox was started once (seeded.ts). */
export const SEEDED = 'florin_seeded';

export interface TestServer {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** Starts the server of a run and makes the template. */
export async function startTestServer(): Promise<TestServer> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'florin-test-'));
  const embedded = await startEmbedded(dir, {
    log: silent,
    clock: systemClock,
    // Several files at once, some with three servers and the pools of each.
    settings: {
      fsync: 'off',
      full_page_writes: 'off',
      shared_buffers: '128MB',
      max_connections: '400',
      // Hundreds of databases that live for seconds: whoever looked after them would do nothing else.
      autovacuum: 'off',
    },
  });
  const admin = openDatabase(embedded.connection, { log: silent, connections: 1 });
  await admin.query(`create database ${TEMPLATE}`);
  await migrate({ ...embedded.connection, database: TEMPLATE }, silent);
  await admin.close();
  return {
    connection: embedded.connection,
    async stop() {
      await embedded.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

let own: Promise<TestServer> | null = null;

async function server(): Promise<Connection> {
  const given = process.env.FLORIN_TEST_SERVER;
  if (given) return JSON.parse(given) as Connection;
  own ??= startTestServer().then((started) => {
    atEnd(() => {
      own = null;
      return started.stop();
    });
    return started;
  });
  return (await own).connection;
}

/** Every server that keeps a part of a test's database: the one, or the nodes of a Citus cluster, its coordinator first (citus.ts). */
const nodesOf = (connection: Connection): readonly Connection[] => {
  const told = process.env.FLORIN_TEST_NODES;
  return told ? (JSON.parse(told) as Connection[]) : [connection];
};

/** One statement on each of them, outside of every test's database. */
export async function onNodes(connection: Connection, text: string): Promise<void> {
  await Promise.all(
    nodesOf(connection).map(async (node) => {
      const admin = openDatabase(node, { log: silent, connections: 1 });
      try {
        await admin.patient.query(text);
      } finally {
        await admin.close();
      }
    }),
  );
}

/** A copy of a database that nobody uses. */
export const copyDatabase = (connection: Connection, name: string, template: string): Promise<void> =>
  onNodes(connection, `create database ${name} template ${template}`);

export interface TestDatabase extends Database {
  readonly connection: Connection;
}

/** A fresh migrated database, or a copy of another one that nobody uses; it goes when the test file ends. */
export async function testDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const connection = await server();
  const name = `test_${systemRandom.bytes(8).toString('hex')}`;
  await copyDatabase(connection, name, template);
  const database = openDatabase({ ...connection, database: name }, { log: silent });
  atEnd(async () => {
    tellWrongStatements();
    await database.close();
    await onNodes(connection, `drop database if exists ${name} with (force)`);
  });
  return { ...database, connection: { ...connection, database: name } };
}

const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Somebody waits for what somebody else holds, on whichever node. */
export async function waitsForLock(database: Db): Promise<boolean> {
  const everywhere = 'select 1 from run_command_on_all_nodes($1) where success and result is distinct from $2';
  const found = process.env.FLORIN_TEST_NODES
    ? await database.query(everywhere, [`select count(*) from (${WAITING}) w`, '0'])
    : await database.query(WAITING);
  return found.length > 0;
}

/** Whose rows they change; null: rows that belong to nobody. */
export function ownerOf([change]: readonly Change[]): bigint | null {
  return change?.table.owner ? (change.row[change.table.owner] as bigint) : null;
}

/** A committer whose groups are written and not committed: what others see and wait for meanwhile. */
export interface SlowCommitter {
  readonly committer: Committer;
  /** Resolves when the first group has been sent, but for its COMMIT. */
  readonly sent: Promise<void>;
  /** Lets it commit. */
  go(): void;
}

export function slowCommitter(database: Pick<Database, 'session'>, ids: IdMaker): SlowCommitter {
  const sent = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const committer = createCommitter({
    async connect() {
      const session = await database.session();
      return {
        ...(session.spread ? { spread: true } : {}),
        broken: false,
        query: (text, values) => session.query(text, values),
        async commit() {
          sent.resolve();
          await gate.promise;
          return session.commit();
        },
        close: () => session.close(),
      };
    },
    clock: systemClock,
    ids,
    log: silent,
  });
  return { committer, sent: sent.promise, go: () => gate.resolve() };
}
