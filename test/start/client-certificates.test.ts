// Clients with certificates: a port of their own, where who shows none, a foreign or an expired one has no connection; the main port asks
// nobody. A credential that is bound to certificates opens there with one of them and nowhere else.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { type AddressInfo, createServer, connect as dial } from 'node:net';
import { before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { basic, payment } from '../support/app.ts';
import {
  type Asked,
  type Asking,
  fingerprintOf,
  type Holder,
  identityOf,
  PROJECT,
  pem,
  type TlsApp,
  type Told,
  tlsApp,
} from '../support/tls.ts';

let florin: TlsApp;
before(async () => {
  florin = await tlsApp();
});

const LISTS = '/gateway/orders/';

function told(reply: Told | Error): Told {
  assert.ok(!(reply instanceof Error), reply instanceof Error ? reply.message : '');
  return reply;
}
const refusedConnection = async (reply: Promise<Told | Error>, what: string): Promise<void> =>
  assert.ok((await reply) instanceof Error, what);

interface Opener {
  readonly id: string;
  /** What opens, as headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A credential of the project, and an API secret of the tenant: new ones, bound to these. */
async function credential(...to: Holder[]): Promise<Opener> {
  const body = { label: 'bound', rights: ['read', 'create'], certificates: to.map(fingerprintOf) };
  const made = await florin.operator('POST', '/projects/sandbox/credentials', body);
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, headers: { authorization: basic('sandbox', made.body.secret) } };
}
async function secret(...to: Holder[]): Promise<Opener> {
  const body = { label: 'bound', certificates: to.map(fingerprintOf) };
  const made = await florin.operator('POST', '/tenants/sandbox/secrets', body);
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, headers: { 'x-secret': made.body.secret } };
}

const LOGIN = { email: 'consumer@sandbox.test', password: { value: 'Sandbox-12345' } };

/** api → how one is made and bound anew, and a request that succeeds with it. */
const APIS = {
  gateway: {
    make: credential,
    place: (id: string) => `/projects/sandbox/credentials/${id}`,
    wrong: { authorization: basic('sandbox', 'wrong') },
    ask: (by: Asking, headers: Asked['headers'], asked: Asked = {}) =>
      by('GET', LISTS, undefined, { ...asked, headers: { ...asked.headers, ...headers } }),
  },
  issuing: {
    make: secret,
    place: (id: string) => `/tenants/sandbox/secrets/${id}`,
    wrong: { 'x-secret': 'wrong' },
    ask: (by: Asking, headers: Asked['headers'], asked: Asked = {}) =>
      by('POST', '/issuing/auth/login', LOGIN, { ...asked, headers: { ...asked.headers, ...headers } }),
  },
} as const;

/** The types of the handshake messages that a server sends in the clear, TLS 1.2. */
async function serverFlight(url: string): Promise<number[]> {
  const target = Number(new URL(url).port);
  const seen: Buffer[] = [];
  const between = createServer((near) => {
    const far = dial(target, '127.0.0.1');
    far.on('data', (part: Buffer) => seen.push(part));
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => near.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const { port } = between.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, maxVersion: 'TLSv1.2', rejectUnauthorized: false });
  await new Promise<void>((resolve) => {
    for (const end of ['secureConnect', 'error', 'close']) socket.once(end, () => resolve());
  });
  socket.destroy();
  between.close();
  const bytes = Buffer.concat(seen);
  const messages: Buffer[] = [];
  for (let at = 0; bytes[at] === 22; at += 5 + bytes.readUInt16BE(at + 3))
    messages.push(bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3)));
  const flight = Buffer.concat(messages);
  const types: number[] = [];
  // Until the server's hello is done; what follows is encrypted.
  for (let at = 0; at < flight.length && types.at(-1) !== 14; at += 4 + flight.readUIntBE(at + 1, 3))
    types.push(flight[at] as number);
  return types;
}

const CERTIFICATE_REQUEST = 13;

test('the main port asks nobody for a certificate, the other asks everybody', async () => {
  const [main, client] = [await serverFlight(florin.app.url), await serverFlight(String(florin.app.clientUrl))];
  assert.deepEqual([main.at(-1), client.at(-1)], [14, 14], 'the whole flight was seen');
  assert.deepEqual([main.includes(CERTIFICATE_REQUEST), client.includes(CERTIFICATE_REQUEST)], [false, true]);
});

