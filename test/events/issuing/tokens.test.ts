// Each change of a wallet token has its event, and a token keeps its id, its row and its numbers when its card is replaced
// (docs/contract/events.md#wallet-tokens).
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { MOVED } from '../../../src/issuing/tokens/write.ts';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, customer, newCard, plasticCard } from '../../support/issuing.ts';

const WALLETS = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
});
beforeEach(async () => {
  ada = await customer(florin);
});

interface Told {
  readonly type: string;
  readonly cause: { readonly by: string };
  readonly resource: { readonly sequence: number };
  readonly data: { readonly object: Readonly<Record<string, unknown>>; readonly previous: object };
}

const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};
async function toldOf(id: string): Promise<Told[]> {
  const rows = await florin.database.query<{ body: string }>(
    'select body from events where body like $1 order by sequence',
    [`%"resource":{"type":"wallet_token","id":"${id}",%`],
  );
  return rows.map(({ body }) => JSON.parse(body) as Told);
}
const shown = async (card: string): Promise<readonly { readonly id: string }[]> =>
  ok(await ada('GET', `/cards/wallet-tokens/${card}`)).body.tokens;
const ask = async (card: string, device = 'phone'): Promise<string> =>
  ok(await ada('POST', `/cards/wallet-tokens/${card}`, { wallet: 'APPLE', device })).body.id;
const answer = async (card: string, id: string, result = 'success'): Promise<unknown> =>
  ok(await florin.operator('POST', `/simulator/wallet-tokens/${id}`, { cardId: card, result }));
const onCard =
  (verb: string) =>
  async (card: string): Promise<unknown> =>
    ok(await ada('POST', `/cards/${verb}/${card}`, {}));

/** The events of a token are these, by these, gapless, and the last one says what the list of this card's tokens says. */
async function assertTold(card: string, id: string, wanted: readonly (readonly [string, string])[]): Promise<void> {
  const told = await toldOf(id);
  assert.deepEqual(
    told.map(({ type, cause }) => [type, cause.by]),
    wanted,
  );
  assert.deepEqual(
    told.map(({ resource }) => resource.sequence),
    wanted.map((_, i) => i + 1),
  );
  assert.deepEqual(
    told.at(-1)?.data.object,
    (await shown(card)).find((token) => token.id === id),
  );
}

/** What is done to a card on a device, and what that is called. */
type Step = readonly [type: string, by: string, step: (card: string, id: string) => Promise<unknown>];
const TAKEN: Step = ['wallet_token.activated', 'simulator', answer];
const REMOVED: Step = [
  'wallet_token.deleted',
  'api',
  async (card, id) => ok(await ada('DELETE', `/cards/wallet-tokens/${card}/${id}`)),
];
const BLOCKED: Step = ['wallet_token.suspended', 'api', onCard('block')];
const RESUMED: Step = ['wallet_token.resumed', 'api', onCard('unblock')];
const DECLINED: Step = ['wallet_token.deleted', 'simulator', (card, id) => answer(card, id, 'declined')];
const ENDED: Step = ['wallet_token.deleted', 'api', onCard('remove')];

const STORIES: readonly (readonly Step[])[] = [
  [TAKEN, BLOCKED, RESUMED, REMOVED],
  [DECLINED],
  [REMOVED],
  [TAKEN, BLOCKED, REMOVED],
  [TAKEN, ENDED],
];

test('one event a change of a token, with what the list of tokens says after it; every move is told', async () => {
  const moves = new Set<string>();
  for (const story of STORIES) {
    const card = await newCard(ada, WALLETS);
    const id = await ask(card);
    const wanted: [string, string][] = [['wallet_token.requested', 'api']];
    await assertTold(card, id, wanted);
    for (const [type, by, step] of story) {
      await step(card, id);
      wanted.push([type, by]);
      await assertTold(card, id, wanted);
    }
    const told = await toldOf(id);
    for (const [i, { data }] of told.entries())
      if (i > 0) moves.add(`${told[i - 1]?.data.object.state} ${data.object.state}`);
  }
  const table = Object.entries(MOVED).flatMap(([from, to]) => Object.keys(to).map((state) => `${from} ${state}`));
  assert.deepEqual([...moves].sort(), table.sort());
  await assertBooksHold(florin);
});

test('asked for again by the same device nothing has happened, and neither where the device is refused', async () => {
  const card = await newCard(ada, WALLETS);
  const id = await ask(card);
  assert.equal(await ask(card), id);
  await onCard('block')(card);
  const refused = { cardId: card, result: 'success' };
  assert.equal((await florin.operator('POST', `/simulator/wallet-tokens/${id}`, refused)).status, 409);
  await assertTold(card, id, [['wallet_token.requested', 'api']]);
});

for (const [verb, beforeIt, state] of [
  ['report-lost', 'wallet_token.suspended', 'SUSPENDED'],
  ['report-stolen', 'wallet_token.deleted', 'DELETED'],
] as const)
  test(`${verb}, then replaced: the token is re-pointed under its id, and shown for the new card alone`, async () => {
    const card = await plasticCard(ada, true, WALLETS);
    const [id, waiting, sold] = [await ask(card), await ask(card, 'watch'), await ask(card, 'sold')];
    await answer(card, id);
    await answer(card, sold);
    await REMOVED[2](card, sold);
    await onCard(verb)(card);
    const next: string = ok(await ada('POST', `/cards/replace-lost-stolen/${card}`, {})).body.id;
    const asked = ['wallet_token.requested', 'api'] as const;
    const pointed = ['wallet_token.repointed', 'api'] as const;
    await assertTold(next, id, [asked, ['wallet_token.activated', 'simulator'], [beforeIt, 'api'], pointed]);
    assert.deepEqual((await toldOf(id)).at(-1)?.data.previous, { cardId: card, state });
    const ended = verb === 'report-stolen' ? [['wallet_token.deleted', 'api'] as const] : [];
    await assertTold(next, waiting, [asked, ...ended, pointed]);
    assert.deepEqual(
      [await shown(card), await shown(next)].map((tokens) => tokens.map((token) => token.id)),
      [[sold], [id, waiting]],
    );
    // And on from there, by its own numbers.
    await answer(next, waiting);
    await assertTold(next, waiting, [asked, ...ended, pointed, ['wallet_token.activated', 'simulator']]);
    assert.equal((await ada('DELETE', `/cards/wallet-tokens/${card}/${id}`)).status, 404);
    await assertBooksHold(florin);
  });

test('a token without its event is found', async () => {
  const card = await newCard(ada, WALLETS);
  const id = await ask(card);
  await florin.database.query('delete from events where body like $1', [
    `%"resource":{"type":"wallet_token","id":"${id}",%`,
  ]);
  const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
  assert.deepEqual(
    checks.filter((check: { ok: boolean }) => !check.ok).map((check: { id: string }) => check.id),
    ['wallet_token_events_are_changes'],
  );
});
