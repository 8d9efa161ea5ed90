// A Florin that speaks TLS on both of its ports, and clients with and without certificates, over real sockets.
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { type App, startApp } from '../../src/app.ts';
import { createLog } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { basic } from './app.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { noneDecides } from './decisions.ts';
import { atEnd } from './ends.ts';

const FOLDER = path.join(import.meta.dirname, '../start/certificates');
export const pem = (name: string): string => path.join(FOLDER, `${name}.pem`);

/** Signed by `clients`, but for the last; `late` has expired. */
export type Holder = 'shop' | 'shop-next' | 'late' | 'stranger';
export const fingerprintOf = (name: Holder): string => new X509Certificate(readFileSync(pem(name))).fingerprint256;

export interface Told {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface Asked {
  /** Whose certificate is shown where one is asked for. */
  readonly as?: Holder;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** One request; an error where there is no connection. */
export type Asking = (method: string, target: string, body?: object, asked?: Asked) => Promise<Told | Error>;

export const identityOf = (as: Holder | undefined): object =>
  as ? { cert: readFileSync(pem(as)), key: readFileSync(path.join(FOLDER, `${as}.key.pem`)) } : {};

export const askingAt =
  (url: string): Asking =>
  (method, target, body, { as, headers = {}, agent = new Agent({ keepAlive: false }) } = {}) =>
    new Promise((resolve) => {
      const text = body === undefined ? null : JSON.stringify(body);
      const options = {
        method,
        agent,
        ca: readFileSync(pem('first')),
        ...identityOf(as),
        headers: { ...(text ? { 'content-type': 'application/json' } : {}), ...headers },
      };
      const sent = request(`${url}${target}`, options, (reply) => {
        let read = '';
        reply.on('data', (part: Buffer) => (read += part.toString()));
        reply.once('end', () => {
          const isJson = /json/.test(reply.headers['content-type'] ?? '') && read !== '';
          resolve({ status: reply.statusCode ?? 0, text: read, body: isJson ? JSON.parse(read) : null });
        });
        reply.once('error', resolve);
      });
      sent.once('error', resolve);
      sent.end(text ?? undefined);
    });

export interface TlsApp {
  readonly app: App;
  readonly database: TestDatabase;
  /** By the main port, and by that of clients with certificates. */
  readonly main: Asking;
  readonly client: Asking;
  readonly operator: (method: string, target: string, body?: object) => Promise<Told>;
  /** Puts another file in the place of the authorities'. */
  readonly trust: (name: 'clients' | 'strangers') => void;
  readonly caFile: string;
  readonly lines: readonly string[];
}

export const PROJECT = { authorization: basic('sandbox', 'sandbox-secret') };

export async function tlsApp(env: Readonly<Record<string, string>> = {}): Promise<TlsApp> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'florin-tls-clients-'));
  const caFile = path.join(root, 'clients.pem');
  const trust = (name: 'clients' | 'strangers'): void => copyFileSync(pem(name), caFile);
  trust('clients');
  const settings = {
    PORT: '0',
    DATA_DIR: path.join(root, 'data'),
    WORKERS: 'off',
    TLS_CERT_FILE: pem('first'),
    TLS_KEY_FILE: path.join(FOLDER, 'first.key.pem'),
    TLS_CLIENT_PORT: '0',
    TLS_CLIENT_CA_FILE: caFile,
    ...env,
  };
  const database = await testDatabase();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const app = await startApp(readConfig(settings, {}), { log, guard: noneDecides, connection: database.connection });
  atEnd(async () => {
    await app.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const main = askingAt(app.url);
  const operator: TlsApp['operator'] = async (method, target, body) => {
    const headers = { authorization: 'Bearer sandbox-operator' };
    const told = await main(method, `/operator${target}`, body, { headers });
    if (told instanceof Error) throw told;
    return told;
  };
  return { app, database, main, client: askingAt(String(app.clientUrl)), operator, trust, caFile, lines };
}