test('without a certificate, with a foreign one and with one that has expired there is no connection', async () => {
  await refusedConnection(florin.client('GET', '/healthz'), 'none');
  for (const as of ['stranger', 'late'] as const)
    await refusedConnection(florin.client('GET', '/healthz', undefined, { as }), as);
  assert.equal(told(await florin.client('GET', '/healthz', undefined, { as: 'shop' })).status, 200);
});

test('both ports serve the same, in the same shapes', async () => {
  for (const target of ['/docs/', '/openapi.json', '/nowhere', '/gateway/nowhere', '/issuing/nowhere']) {
    const [main, client] = [
      told(await florin.main('GET', target)),
      told(await florin.client('GET', target, undefined, { as: 'shop' })),
    ];
    assert.deepEqual([client.status, client.text], [main.status, main.text], target);
  }
});

for (const [name, { make, place, wrong, ask }] of Object.entries(APIS))
  describe(`${name}`, () => {
    const shown: Asked[] = [{ as: 'shop' }, { as: 'shop-next' }];

    test('what is bound to nothing opens on both ports, with any certificate of ours', async () => {
      const { headers } = await make();
      assert.equal(told(await ask(florin.main, headers)).status, 200);
      for (const one of shown) assert.equal(told(await ask(florin.client, headers, one)).status, 200);
    });

    test('what is bound opens with its certificate on the client port, else it is as good as wrong', async () => {
      const { headers } = await make('shop');
      assert.equal(told(await ask(florin.client, headers, { as: 'shop' })).status, 200);
      const unknown = told(await ask(florin.main, wrong));
      assert.equal(unknown.status, 401);
      for (const [by, asked, what] of [
        [florin.main, {}, 'main port'],
        [florin.main, { as: 'shop' }, 'main port, though the client has the certificate'],
        [florin.client, { as: 'shop-next' }, 'another certificate'],
      ] as const) {
        const reply = told(await ask(by, headers, asked));
        assert.deepEqual([reply.status, reply.text], [401, unknown.text], what);
      }
      await refusedConnection(ask(florin.client, headers, { as: 'stranger' }), 'stranger');
    });

    test('no header says which certificate it was', async () => {
      const { headers } = await make('shop');
      const bare = fingerprintOf('shop').replaceAll(':', '').toLowerCase();
      const forged = Object.fromEntries(
        [
          'x-client-cert',
          'x-ssl-client-fingerprint',
          'x-forwarded-client-cert',
          'client-cert',
          'ssl-client-verify',
          'x-ssl-client-sha1',
          'x-certificate',
          'certificate',
        ].map((header) => [header, bare]),
      );
      for (const [by, asked] of [
        [florin.main, {}],
        [florin.client, { as: 'shop-next' }],
      ] as const)
        assert.equal(told(await ask(by, headers, { ...asked, headers: forged })).status, 401);
    });

    test('two while one is renewed; what is taken away opens no more, on a connection that goes on too', async () => {
      const { id, headers } = await make('shop');
      const bind = async (...to: Holder[]): Promise<Told> =>
        florin.operator('PUT', `${place(id)}/certificates`, { certificates: to.map(fingerprintOf) });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const kept = async (): Promise<number> => told(await ask(florin.client, headers, { as: 'shop', agent })).status;
      const opens = async (): Promise<number[]> =>
        Promise.all(shown.map(async (one) => told(await ask(florin.client, headers, one)).status));
      assert.deepEqual([await kept(), ...(await opens())], [200, 200, 401]);
      const both = await bind('shop', 'shop-next');
      assert.equal(both.status, 200, both.text);
      assert.equal(both.body.certificates.length, 2);
      assert.deepEqual([await kept(), ...(await opens())], [200, 200, 200]);
      await bind('shop-next');
      assert.deepEqual([await kept(), ...(await opens())], [401, 401, 200]);
      await bind();
      assert.deepEqual(
        [await kept(), ...(await opens()), told(await ask(florin.main, headers)).status],
        [200, 200, 200, 200],
      );
      agent.destroy();
    });

    test('a new secret in the place of a bound one is bound to the same', async () => {
      const { id } = await make('shop');
      const made = await florin.operator('POST', `${place(id)}/rotate`, {});
      assert.equal(made.status, 201, made.text);
      const headers: Record<string, string> =
        name === 'gateway' ? { authorization: basic('sandbox', made.body.secret) } : { 'x-secret': made.body.secret };
      assert.equal(told(await ask(florin.main, headers)).status, 401);
      assert.equal(told(await ask(florin.client, headers, { as: 'shop' })).status, 200);
    });

    test('the operator sees what it is bound to; what is no fingerprint is a wrong field; each change is audited', async () => {
      const { id } = await make('shop');
      const plain = fingerprintOf('shop').replaceAll(':', '').toLowerCase();
      const list = (await florin.operator('GET', place('').slice(0, -1))).body;
      const [rows] = Object.values(list) as { id: string; certificates: string[] }[][];
      assert.deepEqual(rows?.find((row) => row.id === id)?.certificates, [plain]);
      const put = (certificates: unknown): Promise<Told> =>
        florin.operator('PUT', `${place(id)}/certificates`, { certificates });
      for (const bad of [undefined, 'shop', ['shop'], [plain.slice(1)], [`${plain}00`], Array(11).fill(plain), [null]])
        assert.equal((await put(bad)).status, 422, JSON.stringify(bad));
      const twice = await put([plain, fingerprintOf('shop')]);
      assert.deepEqual([twice.status, twice.body.certificates], [200, [plain]]);
      assert.equal((await florin.operator('DELETE', place(id))).status, 204);
      assert.ok([404, 409].includes((await put([plain])).status), 'one that has ended is bound no more');
      assert.equal((await florin.operator('PUT', `${place('1')}/certificates`, { certificates: [] })).status, 404);
      const { audit } = (await florin.operator('GET', '/audit')).body;
      const told = audit.filter(
        (row: { action: string; target: string }) =>
          row.action.endsWith('.certificates') && row.target.endsWith(`/${id}`),
      );
      assert.deepEqual(told.map((row: { result: string }) => row.result).at(-1), 'done');
    });
  });

