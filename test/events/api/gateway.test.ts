// Events and endpoints of a project by the gateway's API: who may, what is wrong, what is told once, and reading without loss.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { basic, type Client, payment, type TestApp, testApp } from '../../support/app.ts';
import { orderOf, uris } from '../../support/shop.ts';
import { secretCanary, setUp, toldOf } from './asking.ts';

let florin: TestApp;
/** Of project `sandbox`, with the right `webhooks`. */
let owner: Client;
const ADDRESS = 'https://127.0.0.1:8443/events';

async function credential(rights: readonly string[], login = 'sandbox'): Promise<Client> {
  const made = await florin.operator('POST', `/operator/projects/${login}/credentials`, { label: 'events', rights });
  assert.equal(made.status, 201, made.text);
  return florin.clientWith(basic(login, made.body.secret));
}

const make = (fields: object = {}, headers: Record<string, string> = {}, as = owner) =>
  as('POST', '/gateway/webhooks', { url: ADDRESS, events: ['order.*'], ...fields }, headers);

before(async () => {
  florin = await testApp({ WORKERS: 'on' });
  owner = await credential(['read', 'create', 'webhooks']);
});

describe('endpoints of a project', () => {
  test('are made, shown, changed and removed, and told of', async () => {
    const made = await make({ description: 'Shop' });
    assert.equal(made.status, 201, made.text);
    const [{ secret, ...shown }] = made.body.webhooks;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(shown, {
      id: shown.id,
      url: ADDRESS,
      description: 'Shop',
      events: ['order.*'],
      enabled: true,
      disabled_reason: null,
      payload: 'full',
      signature: 'hmac',
      version: '2026-12-01',
      concurrency: 8,
      ordered: false,
      keys: [{ generation: 1 }],
      created: shown.created,
      updated: shown.created,
    });
    assert.equal(made.headers.get('location'), `${florin.url}/gateway/webhooks/${shown.id}`);
    const at = `/gateway/webhooks/${shown.id}`;
    for (const path of [at, '/gateway/webhooks']) {
      const { webhooks } = (await florin.merchant('GET', path)).body;
      assert.deepEqual(webhooks.map(setUp), [shown]);
      const { behind, ...standing } = webhooks[0].standing;
      assert.ok(Number.isInteger(behind));
      assert.deepEqual(standing, { seconds_behind: 0, last_success: null, failing_since: null, circuit: 'closed' });
    }

    const patched = await owner('PATCH', at, { enabled: 0, signature: 'both', events: ['*'] });
    const [after] = patched.body.webhooks;
    assert.deepEqual([after.enabled, after.disabled_reason, after.events], [false, 'asked', ['*']]);
    assert.match(after.keys[0].public_key, /^whpk_/);
    assert.equal((await owner('PATCH', at, { enabled: 1, resume: 'now' })).body.webhooks[0].enabled, true);
    assert.equal((await owner('PATCH', at, {})).status, 200, 'nothing changes, nothing is told');
    assert.equal((await owner('DELETE', at)).status, 204);
    for (const method of ['GET', 'DELETE']) assert.equal((await owner(method, at)).status, 404);
    assert.deepEqual((await owner('GET', '/gateway/webhooks')).body, { webhooks: [] });

    const told = await toldOf(owner, '/gateway', shown.id, 4);
    assert.deepEqual(
      told.map(({ type, resource, data }) => [type, resource.sequence, data.object.enabled]),
      [
        ['webhook.created', 1, true],
        ['webhook.disabled', 2, false],
        ['webhook.updated', 3, true],
        ['webhook.disabled', 4, false],
      ],
    );
    assert.deepEqual(told[0]?.data.object, shown, 'as a GET showed it');
    assert.equal(told[3]?.data.object.disabled_reason, 'removed');
  });

  test('a new key signs beside the old one for the overlap, and of three the oldest ends', async () => {
    const [{ id, secret }] = (await make()).body.webhooks;
    const rotate = (body: object = {}) => owner('POST', `/gateway/webhooks/${id}/rotate`, body);
    const first = await rotate({ overlap: '1h' });
    const [{ secret: next, keys }] = first.body.webhooks;
    assert.notEqual(next, secret);
    assert.deepEqual(
      keys.map(({ generation, until }: { generation: number; until?: string }) => [generation, until !== undefined]),
      [
        [2, false],
        [1, true],
      ],
    );
    const generations = async (body: object) =>
      (await rotate(body)).body.webhooks[0].keys.map(({ generation }: { generation: number }) => generation);
    assert.deepEqual(await generations({ overlap: '7d' }), [3, 2, 1]);
    assert.deepEqual(await generations({}), [4, 3, 2]);
    assert.deepEqual(await generations({ overlap: '0' }), [5]);
    assert.deepEqual(uris(await rotate({ overlap: '8d' })), ['#/overlap']);
    await owner('DELETE', `/gateway/webhooks/${id}`);
  });

  test('there are sixteen, also when they are made at once', async () => {
    const replies = await Promise.all(Array.from({ length: 17 }, () => make()));
    assert.equal(replies.filter(({ status }) => status === 201).length, 16);
    const [full] = replies.filter(({ status }) => status !== 201);
    assert.ok(full);
    assert.equal(full.status, 409, full.text);
    assert.match(full.body.failure_message, /16 endpoints/);
    const all = (await owner('GET', '/gateway/webhooks')).body.webhooks as { id: string }[];
    assert.equal(all.length, 16);
    for (const { id } of all) assert.equal((await owner('DELETE', `/gateway/webhooks/${id}`)).status, 204);
  });

  const WRONG: readonly (readonly [what: string, body: object, ...where: string[]])[] = [
    ['no types', { events: [] }, '#/events'],
    [
      'unknown types',
      { events: ['order.created', 'order.lost', 'card.created', 'ord.*'] },
      '#/events/1',
      '#/events/2',
      '#/events/3',
    ],
    ['a type twice', { events: ['order.*', 'order.*'] }, '#/events/1'],
    ['an address with a name', { url: 'https://a:b@shop.example/' }, '#/url'],
    [
      'a forbidden port and two more',
      { url: 'https://127.0.0.1:22/', concurrency: 65, payload: 'half' },
      '#/concurrency',
      '#/payload',
      '#/url',
    ],
    ['an unknown field', { colour: 'red' }, '#/colour'],
    ['no text', { url: 7 }, '#/url'],
  ];
  for (const [what, body, ...where] of WRONG)
    test(`wrong: ${what}`, async () => {
      assert.deepEqual(uris(await make(body)), [...where].sort());
      assert.deepEqual((await owner('GET', '/gateway/webhooks')).body.webhooks, []);
    });

  test('wrong: an address of this server', async () => {
    assert.deepEqual(uris(await make({ url: `${florin.url}/gateway/ping` })), ['#/url']);
  });

  test('an idempotency key makes one, and its repeat tells no secret', async () => {
    const key = { 'idempotency-key': 'endpoint-1' };
    const [first, second] = [await make({}, key), await make({}, key)];
    const [{ secret, ...shown }] = first.body.webhooks;
    assert.match(secret, /^whsec_/);
    assert.deepEqual([second.status, second.headers.get('idempotent-replay')], [201, 'true']);
    assert.deepEqual(second.body, { webhooks: [shown] });
    assert.equal((await owner('GET', '/gateway/webhooks')).body.webhooks.length, 1);
    const rotation = () => owner('POST', `/gateway/webhooks/${shown.id}/rotate`, {}, { 'idempotency-key': 'turn-1' });
    const [turned, again] = [await rotation(), await rotation()];
    assert.equal(turned.body.webhooks[0].keys.length, 2);
    assert.equal(again.body.webhooks[0].secret, undefined);
    const { webhooks } = (await owner('GET', `/gateway/webhooks/${shown.id}`)).body;
    assert.deepEqual({ webhooks: webhooks.map(setUp) }, again.body);
    const secrets = [secret, turned.body.webhooks[0].secret];
    assert.deepEqual(await secretCanary(florin, secrets), []);
    await owner('DELETE', `/gateway/webhooks/${shown.id}`);
  });

  test('a secret in the database would be found', async () => {
    await florin.database.query(
      "insert into idempotency_records (owner_id, key_hash, fingerprint, state, status, body, created_at, expires_at) values (1, 'x', 'x', 'done', 201, 'whsec_planted', '2026-01-01', '2026-01-01')",
    );
    assert.deepEqual(await secretCanary(florin, ['whsec_planted']), ['idempotency_records']);
    await florin.database.query("delete from idempotency_records where key_hash = 'x'");
  });
});

