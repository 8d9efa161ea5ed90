// One Florin a data directory. Who runs on it listens on a socket in it: as long as the process lives somebody answers there, whatever
// becomes of the database and of every connection to it.
// Rule: a socket file is only taken away by who has just found that nobody answers, and holds the start lock.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

export interface Guard {
  release(): Promise<void>;
}

/** Where the sign of life is: sun_path holds 104 bytes on macOS, 108 on Linux; Windows has names of their own. */
function addressOf(dir: string): string {
  const name = `florin-${createHash('sha256').update(fs.realpathSync(dir)).digest('hex').slice(0, 16)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const beside = path.join(fs.realpathSync(dir), 'florin.sock');
  return Buffer.byteLength(beside) < 100 ? beside : path.join(os.tmpdir(), `${name}.sock`);
}

const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const listening = (server: net.Server, address: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
  });

/** null: another Florin runs on the directory. `alone`: nobody else is starting there at this moment. */
export async function takeGuard(
  dir: string,
  alone: <Value>(work: () => Promise<Value>) => Promise<Value | null>,
): Promise<Guard | null> {
  const address = addressOf(dir);
  return alone(async () => {
    const server = net.createServer((socket) => socket.destroy());
    if (!(await listening(server, address))) {
      if (await answers(address)) return null;
      fs.rmSync(address, { force: true });
      if (!(await listening(server, address))) return null;
    }
    server.unref();
    return { release: () => new Promise<void>((resolve) => server.close(() => resolve())) };
  });
}
