// Events as they come: none is lost or shown twice however often the connection breaks, a slow reader is cut alone, and nobody reads
// longer than he may.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { seededRandom, systemClock } from '../../../src/base/index.ts';
import { secretKey, signatureProblem } from '../../../src/events/index.ts';
import { basic, payment, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, uris } from '../../support/shop.ts';
import { idsOf, openStream, readMessages, type Stream, tellEvents, until } from './streams.ts';

let florin: TestApp;
const AS_SHOP = { authorization: basic('sandbox', 'sandbox-secret') };
const AS_OPERATOR = { authorization: 'Bearer sandbox-operator' };
/** The place before all. */
const BEGINNING = 'WyIwIl0';

before(async () => {
  florin = await testApp({ WORKERS: 'on' }, { streams: { beatMs: 100, checkMs: 50, takeMs: 300 } });
});

const open = (
  query = '',
  headers: Record<string, string> = AS_SHOP,
  path = '/gateway/events/stream',
): Promise<Stream> => openStream(`${florin.url}${path}${query}`, headers);
const read = ({ text }: Stream) => readMessages(text());
const tellsOf = (stream: Stream, id: string) =>
  read(stream).messages.find(({ data }) => data.includes(`"id":"${id}","sequence"`));
const typesOf = (stream: Stream): string[] => read(stream).messages.map(({ event }) => event);
const pay = async () => orderOf(await florin.merchant('POST', '/gateway/orders/authorize', payment()));

describe('what a reader gets', () => {
  test('from now on, each event as it was written, with its type and a place to go on from', async () => {
    await pay();
    const stream = await open();
    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    await until('it begins', () => read(stream).lastEventId !== null);
    const order = await pay();
    await until('it is told', () => tellsOf(stream, order.id) !== undefined);
    const message = tellsOf(stream, order.id);
    const listed = await florin.merchant('GET', `/gateway/events?resource=${order.id}`);
    assert.equal(`{"events":[${message?.data}]}`, listed.text);
    assert.equal(message?.event, 'order.authorized');
    const { lastEventId } = read(stream);
    const next = await pay();
    const behind = await open('', { ...AS_SHOP, 'last-event-id': lastEventId ?? '' });
    await until('what came behind', () => tellsOf(behind, next.id) !== undefined);
    assert.equal(read(behind).messages.length, 1);
    const since = await open(`?since=${lastEventId}`);
    await until('the same', () => read(since).messages.length === 1);
  });

  test('only types and resources that are asked for; and hears beside them how far the log is', async () => {
    const types = await open('?type=order.created,reserve.*');
    const start = read(types).lastEventId;
    const { id } = await pay();
    const resource = await open(`?resource=${id}&since=${BEGINNING}`);
    await until('the one', () => read(resource).messages.length === 1);
    await until('a beat says a later place', () => read(types).comments > 0 && read(types).lastEventId !== start);
    await florin.merchant('POST', '/gateway/orders/create', { amount: 5 });
    await until('the type', () => typesOf(types).length === 1);
    assert.deepEqual(typesOf(types), ['order.created']);
    assert.equal(read(resource).messages.length, 1);
  });

  test('a beat while nothing happens', async () => {
    const stream = await open();
    await until('three', () => read(stream).comments >= 3);
    assert.deepEqual(read(stream).messages, []);
  });

  test('with a key, the header fields of a webhook beside each event', async () => {
    const signed = await open('/projects/sandbox/events/stream?signed=1', AS_OPERATOR, '/operator');
    await until('its secret', () => read(signed).messages.length === 1);
    const secret = read(signed).messages[0];
    assert.equal(secret?.event, 'secret');
    const key = secretKey(secret?.data ?? '');
    assert.ok(key);
    await pay();
    await until('the event', () => read(signed).messages.length === 2);
    const [text = '', headers = ''] = read(signed).messages[1]?.data.split('\n') ?? [];
    const now = systemClock.now();
    assert.equal(signatureProblem(JSON.parse(headers), Buffer.from(text), { keys: [key], now }), null);
    assert.equal((await open('?signed=1')).status, 403, 'without the right webhooks');
  });

  test('what is wrong is said in the form of each API', async () => {
    assert.deepEqual(uris(await florin.merchant('GET', '/gateway/events/stream?since=nowhere&type=order.created')), [
      '#/since',
    ]);
    assert.equal((await open('', { ...AS_SHOP, 'last-event-id': 'x' })).status, 422);
    assert.equal((await florin.merchant('GET', '/gateway/events/stream?type=order.lost')).status, 422);
    assert.equal((await florin.clientWith(null)('GET', '/gateway/events/stream')).status, 401);
    assert.equal((await florin.operator('GET', '/operator/projects/nobody/events/stream')).status, 404);
    assert.equal(
      (await florin.merchant('GET', '/gateway/events/stream', undefined, { accept: 'text/html' })).status,
      406,
    );
    assert.equal((await florin.merchant('HEAD', '/gateway/events/stream')).status, 200);
    const issuing = { 'x-secret': 'sandbox-events' };
    assert.equal((await open('', { 'x-secret': 'sandbox-secret' }, '/issuing/events/stream')).status, 401);
    assert.equal((await open('?signed=yes', issuing, '/issuing/events/stream')).status, 400);
  });

  test('a tenant its own, an operator the house’s', async () => {
    const tenant = await open('?signed=1', { 'x-secret': 'sandbox-events' }, '/issuing/events/stream');
    const below = await open('', AS_OPERATOR, '/operator/tenants/sandbox/events/stream');
    const own = await open('', AS_OPERATOR, '/operator/events/stream');
    await until('all begin', () => [tenant, below, own].every((stream) => read(stream).lastEventId !== null));
    const body = { url: 'https://127.0.0.1:8443/events', events: ['card.*'] };
    await florin.operator('POST', '/operator/tenants/sandbox/webhooks', body);
    await until('both are told', () => typesOf(tenant).length === 2 && typesOf(below).length === 1);
    assert.deepEqual(typesOf(tenant), ['secret', 'webhook.created']);
    await florin.operator('POST', '/operator/webhooks', { ...body, events: ['*'] });
    await until('the operator', () => typesOf(own).length === 1);
    assert.equal(typesOf(below).length, 1);
  });
});

