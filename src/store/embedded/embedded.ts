// The embedded Postgres: a real server, started beside Florin from an npm package, its files under <data dir>/postgres.
// It outlives a Florin that was killed; the next one adopts it. Rule: never signal a process before proving that it is the
// Postgres of exactly this data directory.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { addMs, type Clock, type Log } from '../../base/index.ts';
import { findPrograms, type Programs, StartError } from './binaries.ts';
import { alive, giveTo, type Home, initialize, lastLine, passwordOf, socketDir, USER } from './cluster.ts';

/** How to reach a Postgres: parts, or a URL. */
export type Connection = Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'database' | 'password' | 'connectionString'>;

export interface Embedded {
  readonly connection: Connection;
  /** Process id of the server at the moment. */
  readonly pid: number;
  /** True when the server was already running: left behind by a Florin that was killed, or in use by one that lives. */
  readonly adopted: boolean;
  /** Lets the server finish its transactions in flight, writes a checkpoint, ends it. */
  stop(): Promise<void>;
  /** Stops looking after the server and leaves it running: it belongs to somebody else. */
  leave(): void;
}

export interface EmbeddedOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Server settings on top of ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** 127.0.0.1 with a password instead of a private socket; what Windows does. */
  readonly tcp?: boolean;
}

const DATABASE = 'florin';
const START_TIMEOUT_MS = 120_000;

const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '100',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '10min',
  // Short transactions on few cores: compiling or spreading a plan costs more than running it.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
  // Balances are updated again and again; dead versions must go before the table swells.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  timezone: 'UTC',
  // The server's own log must never hold a statement or a row.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  logging_collector: 'off',
};

/**
 * Starts the Postgres of a data directory, or adopts the one that runs there, and brings it back when it dies.
 * Resolves when it answers; the database `florin` exists then. Throws StartError with one sentence.
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const { log, clock } = options;
  const dir = path.join(path.resolve(dataDir), 'postgres');
  // What lies inside is closed by its own modes; the way through must be open when the server's user is not ours.
  fs.mkdirSync(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const tcp = options.tcp ?? process.platform === 'win32';
  const programs = findPrograms(dir);
  const home: Home = {
    dir,
    data: path.join(fs.realpathSync(dir), 'data'),
    log: path.join(dir, 'postgres.log'),
    password: tcp ? passwordOf(dir) : undefined,
  };

  let running = await adopt(home, options);
  const adopted = running !== null;
  if (!running) {
    giveTo(programs.owner, home);
    initialize(home, programs);
    running = await start(home, programs, options, tcp);
  }
  let current = running;
  await createDatabase(current.connection);
  log.debug({ pid: current.pid, adopted }, 'embedded postgres answers');

  const ending = new AbortController();
  const watching = watch();

  /** Brings the server back when it is gone, for as long as we are here. */
  async function watch(): Promise<void> {
    while (!ending.signal.aborted) {
      await clock.sleep(500, ending.signal).catch(() => undefined);
      if (ending.signal.aborted || alive(current.pid)) continue;
      log.error({ pid: current.pid }, 'embedded postgres is gone, starting it again');
      try {
        current = (await adopt(home, options)) ?? (await start(home, programs, options, tcp));
      } catch (error) {
        log.error({ err: error }, 'embedded postgres did not start again');
      }
    }
  }

  return {
    // Host and port stay the same over a restart, so whoever holds this connects to the new server.
    connection: current.connection,
    get pid() {
      return current.pid;
    },
    adopted,
    async stop() {
      ending.abort(new Error('stopping'));
      await watching;
      await end(current.pid, home, programs, clock);
    },
    leave() {
      ending.abort(new Error('leaving'));
    },
  };
}

interface Running {
  readonly pid: number;
  readonly connection: Connection;
}

const connectionTo = (host: string, port: number, password: string | undefined): Connection => ({
  host,
  port,
  user: USER,
  database: DATABASE,
  ...(password === undefined ? {} : { password }),
});

/** `postmaster.pid`: process id, data directory, start, port, socket directory, listen address. */
function pidFile(data: string): { pid: number; port: number; host: string } | null {
  let lines: string[];
  try {
    lines = fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? '') || 0, host: (lines[4] ?? '').trim() || (lines[5] ?? '').trim() };
}

