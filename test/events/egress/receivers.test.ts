// Receivers that misbehave, over real sockets: each is one answer or one word, in time and within bounds, and its connection is closed.
import assert from 'node:assert/strict';
import http from 'node:http';
import type net from 'node:net';
import { describe, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import type { Answer, Cause } from '../../../src/events/index.ts';
import { allowing, door, type Listener, listen, sandboxDoor, send } from './doors.ts';

/** A receiver that reads the request and then does what it is told. */
const after = (serve: (socket: net.Socket) => void): Promise<Listener> =>
  listen((socket) => void socket.once('data', () => serve(socket)));
const saying = (...parts: readonly string[]): Promise<Listener> => after((socket) => void socket.end(parts.join('')));
const OK = 'HTTP/1.1 200 OK\r\n';
const EMPTY = `${OK}content-length: 0\r\n\r\n`;

/** Goes on as long as somebody takes it. */
function pouring(head: string, part: string): Promise<Listener> {
  return after((socket) => {
    socket.write(head);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', pour);
    pour();
  });
}

async function heard(receiver: Listener, more: Parameters<typeof send>[2] = {}): Promise<Answer> {
  const egress = sandboxDoor();
  const answer = await send(egress, `http://127.0.0.1:${receiver.port}/hook`, more);
  // Without keep-alive nothing is left open, whatever became of it.
  await receiver.emptied();
  assert.equal(receiver.taken(), 1, 'one try');
  await receiver.close();
  egress.close();
  return answer;
}

const WORDS: readonly (readonly [what: string, receiver: () => Promise<Listener>, cause: Cause])[] = [
  ['hangs up at once', () => listen((socket) => void socket.destroy()), 'reset'],
  ['hangs up instead of an answer', () => after((socket) => void socket.destroy()), 'reset'],
  ['resets', () => after((socket) => void socket.resetAndDestroy()), 'reset'],
  ['hangs up in the header', () => saying(OK, 'content-le'), 'reset'],
  ['hangs up in the body', () => saying(OK, 'content-length: 10\r\n\r\nhalf'), 'reset'],
  ['never answers', () => listen((socket) => void socket.resume()), 'timeout'],
  ['hangs in the header', () => after((socket) => void socket.write(`${OK}content-le`)), 'timeout'],
  ['hangs in the body', () => after((socket) => void socket.write(`${OK}content-length: 9\r\n\r\nh`)), 'timeout'],
  ['speaks another language', () => saying('SSH-2.0-OpenSSH_9.6\r\n'), 'malformed'],
  ['speaks TLS', () => saying('\x15\x03\x03\x00\x02\x02\x28'), 'malformed'],
  ['has an endless header', () => pouring(OK, `x-a: ${'a'.repeat(1000)}\r\n`), 'malformed'],
  ['has an endless field', () => pouring(`${OK}x-a: `, 'a'.repeat(4096)), 'malformed'],
  ['has an endless first line', () => pouring('HTTP/1.1 200 ', 'O'.repeat(4096)), 'malformed'],
  [
    'answers without end that it goes on',
    () => pouring('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)),
    'malformed',
  ],
  [
    'sends chunks of nothing but extensions',
    () => pouring(`${OK}transfer-encoding: chunked\r\n\r\n5;`, 'a'.repeat(4096)),
    'malformed',
  ],
  [
    'sends an endless trailer',
    () => pouring(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, `x-a: ${'a'.repeat(999)}\r\n`),
    'malformed',
  ],
  ['asks for a body it has', () => saying('HTTP/1.1 100 Continue\r\n\r\n', EMPTY), 'malformed'],
  [
    'changes the protocol',
    () => saying('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'malformed',
  ],
  [
    'counts in two ways',
    () => saying(OK, 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    'malformed',
  ],
  ['has a status that is none', () => saying('HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n'), 'malformed'],
  ['has a status of four digits', () => saying('HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'), 'malformed'],
  ['counts further than numbers go', () => saying(OK, `content-length: ${'9'.repeat(30)}\r\n\r\nx`), 'malformed'],
  ['counts twice', () => saying(OK, 'content-length: 5\r\ncontent-length: 6\r\n\r\nhello!'), 'malformed'],
];

describe('a receiver that', () => {
  for (const [what, receiver, cause] of WORDS)
    test(`${what}: ${cause}`, async () => {
      const began = systemClock.elapsed();
      const answer = await heard(await receiver(), { timeoutMs: cause === 'timeout' ? 150 : 5000 });
      assert.equal(answer.cause, cause);
      assert.equal(answer.address, '127.0.0.1');
      assert.ok(systemClock.elapsed() - began < 4000, 'bounded');
    });
});

describe('an answer', () => {
  const whole = async (receiver: Listener, more: Parameters<typeof send>[2] = {}) => {
    const { cause, ...rest } = await heard(receiver, more);
    assert.equal(cause, null);
    assert.ok('status' in rest);
    return { ...rest, text: rest.body.toString() };
  };

  test('is told whole, with what the caller needs of its header', async () => {
    const { ms, body, ...told } = await whole(
      await saying(
        'HTTP/1.1 503 Later\r\nRetry-After: 7\r\nretry-after: 8\r\nContent-Type: text/plain\r\nset-cookie: a=1\r\ncontent-length: 2\r\n\r\nno',
      ),
    );
    assert.ok(ms >= 0 && body.length === 2);
    assert.deepEqual(told, {
      status: 503,
      headers: { retryAfter: '7', contentType: 'text/plain' },
      truncated: false,
      address: '127.0.0.1',
      text: 'no',
    });
  });

  test('is read to its bound, its status stands, and the connection is dropped', async () => {
    const endless = await whole(
      await pouring(`${OK}transfer-encoding: chunked\r\n\r\n`, `1000\r\n${'x'.repeat(4096)}\r\n`),
    );
    assert.deepEqual([endless.status, endless.truncated, endless.body.length], [200, true, 16_384]);
    const exact = await whole(await saying(OK, 'content-length: 16384\r\n\r\n', 'x'.repeat(16_384)));
    assert.deepEqual([exact.truncated, exact.body.length], [false, 16_384]);
    const one = await whole(await saying(OK, 'content-length: 16385\r\n\r\n', 'x'.repeat(16_385)));
    assert.deepEqual([one.truncated, one.body.length], [true, 16_384]);
    const less = await whole(await saying(OK, 'content-length: 5\r\n\r\nhello'), { maxBytes: 3 });
    assert.deepEqual([less.truncated, less.text], [true, 'hel']);
    const more = await whole(await saying(OK, 'content-length: 20000\r\n\r\n', 'x'.repeat(20_000)), {
      maxBytes: 99_999,
    });
    assert.equal(more.body.length, 16_384);
  });

  test('may end with the connection, as in HTTP/1.0, or have no body', async () => {
    assert.equal((await whole(await saying('HTTP/1.0 200 OK\r\n\r\nold'))).text, 'old');
    assert.equal((await whole(await saying('HTTP/1.1 204 No Content\r\n\r\n'))).status, 204);
    assert.equal((await whole(await saying('HTTP/1.1 103 Early Hints\r\n\r\n', EMPTY))).status, 200);
  });

  test('counts before the message has been read', async () => {
    const early = await listen((socket) => {
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      socket.resume();
    });
    assert.equal((await whole(early, { body: 'x'.repeat(2_000_000) })).status, 413);
  });

  test('that leads elsewhere is an answer, and not followed', async () => {
    const elsewhere = await listen();
    for (const status of [301, 302, 303, 307, 308]) {
      const there = `location: http://127.0.0.1:${elsewhere.port}/\r\ncontent-length: 0\r\n\r\n`;
      assert.equal((await whole(await saying(`HTTP/1.1 ${status} There\r\n`, there))).status, status);
    }
    assert.equal(elsewhere.taken(), 0);
    await elsewhere.close();
  });
});

describe('a message', () => {
  test('asks for no compression, keeps no cookie, and says where its body ends', async () => {
    const requests: string[] = [];
    const receiver = http.createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.setHeader('set-cookie', 'a=1').end();
    });
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as net.AddressInfo;
    const egress = sandboxDoor({ lookup: async () => ['127.0.0.1'] });
    for (let i = 0; i < 2; i++)
      await send(egress, `http://hooks.example.:${port}/a/../b?c=%0d%0a#d`, { keepAlive: true });
    const headers = {
      host: `hooks.example:${port}`,
      connection: 'keep-alive',
      'user-agent': 'florin',
      'content-type': 'text/plain',
      'content-length': '5',
    };
    assert.deepEqual(requests, Array(2).fill(`POST /b?c=%0d%0a ${JSON.stringify(headers)}`));
    egress.close();
    receiver.close();
  });

  const FIELDS: readonly Readonly<Record<string, string>>[] = [
    { 'x-a': 'a\r\nhost: elsewhere' },
    { 'x-a': 'a\nx-b: b' },
    { 'x-a': 'a\r' },
    { 'x-a': 'a\0' },
    { 'x-a': 'ż' },
    { 'x-a\r\nx-b': 'a' },
    { 'x a': 'a' },
    { '': 'a' },
    { 'X-Large': 'a' },
    { host: 'elsewhere' },
    { 'content-length': '0' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'upgrade' },
    { cookie: 'a=1' },
  ];
  for (const headers of FIELDS)
    test(`with the field ${JSON.stringify(headers)} is not sent`, async () => {
      const receiver = await listen();
      const answer = await send(sandboxDoor(), `http://127.0.0.1:${receiver.port}/`, { headers });
      assert.deepEqual([answer.cause, receiver.taken()], ['bad_header', 0]);
      await receiver.close();
    });

  test('ends when its caller or the server ends it', async () => {
    const mute = await listen((socket) => void socket.resume());
    const url = `http://127.0.0.1:${mute.port}/`;
    const stopping = new AbortController();
    const egress = sandboxDoor();
    const first = send(egress, url, { signal: stopping.signal });
    const second = send(egress, url);
    stopping.abort(new Error('enough'));
    assert.equal((await first).cause, 'stopped');
    egress.close();
    assert.equal((await second).cause, 'stopped');
    assert.equal((await send(egress, url)).cause, 'stopped');
    assert.equal((await send(sandboxDoor(), url, { signal: AbortSignal.abort() })).cause, 'stopped');
    await mute.emptied();
    await mute.close();
  });
});

describe('a name', () => {
  test('that leads elsewhere by the time of the call is not called', async () => {
    const inside = await listen();
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const egress = door({ lookup: async () => answers.shift() ?? [] });
    const url = `https://rebinding.example:${inside.port}/`;
    assert.equal(await egress.resolves(url), null);
    assert.equal((await send(egress, url)).cause, 'not_public');
    assert.equal(inside.taken(), 0);
    await inside.close();
  });

  test('is looked up once for a connection, and what was looked up is what is connected to', async () => {
    const receiver = await listen((socket) => void socket.on('data', () => socket.write(EMPTY)));
    let asked = 0;
    let elapsed = 0;
    let leadsTo = '127.0.0.1';
    const egress = door({
      allow: allowing('http://127.0.0.1'),
      clock: { ...systemClock, elapsed: () => elapsed },
      lookup: async () => {
        asked++;
        return [leadsTo];
      },
    });
    const post = (): Promise<Answer> => send(egress, `http://rebinding.example:${receiver.port}/`, { keepAlive: true });
    assert.equal((await post()).cause, null);
    leadsTo = '127.0.0.2';
    elapsed = 299_000;
    assert.equal((await post()).cause, null, 'by the connection that is there');
    assert.deepEqual([asked, receiver.taken()], [1, 1]);
    elapsed = 300_001;
    assert.equal((await post()).cause, 'not_public', 'its time is over: it is judged again');
    await receiver.emptied();
    assert.deepEqual([asked, receiver.taken()], [2, 1]);
    await receiver.close();
  });

  test('with several addresses is reached by one that answers', async () => {
    const receiver = http.createServer((_request, response) => void response.end());
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as net.AddressInfo;
    const egress = sandboxDoor({ lookup: async () => ['::1', '127.0.0.3', '127.0.0.1'] });
    const answer = await send(egress, `http://several.example:${port}/`);
    assert.deepEqual([answer.cause, answer.address], [null, '127.0.0.1']);
    receiver.close();
    const none = await send(
      sandboxDoor({ lookup: async () => ['127.0.0.3', '127.0.0.4'] }),
      'http://none.example:1025/',
    );
    assert.equal(none.cause, 'connect');
  });

  test('that is never found out costs the time for a connection, no more', async () => {
    const egress = door({ lookup: () => new Promise(() => undefined), connectMs: 50 });
    assert.equal((await send(egress, 'https://slow.example/')).cause, 'connect_timeout');
    assert.equal(await egress.resolves('https://slow.example/'), 'dns');
  });
});

describe('a connection that is kept', () => {
  test('carries one message at a time', async () => {
    const receiver = http.createServer((_request, response) => void response.end('x'));
    let taken = 0;
    receiver.on('connection', () => void taken++);
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    const egress = sandboxDoor();
    const url = `http://127.0.0.1:${(receiver.address() as net.AddressInfo).port}/`;
    const post = (): Promise<Answer> => send(egress, url, { keepAlive: true });
    for (let i = 0; i < 5; i++) assert.equal((await post()).cause, null);
    assert.equal(taken, 1);
    await Promise.all([post(), post(), post()]);
    assert.equal(taken, 3);
    await send(egress, url);
    assert.equal(taken, 4, 'one that isn’t to be kept has its own');
    egress.close();
    receiver.close();
  });

  test('is given up when more comes on it than was asked for', async () => {
    let connections = 0;
    const receiver = await listen((socket) => {
      const own = ++connections;
      socket.on('data', () =>
        socket.write(`${OK}content-length: 1\r\n\r\n${own}${own === 1 ? `${OK}content-length: 1\r\n\r\nX` : ''}`),
      );
    });
    const egress = sandboxDoor();
    const post = async (): Promise<string> => {
      const answer = await send(egress, `http://127.0.0.1:${receiver.port}/`, { keepAlive: true });
      return answer.cause ?? answer.body.toString();
    };
    assert.equal(await post(), '1');
    assert.equal(await post(), '2', 'never the answer that nobody asked for');
    egress.close();
    await receiver.close();
  });
});
