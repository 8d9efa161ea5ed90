// What a world stands on: a Postgres of its own that may be killed, one prepared database to copy, and servers as processes behind
// proxies. Rule: every process that was started here ends here.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLog, systemClock } from '../../../src/base/index.ts';
import {
  type Connection,
  type Database,
  type Embedded,
  migrate,
  openDatabase,
  startEmbedded,
} from '../../../src/store/index.ts';
import { type PostgresProxy, postgresProxy } from '../../support/postgres-proxy.ts';
import { PUBLIC_URL } from '../lives/payer.ts';
import type { PlantName } from './plants.ts';
import { settle, type Town } from './town.ts';
import type { ChildOrder } from './world-child.ts';

/** How to end at once what runs for this process; without it a run that is stopped would leave servers behind. */
const running = new Set<() => void>();
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    for (const end of running) end();
    process.exit(1);
  });

const BASE = 'world_base';
const silent = createLog('silent');

export interface Server {
  /** null while it is down. */
  readonly url: string | null;
  readonly proxy: PostgresProxy;
  /** What it said when it ended after it had served, and nobody had told it to. */
  readonly deaths: readonly string[];
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends a signal; true when there was a process to take it. */
  signal(name: NodeJS.Signals): boolean;
  /** By SIGTERM; its exit code, or null when it did not end in its time. */
  stop(): Promise<number | null>;
}

export interface Scene {
  readonly servers: readonly Server[];
  readonly connection: Connection;
  /** Around all proxies. */
  readonly database: Database;
  close(): Promise<void>;
}

export interface Stage {
  /** After so long without a sign of life a server is taken for dead. */
  readonly leaseMs: number;
  readonly embedded: Embedded;
  readonly town: Town;
  /** A copy of the prepared database, with so many servers that are not started. */
  scene(name: string, servers: number, options?: SceneOptions): Promise<Scene>;
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A bug that is to be found. */
  readonly plant?: PlantName | null;
  /** Deadlines and waits as a server has them by itself, instead of the world's short ones. */
  readonly shipped?: boolean;
}

/** Waits of a world in which nobody has time. */
const SHORT: ChildOrder['options'] = {
  link: { answerTimeoutMs: 4000, lostAfterMs: 40, slowMs: 600, lateAfterMs: 60, durable: true },
  deadlines: { connectMs: 2000, statementMs: 3000, answerMs: 3500, lockMs: 1000, idleInTransactionMs: 3000 },
  lease: { leaseMs: 4000, renewMs: 500 },
  patienceMs: 8000,
};
const START_MS = 60_000;
const COMPILED = path.join(os.tmpdir(), 'florin-compiled');
const LEASE_MS = 4000;

