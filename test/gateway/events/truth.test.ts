// docs/contract/events.md#events: what was told of an order is what a GET answers, at every step of every story, also between two commits of one
// request; and each event says by whose doing.
import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import type { Change, Command, Committer } from '../../../src/store/index.ts';
import { CARDS } from '../../pages/cards.ts';
import { simulated, type TestApp, testApp } from '../../support/app.ts';
import { openPage, typed } from '../../support/page.ts';
import { challenge, deviceData, orderOf, type Shop, shopOf } from '../../support/shop.ts';
import { eventsOfOrders, truthIsTold } from './truth.ts';

type Row = Readonly<Record<string, unknown>>;

const location = { ip: '192.0.2.1' };

/** Names of commands that fail as if their process had gone. */
const failing = new Set<string>();
/** Bugs were planted: what is told is not true any more. */
let isSpoilt = false;
/** A bug between the decisions of a command and their commit. */
let planted: { readonly name: string; rewrite(changes: readonly Change[]): readonly Change[] } | null = null;
/** What was looked at before it was committed. */
const looked = new Set<string>();

/** What a story commits in its second phase waits until it was looked whether the first one changed what is shown. */
const looking = (committer: Committer): Committer => ({
  ...committer,
  async submit<Value>(command: Command<Value>): Promise<Value> {
    const { name } = command;
    if (failing.has(name)) throw new Error(`${name} is not committed`);
    if (!isSpoilt && /\.result$|^directory\.answer$/.test(name)) {
      looked.add(name);
      await truthIsTold(florin, { newest: 2 });
    }
    const bug = planted?.name === name ? planted : null;
    if (!bug) return committer.submit(command);
    planted = null;
    return committer.submit<Value>({
      ...command,
      decide(loaded, given) {
        const { value, changes } = command.decide(loaded, given);
        return { value, changes: bug.rewrite(changes) };
      },
    });
  },
});

let florin: TestApp;
let shop: Shop;
before(async () => {
  florin = await testApp({}, { plant: looking });
  shop = shopOf(florin);
  const frozen = { now: '2026-12-01T12:00:00.000Z', frozen: true };
  assert.equal((await florin.operator('PUT', '/simulator/clock', frozen)).status, 200);
});
afterEach(() => isSpoilt || truthIsTold(florin));

/** A second passes, so that what is updated shows it. */
const tick = () => shop.advance('1s');
const told = async (id: string) => (await eventsOfOrders(florin)).get(id) ?? [];
/** What happened to an order, and by whose doing. */
const story = async (id: string) => (await told(id)).map(({ type, cause }) => `${type.slice(6)} by ${cause.by}`);
const changedIn = async (id: string, type: string) =>
  Object.keys((await told(id)).find((event) => event.type === `order.${type}`)?.data.previous ?? {}).sort();

/** An order with its page, made by its operator as a link. */
async function link(more: object = {}) {
  const body = { amount: 5, currency: 'EUR', ...more };
  const { status, body: made, text } = await florin.operator('POST', '/operator/projects/sandbox/links', body);
  assert.equal(status, 201, text);
  const page = await openPage(made.url);
  const list = await florin.merchant('GET', '/gateway/orders/?per_page=1');
  return { id: orderOf(list).id as string, page };
}

test('a page: made, refused there, paid', async () => {
  const { id, page } = await link();
  await tick();
  await page.post(typed(CARDS.declined));
  await tick();
  await page.post(typed(CARDS.approved));
  assert.deepEqual(await story(id), ['created by operator', 'attempt_failed by payer', 'authorized by payer']);
  const attempt = ['card', 'issuer', 'pan', 'updated'];
  assert.deepEqual(await changedIn(id, 'attempt_failed'), attempt);
  assert.deepEqual(await changedIn(id, 'authorized'), ['auth_code', 'issuer', 'pan', 'status', 'updated']);
  const [, failed, authorized] = await told(id);
  assert.equal(failed?.data.previous.pan, '');
  assert.equal(failed?.data.operation?.status, 'failure');
  assert.equal(authorized?.data.previous.pan, failed?.data.object.pan);
});

