// The port for programs with a certificate of their own. It serves what the main port serves; payers' browsers never come here, so that
// they are never asked for one. Rule: what a connection has shown is known by the connection alone; nothing that is sent in a request
// says whose certificate it was, and one that an authority of ours has not signed has no connection.
import type { IncomingMessage, ServerResponse } from 'node:http';
import https, { type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Clock, plainFingerprint } from '../../base/index.ts';
import { StartError } from '../../store/index.ts';
import { type ClientTlsFiles, clientContextOf, clientTlsContext } from './tls.ts';

export interface ClientPort {
  readonly server: Server;
  /** The fingerprint of the certificate that this connection has shown; null: none, as on the main port. */
  certificateOf(socket: Socket): string | null;
  /** Takes the files as they are now; whoever was let in by those of before shows a certificate again. Throws. */
  renew(): void;
  /** The port. Throws a StartError. */
  listen(options: { readonly host: string; readonly port: number }): Promise<number>;
  /** Takes no new connections; resolves once there are none. */
  close(): Promise<void>;
}

interface Shown {
  readonly fingerprint: string;
  readonly until: Date;
}

export interface ClientPortOptions {
  readonly files: ClientTlsFiles;
  /** Of the HTTP server: its limits. */
  readonly http: ServerOptions;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly clock: Clock;
}

export function createClientPort({ files, http, handler, clock }: ClientPortOptions): ClientPort {
  const shown = new WeakMap<Socket, Shown>();
  let current = new WeakSet<Socket>();

  const context = { ...clientTlsContext(files), requestCert: true, rejectUnauthorized: true };
  const server = https.createServer({ ...http, ...context }, (request, response) => {
    const found = shown.get(request.socket);
    // Let in by what holds no more: the client's next connection tells whether it still is.
    if (found && current.has(request.socket) && found.until > clock.now()) handler(request, response);
    else request.socket.destroy();
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const { fingerprint256, valid_to } = socket.getPeerCertificate();
    if (!socket.authorized || !fingerprint256) return;
    shown.set(socket, { fingerprint: plainFingerprint(fingerprint256), until: new Date(valid_to) });
    current.add(socket);
  });

  return {
    server,
    certificateOf: (socket) => shown.get(socket)?.fingerprint ?? null,
    renew() {
      server.setSecureContext(clientContextOf(files));
      current = new WeakSet();
      server.closeIdleConnections();
    },
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', ({ code = 'failed' }: NodeJS.ErrnoException) =>
          reject(new StartError(`Florin can't listen on TLS_CLIENT_PORT (${code}): set it to a free port.`)),
        );
        server.listen({ host, port }, () => {
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}
