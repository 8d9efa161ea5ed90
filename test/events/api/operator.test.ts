// Endpoints as operators make them: their own, and those of a project; each change with its row of the audit log, and none with a secret.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { uris } from '../../support/shop.ts';
import { secretCanary, setUp, toldOf } from './asking.ts';

let florin: TestApp;
const BODY = { url: 'https://127.0.0.1:8443/events', events: ['webhook.*'] };

before(async () => {
  florin = await testApp({ WORKERS: 'on' });
});

const audited = async (action: string): Promise<[target: string, result: string, owner: string][]> => {
  const { body } = await florin.operator('GET', '/operator/audit?per_page=100');
  type Row = Record<'action' | 'target' | 'result' | 'owner', string>;
  return body.audit.filter((row: Row) => row.action === action).map((row: Row) => [row.target, row.result, row.owner]);
};

for (const [whose, at] of [
  ['operator', '/operator'],
  ['sandbox', '/operator/projects/sandbox'],
] as const)
  test(`endpoints of ${whose}: made, rotated, changed, removed, each with its audit row`, async () => {
    const made = await florin.operator('POST', `${at}/webhooks`, BODY);
    assert.equal(made.status, 201, made.text);
    const { secret, ...shown } = made.body;
    assert.match(shown.created_at, /^\d{4}-.*Z$/);
    assert.equal(made.headers.get('location'), `${florin.url}${at}/webhooks/${shown.id}`);
    assert.deepEqual(setUp((await florin.operator('GET', `${at}/webhooks/${shown.id}`)).body), shown);
    assert.deepEqual((await florin.operator('GET', `${at}/webhooks`)).body.webhooks.map(setUp), [shown]);
    const turned = await florin.operator('POST', `${at}/webhooks/${shown.id}/rotate`, { overlap: '1h' });
    assert.match(turned.body.keys[1].until, /^\d{4}-.*Z$/);
    assert.equal((await florin.operator('PATCH', `${at}/webhooks/${shown.id}`, { description: 'x' })).status, 200);
    assert.equal((await florin.operator('DELETE', `${at}/webhooks/${shown.id}`)).status, 204);
    assert.equal((await florin.operator('DELETE', `${at}/webhooks/${shown.id}`)).status, 404);
    const events = await toldOf(florin.operator, at, shown.id, 4);
    assert.deepEqual(
      events.map(({ type, cause }) => [type, cause]),
      ['created', 'updated', 'updated', 'disabled'].map((verb) => [`webhook.${verb}`, { by: 'operator' }]),
    );
    const [one] = events;
    assert.deepEqual((await florin.operator('GET', `${at}/events/${one?.id}`)).body, one);
    const targets = (action: string) =>
      audited(action).then((rows) => rows.filter(([target]) => target.startsWith(whose)));
    assert.deepEqual(
      (await targets('webhook.create')).map(([target, result]) => [target, result]),
      [[whose, 'done']],
    );
    assert.deepEqual(
      (await targets('webhook.remove')).map(([target, result]) => [target, result]),
      [
        [`${whose}/${shown.id}`, 'webhook_unknown'],
        [`${whose}/${shown.id}`, 'done'],
      ],
    );
    const [[, , owner]] = (await targets('webhook.rotate')) as [[string, string, string]];
    assert.equal(owner === '0', whose === 'operator');
    assert.deepEqual(await secretCanary(florin, [secret, turned.body.secret]), []);
  });

test('what an operator makes for a project its merchant sees, in its own form, and not another one', async () => {
  const { id } = (await florin.operator('POST', '/operator/projects/sandbox/webhooks', BODY)).body;
  const [shown] = (await florin.merchant('GET', `/gateway/webhooks/${id}`)).body.webhooks;
  assert.match(shown.created, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal((await florin.stranger('GET', `/gateway/webhooks/${id}`)).status, 404);
  assert.equal((await florin.operator('GET', `/operator/webhooks/${id}`)).status, 404);
  assert.equal((await florin.operator('GET', `/operator/projects/sandbox-two/webhooks/${id}`)).status, 404);
  assert.equal((await florin.operator('GET', '/operator/projects/nobody/webhooks')).status, 404);
});

test('wrong fields are told together, by the types that each may be told', async () => {
  const body = { url: 'ftp://shop.example', events: ['order.created', 'link.down'], concurrency: 0 };
  assert.deepEqual(uris(await florin.operator('POST', '/operator/webhooks', body)), [
    '#/concurrency',
    '#/events/0',
    '#/url',
  ]);
  const ofProject = await florin.operator('POST', '/operator/projects/sandbox/webhooks', body);
  assert.deepEqual(uris(ofProject), ['#/concurrency', '#/events/1', '#/url']);
  assert.deepEqual(uris(await florin.operator('GET', '/operator/events?created_from=2026-13-01T00:00:00Z')), [
    '#/created_from',
  ]);
  assert.equal((await florin.merchant('GET', '/operator/events')).status, 401);
});

test('what is sent again stands in the audit log', async () => {
  const { id } = (await florin.operator('POST', '/operator/webhooks', BODY)).body;
  await florin.operator('POST', '/operator/webhooks', { ...BODY, description: 'another' });
  const [event] = await toldOf(florin.operator, '/operator', id, 1);
  assert.equal((await florin.operator('POST', `/operator/events/${event?.id}/resend`)).status, 204);
  assert.deepEqual((await audited('event.resend')).slice(0, 1), [[`operator/events/${event?.id}`, 'done', '0']]);
  const { body } = await florin.operator('GET', `/operator/webhooks/${id}/deliveries`);
  const own = body.deliveries.filter((one: { event: string }) => one.event === event?.id);
  assert.deepEqual(own, [], 'an endpoint is never told of itself');
});

/** Of its events in this log, as they stand there. */
const logOf = async (at: string, id: string): Promise<string[]> => {
  const { body } = await florin.operator('GET', `${at}/events?resource=${id}`);
  return body.events.map((event: object) => JSON.stringify(event)).reverse();
};

for (const [whose, owner] of [
  ['projects/sandbox', { type: 'project', id: 'sandbox' }],
  ['tenants/sandbox', { type: 'tenant', id: 'sandbox' }],
] as const)
  test(`endpoints of ${whose}: their owner's events are the operator's, too, once and byte by byte`, async () => {
    const at = `/operator/${whose}`;
    const { id } = (await florin.operator('POST', `${at}/webhooks`, BODY)).body;
    await florin.operator('PATCH', `${at}/webhooks/${id}`, { enabled: false });
    await florin.operator('DELETE', `${at}/webhooks/${id}`);
    const copies = await toldOf(florin.operator, '/operator', id, 3);
    assert.deepEqual(
      copies.map((event) => [event.type, event.owner, event.resource.sequence]),
      ['created', 'disabled', 'disabled'].map((verb, i) => [`webhook.${verb}`, owner, i + 1]),
    );
    assert.deepEqual(await logOf('/operator', id), await logOf(at, id));
    assert.equal((await florin.operator('POST', `/operator/events/${copies[0]?.id}/resend`)).status, 204);
  });

test("the operator's own endpoints are told of those of others, and owners of none but their own", async () => {
  const { id } = (await florin.operator('POST', '/operator/webhooks', BODY)).body;
  await toldOf(florin.operator, '/operator', id, 1);
  assert.deepEqual(await logOf('/operator/projects/sandbox', id), []);
  assert.deepEqual(await logOf('/operator/tenants/sandbox', id), []);
});
