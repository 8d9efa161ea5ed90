// The installation's limit of cards is lent to tenants in places: making a card touches one owner, the limit is exact over tenants and
// servers, nobody is refused while somebody else holds a place that he doesn't use, and what was cut off wastes places only until then.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Committer } from '../../../src/store/index.ts';
import { type Client, client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold, cardRequest, customer } from '../../support/issuing.ts';
import { type Tenant, tenantWithCards } from './tenant.ts';

let florin: TestApp;
let tenants: readonly Tenant[];
before(async () => {
  florin = await testApp();
  const range = { name: 'places', brand: 'MASTERCARD', prefix: '51000400', size: 9000 };
  assert.equal((await florin.operator('POST', '/operator/card-ranges', range)).status, 201);
  tenants = await Promise.all([0, 1, 2, 3].map((i) => tenantWithCards(florin, `places-${i}`, range.name)));
});

const tenantAt = (i: number): Tenant => tenants[i % tenants.length] as Tenant;
const several = (count: number, make: (i: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const live = async (): Promise<number> => {
  const [row] = await florin.database.query<{ live: bigint }>(
    `select count(*) as live from cards where currency = 'EUR' and state <> 'DESTROYED'`,
  );
  return Number(row?.live);
};
/** So many cards more in euro; null: as many as one likes. Answers how many that are. */
async function limit(more: number | null): Promise<number | null> {
  const EUR = more === null ? null : (await live()) + more;
  const cardLimits = EUR === null ? null : { total: null, currencies: { EUR } };
  const reply = await florin.operator('PATCH', '/operator/issuing-settings', { settings: { cardLimits } });
  assert.equal(reply.status, 200, reply.text);
  return EUR;
}
/** So many made a card; the others were refused by the installation's limit. */
function assertMade(replies: readonly Reply[], count: number): void {
  const cards = replies.filter(({ status }) => status === 201);
  const refused = replies.filter(({ status }) => status !== 201);
  assert.equal(cards.length, count, `${cards.length} of ${count}: ${refused[0]?.text}`);
  for (const { status, body } of refused) assert.deepEqual([status, body.errorCode], [409, 'SYSTEM_LIMITS_EXCEEDED']);
}
const another = async (plant?: (committer: Committer) => Committer): Promise<Client> =>
  client((await florin.another(plant ? { plant } : {})).url, 'Bearer sandbox-operator');

/** A committer of a server that dies before it has done this step; `died` says whether it came to that. */
function dyingAt(name: string): { plant(committer: Committer): Committer; readonly died: boolean } {
  let died = false;
  return {
    get died() {
      return died;
    },
    plant: (committer) => ({
      ...committer,
      submit(command) {
        if (command.name !== name) return committer.submit(command);
        died = true;
        return Promise.reject(new Error(`cut off before ${name}`));
      },
    }),
  };
}

test('with n places left and n + 5 creations at once, over tenants and two servers, exactly n succeed', async () => {
  await limit(7);
  const other = await another();
  assertMade(await several(12, (i) => tenantAt(i).card(i % 2 ? florin.operator : other)), 7);
  for (const tenant of tenants) assertMade([await tenant.card()], 0);
  await assertBooksHold(florin);
});

test('places that another tenant holds are taken back before anybody is refused', async () => {
  await limit(100);
  assertMade([await tenantAt(0).card(), await tenantAt(1).card()], 2);
  assertMade(await several(100, () => tenantAt(2).card()), 98);
  assertMade([await tenantAt(0).card(), await tenantAt(1).card(), await tenantAt(3).card()], 0);
  await assertBooksHold(florin);
});

test('a limit that is lowered stops whoever holds places of the one before', async () => {
  await limit(500);
  for (const tenant of tenants) assertMade([await tenant.card()], 1);
  await limit(3);
  assertMade(await several(8, (i) => tenantAt(i).card()), 3);
  await limit(0);
  assertMade(await several(4, (i) => tenantAt(i).card()), 0);
  await limit(null);
  assertMade(await several(4, (i) => tenantAt(i).card()), 4);
  await assertBooksHold(florin);
});

test('cards that were made while there was no limit count', async () => {
  await limit(20);
  assertMade([await tenantAt(0).card(), await tenantAt(1).card()], 2);
  await limit(null);
  assertMade(await several(5, () => tenantAt(0).card()), 5);
  await limit(0);
  assertMade(await several(4, (i) => tenantAt(i).card()), 0);
  await limit(2);
  assertMade(await several(4, (i) => tenantAt(i + 1).card()), 2);
  await assertBooksHold(florin);
});

test('a card that is destroyed gives its place back, to whoever asks', async () => {
  const ada = await customer(florin);
  const asks = async (): Promise<Reply> => ada('POST', '/cards/request', cardRequest());
  const removed = async ({ body }: Reply): Promise<void> =>
    assert.equal((await ada('POST', `/cards/remove/${body.id}`)).status, 204);
  await limit(2);
  const [one, two] = [await asks(), await asks()];
  assert.deepEqual([one.status, two.status], [200, 200], two.text);
  assertMade([await tenantAt(0).card()], 0);
  await removed(one);
  assertMade(await several(4, (i) => tenantAt(i).card()), 1);
  assert.equal((await asks()).body.errorCode, 'SYSTEM_LIMITS_EXCEEDED');
  await removed(two);
  assert.equal((await asks()).status, 200);
  await assertBooksHold(florin);
});

for (const step of ['places.take', 'places.note']) {
  test(`a server that dies before ${step} wastes places until somebody needs them, and passes no limit`, async () => {
    const most = await limit(16);
    assertMade([await tenantAt(0).card()], 1);
    const dying = dyingAt(step);
    const other = await another(dying.plant);
    // As many as it takes until it has to be lent some, or to take some back.
    for (let i = 0; i < 16 && !dying.died; i++) await tenantAt(1).card(other);
    assert.ok(dying.died, `it came to ${step}`);
    await assertBooksHold(florin);
    await several(20, (i) => tenantAt(i).card());
    assert.equal(await live(), most);
    for (const tenant of tenants) assertMade([await tenant.card()], 0);
    await assertBooksHold(florin);
  });
}

/** A committer of a server that comes to this step only when it is let go. */
function held(name: string) {
  const come = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const plant = (committer: Committer): Committer => ({
    ...committer,
    async submit(command) {
      if (command.name === name) {
        come.resolve();
        await gone.promise;
      }
      return committer.submit(command);
    },
  });
  return { plant, come: come.promise, go: gone.resolve };
}

test('places that were taken back meanwhile are not taken into use late', async () => {
  const most = await limit(20);
  const late = held('places.take');
  const other = await another(late.plant);
  const waiting = tenantAt(1).card(other);
  await late.come;
  await several(25, (i) => tenantAt(2 * i).card());
  assert.equal(await live(), most);
  late.go();
  assertMade([await waiting], 0);
  assert.equal(await live(), most);
  await assertBooksHold(florin);
});

test('places that were lent again meanwhile are not noted as given back late', async () => {
  const most = await limit(16);
  assertMade([await tenantAt(0).card()], 1);
  const late = held('places.note');
  const other = await another(late.plant);
  const waiting = (async () => {
    const replies: Reply[] = [];
    for (let i = 0; i < 20; i++) replies.push(await tenantAt(1).card(other));
    return replies;
  })();
  await late.come;
  // What was given back and not noted is lent again to whom it was the lease of.
  assertMade([await tenantAt(0).card()], 1);
  late.go();
  const replies = await waiting;
  assert.equal(await live(), most);
  assertMade(replies, 14);
  await assertBooksHold(florin);
});
