// Starts the server that is measured, in a process of its own, and ends it.
import { spawn } from 'node:child_process';
import path from 'node:path';

export interface Served {
  readonly url: string;
  /** Drains and waits for its end. */
  stop(): Promise<void>;
}

/** Without `databaseUrl` it works on the embedded Postgres of its data directory. */
export async function serve(dataDir: string, port: number, databaseUrl = ''): Promise<Served> {
  const program = path.join(import.meta.dirname, 'server.ts');
  const child = spawn(process.execPath, [program, dataDir, String(port), databaseUrl], {
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
