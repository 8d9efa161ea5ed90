// What an operator is told of the installation itself: once a change, however often it is looked at (docs/contract/events.md#the-installation).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { idMaker, idPermutation, systemClock } from '../../src/base/index.ts';
import { createAlarms, eventMaker } from '../../src/events/index.ts';
import { simulated, type TestApp, testApp } from '../support/app.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { shopOf } from '../support/shop.ts';

/** The place before all events. */
const BEGINNING = 'WyIwIl0';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

interface Told {
  readonly type: string;
  readonly owner: object;
  readonly cause: { readonly by: string };
  readonly resource: { readonly id: string; readonly sequence: number };
  readonly data: { readonly object: Readonly<Record<string, unknown>>; readonly previous: object };
}

async function toldOf(database: Pick<TestDatabase, 'query'>, type: string): Promise<Told[]> {
  const rows = await database.query<{ body: string }>(
    'select body from events where owner_id = 0 and type = $1 order by id',
    [type],
  );
  return rows.map(({ body }) => JSON.parse(body) as Told);
}
const told = (type: string): Promise<Told[]> => toldOf(florin.database, type);

test('key.rotated: with the key in the commit that registers it', async () => {
  const keys = [];
  for (const _ of [1, 2]) keys.push((await florin.operator('POST', '/operator/keys/rotate')).body.key);
  const events = await told('key.rotated');
  assert.deepEqual(
    events.map(({ owner, cause, resource: { sequence }, data: { object, previous } }) => [
      owner,
      cause.by,
      sequence,
      object,
      previous,
    ]),
    [
      [{ type: 'operator', id: 'operator' }, 'operator', 1, { key: keys[0] }, {}],
      [{ type: 'operator', id: 'operator' }, 'operator', 2, { key: keys[1] }, { key: keys[0] }],
    ],
  );
  assert.equal(new Set(events.map(({ resource }) => resource.id)).size, 1);
});

test('invariant.violated: once until it is right again, with what breaks it', async () => {
  const check = async () => {
    const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
    return checks.find(({ id }: { id: string }) => id === 'account_events_are_changes');
  };
  const count = (by: number) =>
    florin.database.query('update managed_accounts set events = events + $1 where events > 0', [by]);
  await check();
  assert.deepEqual(await told('invariant.violated'), []);
  for (const sequence of [1, 2]) {
    await count(1);
    const wrong = await check();
    assert.equal(wrong.ok, false);
    await check();
    const events = await told('invariant.violated');
    assert.deepEqual([events.length, events.at(-1)?.resource.sequence], [sequence, sequence]);
    assert.deepEqual(events.at(-1)?.data.object, wrong);
    await count(-1);
    assert.equal((await check()).ok, true);
  }
  assert.equal((await told('invariant.violated')).length, 2, 'that it is right again is no event');
});

test('operation.unresolved: when it becomes an operator’s task', async () => {
  const shop = shopOf(florin);
  const { id } = await shop.authorized({ pan: simulated('20', '911') });
  const schedule = Array.from({ length: 250 }, (_, i) => ({ operation: 'inquire', ordinal: i + 1, fault: '910' }));
  assert.equal((await florin.operator('PUT', '/simulator/faults', { schedule })).status, 200);
  assert.equal((await shop.act(id, 'charge')).status, 500);
  const stuck = async () => (await florin.operator('GET', '/operator/operations/stuck')).body.operations;
  assert.deepEqual([await stuck(), await told('operation.unresolved')], [[], []]);
  await shop.advance('2h');
  const [operation] = await stuck();
  assert.equal(operation.why, 'no_answer');
  await shop.advance('2h');
  await stuck();
  const [event, ...more] = await told('operation.unresolved');
  assert.deepEqual([event?.data.object, more], [operation, []]);
});

test('page.changed: other differences are another change', async () => {
  let served = '<main onclick="1">';
  const spoilt = await testApp(
    {},
    {
      watch: ({ app }) =>
        app.addHook('onSend', async (request, _, payload) =>
          request.url.startsWith('/pay/preview') && typeof payload === 'string'
            ? payload.replace('<main', served)
            : payload,
        ),
    },
  );
  const check = async () => (await spoilt.operator('GET', '/operator/page-check')).body;
  const found = await check();
  assert.equal(found.ok, false);
  await check();
  served = '<main';
  assert.equal((await check()).ok, true);
  served = '<main onload="1"';
  await check();
  const events = await toldOf(spoilt.database, 'page.changed');
  assert.deepEqual(
    events.map(({ resource: { sequence } }) => sequence),
    [1, 2],
  );
  assert.deepEqual(events[0]?.data.object, found);
});

