// A whole Florin on a port of its own, over a fresh database, and a client that speaks to it as a merchant does.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type App, type AppOptions, startApp } from '../../src/app.ts';
import { luhnDigit } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { tellUntruths, watchEvents } from '../events/told.ts';
import { tellWrongAnswers, watchAnswers } from './answers.ts';
import { silent, type TestDatabase, testDatabase } from './database.ts';
import { noneDecides } from './decisions.ts';
import { atEnd } from './ends.ts';
import { seededOfRun } from './seeded.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

export type Client = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export interface TestApp {
  readonly app: App;
  /** Stops it and starts another on the same data, at the same address. */
  readonly restart: () => Promise<void>;
  /** One more on the same data, at an address of its own. */
  readonly another: (more?: AppOptions) => Promise<App>;
  /** As project `sandbox`, of any of them. */
  readonly merchantOf: (app: App) => Client;
  readonly url: string;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** As project `sandbox`. */
  readonly merchant: Client;
  /** As project `sandbox-two`. */
  readonly stranger: Client;
  readonly operator: Client;
  readonly clientWith: (authorization: string | null) => Client;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });

export const basic = (login: string, password: string): string =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;

/** `env`: settings on top of a sandbox on loopback. The link's waits are short, so that faults cost no time. */
export async function testApp(env: Record<string, string> = {}, options: AppOptions = {}): Promise<TestApp> {
  const copied = options.connection || env.DATA_DIR ? null : seededOfRun();
  const database = await testDatabase(copied?.database);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-app-'));
  if (copied) cpSync(copied.dataDir, dataDir, { recursive: true });
  const port = await freePort();
  const start = (at: number, more: AppOptions = {}): Promise<App> =>
    startApp(readConfig({ PORT: String(at), DATA_DIR: dataDir, LOG_LEVEL: 'silent', WORKERS: 'off', ...env }, {}), {
      log: silent,
      watch(server, apis) {
        watchAnswers(server, apis);
        // One with a connection of its own has its data elsewhere, or breaks the way to it.
        if (!options.connection) watchEvents(server, database, () => app.permutation);
      },
      guard: noneDecides,
      connection: database.connection,
      link: { answerTimeoutMs: 2000, lostAfterMs: 30, slowMs: 100, lateAfterMs: 30 },
      ...options,
      ...more,
    });
  let app = await start(port);
  atEnd(async () => {
    await app.stop();
    tellWrongAnswers();
    tellUntruths();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const clientWith = (authorization: string | null): Client => client(app.url, authorization);
  return {
    get app() {
      return app;
    },
    async restart() {
      await app.stop();
      app = await start(port);
    },
    async another(more) {
      const beside = await start(await freePort(), more);
      atEnd(() => beside.stop());
      return beside;
    },
    merchantOf: ({ url }) => client(url, basic('sandbox', 'sandbox-secret')),
    url: app.url,
    database,
    dataDir,
    clientWith,
    merchant: clientWith(basic('sandbox', 'sandbox-secret')),
    stranger: clientWith(basic('sandbox-two', 'sandbox-two-secret')),
    operator: clientWith('Bearer sandbox-operator'),
  };
}

export function client(url: string, authorization: string | null): Client {
  return async (method, target, body, headers = {}) => {
    const response = await fetch(`${url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(authorization ? { authorization } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text !== '' ? JSON.parse(text) : null,
    };
  };
}

export const CARD = { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 };

/** The body of an authorize; fields on top. */
export const payment = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  amount: '12.50',
  currency: 'EUR',
  pan: '4111111111111111',
  card: CARD,
  location: { ip: '192.0.2.1' },
  ...fields,
});

/** A card of the simulator's scheme: operation (10 authorize, 20 charge …) and outcome. */
export const simulated = (operation: string, outcome: string): string => {
  const payload = `499999${operation}${outcome}0000`;
  return payload + luhnDigit(payload);
};
