// Twenty thousand purchases, four hundred at a time, against one balance, one limit, one parent account: what is approved is never more
// than there is, and all of it when enough is asked for. They go through two committers with ids and connections of their own, as two
// processes have them. And an audit that can find something.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Card } from '../../../src/issuing/cards/index.ts';
import { type IssuerWorld, issuerWorld, later } from './issuer.ts';

let world: IssuerWorld;
before(async () => {
  world = await issuerWorld();
});

/** Of one balance and of one limit; of one parent account twice as many. */
const PURCHASES = 5000;
/** In flight at any moment: more than a commit group holds. */
const AT_ONCE = 400;

/** Codes of purchases of that amount, in turn by the cards and by the two committers. */
async function storm(cards: readonly Card[], minor: bigint, purchases = PURCHASES): Promise<Record<string, number>> {
  const other = world.authorizerWith({});
  const codes: Record<string, number> = {};
  let next = 0;
  async function lane(): Promise<void> {
    while (next < purchases) {
      const i = next++;
      const authorizer = i % 2 === 0 ? world.authorizer : other;
      const { responseCode } = await authorizer.handle(world.request(cards[i % cards.length] as Card, minor));
      codes[responseCode] = (codes[responseCode] ?? 0) + 1;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return codes;
}

test('one balance: exactly what it holds is approved', async () => {
  const card = await world.card(50_030n);
  assert.deepEqual(await storm([card], 100n), { '00': 500, '51': PURCHASES - 500 });
  assert.deepEqual(await world.funds(card.id), { actual: 50_030n, held: 50_000n });
  assert.deepEqual(await world.violated(), []);
});

test('one limit: exactly what it allows is approved', async () => {
  const rules = { spendLimit: [{ value: { currency: 'EUR', amount: 77_777 }, interval: 'DAILY' as const }] };
  const card = await world.card(10_000_000n);
  await world.set({ profile: { rules } });
  assert.deepEqual(await storm([card], 100n), { '00': 777, '61': PURCHASES - 777 });
  assert.deepEqual(await world.funds(card.id), { actual: 10_000_000n, held: 77_700n });
  await world.set({});
  assert.deepEqual(await world.violated(), []);
});

test('many cards of one parent account: exactly what the account holds is approved', async () => {
  const account = await world.account(750_000n);
  const cards: Card[] = [];
  for (let i = 0; i < 100; i++) cards.push(await world.card(0n, { parent_account_id: account }));
  assert.deepEqual(await storm(cards, 100n, 2 * PURCHASES), { '00': 7500, '51': 2500 });
  assert.deepEqual(await world.funds(account), { actual: 750_000n, held: 750_000n });
  assert.deepEqual(await world.violated(), []);
});

test('a reference that is sent by everybody at once is one purchase', async () => {
  const card = await world.card(1000n);
  const request = world.request(card, 10n);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? world.authorizer : world.authorizerWith({})).handle({ ...request, attempt: i + 1 }),
    ),
  );
  assert.equal(new Set(answers.map(({ authCode, rrn, responseCode }) => `${authCode} ${rrn} ${responseCode}`)).size, 1);
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 10n });
});

test('reversals and clearings of everything at once leave nothing behind', async () => {
  const card = await world.card(100_000n);
  const requests = Array.from({ length: 300 }, () => world.request(card, 100n));
  await Promise.all(requests.map((request) => world.authorizer.handle(request)));
  const ends = requests.flatMap((request, i) =>
    i % 2 === 0
      ? [later(world, request, 'reverse', 100n), later(world, request, 'reverse', 100n)]
      : [later(world, request, 'charge', 100n)],
  );
  await Promise.all(ends.map((request) => world.authorizer.handle(request)));
  assert.deepEqual(await world.funds(card.id), { actual: 85_000n, held: 0n });
  assert.deepEqual(await world.violated(), []);
});

test('the audit finds what was changed behind its back', async () => {
  const card = await world.card(1000n);
  const spoils: readonly (readonly [string, string])[] = [
    ['update funds set held = held + 1 where instrument_id = $1', 'funds_held_are_authorizations'],
    ['update funds set actual = actual + 1 where instrument_id = $1', 'funds_are_ledger'],
    ['delete from statement_entries where instrument_id = $1 and sequence = 1', 'statements_end_in_funds'],
    [
      `update spend_counters set windows = jsonb_set(windows, '{DAILY,used}', '"1"') where card_id = $1`,
      'counters_are_parts',
    ],
    ['update spend_counters set held = held + 1 where card_id = $1', 'card_holds_are_authorizations'],
    [`update authorizations set state = 'CLOSED' where card_id = $1`, 'authorization_states'],
  ];
  await world.authorizer.handle(world.request(card, 100n));
  assert.deepEqual(await world.violated(), []);
  for (const [sql, id] of spoils) {
    await world.database.query(sql, [card.id]);
    assert.ok((await world.violated()).includes(id), id);
  }
});
