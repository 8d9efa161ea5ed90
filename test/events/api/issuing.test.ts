// Events and endpoints of a tenant by the issuing API: a secret of its own opens them and nothing else; its words, its failures.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { assertInvalid, customer, issuingClient } from '../../support/issuing.ts';
import { secretCanary, setUp, toldOf } from './asking.ts';

let florin: TestApp;
/** The tenant's server. */
let server: Client;
const BODY = { url: 'https://127.0.0.1:8443/events', events: ['authorization.*', 'webhook.*'] };

before(async () => {
  florin = await testApp({ WORKERS: 'on' });
  const made = await florin.operator('POST', '/operator/tenants/sandbox/secrets', { label: 'server', kind: 'events' });
  assert.equal(made.status, 201, made.text);
  server = issuingClient(florin, made.body.secret);
});

test('endpoints are made, shown, changed, rotated and removed, in this API’s words', async () => {
  const made = await server('POST', '/webhooks', BODY);
  assert.equal(made.status, 201, made.text);
  const { secret, ...shown } = made.body;
  assert.match(secret, /^whsec_/);
  assert.deepEqual(shown, {
    id: shown.id,
    ...BODY,
    description: '',
    enabled: true,
    payload: 'full',
    signature: 'hmac',
    version: '2026-12-01',
    concurrency: 8,
    ordered: false,
    keys: [{ generation: 1 }],
    creationTimestamp: shown.creationTimestamp,
    updateTimestamp: shown.creationTimestamp,
  });
  assert.ok(Math.abs(shown.creationTimestamp - Date.now()) < 60_000);
  const { webhooks, responseCount } = (await server('GET', '/webhooks')).body;
  assert.deepEqual([webhooks.map(setUp), responseCount], [[shown], 1]);
  const one = (await server('GET', `/webhooks/${shown.id}`)).body;
  assert.deepEqual(setUp(one), shown);
  assert.deepEqual(Object.keys(one.standing), ['behind', 'secondsBehind', 'circuit'], 'what is not there is left out');
  const patched = await server('PATCH', `/webhooks/${shown.id}`, { enabled: false, signature: 'ed25519' });
  assert.deepEqual([patched.body.enabled, patched.body.disabledReason], [false, 'asked']);
  assert.match(patched.body.keys[0].publicKey, /^whpk_/);
  const turned = await server('POST', `/webhooks/${shown.id}/rotate`, { overlap: 3_600_000 });
  assert.equal(turned.body.keys[1].until - turned.body.updateTimestamp, 3_600_000);
  assert.deepEqual(await secretCanary(florin, [secret, turned.body.secret]), []);
  assert.equal((await server('DELETE', `/webhooks/${shown.id}`)).status, 204);
  assert.equal((await server('GET', `/webhooks/${shown.id}`)).body.code, 'RESOURCE_NOT_FOUND');
  const told = await toldOf(server, '', shown.id, 4);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['webhook.created', 'webhook.disabled', 'webhook.updated', 'webhook.disabled'],
  );
  assert.deepEqual(told[0]?.data.object, shown);
  assert.deepEqual((await server('GET', `/events/${told[0]?.id}`)).body, told[0]);
});

test('a repeat under the same idempotency-ref makes no second one, and tells no secret', async () => {
  const ref = { 'idempotency-ref': 'endpoint-1' };
  const [first, second] = [await server('POST', '/webhooks', BODY, ref), await server('POST', '/webhooks', BODY, ref)];
  const { secret, ...shown } = first.body;
  assert.match(secret, /^whsec_/);
  assert.deepEqual([second.status, second.body], [201, shown]);
  assert.equal((await server('POST', '/webhooks', { ...BODY, ordered: true }, ref)).status, 409);
  assert.equal((await server('DELETE', `/webhooks/${shown.id}`)).status, 204);
});

