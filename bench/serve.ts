// Starts the server that is measured, in a process of its own, and ends it. Rule: Postgres is the benchmark's; the server only connects, as
// it would end one that it looks after itself.
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Connection } from '../src/store/index.ts';

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
export async function serve(dataDir: string, port: number, connection: Connection): Promise<Served> {
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
