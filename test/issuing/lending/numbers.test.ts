// Card numbers are lent to tenants in blocks: making a card touches one owner, nobody is refused while somebody else holds numbers that he
// doesn't use, and no number is given out twice, on whichever server, whatever was cut off.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertBooksHold } from '../../support/issuing.ts';
import { type Tenant, tenantWithCards } from './tenant.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

let ranges = 0;
/** Two tenants, or more, whose cards come from one range with so many numbers. */
async function sharing(size: number, count = 2): Promise<{ range: string; tenants: Tenant[] }> {
  const range = `shared-${ranges}`;
  const prefix = `51000${100 + ranges++}`;
  const made = await florin.operator('POST', '/operator/card-ranges', {
    name: range,
    brand: 'MASTERCARD',
    prefix,
    size,
  });
  assert.equal(made.status, 201, made.text);
  const tenants: Tenant[] = [];
  for (let i = 0; i < count; i++) tenants.push(await tenantWithCards(florin, `${range}-${i}`, range));
  return { range, tenants };
}

const several = (count: number, make: (i: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const numberOf = async ({ body }: Reply): Promise<string> =>
  (await florin.operator('GET', `/operator/cards/${body.id}/number`)).body.number;
const used = async (range: string): Promise<number> =>
  (await florin.operator('GET', '/operator/card-ranges')).body.ranges.find(
    ({ name }: { name: string }) => name === range,
  ).used;

/** Of these replies so many made a card, each with a number of its own; the others were refused as a full range refuses. */
async function assertMade(replies: readonly Reply[], count: number): Promise<void> {
  const cards = replies.filter(({ status }) => status === 201);
  const refused = replies.find(({ status }) => status !== 201);
  assert.equal(cards.length, count, `${cards.length} of ${count}: ${refused?.text}`);
  for (const { status, body } of replies)
    if (status !== 201) assert.deepEqual([status, body.errorCode], [409, 'INSTRUMENT_NOT_FOUND']);
  assert.equal(new Set(await Promise.all(cards.map(numberOf))).size, count);
}

interface Block {
  readonly first: bigint;
  readonly size: bigint;
  readonly state: string;
  readonly tenant_id: bigint | null;
}
const blocksOf = (range: string): Promise<Block[]> =>
  florin.database.query<Block>(
    'select first, size, state, tenant_id from range_blocks where range_name = $1 order by first',
    [range],
  );

test('a card is made while somebody else holds the range and all that is known of its blocks', async () => {
  const { range, tenants } = await sharing(5000);
  const [tenant] = tenants as [Tenant];
  await assertMade([await tenant.card()], 1);
  await florin.database.transaction(async (db) => {
    await db.query('select 1 from card_ranges where name = $1 for update', [range]);
    await db.query('lock table range_blocks in access exclusive mode');
    await assertMade(await several(3, () => tenant.card()), 3);
  });
  assert.equal(await used(range), 4);
});

test('two tenants on two servers give out every number of a range once, then both are refused', async () => {
  const { range, tenants } = await sharing(40);
  // Opened behind the tenants: what a server has in memory may be two seconds old.
  const other = client((await florin.another()).url, 'Bearer sandbox-operator');
  const replies = await several(60, (i) => (tenants[i % 2] as Tenant).card(i % 4 < 2 ? florin.operator : other));
  await assertMade(replies, 40);
  assert.equal(await used(range), 40);
  for (const tenant of tenants) await assertMade([await tenant.card()], 0);
  await assertBooksHold(florin);
});

test('numbers that another tenant holds are taken back before anybody is refused', async () => {
  const { range, tenants } = await sharing(9, 3);
  const [one, two, three] = tenants as [Tenant, Tenant, Tenant];
  const replies = [];
  for (const tenant of [one, two, one, three, three, two, one, two, three]) replies.push(await tenant.card());
  await assertMade(replies, 9);
  await assertMade([await one.card()], 0);
  assert.equal(await used(range), 9);
  await assertBooksHold(florin);
});

test('a block that was cut off between being lent and being taken is its tenant’s, until somebody else needs it', async () => {
  const { range, tenants } = await sharing(1007);
  const [one, two] = tenants as [Tenant, Tenant];
  const lent = (first: number, size: number, lease: number): Promise<unknown> =>
    florin.database.transaction(async (db) => {
      await db.query('update card_ranges set used = $2 where name = $1', [range, first + size]);
      await db.query(`insert into range_blocks values ($1, $2, $3, $4, $5, 'lent')`, [
        range,
        first,
        size,
        lease,
        one.id,
      ]);
    });
  await lent(0, 3, 1);
  await assertMade(await several(3, () => one.card()), 3);
  assert.deepEqual(
    (await blocksOf(range)).map(({ first, size }) => [first, size]),
    [[0n, 3n]],
    'no other was lent',
  );
  // The rest of the range to the other one; his next lies in the hands of the first, who doesn't know of it.
  await assertMade([await two.card()], 1);
  await lent(1003, 4, 2);
  await florin.database.query('update card_blocks set used = size - 1 where tenant_id = $1', [two.id]);
  await assertMade(await several(5, () => two.card()), 5);
  await assertMade([await one.card()], 0);
  await assertMade([await two.card()], 0);
  await assertBooksHold(florin);
});

test('what a tenant gave back is not lost where the server died before the range heard of it', async () => {
  const { range, tenants } = await sharing(6);
  const [one, two] = tenants as [Tenant, Tenant];
  await assertMade([await one.card()], 1);
  await florin.database.query('update card_blocks set size = used where tenant_id = $1', [one.id]);
  await assertBooksHold(florin);
  await assertMade(await several(2, () => one.card()), 2);
  await florin.database.query('update card_blocks set size = used where tenant_id = $1', [one.id]);
  await assertMade(await several(4, () => two.card()), 3);
  assert.equal(await used(range), 6);
  await assertBooksHold(florin);
});

test('the numbers of a closed tenant are free', async () => {
  const { range, tenants } = await sharing(3000);
  const [one, two] = tenants as [Tenant, Tenant];
  await assertMade([await one.card()], 1);
  assert.equal((await florin.operator('PATCH', `/operator/tenants/${one.name}`, { active: false })).status, 200);
  assert.deepEqual(
    (await blocksOf(range)).map(({ first, size, state }) => [first, size, state]),
    [
      [0n, 1n, 'spent'],
      [1n, 999n, 'free'],
    ],
  );
  await assertMade([await two.card()], 1);
  assert.deepEqual((await blocksOf(range))[1], { first: 1n, size: 999n, state: 'taken', tenant_id: two.id });
});

test('an operator’s card is one row of the audit log, also where numbers are lent for it', async () => {
  const { tenants } = await sharing(1);
  const [one, two] = tenants as [Tenant, Tenant];
  const rowsOf = ({ id }: Tenant): Promise<object[]> =>
    florin.database.query(
      `select action, result from operator_audit where owner_id = $1 and action <> 'card.number' and action like 'card.%'`,
      [id],
    );
  await assertMade([await one.card(), await two.card()], 1);
  assert.deepEqual(
    (await rowsOf(one)).map((row) => ({ ...row })),
    [{ action: 'card.create', result: 'done' }],
  );
  assert.deepEqual(
    (await rowsOf(two)).map((row) => ({ ...row })),
    [{ action: 'card.create', result: 'INSTRUMENT_NOT_FOUND' }],
  );
});
