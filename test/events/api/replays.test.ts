// A span is sent once more, by any API: to a real receiver, watched, stopped; what is wrong with one, and who may.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { systemClock } from '../../../src/base/index.ts';
import { basic, type Client, type TestApp, testApp } from '../../support/app.ts';
import { atEnd } from '../../support/ends.ts';
import { assertInvalid, issuingClient } from '../../support/issuing.ts';
import { uris } from '../../support/shop.ts';

let florin: TestApp;
let owner: Client;
let url = '';
const messages: { readonly id: string; readonly trigger: string; readonly body: string }[] = [];
const LONG_AGO = '2020-01-01 00:00:00';

before(async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      const { 'webhook-id': id, 'florin-trigger': trigger } = request.headers;
      messages.push({ id: String(id), trigger: String(trigger), body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  florin = await testApp({ WORKERS: 'on' });
  const rights = { label: 'events', rights: ['read', 'create', 'webhooks'] };
  const made = await florin.operator('POST', '/operator/projects/sandbox/credentials', rights);
  owner = florin.clientWith(basic('sandbox', made.body.secret));
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await condition()) return;
    await systemClock.sleep(10);
  }
  assert.fail('not within ten seconds');
}

test('what was sent is sent once more, with the same id and bytes, and the replay says how far it is', async () => {
  const [{ id }] = (await owner('POST', '/gateway/webhooks', { url, events: ['order.created'] })).body.webhooks;
  await florin.merchant('POST', '/gateway/orders/create', { amount: 5 });
  await until(() => messages.length === 1);
  const at = `/gateway/webhooks/${id}`;
  await until(async () => {
    const { body } = await owner('GET', `${at}/deliveries?state=delivered`);
    return body.deliveries.length === 1;
  });
  const key = { 'idempotency-key': 'replay-1' };
  const ask = () => owner('POST', `${at}/replay`, { from: LONG_AGO, types: ['order.*'], only: 'all' }, key);
  // The cursor is written behind what was sent.
  let begun = await ask();
  assert.equal(begun.status, 201, begun.text);
  const [first] = begun.body.replays;
  assert.equal(begun.headers.get('location'), `${florin.url}${at}/replays/${first.id}`);
  assert.deepEqual([first.state, first.only, first.looked, first.from], ['running', 'all', 0, LONG_AGO]);
  begun = await ask();
  assert.equal(begun.body.replays[0].id, first.id, 'a repeat begins none');
  await until(async () => (await owner('GET', `${at}/replays/${first.id}`)).body.replays[0].state === 'done');
  const [done] = (await owner('GET', `${at}/replays/${first.id}`)).body.replays;
  assert.deepEqual([done.sent, done.looked], [1, done.total]);
  await until(() => messages.length === 2);
  const [one, again] = messages;
  assert.deepEqual([one?.trigger, again?.trigger], ['first', 'replay']);
  assert.deepEqual([again?.id, again?.body], [one?.id, one?.body]);
  assert.deepEqual((await owner('GET', `${at}/replays`)).body.replays, [done]);
  const stopped = await owner('POST', `${at}/replays/${first.id}/stop`);
  assert.deepEqual(stopped.body.replays, [done], 'what is over stays what it is');

  assert.equal((await florin.merchant('POST', `${at}/replay`, { from: LONG_AGO })).status, 403);
  assert.equal((await florin.merchant('POST', `${at}/replays/${first.id}/stop`)).status, 403);
  for (const [method, path] of [
    ['GET', 'replays'],
    ['GET', `replays/${first.id}`],
  ] as const)
    assert.equal((await florin.stranger(method, `${at}/${path}`)).status, 404);
  assert.equal((await owner('GET', `${at}/replays/77`)).status, 404);
  await owner('DELETE', at);
});