/** Reads all from a place on, cutting each connection after some bytes; what was shown, in order. */
async function readCut(cuts: number, seen: (text: string) => string = (text) => text): Promise<string[]> {
  const random = seededRandom(7);
  const shown: string[] = [];
  let place = BEGINNING;
  for (let cut = 0; cut <= cuts; cut++) {
    const headers = { ...AS_OPERATOR, 'last-event-id': place };
    const most = cut < cuts ? 1 + random.int(500) : Infinity;
    const stream = await openStream(`${florin.url}/operator/projects/cut/events/stream`, headers, most);
    const heard = () => readMessages(seen(stream.text()));
    // The last reads on until it hears that there is no more.
    if (cut < cuts) await stream.closed;
    else await until('the end', () => heard().comments > 0);
    stream.close();
    shown.push(...idsOf(heard()));
    place = heard().lastEventId ?? place;
  }
  return shown;
}

describe('a stream that is cut', () => {
  let told: string[] = [];
  before(async () => {
    const project = { login: 'cut', name: 'Cut', accounting_currency: 'EUR' };
    assert.equal((await florin.operator('POST', '/operator/projects', project)).status, 201);
    const [row] = await florin.database.query<{ id: bigint }>("select id from projects where login = 'cut'");
    const before = await florin.operator('GET', '/operator/projects/cut/events');
    told = before.body.events.map(({ id }: { id: string }) => id);
    told.push(...(await tellEvents(florin.database, row?.id ?? 0n, { from: 1_000, count: 1_200, bytes: 100 })));
  });

  test('a thousand times, loses nothing and shows nothing twice', async () => {
    assert.deepEqual(await readCut(1_000), told);
  });

  test('and one that told a place before its event would be found out', async () => {
    const shown = await readCut(30, (text) => text.replace(/(id: .*\n)(event: )/g, '$1\n$2'));
    assert.ok(new Set(shown).size < told.length, 'none is lost');
  });
});

describe('who is slow, or may not', () => {
  test('a slow reader is cut, and goes on; one beside him is not slowed; there are sixteen at most', async () => {
    const [row] = await florin.database.query<{ id: bigint }>("select id from projects where login = 'sandbox-two'");
    const told = await tellEvents(florin.database, row?.id ?? 0n, { from: 10_000, count: 60, bytes: 100_000 });
    const AS_TWO = { authorization: basic('sandbox-two', 'sandbox-two-secret') };
    const from = `?since=${BEGINNING}&type=order.created`;
    const slow = await open(from, AS_TWO);
    slow.response.pause();
    const started = performance.now();
    const beside = await open(from, AS_TWO);
    await until('all of it', () => beside.bytes() > told.length * 200_000);
    assert.deepEqual(idsOf(read(beside)), told);
    assert.ok(performance.now() - started < 5_000);
    beside.close();
    const rest: Stream[] = [];
    await until('his place is free, and all are taken', async () => {
      const one = await open('', AS_TWO);
      if (one.status === 200) rest.push(one);
      else assert.equal(one.status, 429);
      return rest.length === 16;
    });
    assert.equal((await open('', AS_TWO)).status, 429);
    for (const one of rest) one.close();
    slow.response.resume();
    await until('he hears it', () => slow.ended() !== null);
    assert.equal(slow.ended(), 'cut');
    const got = idsOf(read(slow));
    assert.ok(got.length < told.length);
    const again = await open(`?type=order.created`, { ...AS_TWO, 'last-event-id': read(slow).lastEventId ?? '' });
    await until('the rest', () => again.bytes() > (told.length - got.length) * 200_000);
    assert.deepEqual([...got, ...idsOf(read(again))], told);
    again.close();
  });

  test('a credential that is revoked reads no longer', async () => {
    const rights = { label: 'reader', rights: ['read', 'webhooks'] };
    const { body } = await florin.operator('POST', '/operator/projects/sandbox/credentials', rights);
    const stream = await open('?signed=1', { authorization: basic('sandbox', body.secret) });
    const other = await open();
    await florin.operator('DELETE', `/operator/projects/sandbox/credentials/${body.id}`);
    await until('it ends', () => stream.ended() !== null);
    assert.equal(stream.ended(), 'whole');
    assert.equal(other.ended(), null);
  });
});

test('another process tells as well; where one ends its streams end at once, and readers go on elsewhere', async () => {
  const other = await florin.another();
  const there = await openStream(`${other.url}/gateway/events/stream`, AS_SHOP);
  const here = await open();
  await until('both begin', () => [there, here].every((stream) => read(stream).lastEventId !== null));
  const first = await pay();
  await until('both are told', () => [there, here].every((stream) => tellsOf(stream, first.id) !== undefined));
  const started = performance.now();
  assert.equal(await other.stop(), true);
  assert.ok(performance.now() - started < 3_000);
  await until('it ends', () => there.ended() === 'whole');
  const { id } = await pay();
  const again = await open('', { ...AS_SHOP, 'last-event-id': read(there).lastEventId ?? '' });
  await until('the next', () => tellsOf(again, id) !== undefined);
  assert.equal(read(again).messages.length, 1);
});
