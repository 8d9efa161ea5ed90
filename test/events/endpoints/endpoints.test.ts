// Endpoints below any API: what senders find out about them is told, and memory has what was committed, by whichever process.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { idMaker, idPermutation, systemClock } from '../../../src/base/index.ts';
import {
  type Endpoint,
  type EndpointsDesk,
  endpointCreate,
  endpointPatch,
  endpointRotate,
  endpointsInMemory,
  endpointsOf,
  endpointTell,
  keptAnswer,
  signing,
} from '../../../src/events/endpoints/index.ts';
import { cursorPut, eventMaker } from '../../../src/events/index.ts';
import { createCommitter } from '../../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../../support/database.ts';

const SHOP = 7n;
const DAY_MS = 86_400_000;
const answering = { once: null, answerOf: () => keptAnswer(200, null) };
let database: TestDatabase;
let desk: EndpointsDesk;

before(async () => {
  database = await testDatabase();
  const committer = createCommitter({
    connect: () => database.session(),
    clock: systemClock,
    ids: idMaker(systemClock, 1),
    log: silent,
  });
  const permutation = idPermutation(Buffer.alloc(16, 1));
  desk = {
    db: database,
    committer,
    events: eventMaker({ permutation, mode: 'sandbox', ownerType: 'project', nameOf: () => 'shop' }),
    owner: SHOP,
    ownerType: 'project',
    show: ({ enabled, disabled_reason }) => ({ enabled, disabled_reason }),
    begins: cursorPut,
    refresh: async () => undefined,
  };
});

async function made(fields: object = {}): Promise<Endpoint> {
  const input = { url: 'https://shop.example/', events: ['order.*', 'webhook.*'], ...fields };
  const { endpoint } = await endpointCreate(desk, input, answering);
  assert.ok(endpoint);
  return endpoint;
}

const told = async ({ id }: Endpoint): Promise<[type: string, sequence: number][]> =>
  (
    await database.query<{ type: string; sequence: number }>(
      'select type, sequence from events where owner_id = $1 and subject_id = $2 order by sequence',
      [SHOP, id],
    )
  ).map(({ type, sequence }) => [type, sequence]);

test('what senders find out is told in its order, and an endpoint is disabled once', async () => {
  const one = await made();
  await endpointTell(desk, one.id, { type: 'webhook.failing' });
  await endpointTell(desk, one.id, { type: 'webhook.recovered' });
  await endpointTell(desk, one.id, { type: 'webhook.disabled', reason: 'gone' });
  await endpointTell(desk, one.id, { type: 'webhook.disabled', reason: 'given_up' });
  await endpointTell(desk, 404n, { type: 'webhook.failing' });
  assert.deepEqual(await told(one), [
    ['webhook.created', 1],
    ['webhook.failing', 2],
    ['webhook.recovered', 3],
    ['webhook.disabled', 4],
  ]);
  const [kept] = (await endpointsOf(database, SHOP)).filter(({ id }) => id === one.id);
  assert.deepEqual([kept?.enabled, kept?.disabled_reason, kept?.events], [false, 'gone', 4]);
});

test('memory has what is enabled, and what was committed elsewhere within two seconds', async () => {
  let elapsed = 0;
  const clock = { ...systemClock, elapsed: () => elapsed };
  const memory = endpointsInMemory({ database, clock, log: silent });
  const one = await made();
  const ids = async () => (await memory.all()).map(({ id }) => id);
  assert.ok((await ids()).includes(one.id));
  await endpointPatch(desk, one.id, { enabled: false }, answering);
  elapsed = 2000;
  assert.ok(!(await ids()).includes(one.id));
  await endpointPatch(desk, one.id, { enabled: true }, answering);
  await memory.refresh();
  assert.ok((await ids()).includes(one.id), 'what this process changed is there at once');
});

test('an endpoint is told what its names mean, but never of itself', async () => {
  const memory = endpointsInMemory({ database, clock: systemClock, log: silent });
  const one = await made();
  const wants = (type: string, subject_id = 1n): boolean => memory.wants(one, { type, subject_id });
  assert.ok(wants('order.charged') && wants('webhook.disabled'));
  assert.ok(!wants('payout.paid') && !wants('card.created'));
  assert.ok(!wants('webhook.disabled', one.id));
  const all = await made({ events: ['*'] });
  assert.ok(memory.wants(all, { type: 'payout.paid', subject_id: 1n }));
});

test('the keys that sign at a moment: no earlier one longer than the latest overlap', async () => {
  const one = await made();
  await endpointRotate(desk, one.id, 7 * DAY_MS, answering);
  const { endpoint } = await endpointRotate(desk, one.id, DAY_MS, answering);
  assert.ok(endpoint);
  const at = (ms: number): number[] =>
    signing(endpoint, new Date(endpoint.updated_at.getTime() + ms)).map(({ generation }) => generation);
  assert.deepEqual([at(0), at(DAY_MS - 1), at(DAY_MS)], [[3, 2, 1], [3, 2, 1], [3]]);
});

test('a new endpoint begins behind what was told before it, and one that goes on now does too', async () => {
  const cursor = async (id: bigint): Promise<bigint | undefined> =>
    (
      await database.query<{ position: bigint }>(
        'select position from webhook_cursors where owner_id = $1 and webhook_id = $2',
        [SHOP, id],
      )
    )[0]?.position;
  const head = (position: bigint) =>
    database.query(
      'insert into event_heads (owner_id, position) values ($1, $2) on conflict (owner_id) do update set position = excluded.position',
      [SHOP, position],
    );
  await head(41n);
  const one = await made({ enabled: false });
  assert.equal(await cursor(one.id), 41n);
  await head(50n);
  await endpointPatch(desk, one.id, { enabled: true }, answering);
  assert.equal(await cursor(one.id), 41n, 'what it has missed');
  await endpointPatch(desk, one.id, { enabled: false }, answering);
  await endpointPatch(desk, one.id, { enabled: true, resume: 'now' }, answering);
  assert.equal(await cursor(one.id), 50n);
});