describe('deliveries', () => {
  test('an event is sent again to who wants it, and what became of it is shown, to its project alone', async () => {
    const [{ id }] = (await make({ events: ['order.created'] })).body.webhooks;
    const [other] = (await make({ events: ['payout.*'] })).body.webhooks;
    const order = orderOf(await florin.merchant('POST', '/gateway/orders/create', { amount: 5 }));
    const [event] = await toldOf(owner, '/gateway', order.id, 1);
    assert.ok(event);
    const again = `/gateway/events/${event.id}/resend`;
    assert.equal((await florin.merchant('POST', again)).status, 403);
    assert.equal((await owner('POST', '/gateway/events/77/resend')).status, 404);
    assert.equal((await owner('POST', again)).status, 204);
    const { body } = await owner('GET', `/gateway/webhooks/${id}/deliveries`);
    assert.deepEqual(
      body.deliveries.map((one: { event: string; type: string }) => [one.event, one.type]),
      [[event.id, 'order.created']],
    );
    const one = await owner('GET', `/gateway/webhooks/${id}/deliveries/${event.id}`);
    assert.equal(one.body.deliveries[0].event, event.id);
    const ofOther = await owner('GET', `/gateway/webhooks/${other.id}/deliveries`);
    assert.deepEqual(ofOther.body, { deliveries: [] });
    assert.equal((await owner('GET', `/gateway/webhooks/${other.id}/deliveries/${event.id}`)).status, 404);
    assert.equal((await florin.stranger('GET', `/gateway/webhooks/${id}/deliveries`)).status, 404);
    assert.deepEqual(uris(await owner('GET', `/gateway/webhooks/${id}/deliveries?state=lost`)), ['#/state']);
    const behind = await owner('GET', `/gateway/webhooks/${id}/deliveries?after=${event.id}`);
    assert.deepEqual(behind.body, { deliveries: [] });
    for (const gone of [id, other.id]) assert.equal((await owner('DELETE', `/gateway/webhooks/${gone}`)).status, 204);
  });
});

