// Starts the server that is measured, in a process of its own, and ends it. Rule: Postgres is the benchmark's; the server only connects, as
// it would end one that it looks after itself.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createLog } from '../src/base/index.ts';
import { type Connection, type Database, openDatabase } from '../src/store/index.ts';

export interface Served {
  readonly url: string;
  /** Drains and waits for its end. */
  stop(): Promise<void>;
}

function addressOf({ host = '', port, user = '', password, database }: Connection): string {
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return `postgresql://${encodeURIComponent(user)}${secret}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

/** Resolves when it answers. Its keys lie in the data directory. */
async function serve(dataDir: string, port: number, connection: Connection): Promise<Served> {
  const program = path.join(import.meta.dirname, 'server.ts');
  const child = spawn(process.execPath, [program, dataDir, String(port), addressOf(connection)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A server on an empty database of its own. */
export interface Opened {
  readonly server: Served;
  readonly database: Database;
  /** Where its key files lie. */
  readonly dataDir: string;
  close(): Promise<void>;
}

/** `home`: the folder of all of them. */
export async function openServer(connection: Connection, home: string, name: string, port: number): Promise<Opened> {
  const log = createLog('silent');
  const main = openDatabase(connection, { log, connections: 1 });
  await main.query(`create database ${name}`);
  await main.close();
  const dataDir = path.join(home, name);
  const server = await serve(dataDir, port, { ...connection, database: name });
  const database = openDatabase({ ...connection, database: name }, { log, connections: 8 });
  return {
    server,
    database,
    dataDir,
    async close() {
      await database.close();
      await server.stop();
    },
  };
}
