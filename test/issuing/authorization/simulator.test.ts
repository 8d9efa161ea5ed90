// The simulator's merchant over real HTTP: purchases, what follows them, refunds, and what it knows nothing of.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock, systemRandom } from '../../../src/base/index.ts';
import { api, createServer, problemEnvelope } from '../../../src/http/index.ts';
import {
  authorizationSimulatorEndpoints,
  availableToSpend,
  paymentsOf,
  rulesAbove,
} from '../../../src/issuing/authorization/index.ts';
import type { Card } from '../../../src/issuing/cards/index.ts';
import { paymentView } from '../../../src/issuing/payments/index.ts';
import { silent } from '../../support/database.ts';
import { type IssuerWorld, issuerWorld } from './issuer.ts';

let world: IssuerWorld;
let url: string;
const server = createServer({ log: silent, clock: systemClock, random: systemRandom });
before(async () => {
  world = await issuerWorld();
  api(server, {
    prefix: '/simulator',
    name: 'Simulator',
    envelope: problemEnvelope,
    authentication: { check: () => Promise.resolve(null), schemes: {} },
    endpoints: authorizationSimulatorEndpoints(world.issuer, world.authorizer),
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${port}`;
});
after(() => server.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function post(path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/simulator${path}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: await response.json() };
}
const outward = (card: Card): string => world.issuer.permutation.outward(card.id);
const buy = (card: Card, amount: number, fields: object = {}) =>
  post('/purchases', { cardId: outward(card), amount, currency: 'EUR', threeDs: true, ...fields });

test('a purchase, more of it, less of it, its clearing, a part of it back', async () => {
  const card = await world.card(10_000n);
  const { status, body } = await buy(card, 1000, { final: false });
  assert.equal(status, 200);
  assert.deepEqual([body.approved, body.responseCode, body.reason], [true, '00', null]);
  assert.equal(body.explanation[0].check, 'CARD');
  const follow = (what: string, fields?: object) => post(`/authorizations/${body.authorizationId}/${what}`, fields);
  assert.equal((await follow('increment', { amount: 500 })).body.approved, true);
  assert.equal((await follow('reverse', { amount: 200 })).body.approved, true);
  assert.deepEqual(await world.funds(card.id), { actual: 10_000n, held: 1300n });
  assert.equal((await follow('clear', { amount: 300, final: false })).body.approved, true);
  assert.equal((await follow('clear')).body.approved, true);
  assert.deepEqual(await world.funds(card.id), { actual: 8700n, held: 0n });
  assert.equal((await follow('reverse')).body.responseCode, '25');
  assert.equal((await post('/refunds', { authorizationId: body.authorizationId, amount: 100 })).body.approved, true);
  assert.equal((await post('/refunds', { authorizationId: body.authorizationId })).body.approved, true);
  assert.equal((await post('/refunds', { cardId: outward(card), amount: 5, currency: 'EUR' })).body.approved, true);
  assert.deepEqual(await world.funds(card.id), { actual: 10_005n, held: 0n });
  assert.deepEqual(await world.violated(), []);
});

test('a clearing without amount takes what is held, a late one what was held to the end, and nothing once all is taken or given up', async () => {
  const card = await world.card(10_000n);
  const clear = async (id: string) => (await post(`/authorizations/${id}/clear`)).body;
  const { authorizationId: part } = (await buy(card, 1000)).body;
  assert.equal((await post(`/authorizations/${part}/clear`, { amount: 300 })).body.approved, true);
  const { authorizationId: all } = (await buy(card, 2000)).body;
  assert.equal((await clear(all)).approved, true);
  for (const id of [part, all]) {
    const again = await clear(id);
    assert.deepEqual([again.approved, again.responseCode, again.reason], [false, '25', 'ORIGINAL_NOT_FOUND']);
  }
  assert.deepEqual(await world.funds(card.id), { actual: 7700n, held: 0n });
  const { authorizationId: late } = (await buy(card, 500)).body;
  await post(`/authorizations/${late}/expire`);
  assert.equal((await clear(late)).approved, true);
  assert.deepEqual(await world.funds(card.id), { actual: 7200n, held: 0n });
  const { authorizationId: less } = (await buy(card, 500)).body;
  await post(`/authorizations/${less}/reverse`, { amount: 400 });
  await post(`/authorizations/${less}/expire`);
  assert.equal((await clear(less)).approved, true);
  const { authorizationId: none } = (await buy(card, 500)).body;
  assert.equal((await post(`/authorizations/${none}/reverse`)).body.approved, true);
  assert.equal((await clear(none)).responseCode, '25');
  assert.deepEqual(await world.funds(card.id), { actual: 7100n, held: 0n });
  assert.equal((await post(`/authorizations/${none}/clear`, { amount: 100 })).body.approved, true, 'a forced posting');
  assert.deepEqual(await world.violated(), []);
});

test('asked at once, all that is open is cleared once, given up once, given back once', async () => {
  const card = await world.card(10_000n);
  const codes = async (ask: () => ReturnType<typeof post>): Promise<string[]> => {
    const replies = await Promise.all(Array.from({ length: 4 }, ask));
    return replies.map(({ body }): string => body.responseCode).sort((a, b) => Number(a) - Number(b));
  };
  const { authorizationId: taken } = (await buy(card, 600)).body;
  assert.deepEqual(await codes(() => post(`/authorizations/${taken}/clear`)), ['00', '25', '25', '25']);
  assert.deepEqual(await world.funds(card.id), { actual: 9400n, held: 0n });
  assert.deepEqual(await codes(() => post('/refunds', { authorizationId: taken })), ['00', '13', '13', '13']);
  const { authorizationId: left } = (await buy(card, 600)).body;
  assert.deepEqual(await codes(() => post(`/authorizations/${left}/reverse`)), ['00', '25', '25', '25']);
  assert.deepEqual(await world.funds(card.id), { actual: 10_000n, held: 0n });
  assert.deepEqual(await world.violated(), []);
});

test("a parent account's statement says which card and which merchant", async () => {
  const account = await world.account(1000n);
  const card = await world.card(0n, { parent_account_id: account });
  await buy(card, 400, { merchantName: 'BAKERY' });
  const rows = await world.database.query<{ type: string; details: Record<string, string> }>(
    'select type, details from statement_entries where instrument_id = $1 order by sequence desc limit 1',
    [account],
  );
  assert.equal(rows[0]?.type, 'AUTHORISATION');
  assert.equal(rows[0]?.details.cardId, outward(card));
  assert.equal(rows[0].details.merchantName, 'BAKERY');
});

test('a hold that is made to end ends once', async () => {
  const card = await world.card(1000n);
  const { body } = await buy(card, 400);
  const expire = () => post(`/authorizations/${body.authorizationId}/expire`);
  assert.deepEqual([(await expire()).body.approved, (await expire()).body.approved], [true, false]);
  assert.deepEqual(await world.funds(card.id), { actual: 1000n, held: 0n });
});

test('by number, by channel, dry, without authentication', async () => {
  const card = await world.card(1000n);
  const pan = world.cardNumbers.get(card.id)?.reveal();
  const byNumber = await post('/purchases', {
    pan,
    amount: 10,
    currency: 'EUR',
    channel: 'contactless',
    country: 'LT',
  });
  assert.equal(byNumber.body.approved, true);
  assert.equal((await buy(card, 10, { threeDs: false })).body.responseCode, 'A1');
  const dry = await buy(card, 2000, { dryRun: true });
  assert.deepEqual(
    [dry.body.responseCode, dry.body.reason, dry.body.authorizationId],
    ['51', 'FUNDS_INSUFFICIENT', null],
  );
  const credit = await buy(card, 500, { channel: 'credit' });
  assert.equal(credit.body.approved, true);
  assert.deepEqual(await world.funds(card.id), { actual: 1500n, held: 10n });
});

test('unknown ids are 404, wrong bodies 422', async () => {
  const card = await world.card(1000n);
  const { body } = await buy(card, 10);
  for (const [path, sent] of [
    ['/purchases', { cardId: '77', amount: 1, currency: 'EUR' }],
    ['/authorizations/77/clear', {}],
    [`/authorizations/${outward(card)}/reverse`, {}],
    ['/authorizations/77/expire', undefined],
    ['/refunds', { authorizationId: '77' }],
    ['/refunds', { cardId: body.authorizationId, amount: 1, currency: 'EUR' }],
  ] as const)
    assert.equal((await post(path, sent)).status, 404, path);
  for (const sent of [
    { amount: 1, currency: 'EUR' },
    { cardId: outward(card), amount: -1, currency: 'EUR' },
    { cardId: outward(card), amount: 1.5, currency: 'EUR' },
    { cardId: outward(card), amount: 1, currency: 'EUR', channel: 'telepathy' },
    { cardId: outward(card), amount: 1, currency: 'EUR', country: 'XXX' },
  ])
    assert.equal((await post('/purchases', sent)).status, 422, JSON.stringify(sent));
  assert.equal((await post('/refunds', { cardId: outward(card) })).status, 422);
});

test('what is read of it: payments with their explanation, page by page, and what is left of the limits', async () => {
  const rules = { spendLimit: [{ value: { currency: 'EUR', amount: 500 }, interval: 'DAILY' as const }] };
  await world.set({ profile: { rules } });
  const card = await world.card(10_000n);
  for (const amount of [100, 200, 300]) await buy(card, amount);
  const page = await paymentsOf(world.issuer, card, { before: null, limit: 2 });
  const rest = await paymentsOf(world.issuer, card, { before: page.at(-1)?.id ?? null, limit: 2 });
  assert.deepEqual(
    [...page, ...rest].map(({ state, amount }) => [state, amount]),
    [
      ['DECLINED', 300n],
      ['OPEN', 200n],
      ['OPEN', 100n],
    ],
  );
  const [declined] = page;
  assert.ok(declined);
  // As it goes over the wire.
  const view: { explanation: object[] } = JSON.parse(JSON.stringify(paymentView(world.issuer.permutation, declined)));
  assert.deepEqual(view.explanation.at(-1), {
    check: 'SPEND_RULES',
    result: 'FAILED',
    level: 'PROFILE',
    rule: 'spendLimit',
    interval: 'DAILY',
    remained: '200',
  });
  assert.deepEqual(await availableToSpend(world.issuer, card), [{ interval: 'DAILY', currency: 'EUR', amount: 200 }]);
  assert.deepEqual((await rulesAbove(world.issuer, card)).PROFILE, rules);
  await world.set({});
});