describe('rights', () => {
  test('reading needs `read`, changing needs `webhooks`, which nobody has by itself', async () => {
    assert.equal((await florin.merchant('POST', '/gateway/webhooks', { url: ADDRESS, events: ['*'] })).status, 403);
    const [{ id }] = (await make()).body.webhooks;
    const writes = [
      ['PATCH', `/gateway/webhooks/${id}`, {}],
      ['POST', `/gateway/webhooks/${id}/rotate`, {}],
      ['DELETE', `/gateway/webhooks/${id}`],
    ] as const;
    for (const [method, path, body] of writes)
      assert.equal((await florin.merchant(method, path, body)).status, 403, `${method} ${path}`);
    const blind = await credential(['webhooks']);
    for (const path of ['/gateway/webhooks', `/gateway/webhooks/${id}`, '/gateway/events'])
      assert.equal((await blind('GET', path)).status, 403, path);
    assert.equal((await florin.clientWith(null)('GET', '/gateway/events')).status, 401);
    const stranger = await credential(['read', 'webhooks'], 'sandbox-two');
    for (const [method, path, body] of [...writes, ['GET', `/gateway/webhooks/${id}`, undefined] as const])
      assert.equal((await stranger(method, path, body)).status, 404, `${method} ${path}`);
    assert.deepEqual((await stranger('GET', '/gateway/webhooks')).body, { webhooks: [] });
    await owner('DELETE', `/gateway/webhooks/${id}`);
  });

  test('an event is its own project’s', async () => {
    const order = orderOf(await florin.merchant('POST', '/gateway/orders/create', { amount: 5 }));
    const [event] = await toldOf(owner, '/gateway', order.id, 1);
    assert.ok(event);
    assert.equal((await owner('GET', `/gateway/events/${event.id}`)).body.events[0].id, event.id);
    assert.equal((await florin.stranger('GET', `/gateway/events/${event.id}`)).status, 404);
    assert.deepEqual((await florin.stranger('GET', `/gateway/events?resource=${order.id}`)).body, { events: [] });
    assert.equal((await owner('GET', '/gateway/events/77')).status, 404);
  });
});

