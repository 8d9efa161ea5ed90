// A whole Florin sends its webhooks to its own inbox: what arrives is judged, shown, bounded, and answered as the script says.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { systemClock } from '../../src/base/index.ts';
import { createInbox } from '../../src/sandbox/inbox.ts';
import { payment, type Reply, type TestApp, testApp } from '../support/app.ts';
import { testDatabase } from '../support/database.ts';

const PREFIX = '/simulator/inbox/';
let florin: TestApp;
before(async () => {
  florin = await testApp({ WORKERS: 'on' });
});

const look = async (name: string): Promise<Reply['body']> => (await florin.operator('GET', `${PREFIX}${name}`)).body;
const post = (name: string, body: string, headers: Record<string, string> = {}): Promise<Reply> =>
  florin.clientWith(null)('POST', `${PREFIX}${name}`, body, headers);
const script = (name: string, body: object): Promise<Reply> => florin.operator('PUT', `${PREFIX}${name}/script`, body);

async function until<Value>(what: string, value: () => Promise<Value | null | undefined | false>): Promise<Value> {
  for (const end = Date.now() + 10_000; Date.now() < end; await systemClock.sleep(15)) {
    const found = await value();
    if (found) return found;
  }
  throw new Error(`still not: ${what}`);
}

async function endpointAt(name: string): Promise<{ id: string; url: string }> {
  const url = `${florin.url}${PREFIX}${name}`;
  const made = await florin.operator('POST', '/operator/projects/sandbox/webhooks', {
    url,
    events: ['order.authorized'],
  });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, url };
}

const pay = async (): Promise<void> => {
  assert.equal((await florin.merchant('POST', '/gateway/orders/authorize', payment())).status, 200);
};

test("a payment's event arrives, and is valid; the same with another body, by another or too late is not", async () => {
  const { id } = await endpointAt('shop');
  await pay();
  const [message] = await until('the event', async () => {
    const { messages } = await look('shop');
    return messages.length > 0 && messages;
  });
  assert.equal(message.valid, true);
  assert.equal(message.problem, null);
  assert.equal(message.webhook_id, id);
  assert.equal(JSON.parse(message.body).type, 'order.authorized');
  assert.equal(message.body_encoding, 'utf8');
  assert.deepEqual(message.answer, { status: 200 });
  assert.equal(message.headers['florin-attempt'], '1');

  const signed: Record<string, string> = Object.fromEntries(
    Object.entries<string>(message.headers).filter(([name]) => /^(webhook|florin|content-type)/.test(name)),
  );
  const { 'florin-delivery': _, ...unmarked } = signed;
  const late = { ...signed, 'webhook-timestamp': String(Number(signed['webhook-timestamp']) - 1000) };
  const secret = { ...signed, authorization: 'Bearer not-to-be-shown' };
  assert.equal((await post('shop', message.body, signed)).status, 200);
  await post('shop', message.body, unmarked);
  await post('shop', `${message.body} `, secret);
  await post('shop', message.body, late);
  await post('shop', message.body, { 'florin-delivery': '77.1' });
  await post('shop', '', { 'florin-delivery': signed['florin-delivery'] ?? '' });
  await post('elsewhere', message.body, signed);

  const { messages } = await look('shop');
  assert.deepEqual(
    messages.map(({ problem }: { problem: string | null }) => problem),
    ['missing', 'unknown_endpoint', 'too_old', 'wrong', null, null, null],
  );
  assert.deepEqual(
    messages.map(({ valid }: { valid: boolean }) => valid),
    [false, false, false, false, true, true, true],
  );
  assert.equal(messages[3].headers.authorization, '(hidden)');
  assert.equal((await look('elsewhere')).messages[0].problem, 'unknown_endpoint');
  assert.equal((await florin.operator('DELETE', `${PREFIX}shop`)).status, 204);
  assert.deepEqual((await look('shop')).messages, []);
});

test('what the script says is seen in the deliveries of the endpoint, in its order, and then the default', async () => {
  const { id } = await endpointAt('scripted');
  const next = [
    { status: 503 },
    { reset: true },
    { redirect: 'https://shop.example/elsewhere' },
    { delay_ms: 30, status: 500 },
    { huge: true },
  ];
  const set = await script('scripted', { next, default: { status: 204 } });
  assert.equal(set.status, 200);
  assert.deepEqual(set.body, { next, default: { status: 204 } });
  await pay();
  await until('the first try', async () => (await look('scripted')).messages.length > 0);
  await florin.operator('POST', '/simulator/clock/advance', { by: '2d' });
  const { messages } = await look('scripted');
  assert.deepEqual(messages.map(({ answer }: { answer: object }) => answer).reverse(), next);
  assert.ok(messages.every(({ valid }: { valid: boolean }) => valid));
  const event = messages[0].headers['webhook-id'];
  const delivery = await until('the delivery', async () => {
    const { body } = await florin.operator('GET', `/operator/projects/sandbox/webhooks/${id}/deliveries/${event}`);
    return body.state === 'delivered' && body;
  });
  assert.deepEqual(
    delivery.attempts.map(({ status, cause }: { status: number | null; cause: string | null }) => status ?? cause),
    [200, 500, 302, 'reset', 503],
  );
  assert.deepEqual((await look('scripted')).script, { next: [], default: { status: 204 } });
  assert.equal((await post('scripted', '{}')).status, 204);
});