test('a page: left, over, and refused by rules', async () => {
  const left = await link();
  await left.page.post({}, '/cancel');
  const refused = await link();
  await refused.page.post(typed(CARDS.fraud));
  const declined = await link();
  await declined.page.post(typed(CARDS.declined));
  const gone = await link();
  await gone.page.post(typed(CARDS.declined));
  await gone.page.post({}, '/cancel');
  const over = await link();
  await shop.advance('2h');
  assert.deepEqual(await story(left.id), ['created by operator', 'rejected by payer']);
  assert.deepEqual(await story(refused.id), ['created by operator', 'fraud_refused by payer']);
  assert.deepEqual(await story(declined.id), ['created by operator', 'attempt_failed by payer', 'expired by schedule']);
  assert.deepEqual(await story(gone.id), ['created by operator', 'attempt_failed by payer', 'declined by payer']);
  assert.deepEqual(await story(over.id), ['created by operator', 'expired by schedule']);
});

test('a page: over, and the payer is the first to look', async () => {
  const reply = await shop.create({ options: { expiration_timeout: '2h' } });
  const { now } = (await florin.operator('GET', '/simulator/clock')).body;
  await florin.database.query(
    `update orders set due = jsonb_set(due, '{expire}', to_jsonb($1::text)), next_at = null where in_flight is null and status = 'new'`,
    [now],
  );
  await openPage(reply.headers.get('location') as string);
  assert.deepEqual(await story(orderOf(reply).id), ['created by api', 'expired by schedule']);
});

test('a page: who asked the directory is gone, and nothing is left of the attempt', async () => {
  const { id, page } = await link();
  failing.add('directory.answer');
  assert.ok((await page.post(typed(CARDS.challenge))).status >= 400);
  failing.clear();
  await truthIsTold(florin);
  await shop.advance('5m');
  assert.equal((await shop.get(id)).pan, '');
  await page.post(typed(CARDS.approved));
  assert.deepEqual(await story(id), ['created by operator', 'authorized by payer']);
});

test('the cardholder is asked: proven, refused, asked twice, late, and refused on a page', async () => {
  const proven = await shop.prepared();
  const refused = await shop.prepared();
  await tick();
  for (const [made, code] of [
    [proven, '1234'],
    [refused, '1111'],
  ]) {
    const { fields } = await challenge(made, code);
    await shop.post(made.id, 'complete', { PaRes: fields.PaRes });
  }
  assert.deepEqual(await story(proven.id), ['prepared by api', 'authorized by api']);
  assert.deepEqual(await changedIn(proven.id, 'authorized'), ['auth_code', 'secure3d', 'status', 'updated']);
  assert.deepEqual(await story(refused.id), ['prepared by api', 'rejected by api']);
  assert.deepEqual(await changedIn(refused.id, 'rejected'), [
    'failure_message',
    'failure_type',
    'secure3d',
    'status',
    'updated',
  ]);
  const asked = await shop.prepared({ pan: CARDS.device });
  await deviceData(asked);
  await tick();
  assert.equal((await shop.post(asked.id, 'resume')).status, 201);
  await shop.advance('2h');
  assert.deepEqual(await story(asked.id), ['prepared by api', 'prepared by api', 'expired by schedule']);
  const { id, page } = await link();
  await page.post(typed(CARDS.challenge));
  assert.deepEqual(await story(id), ['created by operator', 'prepared by payer']);
});

test('operations: done, refused, lost and found out', async () => {
  const act = async (id: string, ...actions: (readonly [string, object?])[]) => {
    for (const [action, body] of actions) await shop.act(id, action, body);
    return story(id);
  };
  const several = [['charge'], ['refund', { amount: 2 }], ['refund']] as const;
  assert.deepEqual(await act((await shop.authorized()).id, ...several), [
    'authorized by api',
    'charged by api',
    'partially_refunded by api',
    'refunded by api',
  ]);
  const refusing = async (operation: string, ...actions: (readonly [string, object?])[]) =>
    act((await shop.authorized({ pan: simulated(operation, '005') })).id, ...actions);
  assert.deepEqual(await refusing('20', ['charge']), ['authorized by api', 'charge_failed by api']);
  assert.deepEqual(await refusing('30', ['reverse']), ['authorized by api', 'reverse_failed by api']);
  assert.deepEqual(await refusing('40', ['charge'], ['refund']), [
    'authorized by api',
    'charged by api',
    'refund_failed by api',
  ]);
  assert.deepEqual(await act((await shop.charged()).id, ['cancel']), [
    'authorized by api',
    'charged by api',
    'reversed by api',
  ]);
  const parent = await shop.authorized({ pan: simulated('50', '005') });
  const failed = await shop.post(parent.id, 'credit', { amount: 3, location });
  assert.deepEqual(await story(failed.body.order_id), ['credit_failed by api']);
  const lost = await shop.authorize({ pan: simulated('10', '911') });
  assert.deepEqual(await story(lost.body.order_id), ['failed by api']);
  const waiting = await shop.authorized({ pan: simulated('20', '911') });
  await shop.act(waiting.id, 'charge');
  await truthIsTold(florin);
  await shop.advance('1h');
  assert.deepEqual(await story(waiting.id), ['authorized by api', 'charged by schedule']);
  // The hold is given back, and nobody is told of what was never told to be held.
  assert.deepEqual(await story(lost.body.order_id), ['failed by api']);
});