describe('reading events', () => {
  test('goes back in pages and on from a place, with none lost or doubled, while others are committed', async () => {
    const reader = await credential(['read'], 'sandbox-two');
    const create = (n: number) =>
      Promise.all(Array.from({ length: n }, () => florin.stranger('POST', '/gateway/orders/create', { amount: 5 })));
    const begun = (await reader('GET', '/gateway/events?per_page=1')).headers.get('event-cursor') as string;
    await create(40);
    let busy = true;
    const committing = (async () => {
      for (let i = 0; i < 13; i++) await create(20);
      busy = false;
    })();
    const forward: string[] = [];
    let cursor = begun;
    while (busy || forward.length < 300) {
      const page = await reader('GET', `/gateway/events?since=${cursor}&wait=5&per_page=17&type=order.created`);
      assert.equal(page.status, 200, page.text);
      forward.push(...page.body.events.map(({ id }: { id: string }) => id));
      cursor = page.headers.get('event-cursor') as string;
    }
    await committing;
    assert.equal(forward.length, 300);
    assert.equal(new Set(forward).size, 300);
    const back: string[] = [];
    let path: string | null = '/gateway/events?per_page=70&type=order.*';
    while (path !== null) {
      const page: Awaited<ReturnType<Client>> = await reader('GET', path);
      back.push(...page.body.events.map(({ id }: { id: string }) => id));
      path = /<[^>]*?(\/gateway[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }
    assert.deepEqual(back.reverse(), forward);
  });

  test('an event is shown as it was written', async () => {
    const order = orderOf(await florin.merchant('POST', '/gateway/orders/authorize', payment()));
    const [first] = await toldOf(owner, '/gateway', order.id, 1);
    assert.ok(first);
    const [row] = await florin.database.query<{ body: string }>('select body from events where id = $1', [
      florin.app.permutation.inward(first.id),
    ]);
    const reply = await owner('GET', `/gateway/events/${first.id}`);
    assert.equal(reply.text, `{"events":[${row?.body}]}`);
  });

  test('who waits is woken by what is told, and not by what is not for him', async () => {
    const order = orderOf(await florin.merchant('POST', '/gateway/orders/authorize', payment()));
    await toldOf(owner, '/gateway', order.id, 1);
    const { headers } = await owner('GET', '/gateway/events?per_page=1');
    const since = headers.get('event-cursor');
    const waiting = owner('GET', `/gateway/events?since=${since}&wait=20&type=order.charged`);
    await florin.merchant('POST', '/gateway/orders/create', { amount: 5 });
    const began = performance.now();
    await florin.merchant('PUT', `/gateway/orders/${order.id}/charge`, {});
    const { body } = await waiting;
    assert.deepEqual(
      body.events.map(({ type, resource }: { type: string; resource: { id: string } }) => [type, resource.id]),
      [['order.charged', order.id]],
    );
    assert.ok(performance.now() - began < 2000, 'long before its patience ended');
  });

  test('a wait may end with nothing, and only so many wait', async () => {
    const { headers } = await florin.stranger('GET', '/gateway/events?per_page=1');
    const since = headers.get('event-cursor');
    const empty = await florin.stranger('GET', `/gateway/events?since=${since}&wait=1`);
    assert.deepEqual([empty.status, empty.body], [200, { events: [] }]);
    assert.equal(empty.headers.get('event-cursor'), since);
    const gone = new AbortController();
    const many = Array.from({ length: 17 }, () =>
      fetch(`${florin.url}/gateway/events?since=${since}&wait=25`, {
        headers: { authorization: basic('sandbox-two', 'sandbox-two-secret') },
        signal: gone.signal,
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    assert.equal(await Promise.race(many), 429);
    gone.abort();
    await Promise.all(many);
  });

  const WRONG: readonly (readonly [query: string, where: string])[] = [
    ['type=order.lost', '#/type'],
    ['type=card.created', '#/type'],
    ['since=nowhere', '#/since'],
    ['after=W10', '#/after'],
    ['wait=26&since=WyIwIl0', '#/wait'],
    ['per_page=2001', '#/per_page'],
    ['resource=abc', '#/resource'],
    ['created_from=yesterday', '#/created_from'],
  ];
  for (const [query, where] of WRONG)
    test(`wrong: ${query}`, async () => {
      assert.deepEqual(uris(await owner('GET', `/gateway/events?${query}`)), [where]);
    });

  test('a period, and a resource that is none', async () => {
    const past = await owner('GET', '/gateway/events?created_to=2020-01-01+00:00:00');
    assert.deepEqual(past.body, { events: [] });
    const present = await owner('GET', '/gateway/events?created_from=2020-01-01+00:00:00&per_page=1');
    assert.equal(present.body.events.length, 1);
    assert.deepEqual((await owner('GET', '/gateway/events?resource=123456')).body, { events: [] });
  });
});