test('four run at once, the fifth is 429; one that is stopped makes room', async () => {
  const at = '/operator/projects/sandbox/webhooks';
  // Disabled, so that they wait.
  const { id } = (await florin.operator('POST', at, { url, events: ['order.*'], enabled: false })).body;
  const ask = () => florin.operator('POST', `${at}/${id}/replay`, { from: '2020-01-01T00:00:00Z' });
  const replies = await Promise.all(Array.from({ length: 5 }, ask));
  assert.deepEqual(
    replies.map(({ status }) => status).sort((a, b) => a - b),
    [201, 201, 201, 201, 429],
  );
  const running = (await florin.operator('GET', `${at}/${id}/replays`)).body.replays as { id: string }[];
  assert.equal(running.length, 4);
  const stopped = await florin.operator('POST', `${at}/${id}/replays/${running[0]?.id}/stop`);
  assert.equal(stopped.body.state, 'stopped');
  assert.equal((await ask()).status, 201);
  const { body } = await florin.operator('GET', '/operator/audit?per_page=2');
  assert.deepEqual(
    body.audit.map(({ action, target }: { action: string; target: string }) => [action, target]),
    [
      ['webhook.replay', `sandbox/${id}`],
      ['webhook.replay.stop', `sandbox/${id}/replays/${running[0]?.id}`],
    ],
  );
  await florin.operator('DELETE', `${at}/${id}`);
});

test('wrong: a span that ends before it begins, types that are unknown or not for it, what is kept no more', async () => {
  const [{ id }] = (await owner('POST', '/gateway/webhooks', { url, events: ['order.*'] })).body.webhooks;
  const ask = (body: object) => owner('POST', `/gateway/webhooks/${id}/replay`, body);
  const types = ['order.created', 'order.lost', 'payout.*', 'order.created'];
  const wrong = await ask({ from: '2026-01-02 00:00:00', to: '2026-01-01 00:00:00', types });
  assert.deepEqual(uris(wrong), ['#/to', '#/types/1', '#/types/2', '#/types/3']);
  assert.deepEqual(uris(await ask({})), ['#/from']);
  assert.deepEqual(uris(await ask({ from: 'yesterday', only: 'some' })), ['#/from', '#/only']);
  const [{ owner_id }] = (await florin.database.query<{ owner_id: bigint }>('select owner_id from webhooks')) as [
    { owner_id: bigint },
  ];
  await florin.database.query(
    "insert into event_floors (owner_id, gone_before, gone_position, gone_at) values ($1, 1, 0, '2020-02-01T00:00:00Z')",
    [owner_id],
  );
  const gone = await ask({ from: LONG_AGO });
  assert.deepEqual(uris(gone), ['#/from']);
  assert.match(gone.text, /2020-02-01T00:00:00.000Z: events until then are kept no more/);
  await florin.database.query('delete from event_floors where owner_id = $1', [owner_id]);
  assert.deepEqual((await owner('GET', `/gateway/webhooks/${id}/replays`)).body, { replays: [] });
  await owner('DELETE', `/gateway/webhooks/${id}`);
});

test('in the words of a tenant', async () => {
  const server = issuingClient(florin, 'sandbox-events');
  const { id } = (await server('POST', '/webhooks', { url, events: ['card.*'], enabled: false })).body;
  const from = Date.now() - 60_000;
  const begun = await server('POST', `/webhooks/${id}/replay`, { from, types: ['card.created'] });
  assert.equal(begun.status, 201, begun.text);
  assert.deepEqual([begun.body.from, begun.body.types, begun.body.only], [from, ['card.created'], 'failed']);
  const of = `/webhooks/${id}/replays`;
  assert.deepEqual((await server('GET', of)).body, { replays: [begun.body], responseCount: 1 });
  assert.equal((await server('POST', `${of}/${begun.body.id}/stop`)).body.state, 'stopped');
  assert.equal((await server('GET', `${of}/77`)).body.code, 'RESOURCE_NOT_FOUND');
  assert.equal((await issuingClient(florin, 'sandbox-two-events')('GET', of)).status, 404);
  assertInvalid(await server('POST', `/webhooks/${id}/replay`, {}), 'from REQUIRED');
  assertInvalid(await server('POST', `/webhooks/${id}/replay`, { from, to: from }), 'to RANGE');
  assertInvalid(
    await server('POST', `/webhooks/${id}/replay`, { from, types: ['user.*', 'order.*'] }),
    'types.0 NOT_IN',
    'types.1 NOT_IN',
  );
  await server('DELETE', `/webhooks/${id}`);
});
