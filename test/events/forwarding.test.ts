// Forwarding over real sockets: the signature, what counts as an answer, the deadline, the circuit, and addresses that are never asked.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { createEgress, createForwarding, type ForwardingAnswer, NOTHING_ALLOWED } from '../../src/events/index.ts';
import { silent } from '../support/database.ts';

const SECRET = `whsec_${Buffer.from('a key of the tenant that nobody knows').toString('base64')}`;
interface Heard {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
const heard: Heard[] = [];
let url = '';
let answer: (response: http.ServerResponse) => void = () => undefined;
const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    heard.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(response);
  });
});
before(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const saying =
  (status: number, text: string, headers: Record<string, string> = {}): typeof answer =>
  (response) =>
    response.writeHead(status, headers).end(text);

const door = (inSandbox: boolean) =>
  createEgress({
    allow: { ...NOTHING_ALLOWED, private: inSandbox, http: inSandbox },
    own: () => [],
    inbox: null,
    ca: null,
    proxy: null,
    clock: systemClock,
  });
const make = (inSandbox = true, clock = systemClock, timeoutMs = 1000) =>
  createForwarding({ clock, log: silent, egress: door(inSandbox), timeoutMs });
const ask = (forward: ReturnType<typeof make>, to: string, id = '42'): Promise<ForwardingAnswer> =>
  forward({ url: to, secret: SECRET, id, body: { hold: 100 } });

test('the message is signed as Standard Webhooks say', async () => {
  const clock = { ...systemClock, now: () => new Date('2026-11-21T10:00:00Z') };
  answer = saying(200, '{"decision":"APPROVE"}');
  assert.deepEqual(await ask(make(true, clock), `${url}/hook`), { decision: 'APPROVE', cause: 'answered' });
  const { headers, body } = heard.at(-1) as Heard;
  assert.equal(headers['webhook-id'], '42');
  assert.equal(headers['webhook-timestamp'], '1795255200');
  const expected = createHmac('sha256', 'a key of the tenant that nobody knows')
    .update(`42.1795255200.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
  assert.deepEqual(JSON.parse(body), { hold: 100 });
});

const ANSWERS: readonly (readonly [string, typeof answer, ForwardingAnswer])[] = [
  ['a refusal', saying(200, '{"decision":"DECLINE"}'), { decision: 'DECLINE', cause: 'answered' }],
  ['another status', saying(201, '{"decision":"APPROVE"}'), { decision: null, cause: 'status 201' }],
  ['a redirect', saying(307, '', { location: '/elsewhere' }), { decision: null, cause: 'status 307' }],
  ['no JSON', saying(200, 'yes'), { decision: null, cause: 'malformed answer' }],
  ['JSON null', saying(200, 'null'), { decision: null, cause: 'malformed answer' }],
  ['another word', saying(200, '{"decision":"MAYBE"}'), { decision: null, cause: 'malformed answer' }],
  ['a hangup', (response) => response.destroy(), { decision: null, cause: 'reset' }],
  ['an answer without end', saying(200, ' '.repeat(20_000)), { decision: null, cause: 'too long an answer' }],
  ['silence', () => undefined, { decision: null, cause: 'timeout' }],
  ['half an answer', (response) => response.writeHead(200).write('{"deci'), { decision: null, cause: 'timeout' }],
];
for (const [what, how, expected] of ANSWERS)
  test(`${what}: ${expected.decision ?? expected.cause}`, async () => {
    answer = how;
    const before = heard.length;
    assert.deepEqual(await ask(make(), `${url}/hook`), expected);
    assert.equal(heard.length, before + 1, 'one attempt');
  });

test('who takes the connection and never greets back costs the deadline, and opens the circuit', async () => {
  const sockets = new Set<net.Socket>();
  const mute = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => void mute.listen(0, '127.0.0.1', resolve));
  const to = `https://127.0.0.1:${(mute.address() as net.AddressInfo).port}/hook`;
  const forward = make(true, systemClock, 200);
  const started = performance.now();
  for (let i = 0; i < 5; i++) assert.deepEqual(await ask(forward, to), { decision: null, cause: 'timeout' });
  assert.ok(performance.now() - started < 5000, 'each at its deadline');
  assert.equal((await ask(forward, to)).cause, 'circuit open');
  // What is given up is closed, too: nobody is left holding it.
  while (sockets.size > 0) await new Promise((resolve) => void [...sockets][0]?.once('close', resolve));
  mute.close();
});

test('after five failures in a row nothing is sent for a while, then one request tries', async () => {
  let elapsed = 0;
  const forward = make(true, { ...systemClock, elapsed: () => elapsed });
  answer = saying(500, '');
  for (let i = 0; i < 5; i++) assert.equal((await ask(forward, `${url}/broken`)).cause, 'status 500');
  const before = heard.length;
  assert.equal((await ask(forward, `${url}/broken`)).cause, 'circuit open');
  assert.equal(heard.length, before);
  elapsed = 30_001;
  const [tried, beside] = await Promise.all([ask(forward, `${url}/broken`), ask(forward, `${url}/broken`)]);
  assert.deepEqual([tried.cause, beside.cause], ['status 500', 'circuit open']);
  elapsed = 60_002;
  answer = saying(200, '{"decision":"APPROVE"}');
  assert.equal((await ask(forward, `${url}/broken`)).decision, 'APPROVE');
  assert.equal((await ask(forward, `${url}/broken`)).decision, 'APPROVE');
  assert.equal((await ask(forward, `${url}/other`)).decision, 'APPROVE');
});

test('outside the sandbox only https to public addresses is asked', async () => {
  const forward = make(false);
  const before = heard.length;
  assert.equal((await ask(forward, `${url}/hook`)).cause, 'plain_http');
  for (const host of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '[fd00::1]', '[::ffff:127.0.0.1]', '0x7f.1'])
    assert.equal((await ask(forward, `https://${host}/`)).cause, 'not_public', host);
  assert.equal((await ask(forward, 'https://localhost/')).cause, 'not_public');
  assert.equal((await ask(forward, 'https://user:word@example.com/')).cause, 'user_info');
  assert.equal((await ask(forward, 'not an address')).cause, 'unreadable_url');
  assert.equal(heard.length, before);
});