export async function openStage(): Promise<Stage> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'florin-world-'));
  const embedded = await startEmbedded(dir, {
    log: silent,
    clock: systemClock,
    settings: { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', checkpoint_timeout: '1h' },
  });
  const endPostgres = (): void => void process.kill(embedded.pid, 'SIGINT');
  running.add(endPostgres);
  const admin = openDatabase(embedded.connection, { log: silent, connections: 2 });
  const keys = path.join(dir, 'keys');

  async function open(database: string, dataDir: string, servers: number, options: SceneOptions): Promise<Scene> {
    const connection = { ...embedded.connection, database };
    const made = await Promise.all(Array.from({ length: servers }, () => openServer(connection, dataDir, options)));
    const looking = openDatabase(connection, { log: silent, connections: 2 });
    return {
      servers: made,
      connection,
      database: looking,
      async close() {
        await Promise.all(made.map((server) => server.kill()));
        await Promise.all(made.map(({ proxy }) => proxy.close()));
        await looking.close();
      },
    };
  }

  await admin.query(`create database ${BASE}`);
  await migrate({ ...embedded.connection, database: BASE }, silent);
  const first = await open(BASE, keys, 1, {});
  const [server] = first.servers as [Server];
  await server.start();
  const town = await settle(server.url as string);
  await server.stop();
  await first.close();

  return {
    leaseMs: LEASE_MS,
    embedded,
    town,
    async scene(name, servers, options = {}) {
      const dataDir = path.join(dir, name);
      cpSync(keys, dataDir, { recursive: true });
      await again(() => admin.query(`create database ${name} template ${BASE}`));
      const scene = await open(name, dataDir, servers, options);
      await again(() => rememberSequences(scene.database));
      return {
        ...scene,
        async close() {
          await scene.close();
          await again(() => admin.query(`drop database ${name} with (force)`));
          rmSync(dataDir, { recursive: true, force: true });
        },
      };
    },
    async close() {
      await admin.close();
      await embedded.stop();
      running.delete(endPostgres);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A copy takes over how far its sequences were written ahead, but not the log of it: a crash would give numbers a second time. */
async function rememberSequences(database: Database): Promise<void> {
  const sequences = await database.query<{ name: string }>('select sequencename as name from pg_sequences');
  for (const { name } of sequences)
    await database.query(`select setval('${name}', (select last_value from ${name}), (select is_called from ${name}))`);
}

/** The server may just come back from a kill. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 100) throw error;
      await systemClock.sleep(100);
    }
  }
}

/** Long: a process that dies and comes back, and the state that tells which of the two it is doing. */
async function openServer(connection: Connection, dataDir: string, options: SceneOptions): Promise<Server> {
  const proxy = await postgresProxy(connection);
  let child: ChildProcess | null = null;
  let url: string | null = null;
  /** By a trouble that came while it was ending. */
  let killed = false;
  const deaths: string[] = [];
  const gone = (): boolean => !child || child.exitCode !== null || child.signalCode !== null;

  async function ended(signal: NodeJS.Signals, withinMs: number): Promise<number | null> {
    const dying = child;
    url = null;
    if (!dying || gone()) return dying?.exitCode ?? null;
    const exit = new Promise<number | null>((resolve) => dying.once('exit', resolve));
    killed ||= signal === 'SIGKILL';
    dying.kill(signal);
    const late = setTimeout(() => dying.kill('SIGKILL'), withinMs);
    const code = await exit;
    clearTimeout(late);
    child = null;
    return killed ? 0 : code;
  }

  return {
    proxy,
    deaths,
    get url() {
      return gone() ? null : url;
    },
    async start() {
      // Somebody else has started it already.
      if (!gone()) return;
      killed = false;
      const told: ChildOrder = {
        env: { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent', PUBLIC_URL, ...options.env },
        connection: proxy.connection,
        options: options.shipped ? { link: { durable: true } } : SHORT,
        plant: options.plant ?? null,
      };
      const started = spawn(
        process.execPath,
        [path.join(import.meta.dirname, 'world-child.ts'), JSON.stringify(told)],
        // Compiled once for all that start.
        { stdio: ['ignore', 'pipe', 'pipe'], env: { NODE_COMPILE_CACHE: COMPILED, ...process.env } },
      );
      let said = '';
      started.stderr?.on('data', (text: Buffer) => void (said += text.toString()));
      started.once('exit', (code) => {
        // A kill of ours takes the address first.
        if (child === started && url !== null) deaths.push(`${code}: ${said.slice(0, 600)}`);
      });
      child = started;
      const endChild = (): void => void started.kill('SIGKILL');
      running.add(endChild);
      started.once('exit', () => running.delete(endChild));
      url = await new Promise<string | null>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('a server of the world does not start')), START_MS);
        const done = (address: string | null): void => {
          clearTimeout(late);
          resolve(address);
        };
        started.stdout?.once('data', (text: Buffer) => done(text.toString().trim()));
        // It may be killed, or find no database, before it serves.
        started.once('exit', () => done(null));
      });
    },
    kill: async () => void (await ended('SIGKILL', 5000)),
    signal(name) {
      if (gone()) return false;
      return child?.kill(name) ?? false;
    },
    stop: () => ended('SIGTERM', 40_000),
  };
}
