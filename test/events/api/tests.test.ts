// One event that is made up, sent to an endpoint by any API: to a real receiver, signed; what it leaves behind, and what is wrong with one.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, beforeEach, test } from 'node:test';
import { exampleObject, type Noun, secretKey, signatureProblem, typesFor } from '../../../src/events/index.ts';
import { basic, type Client, type TestApp, testApp } from '../../support/app.ts';
import { atEnd } from '../../support/ends.ts';
import { assertInvalid, issuingClient } from '../../support/issuing.ts';
import { uris } from '../../support/shop.ts';

let florin: TestApp;
let owner: Client;
let url = '';
let answer: { readonly status: number; readonly body: string } = { status: 204, body: '' };
/** What is done before the receiver answers. */
let during = async (): Promise<void> => undefined;
const messages: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

before(async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      messages.push({ headers: request.headers, body });
      void during().then(() => response.writeHead(answer.status).end(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  florin = await testApp();
  const rights = { label: 'events', rights: ['read', 'create', 'webhooks'] };
  const made = await florin.operator('POST', '/operator/projects/sandbox/credentials', rights);
  owner = florin.clientWith(basic('sandbox', made.body.secret));
});

beforeEach(() => {
  messages.length = 0;
  answer = { status: 204, body: '' };
  during = async () => undefined;
});

const made = async (fields: object) =>
  (await owner('POST', '/gateway/webhooks', { url, events: ['payout.paid'], ...fields })).body.webhooks[0];

test('a disabled endpoint gets one, signed, and it is shown among its deliveries and nowhere else', async () => {
  const { id, secret } = await made({ enabled: false });
  const at = `/gateway/webhooks/${id}`;
  const key = { 'idempotency-key': 'test-1' };
  const reply = await owner('POST', `${at}/test`, { type: 'order.charged' }, key);
  assert.equal(reply.status, 201, reply.text);
  const [delivery] = reply.body.deliveries;
  assert.equal(reply.headers.get('location'), `${florin.url}${at}/deliveries/${delivery.event}`);
  const { type, state, trigger, tries, next_try_at } = delivery;
  assert.deepEqual([type, state, trigger, tries, next_try_at], ['order.charged', 'delivered', 'test', 1, null]);
  assert.deepEqual([delivery.attempts.length, delivery.attempts[0].status], [1, 204]);

  assert.equal(messages.length, 1);
  const { headers, body } = messages[0] as (typeof messages)[number];
  assert.deepEqual(
    [headers['florin-trigger'], headers['florin-attempt'], headers['florin-delivery'], headers['webhook-id']],
    ['test', '1', `${id}.${delivery.event}`, delivery.event],
  );
  const keys = [secretKey(secret)].filter((one) => one !== null);
  assert.equal(signatureProblem(headers, Buffer.from(body), { keys, now: new Date() }), null);
  assert.equal(signatureProblem(headers, Buffer.from(`${body} `), { keys, now: new Date() }), 'wrong');
  const event = JSON.parse(body);
  assert.deepEqual(
    [event.id, event.type, event.owner],
    [delivery.event, 'order.charged', { type: 'project', id: 'sandbox' }],
  );
  assert.equal(event.data.object.id, event.resource.id);
  assert.equal((await owner('GET', `/gateway/orders/${event.resource.id}`)).status, 404, 'an id of nothing');

  const again = await owner('POST', `${at}/test`, { type: 'order.charged' }, key);
  assert.deepEqual([again.status, again.text], [201, reply.text], 'a repeat sends nothing');
  assert.equal(messages.length, 1);
  assert.deepEqual((await owner('GET', `${at}/deliveries/${delivery.event}`)).body.deliveries, [delivery]);
  assert.deepEqual((await owner('GET', `${at}/deliveries?state=delivered`)).body.deliveries, [delivery]);
  assert.deepEqual((await owner('GET', '/gateway/events?type=order.*')).body.events, []);
  assert.equal((await owner('GET', `/gateway/events/${delivery.event}`)).status, 404);
  assert.equal((await owner('POST', `/gateway/events/${delivery.event}/resend`)).status, 404);
  const [shown] = (await owner('GET', at)).body.webhooks;
  assert.deepEqual([shown.enabled, shown.standing.last_success, shown.standing.circuit], [false, null, 'closed']);
  await owner('DELETE', at);
});

test('what fails is told with its answer and over; the next is 429 for ten seconds, also of two at once', async () => {
  const { id } = await made({});
  answer = { status: 410, body: 'gone 4111111111111111' };
  const ask = () => owner('POST', `/gateway/webhooks/${id}/test`, { type: 'payout.paid' });
  const replies = await Promise.all([ask(), ask()]);
  assert.deepEqual(
    replies.map(({ status }) => status).sort((a, b) => a - b),
    [201, 429],
  );
  const reply = replies.find(({ status }) => status === 201) as (typeof replies)[number];
  const [{ state, next_try_at, attempts }] = reply.body.deliveries;
  assert.deepEqual([state, next_try_at, attempts[0].status], ['given_up', null, 410]);
  assert.match(attempts[0].response, /^gone 411111\*+1111$/);
  const wait = Number((await ask()).headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 10, String(wait));
  assert.equal(messages.length, 1);
  const [shown] = (await owner('GET', `/gateway/webhooks/${id}`)).body.webhooks;
  assert.deepEqual([shown.enabled, shown.standing.failing_since], [true, null], 'a test is no failure');
  await owner('DELETE', `/gateway/webhooks/${id}`);
});

test('every type has its object, without a secret', () => {
  for (const type of [...typesFor('project'), ...typesFor('tenant'), ...typesFor('operator')]) {
    const object = JSON.stringify(exampleObject(type.split('.')[0] as Noun, '4711'));
    assert.ok(object.length > 2, type);
    assert.doesNotMatch(object, /TOKEN|SHOWN_ONCE|^."id":"1000/, type);
  }
});

test('its delivery says before the answer what it would say if the server ended now: given up, without a try', async () => {
  const { id } = await made({});
  let meanwhile: unknown;
  during = async () => {
    meanwhile = (await owner('GET', `/gateway/webhooks/${id}/deliveries`)).body.deliveries;
  };
  const { body } = await owner('POST', `/gateway/webhooks/${id}/test`, { type: 'order.charged' });
  const [{ event }] = body.deliveries;
  const { type, trigger } = body.deliveries[0];
  assert.deepEqual(meanwhile, [{ event, type, state: 'given_up', trigger, tries: 0, next_try_at: null, attempts: [] }]);
  await owner('DELETE', `/gateway/webhooks/${id}`);
});

test('one of the operator is in his audit log; one of an endpoint tells of itself, thin where it is', async () => {
  const { id } = await made({ payload: 'thin' });
  const sent = await owner('POST', `/gateway/webhooks/${id}/test`, { type: 'webhook.updated' });
  assert.equal(sent.status, 201, sent.text);
  const thin = JSON.parse(messages[0]?.body ?? '');
  assert.deepEqual([thin.resource.id, thin.data], [id, undefined]);
  await owner('DELETE', `/gateway/webhooks/${id}`);
  for (const type of ['setup.created', 'link.down', 'invariant.violated']) {
    const { id: spare } = (await florin.operator('POST', '/operator/webhooks', { url, events: ['*'] })).body;
    const reply = await florin.operator('POST', `/operator/webhooks/${spare}/test`, { type });
    assert.deepEqual([reply.status, reply.body.state], [201, 'delivered'], `${type} ${reply.text}`);
    const event = JSON.parse(messages.at(-1)?.body ?? '');
    assert.deepEqual([event.type, event.owner.type, typeof event.data.object], [type, 'operator', 'object']);
    await florin.operator('DELETE', `/operator/webhooks/${spare}`);
  }
  const { body } = await florin.operator('GET', '/operator/audit?per_page=3');
  assert.ok(body.audit.some(({ action }: { action: string }) => action === 'webhook.test'));
});

test('wrong: a type that nobody has, another kind of owner has, or a wildcard; nothing of it is kept', async () => {
  const { id } = await made({});
  const ask = (body: object, as = owner) => as('POST', `/gateway/webhooks/${id}/test`, body);
  for (const type of ['order.*', '*', 'order.lost', 'card.created', 'ORDER.CHARGED', ''])
    assert.deepEqual(uris(await ask({ type })), ['#/type'], type);
  assert.deepEqual(uris(await ask({})), ['#/type']);
  assert.equal((await ask({ type: 'order.charged' }, florin.merchant)).status, 403);
  assert.equal((await owner('POST', '/gateway/webhooks/77/test', { type: 'order.charged' })).status, 404);
  assert.deepEqual((await owner('GET', `/gateway/webhooks/${id}/deliveries`)).body, { deliveries: [] });
  assert.equal(messages.length, 0);
  await owner('DELETE', `/gateway/webhooks/${id}`);
});

test('in the words of a tenant', async () => {
  const server = issuingClient(florin, 'sandbox-events');
  const { id } = (await server('POST', '/webhooks', { url, events: ['card.*'] })).body;
  assertInvalid(await server('POST', `/webhooks/${id}/test`, {}), 'type REQUIRED');
  assertInvalid(await server('POST', `/webhooks/${id}/test`, { type: 'order.charged' }), 'type NOT_IN');
  const reply = await server('POST', `/webhooks/${id}/test`, { type: 'card.created' });
  assert.deepEqual([reply.status, reply.body.state, reply.body.trigger], [201, 'delivered', 'test'], reply.text);
  const { data } = JSON.parse(messages[0]?.body ?? '');
  assert.deepEqual([data.object.cardNumber, data.object.cvv], [undefined, undefined]);
  assert.deepEqual((await server('GET', `/webhooks/${id}/deliveries`)).body.deliveries, [reply.body]);
  assert.equal((await server('POST', `/webhooks/${id}/test`, { type: 'card.created' })).status, 429);
  await server('DELETE', `/webhooks/${id}`);
});