test('what is refused has no effect: no order, and its idempotency key stays free', async () => {
  const { headers } = await credential('shop');
  const orders = async (): Promise<number> =>
    told(await florin.main('GET', LISTS, undefined, { headers: PROJECT })).body.orders.length;
  const before = await orders();
  const key = { ...headers, 'idempotency-key': 'bound-1' };
  const pay = (by: Asking, as?: Holder) =>
    by('POST', '/gateway/orders/authorize', payment(), { headers: key, ...(as ? { as } : {}) });
  for (const reply of [await pay(florin.main), await pay(florin.client, 'shop-next')]) {
    const { status, body } = told(reply);
    assert.deepEqual([status, body.failure_type, body.order_id], [401, 'rejected', null]);
  }
  assert.equal(await orders(), before);
  assert.equal(told(await pay(florin.client, 'shop')).status, 200);
  assert.equal(await orders(), before + 1);
  assert.equal(told(await pay(florin.main)).status, 401, 'a repeat is answered to nobody else');
});

test('a request that is no HTTP, and one without Host, is answered in the shape of the API on both ports', async () => {
  for (const url of [florin.app.url, String(florin.app.clientUrl)])
    for (const line of ['GET /gateway/orders/ HTTP/1.1\r\n\r\n', 'GET /gateway/orders/ nonsense\r\n\r\n']) {
      const text = await rawAnswer(url, line);
      assert.match(text, /^HTTP\/1\.1 4\d\d /, line);
      assert.match(text, /"failure_type"/, line);
    }
});

async function rawAnswer(url: string, line: string): Promise<string> {
  const port = Number(new URL(url).port);
  const socket = connect({ host: '127.0.0.1', port, ca: readFileSync(pem('first')), ...identityOf('shop') });
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  socket.once('secureConnect', () => socket.end(line));
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
  return text;
}

describe('the authorities', () => {
  const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
  };
  const health = (as: Holder, agent?: Agent) =>
    florin.client('GET', '/healthz', undefined, { as, ...(agent ? { agent } : {}) });
  const letIn = async (as: Holder): Promise<boolean> => !((await health(as)) instanceof Error);

  test('are read again when their file changes: whoever was let in by those of before is out, a broken file changes nothing', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.equal(told(await health('shop', agent)).status, 200);
    florin.trust('strangers');
    await until(() => letIn('stranger'));
    assert.equal(await letIn('shop'), false);
    await refusedConnection(health('shop', agent), 'nor on the connection that was open');
    agent.destroy();
    for (const broken of [
      '',
      'no certificate',
      '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n',
    ]) {
      const before = florin.lines.length;
      writeFileSync(florin.caFile, broken);
      await until(() => florin.lines.slice(before).some((line) => line.includes('going on with the one of before')));
      assert.deepEqual([await letIn('stranger'), await letIn('shop')], [true, false]);
    }
    florin.trust('clients');
    await until(() => letIn('shop'));
    assert.equal(await letIn('stranger'), false);
  });
});