/** Process ids are used again: only a process that names our data directory in its command line is our server. */
function isServerOf(pid: number, data: string): boolean {
  if (!alive(pid)) return false;
  if (process.platform === 'win32') return true;
  let line: string;
  try {
    line = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    line = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
  return line.includes('postgres') && line.includes(data);
}

/** The server of this data directory when one lives. One that lives but doesn't answer is ended; a stale pid file goes. */
async function adopt(home: Home, { log, clock }: EmbeddedOptions): Promise<Running | null> {
  const found = pidFile(home.data);
  if (!found) return null;
  if (!isServerOf(found.pid, home.data)) {
    // Postgres itself refuses to start while any process has that id.
    fs.rmSync(path.join(home.data, 'postmaster.pid'), { force: true });
    return null;
  }
  // It may be starting, or recovering what a crash left.
  const until = addMs(clock.now(), 30_000);
  do {
    const { pid, port, host } = pidFile(home.data) ?? found;
    if (pid !== found.pid || !alive(pid)) return adopt(home, { log, clock });
    const connection = connectionTo(host, port, home.password);
    if (host && (await answers(connection)) === 'yes') return { pid, connection };
    await clock.sleep(50);
  } while (clock.now() < until);
  log.warn({ pid: found.pid }, 'a postgres of this data directory does not answer, ending it');
  await end(found.pid, home, null, clock);
  return null;
}

/** SQLSTATE while it starts, recovers or shuts down. */
const CANNOT_CONNECT_NOW = '57P03';

/** Does a server answer there? `starting` while it isn't up yet. */
async function answers(connection: Connection): Promise<'yes' | 'starting' | Error> {
  const client = new pg.Client({ ...connection, database: 'postgres', connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return 'yes';
  } catch (error) {
    // Only what the server itself says is a refusal; one that is slow to answer is starting.
    return error instanceof pg.DatabaseError && error.code !== CANNOT_CONNECT_NOW ? error : 'starting';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } catch (error) {
    // Two at once: the other one made it.
    if (!/^(42P04|23505)$/.test((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(home: Home, programs: Programs, options: EmbeddedOptions, tcp: boolean): Promise<Running> {
  const { clock } = options;
  const host = tcp ? '127.0.0.1' : socketDir(home, programs.owner);
  const port = tcp ? await portOf(home) : 5432;
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const door = tcp ? ['-h', host] : ['-h', '', '-k', host, '-c', 'unix_socket_permissions=0700'];
  const {
    file,
    args,
    options: spawning,
  } = programs.command('postgres', ['-D', home.data, '-p', String(port), ...door, ...settings]);
  const written = fs.openSync(home.log, 'w', 0o600);
  // Its own session: a Ctrl-C at the terminal is for us, who end it after the last transaction.
  const child = spawn(file, args, { ...spawning, detached: true, stdio: ['ignore', written, written] });
  fs.closeSync(written);
  let gone: string | null = null;
  child.on('error', (error) => (gone = error.message));
  child.on('exit', () => (gone ??= lastLine(logOf(home))));
  child.unref();

  const connection = connectionTo(host, port, home.password);
  const until = addMs(clock.now(), START_TIMEOUT_MS);
  while (clock.now() < until) {
    if (gone !== null) return lost(gone, home, options);
    const answer = await answers(connection);
    if (answer === 'yes' && gone === null) return { pid: child.pid as number, connection };
    if (answer instanceof Error && gone === null)
      throw new StartError(`PostgreSQL started but refuses us: ${answer.message}`);
    await clock.sleep(20);
  }
  throw new StartError(`PostgreSQL did not come up within ${START_TIMEOUT_MS / 1000} s; see ${home.log}.`);
}

const logOf = ({ log }: Home): string => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '');

/** The port of the first start is kept in the folder: whoever holds a connection finds the server there again. */
async function portOf(home: Home): Promise<number> {
  const file = path.join(home.dir, 'port');
  if (!fs.existsSync(file)) fs.writeFileSync(file, String(await freePort()));
  return Number(fs.readFileSync(file, 'utf8'));
}

/** The server ended at once. Another Florin may have been quicker; then its server is the one. */
async function lost(reason: string, home: Home, options: EmbeddedOptions): Promise<Running> {
  const other = await adopt(home, options);
  if (other) return other;
  throw new StartError(`PostgreSQL did not start in ${home.dir}: ${reason}`);
}

/** Fast shutdown, then an immediate one, then the kill that even a stopped process obeys. */
async function end(pid: number, home: Home, programs: Programs | null, clock: Clock): Promise<void> {
  if (process.platform === 'win32') {
    const { file, args, options } = (programs ?? findPrograms(home.dir)).command('pg_ctl', [
      'stop',
      '-D',
      home.data,
      '-m',
      'fast',
    ]);
    spawnSync(file, args, options);
    return;
  }
  for (const [signal, waitMs] of [
    ['SIGINT', 8000],
    ['SIGQUIT', 2000],
    ['SIGKILL', 2000],
  ] as const) {
    if (!isServerOf(pid, home.data)) return;
    process.kill(pid, signal);
    for (let waited = 0; waited < waitMs && isServerOf(pid, home.data); waited += 20) await clock.sleep(20);
  }
}
