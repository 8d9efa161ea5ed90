// TLS on the listener: 1.2 and up, no certificate asked of anybody, a new one taken without a restart and a broken one not at all.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { type App, startApp } from '../../src/app.ts';
import { createLog } from '../../src/base/index.ts';
import { readConfig } from '../../src/config.ts';
import { StartError } from '../../src/store/index.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { noneDecides } from '../support/decisions.ts';

const made = path.join(import.meta.dirname, 'certificates');
const root = mkdtempSync(path.join(os.tmpdir(), 'florin-tls-'));
const [certFile, keyFile] = [path.join(root, 'cert.pem'), path.join(root, 'key.pem')];
const lines: string[] = [];
let database: TestDatabase;
let app: App;
let port = 0;

const use = (name: 'first' | 'second'): void => {
  copyFileSync(path.join(made, `${name}.pem`), certFile);
  copyFileSync(path.join(made, `${name}.key.pem`), keyFile);
};
const SETTINGS = { PORT: '0', DATA_DIR: path.join(root, 'data'), TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };

before(async () => {
  use('first');
  database = await testDatabase();
  const log = createLog('info', { write: (line) => void lines.push(line) });
  app = await startApp(readConfig(SETTINGS, {}), { log, guard: noneDecides, connection: database.connection });
  port = Number(new URL(app.url).port);
});
after(async () => {
  await app.stop();
  rmSync(root, { recursive: true, force: true });
});

/** A handshake that trusts one certificate only; the socket, or why there is none. */
const shaken = (ca: 'first' | 'second', versions: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']) =>
  new Promise<TLSSocket | Error>((resolve) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: readFileSync(path.join(made, `${ca}.pem`)),
      minVersion: versions[0],
      maxVersion: versions.at(-1),
      ...(versions[0] === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    });
    socket.once('secureConnect', () => resolve(socket)).once('error', resolve);
  });

const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
};
const serves = async (name: 'first' | 'second'): Promise<boolean> => {
  const socket = await shaken(name);
  if (socket instanceof Error) return false;
  socket.destroy();
  return true;
};

test('the API answers over TLS, with the addresses of https and without asking for a certificate', async () => {
  assert.match(app.url, /^https:/);
  const { status, headers } = await new Promise<{ status: number; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const ca = readFileSync(path.join(made, 'first.pem'));
      get(`${app.url}/readyz`, { ca, agent: false }, (reply) => {
        reply.resume().once('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers }));
      }).once('error', reject);
    },
  );
  assert.equal(status, 200);
  assert.match(String(headers['strict-transport-security']), /max-age/);
  const socket = await shaken('first');
  assert.ok(!(socket instanceof Error));
  assert.equal(socket.getProtocol(), 'TLSv1.3');
  socket.destroy();
});

test('1.2 is spoken, 1.1 is not, and a client that trusts another certificate has no connection', async () => {
  const twelve = await shaken('first', ['TLSv1.2']);
  assert.ok(!(twelve instanceof Error));
  twelve.destroy();
  assert.ok((await shaken('first', ['TLSv1.1'])) instanceof Error);
  assert.ok((await shaken('second')) instanceof Error);
});

test('a certificate that breaks leaves the old one, a good one is in use without a restart', async () => {
  writeFileSync(certFile, '-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n');
  await until(() => lines.some((line) => line.includes('going on with the one of before')));
  assert.equal(await serves('first'), true);
  use('second');
  await until(() => serves('second'));
  assert.equal(await serves('first'), false);
});

test('one of the two alone, or what is no certificate, is a sentence', async () => {
  for (const name of ['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const)
    assert.throws(() => readConfig({ [name]: certFile }, {}), StartError);
  const config = readConfig({ ...SETTINGS, TLS_KEY_FILE: path.join(made, 'first.key.pem') }, {});
  const starting = startApp(config, { connection: database.connection, log: createLog('silent') });
  await assert.rejects(
    starting,
    (error) => error instanceof StartError && /TLS_CERT_FILE and TLS_KEY_FILE/.test(error.message),
  );
});

test('a port for clients with certificates: what is missing, in the way or unreadable is one sentence', async () => {
  const ca = path.join(made, 'clients.pem');
  const clients = { ...SETTINGS, PORT: '8080', TLS_CLIENT_PORT: '8081', TLS_CLIENT_CA_FILE: ca };
  assert.deepEqual(readConfig(clients, {}).tlsClients, { certFile, keyFile, caFile: ca, port: 8081 });
  assert.equal(readConfig(SETTINGS, {}).tlsClients, null);
  for (const [change, names] of [
    [{ TLS_CLIENT_CA_FILE: '' }, /TLS_CLIENT_CA_FILE must be set/],
    [{ TLS_CLIENT_PORT: '' }, /TLS_CLIENT_PORT must be set/],
    [{ TLS_CERT_FILE: '', TLS_KEY_FILE: '' }, /TLS_CERT_FILE must be set/],
    [{ TLS_CLIENT_PORT: '8080' }, /TLS_CLIENT_PORT must be another port than PORT/],
    [{ TLS_CLIENT_PORT: 'https' }, /TLS_CLIENT_PORT must be a port number/],
    [{ TLS_CLIENT_PORT: '65536' }, /TLS_CLIENT_PORT must be a port number/],
  ] as const)
    assert.throws(
      () => readConfig({ ...clients, ...change }, {}),
      (error) => error instanceof StartError && names.test(error.message) && /^[^\n]+[^.]\.$/.test(error.message),
      JSON.stringify(change),
    );
  const empty = path.join(root, 'empty.pem');
  writeFileSync(empty, '');
  const busy = new URL(app.url).port;
  for (const [change, names] of [
    [{ TLS_CLIENT_CA_FILE: path.join(root, 'nowhere.pem') }, /TLS_CLIENT_CA_FILE must name .*ENOENT/],
    [{ TLS_CLIENT_CA_FILE: empty }, /TLS_CLIENT_CA_FILE must name .*no certificate/],
    [{ TLS_CLIENT_CA_FILE: path.join(made, 'first.key.pem') }, /TLS_CLIENT_CA_FILE must name/],
    [{ TLS_CLIENT_PORT: busy }, /TLS_CLIENT_PORT \(EADDRINUSE\)/],
  ] as const) {
    const config = readConfig({ ...clients, PORT: '0', ...change }, {});
    await assert.rejects(
      startApp(config, { connection: database.connection, log: createLog('silent') }),
      (error) => error instanceof StartError && names.test(error.message) && /^[^\n]+[^.]\.$/.test(error.message),
      JSON.stringify(change),
    );
  }
});

test('live mode needs no proxy then, and no PUBLIC_URL', () => {
  const live = { ...SETTINGS, FLORIN_MODE: 'live', OPERATOR_SECRET: 'd5d0f3c1a97b4e2288f6b0a47e13c9de' };
  assert.equal(readConfig(live, {}).tls?.certFile, certFile);
  assert.throws(() => readConfig({ ...live, PUBLIC_URL: 'http://pay.example' }, {}), StartError);
});
