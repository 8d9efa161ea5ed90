// TLS and the operator's proxy, over real sockets: which certificates are let pass, what the proxy is told, and what becomes of it when it refuses.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TlsOptions } from 'node:tls';
import type { Egress, EgressOptions } from '../../../src/events/index.ts';
import { authority, type Identity } from './certificates.ts';
import { allowing, door, listen, send } from './doors.ts';

const ours = authority();
const theirs = authority();
const NAME = 'receiver.example';
const right = ours.identity({ name: NAME });

const lookup = async (): Promise<readonly string[]> => ['127.0.0.1'];
const near = (more: Partial<EgressOptions> = {}): Egress =>
  door({ allow: allowing('http://127.0.0.0/8'), ca: ours.ca, lookup, ...more });

interface Receiver {
  readonly port: number;
  /** What each request named: server name of TLS, host, and whether the connection was resumed. */
  readonly seen: string[];
  close(): void;
}

async function receiver(identity: Identity, options: TlsOptions = {}): Promise<Receiver> {
  const seen: string[] = [];
  const server = https.createServer({ ...identity, ...options }, (request, response) => {
    const { servername } = request.socket as unknown as { servername: string };
    seen.push(`${servername} ${request.headers.host}`);
    response.end('secret');
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    seen,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const post = async (egress: Egress, receiving: Receiver, host = NAME): Promise<string> => {
  const answer = await send(egress, `https://${host}:${receiving.port}/hook`, { keepAlive: true });
  egress.close();
  return answer.cause ?? answer.body.toString();
};

describe('a certificate', () => {
  test('of an authority that is named is let pass, and the name is told', async () => {
    const receiving = await receiver(right);
    assert.equal(await post(near(), receiving), 'secret');
    assert.deepEqual(receiving.seen, [`${NAME} ${NAME}:${receiving.port}`]);
    receiving.close();
  });

  const WRONG: readonly (readonly [what: string, identity: Identity, options?: TlsOptions])[] = [
    ['of an authority that nobody named', theirs.identity({ name: NAME })],
    ['of another name', ours.identity({ name: 'other.example' })],
    ['that has expired', ours.identity({ name: NAME, until: new Date('2021-01-01T00:00:00Z') })],
    ['under TLS 1.1', right, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ];
  for (const [what, identity, options] of WRONG)
    test(`${what} is not, and nothing is sent`, async () => {
      const receiving = await receiver(identity, options);
      assert.equal(await post(near(), receiving), 'tls');
      assert.deepEqual(receiving.seen, []);
      receiving.close();
    });

  test('by TLS 1.2 is let pass; signed by itself or by a stranger it is not, whatever the environment says', async () => {
    const old = await receiver(right, { maxVersion: 'TLSv1.2' });
    assert.equal(await post(near(), old), 'secret');
    const set = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      assert.equal(await post(near({ ca: null }), old), 'tls');
    } finally {
      if (set === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = set;
    }
    assert.equal(await post(near(), old, '127.0.0.1'), 'tls', 'of a name, not of an address');
    assert.equal(old.seen.length, 1);
    old.close();
  });

  test('that never comes costs the time for a connection; what isn’t TLS is refused', async () => {
    const mute = await listen((socket) => void socket.resume());
    const slow = near({ connectMs: 100 });
    assert.equal((await send(slow, `https://${NAME}:${mute.port}/`, { timeoutMs: 5000 })).cause, 'connect_timeout');
    await mute.emptied();
    await mute.close();
    const plain = await listen((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    assert.equal((await send(near(), `https://${NAME}:${plain.port}/`)).cause, 'tls');
    await plain.close();
  });
});

describe('a proxy', () => {
  interface Proxy {
    readonly url: string;
    readonly asked: string[];
    answer: (to: net.Socket, target: string) => void;
    close(): void;
  }
  const passing = (socket: net.Socket, target: string): void => {
    const [host = '', port] = target.split(/:(?=\d+$)/);
    const onward = net.connect(Number(port), host.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  };
  let proxy: Proxy;
  before(async () => {
    const asked: string[] = [];
    const server = http.createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end();
    });
    server.on('connect', (request, socket: net.Socket) => {
      const { host, 'proxy-authorization': login = '-' } = request.headers;
      asked.push(`CONNECT ${request.url} ${host} ${login}`);
      socket.on('error', () => undefined);
      proxy.answer(socket, request.url ?? '');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    proxy = {
      url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
      asked,
      answer: passing,
      close() {
        server.closeAllConnections();
        server.close();
      },
    };
  });
  after(() => proxy.close());

  test('is told the address that was judged; the receiver is told the name', async () => {
    proxy.answer = passing;
    proxy.asked.length = 0;
    const receiving = await receiver(right);
    assert.equal(await post(near({ proxy: proxy.url.replace('//', '//me:it%20is@') }), receiving), 'secret');
    const to = `127.0.0.1:${receiving.port}`;
    assert.deepEqual(proxy.asked, [`CONNECT ${to} ${to} Basic ${Buffer.from('me:it is').toString('base64')}`]);
    assert.deepEqual(receiving.seen, [`${NAME} ${NAME}:${receiving.port}`]);
    receiving.close();
  });

  test('is asked by CONNECT for plain HTTP, too, and not at all for what is refused', async () => {
    proxy.answer = passing;
    proxy.asked.length = 0;
    const plain = await listen((socket) => {
      socket.once('data', () => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nplain'));
    });
    const egress = near({ proxy: proxy.url });
    const answer = await send(egress, `http://${NAME}:${plain.port}/`);
    assert.equal(answer.cause ?? answer.body.toString(), 'plain');
    assert.deepEqual(proxy.asked, [`CONNECT 127.0.0.1:${plain.port} 127.0.0.1:${plain.port} -`]);
    const strict = door({ proxy: proxy.url, lookup });
    assert.equal((await send(strict, `https://${NAME}:${plain.port}/`)).cause, 'not_public');
    assert.equal(proxy.asked.length, 1);
    await plain.close();
  });

  const REFUSALS: readonly (readonly [what: string, answer: Proxy['answer']])[] = [
    ['refuses', (socket) => void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')],
    ['leads elsewhere', (socket) => void socket.end('HTTP/1.1 302 There\r\nlocation: http://127.0.0.1/\r\n\r\n')],
    ['hangs up', (socket) => void socket.destroy()],
    ['speaks for the receiver', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')],
    ['has an endless header', (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`)],
  ];
  for (const [what, refusing] of REFUSALS)
    test(`that ${what}: no connection`, async () => {
      proxy.answer = refusing;
      assert.equal((await send(near({ proxy: proxy.url }), `https://${NAME}:4443/`)).cause, 'proxy');
    });

  test('that is not there, or says nothing: no connection, in time', async () => {
    proxy.answer = (socket) => void socket.resume();
    const slow = near({ proxy: proxy.url, connectMs: 100 });
    assert.equal((await send(slow, `https://${NAME}:4443/`)).cause, 'connect_timeout');
    assert.equal((await send(near({ proxy: 'http://127.0.0.1:1' }), `https://${NAME}:4443/`)).cause, 'proxy');
  });

  test('of the environment is not asked', async () => {
    const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY'];
    const kept = NAMES.map((name) => process.env[name]);
    proxy.asked.length = 0;
    for (const name of NAMES) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url;
    const receiving = await receiver(right);
    try {
      assert.equal(await post(near(), receiving), 'secret');
      assert.deepEqual(proxy.asked, []);
    } finally {
      for (const [i, name] of NAMES.entries()) {
        if (kept[i] === undefined) delete process.env[name];
        else process.env[name] = kept[i];
      }
      receiving.close();
    }
  });
});
