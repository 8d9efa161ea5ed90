// Doors for tests, and a listener on this machine that counts who connects.
import net from 'node:net';
import { systemClock } from '../../../src/base/index.ts';
import {
  type Allow,
  type Answer,
  createEgress,
  type Egress,
  type EgressOptions,
  NOTHING_ALLOWED,
  readAllow,
} from '../../../src/events/index.ts';

export const allowing = (text: string): Allow => readAllow(text) ?? NOTHING_ALLOWED;

/** As in live mode, unless told. */
export const door = (options: Partial<EgressOptions> = {}): Egress =>
  createEgress({
    allow: NOTHING_ALLOWED,
    own: () => [],
    inbox: null,
    ca: null,
    proxy: null,
    clock: systemClock,
    ...options,
  });

export const sandboxDoor = (options: Partial<EgressOptions> = {}): Egress =>
  door({ allow: allowing('private,http'), ...options });

export const send = (egress: Egress, url: string, more: Partial<Parameters<Egress['post']>[1]> = {}): Promise<Answer> =>
  egress.post(url, { headers: { 'content-type': 'text/plain' }, body: 'hello', timeoutMs: 2000, ...more });

export interface Listener {
  readonly port: number;
  /** Connections so far. */
  taken(): number;
  /** Those that are open are closed by the other side. */
  emptied(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on all addresses of this machine, and does with a connection what it is told. */
export async function listen(serve: (socket: net.Socket) => void = (socket) => void socket.end()): Promise<Listener> {
  let taken = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    taken++;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '::', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    taken: () => taken,
    async emptied() {
      for (const socket of sockets) await new Promise((resolve) => void socket.once('close', resolve));
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