test('found by two processes at once it is told once; a rollback tells nothing; what was not looked at stays', async () => {
  const database = await testDatabase();
  const events = eventMaker({
    permutation: idPermutation(Buffer.alloc(16, 1)),
    mode: 'sandbox',
    ownerType: 'operator',
    nameOf: () => 'operator',
  });
  const [one, two] = [1, 2].map((node) =>
    createAlarms({ database, events, clock: systemClock, ids: idMaker(systemClock, node), log: silent }),
  );
  assert.ok(one && two);
  const wrong = (...names: string[]) =>
    names.map((name) => ({ name, state: 'violated', object: { id: name, ok: false, violations: [] } }));
  const types = async () => (await toldOf(database, 'invariant.violated')).map(({ data }) => data.object.id);
  await Promise.all([one, two, one, two].map((alarms) => alarms.standing('invariant.violated', wrong('a', 'b'))));
  assert.deepEqual(new Set(await types()), new Set(['a', 'b']));
  assert.equal((await types()).length, 2);
  await one.standing('invariant.violated', wrong('a'), ['a']);
  await two.standing('invariant.violated', wrong('a', 'b'));
  assert.equal((await types()).length, 2);
  await one.standing('invariant.violated', []);
  await two.standing('invariant.violated', wrong('b'));
  assert.equal((await types()).length, 3);
  await two.standing(
    'invariant.violated',
    wrong('b').map((one) => ({ ...one, state: 'otherwise' })),
  );
  assert.equal((await types()).length, 4, 'another state');
  const undone = database.transaction(async (inside) => {
    await one.within(inside, { type: 'key.rotated', name: 'vault', state: 'key-2', object: { key: 'key-2' } });
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  assert.deepEqual(await toldOf(database, 'key.rotated'), []);
});

for (const [noun, path, create, shows] of [
  ['project', 'projects', { login: 'new-shop', name: 'New', accounting_currency: 'EUR' }, { name: 'Renamed' }],
  ['tenant', 'tenants', { name: 'new-shop' }, { settings: { pciScoped: true } }],
] as const)
  test(`setup.*: a ${noun} is made, changed and closed, each told with what GET shows`, async () => {
    const at = `/operator/${path}/new-shop`;
    const before = (await told('setup.created')).length;
    const steps: [string, object][] = [];
    const step = async (verb: string, method: string, target: string, body: object): Promise<void> => {
      const { status, text } = await florin.operator(method, target, body);
      assert.ok(status < 300, text);
      steps.push([verb, (await florin.operator('GET', at)).body]);
    };
    await step('created', 'POST', `/operator/${path}`, create);
    await step('updated', 'PATCH', at, shows);
    assert.ok((await florin.operator('PATCH', at, shows)).status < 300, 'the same again');
    await step('closed', 'PATCH', at, { active: false });
    await step('updated', 'PATCH', at, { active: true });
    assert.equal((await florin.operator('POST', `/operator/${path}`, create)).status, 409);
    const rows = await florin.database.query<{ body: string }>(
      `select body from events where owner_id = 0 and subject_type = 'setup' and position($1 in body) > 0 order by sequence`,
      [`"operation":{"${noun}":"new-shop"}`],
    );
    const events = rows.map(({ body }) => JSON.parse(body) as Told);
    assert.deepEqual(
      events.map(({ type, resource: { sequence }, data: { object } }) => [type, sequence, object]),
      steps.map(([verb, object], i) => [`setup.${verb}`, i + 1, object]),
    );
    assert.deepEqual(events[2]?.data.previous, { active: true });
    assert.equal((await told('setup.created')).length, before + 1);
  });

test('range.exhausting: at nine tenths of the numbers of a range, by whoever looks each minute', async () => {
  const cards = await testApp({ WORKERS: 'on' });
  for (const [name, prefix] of [
    ['near', '49990011'],
    ['far', '49990012'],
  ] as const) {
    const range = { name, brand: 'VISA', prefix, size: 10 };
    assert.equal((await cards.operator('POST', '/operator/card-ranges', range)).status, 201);
    await cards.database.query(
      `insert into card_blocks (tenant_id, lease, range_name, brand, prefix, number_length, range_size, first, size, used)
       values (1, $1, $2, 'VISA', $3, 16, 10, 0, 10, $4)`,
      [name.length, name, prefix, name === 'near' ? 9 : 8],
    );
  }
  // A server that begins looks at once.
  await cards.restart();
  const { ranges } = (await cards.operator('GET', '/operator/card-ranges')).body;
  const { events } = (await cards.operator('GET', `/operator/events?type=range.exhausting&since=${BEGINNING}&wait=10`))
    .body;
  assert.deepEqual(
    events.map(({ data }: Told) => data.object),
    ranges.filter(({ name }: { name: string }) => name === 'near'),
  );
});
