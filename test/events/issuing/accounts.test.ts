// Each change of a managed account, and each transfer, has its event, and the event says what GET says at that moment
// (docs/contract/events.md#accounts-and-transfers).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, customer, fundedCard, purchase } from '../../support/issuing.ts';
import { untruths } from '../told.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

interface Told {
  readonly type: string;
  readonly cause: { readonly by: string };
  readonly owner: { readonly type: string; readonly id: string };
  readonly resource: { readonly sequence: number };
  readonly data: { readonly object: object; readonly previous: object };
}

const toldOf = async (noun: string, id: string): Promise<Told[]> =>
  (
    await florin.database.query<{ body: string }>('select body from events where body like $1 order by sequence', [
      `%"resource":{"type":"${noun}","id":"${id}",%`,
    ])
  ).map(({ body }) => JSON.parse(body));
const typesOf = (told: readonly Told[]): string[] => told.map(({ type }) => type);
const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};
const opened = async (): Promise<string> =>
  ok(await ada('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'Savings', currency: 'EUR' })).body.id;
const deposited = (id: string, amount: number): Promise<Reply> =>
  florin.operator('POST', `/simulator/accounts/${id}/deposit`, { amount });
const moved = (from: string, to: string, amount: number): Promise<Reply> =>
  ada('POST', '/transfers', {
    source: { type: 'managed_accounts', id: from },
    destination: { type: 'managed_accounts', id: to },
    destinationAmount: { currency: 'EUR', amount },
  });

/** What is done to an account, what it is called, and by whom. */
const STEPS: readonly (readonly [type: string, by: string, step: (id: string) => Promise<unknown>])[] = [
  ['account.credited', 'simulator', async (id) => ok(await deposited(id, 700))],
  ['account.blocked', 'api', async (id) => ok(await ada('POST', `/managed-accounts/block/${id}`))],
  [
    'account.blocked',
    'operator',
    async (id) => ok(await florin.operator('POST', `/operator/managed-accounts/${id}/block`, {})),
  ],
  [
    'account.unblocked',
    'operator',
    async (id) => ok(await florin.operator('POST', `/operator/managed-accounts/${id}/unblock`, {})),
  ],
  ['account.unblocked', 'api', async (id) => ok(await ada('POST', `/managed-accounts/unblock/${id}`))],
];

test('one event a change, with what GET says after it, balances too', async () => {
  const id = await opened();
  const shown = async (): Promise<object> => (await ada('GET', `/managed-accounts/${id}`)).body;
  const wanted = ['account.created'];
  assert.deepEqual((await toldOf('account', id)).at(-1)?.data.object, await shown());
  for (const [type, by, step] of STEPS) {
    await step(id);
    wanted.push(type);
    const told = await toldOf('account', id);
    assert.deepEqual(typesOf(told), wanted);
    assert.deepEqual(told.at(-1)?.data.object, await shown());
    assert.deepEqual([told.at(-1)?.cause.by, told.at(-1)?.owner], [by, { type: 'tenant', id: 'sandbox' }]);
    assert.deepEqual(
      told.map(({ resource }) => resource.sequence),
      told.map((_, i) => i + 1),
    );
  }
  ok(await moved(id, await opened(), 700));
  ok(await ada('POST', `/managed-accounts/remove/${id}`));
  assert.equal(typesOf(await toldOf('account', id)).at(-1), 'account.destroyed');
  assert.deepEqual((await toldOf('account', id)).at(-1)?.data.object, await shown());
  assert.deepEqual((await toldOf('account', id)).at(-1)?.data.previous, { state: { state: 'ACTIVE' } });
});

test('a transfer and a purchase are told by their own events, not by events of the accounts', async () => {
  const [from, to] = [await opened(), await opened()];
  ok(await deposited(from, 500));
  const { id } = ok(await moved(from, to, 200)).body;
  const told = await toldOf('transfer', id);
  assert.deepEqual(typesOf(told), ['transfer.completed']);
  assert.deepEqual(told[0]?.data.object, (await ada('GET', `/transfers/${id}`)).body);
  const card = await fundedCard(ada, 1000);
  await purchase(florin, card, 300);
  assert.deepEqual(typesOf(await toldOf('account', from)), ['account.created', 'account.credited']);
  assert.deepEqual(typesOf(await toldOf('account', to)), ['account.created']);
});

test('what is refused or repeated has no event', async () => {
  const id = await opened();
  assert.equal((await ada('POST', `/managed-accounts/unblock/${id}`)).status, 409);
  assert.equal((await moved(id, await opened(), 1)).status, 409);
  const once = { 'idempotency-ref': `block-${id}` };
  for (let i = 0; i < 2; i++) ok(await ada('POST', `/managed-accounts/block/${id}`, undefined, once));
  assert.deepEqual(typesOf(await toldOf('account', id)), ['account.created', 'account.blocked']);
});

test('ten deposits at once: ten numbers without a gap, and each says what stood after it', async () => {
  const id = await opened();
  await Promise.all(Array.from({ length: 10 }, () => deposited(id, 10)));
  const told = await toldOf('account', id);
  assert.deepEqual(
    told.map(({ resource, data }) => [resource.sequence, (data.object as { balances: object }).balances]),
    Array.from({ length: 11 }, (_, i) => [i + 1, { availableBalance: i * 10, actualBalance: i * 10 }]),
  );
});

test('the sandbox’s accounts have theirs', async () => {
  const [told] = await toldOf('account', '2003');
  assert.deepEqual([told?.type, told?.cause.by], ['account.created', 'schedule']);
  await assertBooksHold(florin);
});

test('an event that says otherwise than GET is found, and an account without one', async () => {
  const id = await opened();
  const { text } = await ada('GET', `/managed-accounts/${id}`);
  const at = '/issuing/managed-accounts/:id';
  assert.deepEqual(await untruths(florin.database, florin.app.permutation, at, text), []);
  await florin.database.query(`update events set body = replace(body, 'Savings', 'Saving') where body like $1`, [
    `%"id":"${id}",%`,
  ]);
  assert.deepEqual(await untruths(florin.database, florin.app.permutation, at, text), [
    'account: friendlyName is told otherwise than GET shows it',
  ]);
  await florin.database.query('delete from events where body like $1', [`%"id":"${id}",%`]);
  assert.deepEqual(await untruths(florin.database, florin.app.permutation, at, text), ['account: no event']);
  const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
  assert.deepEqual(
    checks.filter((check: { ok: boolean }) => !check.ok).map((check: { id: string }) => check.id),
    ['account_events_are_changes'],
  );
});