describe('who may', () => {
  test('neither secret opens what is the other’s, and no session opens this', async () => {
    const app = issuingClient(florin);
    for (const path of ['/webhooks', '/events']) {
      assert.equal((await app('GET', path)).status, 401, path);
      assert.equal((await issuingClient(florin, null)('GET', path)).status, 401, path);
      const as = await customer(florin);
      assert.equal((await as('GET', path)).status, 401, `${path}, as a cardholder`);
    }
    const login = { email: 'consumer@sandbox.test', password: { value: 'Sandbox-12345' } };
    assert.equal((await server('POST', '/auth/login', login)).status, 401);
    assert.equal((await server('GET', '/cards')).status, 401);
  });

  test('another tenant’s are not there', async () => {
    const { id } = (await server('POST', '/webhooks', BODY)).body;
    const [event] = await toldOf(server, '', id, 1);
    const other = issuingClient(florin, 'sandbox-two-events');
    const body = { enabled: false };
    assert.equal((await other('GET', `/webhooks/${id}`)).status, 404);
    assert.equal((await other('PATCH', `/webhooks/${id}`, body)).status, 404);
    assert.equal((await other('POST', `/webhooks/${id}/rotate`, {})).status, 404);
    assert.equal((await other('DELETE', `/webhooks/${id}`)).status, 404);
    assert.equal((await other('GET', `/events/${event?.id}`)).status, 404);
    assert.deepEqual((await other('GET', '/webhooks')).body, { webhooks: [], responseCount: 0 });
    const seen = await florin.operator('GET', `/operator/tenants/sandbox/webhooks/${id}`);
    assert.match(seen.body.created_at, /Z$/);
    assert.equal((await florin.operator('GET', `/operator/tenants/sandbox-two/webhooks/${id}`)).status, 404);
    assert.equal((await florin.operator('GET', '/operator/tenants/nobody/webhooks')).status, 404);
    assert.equal((await server('DELETE', `/webhooks/${id}`)).status, 204);
  });
});

test('the list of events in pages, and on from a place', async () => {
  const first = await server('GET', '/events?limit=1');
  assert.deepEqual(
    [first.body.responseCount, typeof first.body.since, typeof first.body.after],
    [1, 'string', 'string'],
  );
  const next = await server('GET', `/events?limit=1&after=${first.body.after}`);
  assert.notEqual(next.body.events[0].id, first.body.events[0].id);
  const waiting = server('GET', `/events?since=${first.body.since}&wait=20&type=webhook.created`);
  const { id } = (await server('POST', '/webhooks', BODY)).body;
  const { body } = await waiting;
  assert.deepEqual([body.responseCount, body.events[0].resource.id], [1, id]);
  const empty = await server('GET', `/events?since=${body.since}&wait=1&type=webhook.created`);
  assert.deepEqual(empty.body, { events: [], responseCount: 0, since: empty.body.since });
  await server('DELETE', `/webhooks/${id}`);
});

test('deliveries of an endpoint, in this API’s words', async () => {
  const { id } = (await server('POST', '/webhooks', BODY)).body;
  const other = (await server('POST', '/webhooks', BODY)).body;
  const [event] = await toldOf(server, '', other.id, 1);
  assert.equal((await server('POST', `/events/${event?.id}/resend`)).status, 204);
  const { body } = await server('GET', `/webhooks/${id}/deliveries`);
  assert.ok(body.deliveries.some((one: { event: string }) => one.event === event?.id));
  assert.equal(body.responseCount, body.deliveries.length);
  assert.equal((await server('GET', `/webhooks/${id}/deliveries/${event?.id}`)).body.type, 'webhook.created');
  assert.equal((await server('GET', `/webhooks/${id}/deliveries/77`)).body.code, 'RESOURCE_NOT_FOUND');
  for (const gone of [id, other.id]) await server('DELETE', `/webhooks/${gone}`);
});

const WRONG: readonly (readonly [body: object, ...wrong: string[]])[] = [
  [{ events: undefined }, 'events REQUIRED'],
  [{ url: undefined }, 'url REQUIRED'],
  [{ events: [] }, 'events SIZE'],
  [{ events: ['order.created', 'card.*', 'card.*'] }, 'events.0 NOT_IN', 'events.2 NOT_IN'],
  [{ url: 'https://a:b@bank.example/' }, 'url NOT_IN'],
  [{ concurrency: 0, payload: 'half', enabled: 'yes' }, 'enabled NOT_IN', 'payload NOT_IN', 'concurrency RANGE'],
];
for (const [fields, ...wrong] of WRONG)
  test(`wrong: ${wrong.join(', ')}`, async () => {
    assertInvalid(await server('POST', '/webhooks', { ...BODY, ...fields }), ...wrong);
  });

test('wrong: filters, and how long keys overlap', async () => {
  assertInvalid(await server('GET', '/events?limit=101'), 'limit RANGE');
  assertInvalid(await server('GET', '/events?type=order.created'), 'type NOT_IN');
  assertInvalid(await server('GET', '/events?since=nowhere'), 'since NOT_IN');
  assertInvalid(await server('GET', '/events?after=nowhere'), 'after NOT_IN');
  const { id } = (await server('POST', '/webhooks', BODY)).body;
  assertInvalid(await server('POST', `/webhooks/${id}/rotate`, { overlap: 604_800_001 }), 'overlap RANGE');
  await server('DELETE', `/webhooks/${id}`);
});