test('asked after a soft decline, cancelled while it waits, paid in parts, and captured by itself in vain', async () => {
  await shop.withSettings({ step_up_automatically: true }, async () => {
    const { status, body } = await shop.authorize({ pan: simulated('10', '901') });
    assert.equal(status, 201);
    await shop.act(body.orders[0].id, 'cancel');
    assert.deepEqual(await story(body.orders[0].id), ['attempt_failed by api', 'prepared by api', 'rejected by api']);
  });
  await shop.terminal('parts', { multicapture: true });
  const parts = await shop.authorized({ amount: 10, options: { terminal: 'parts' } });
  for (const amount of [4, 3]) await shop.act(parts.id, 'charge', { amount });
  await shop.act(parts.id, 'reverse');
  assert.deepEqual(await story(parts.id), ['authorized by api', 'charged by api', 'charged by api', 'reversed by api']);
  const { body } = await shop.authorize({ pan: simulated('20', '005'), options: { auto_charge: 1 } });
  await shop.advance('8h');
  assert.deepEqual(await story(body.orders[0].id), [
    'authorized by api',
    'charge_failed by api',
    ...Array<string>(4).fill('charge_failed by schedule'),
    'reversed by schedule',
  ]);
});

test('what an issuer and a day bring', async () => {
  const disputed = await shop.charged();
  await shop.arrives(disputed.id, 'chargeback');
  await shop.arrives(disputed.id, 'representment');
  const taken = await shop.charged({ pan: '4999997093000000' });
  await shop.advance('40d');
  assert.deepEqual((await story(disputed.id)).slice(2), [
    'chargedback by simulator',
    'represented by simulator',
    'settled by schedule',
  ]);
  assert.deepEqual((await story(taken.id)).slice(2), ['settled by schedule', 'chargedback by network']);
  const [released] = await florin.database.query<{ body: string }>(
    `select body from events where type = 'reserve.released' and body::jsonb #>> '{data,object,order_id}' = $1`,
    [taken.id],
  );
  const { resource, data, cause } = JSON.parse(released?.body ?? '{}');
  assert.equal(resource.id, data.object.id);
  const { amount, currency } = data.object;
  assert.deepEqual([resource.sequence, amount, currency, data.previous, cause.by], [1, '0.62', 'EUR', {}, 'schedule']);
  await shop.booksHold();
});

test('every second phase was looked at before its commit', () => {
  const all = ['authorize', 'charge', 'reverse', 'refund', 'credit'].map((type) => `${type}.result`);
  assert.deepEqual([...looked].sort(), [...all, 'directory.answer'].sort());
});

test('what is changed without its event, told otherwise than it is shown, or told twice is found', async () => {
  isSpoilt = true;
  const rowsOf = (changes: readonly Change[], table: string, edit: (row: Row) => Row | null): Change[] =>
    changes.flatMap((change) => {
      const row = change.table.name === table ? edit(change.row) : change.row;
      return row ? [{ ...change, row }] : [];
    });
  const bugs: Readonly<Record<string, (changes: readonly Change[]) => Change[]>> = {
    'GET shows {"status":"charged"': (changes) => rowsOf(changes, 'events', () => null),
    'GET shows {"description":"quietly"}': (changes) =>
      rowsOf(changes, 'orders', (row) => ({ ...row, description: 'quietly' })),
    'previous is {}': (changes) =>
      rowsOf(changes, 'events', (row) => ({
        ...row,
        body: `${row.body}`.replace(/"previous":{[^}]*}/, '"previous":{}'),
      })),
    'event 3, order.charged: follows 1': (changes) =>
      rowsOf(changes, 'events', (row) => ({ ...row, body: `${row.body}`.replace('"sequence":2', '"sequence":3') })),
  };
  for (const [sentence, rewrite] of Object.entries(bugs)) {
    const { id } = await shop.authorized();
    planted = { name: 'charge.result', rewrite };
    assert.equal((await shop.act(id, 'charge')).status, 200);
    await assert.rejects(truthIsTold(florin, { newest: 1 }), (error: Error) => error.message.includes(sentence));
  }
});