test('what hangs ends with the server at once, and holds up nobody', async () => {
  const own = await testApp();
  await own.operator('PUT', `${PREFIX}slow/script`, { default: { hang: true } });
  const { port } = new URL(own.url);
  const waiting = Array.from({ length: 64 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST ${PREFIX}slow HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`);
    return new Promise<string>((resolve) => {
      let heard = '';
      socket
        .on('data', (part) => (heard += part))
        .on('error', () => undefined)
        .on('close', () => resolve(heard));
    });
  });
  const kept = async () => (await own.operator('GET', `${PREFIX}slow`)).body.messages;
  await until('64 wait', async () => (await kept()).length === 64);
  // The answers follow what is kept.
  await until('all places are taken', async () => {
    const tried = { method: 'POST', body: '{}', signal: AbortSignal.timeout(300) };
    return (await fetch(`${own.url}${PREFIX}slow`, tried).catch(() => null))?.status === 503;
  });
  assert.deepEqual((await kept())[0].answer, { status: 503 });
  assert.equal((await own.clientWith(null)('POST', `${PREFIX}quick`, '{}')).status, 200);
  const started = performance.now();
  assert.equal(await own.app.stop(), true);
  assert.ok(performance.now() - started < 5_000);
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['']));
});

test('a script that says two things, an inbox of no name and a stranger are refused', async () => {
  const wrong = await script('shop', { next: [{ status: 200 }, { hang: true, reset: true }] });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /#\/next\/1\/reset/);
  for (const body of [
    { default: { hang: true, status: 200 } },
    { default: { redirect: 'https://shop.example', status: 200 } },
    { default: { redirect: 'nowhere' } },
    { default: { status: 42 } },
    { default: { delay_ms: 60_001 } },
    { otherwise: {} },
  ])
    assert.equal((await script('shop', body)).status, 422, JSON.stringify(body));
  for (let i = 0; i < 100; i++)
    await florin.database.query("insert into inbox_scripts values ($1, '{}', now())", [`other-${i}`]);
  assert.equal((await script('one-more', {})).status, 409);
  await florin.database.query("delete from inbox_scripts where name like 'other-%'");
  assert.equal((await script('one-more', {})).status, 200);
  assert.equal((await script('a.b', {})).status, 404);
  assert.equal((await florin.operator('GET', `${PREFIX}a.b`)).status, 404);
  assert.equal((await post('a.b', '{}')).status, 404);
  assert.equal((await post('large', 'x'.repeat(256 * 1024 + 1))).status, 413);
  const stranger = florin.clientWith(null);
  assert.equal((await stranger('GET', `${PREFIX}shop`)).status, 401);
  assert.equal((await stranger('PUT', `${PREFIX}shop/script`, {})).status, 401);
  assert.equal((await stranger('DELETE', `${PREFIX}shop`)).status, 401);
});

test('the oldest messages go, of one inbox and of all, by number and by bytes', async () => {
  const database = await testDatabase();
  const inbox = createInbox({
    database,
    judge: async () => ({ problem: 'missing', webhook: null }),
    time: systemClock,
    prefix: PREFIX,
    bounds: { one: { messages: 3, bytes: 4_850 }, all: { messages: 5, bytes: 1_000_000 } },
  });
  const send = (name: string, text: string) =>
    inbox.receive(name, { headers: {}, body: Buffer.from(text) }, () => false);
  const bodies = async (name: string) => (await inbox.show(name)).messages.map(({ body }) => body);
  for (const text of ['1', '2', '3', '4']) await send('a', text);
  assert.deepEqual(await bodies('a'), ['4', '3', '2']);
  for (const text of ['5', '6', '7']) await send('b', text);
  assert.deepEqual(
    [await bodies('a'), await bodies('b')],
    [
      ['4', '3'],
      ['7', '6', '5'],
    ],
  );
  await send('b', 'x'.repeat(4_600));
  assert.deepEqual(await bodies('b'), ['x'.repeat(4_600)]);
  // Many at once: none is lost but to the bounds, and nobody waits for another for ever.
  await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? 'a' : 'b', `${i}`)));
  await send('a', 'last');
  assert.ok((await bodies('a')).length + (await bodies('b')).length <= 5);
  assert.equal((await bodies('a'))[0], 'last');
  await send('c', '\0 4111111111111111');
  assert.deepEqual(await bodies('c'), ['\0 411111******1111']);
  assert.deepEqual(await send('c', 'x'), { status: 200 });
});
