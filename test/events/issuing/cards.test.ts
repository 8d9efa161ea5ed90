// Each change of a card has its event, and the event says what GET says at that moment, but for number and CVV
// (docs/contract/events.md#cards).
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { monthAfter } from '../../../src/issuing/cards/index.ts';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  advance,
  assertBooksHold,
  customer,
  DEBIT,
  fundedCard,
  newCard,
  plasticCard,
  purchase,
  UPGRADE,
} from '../../support/issuing.ts';

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
  readonly data: { readonly object: object; readonly previous: object; readonly operation?: object };
}

const textsOf = async (id: string): Promise<string[]> =>
  (
    await florin.database.query<{ body: string }>('select body from events where body like $1 order by sequence', [
      `%"resource":{"type":"card","id":"${id}",%`,
    ])
  ).map(({ body }) => body);
const toldOf = async (id: string): Promise<Told[]> => (await textsOf(id)).map((text) => JSON.parse(text) as Told);
const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};
/** What GET shows, without the tokens that it makes anew each time. */
const shown = async (id: string): Promise<object> => {
  const { cardNumber: _number, cvv: _cvv, ...card } = ok(await ada('GET', `/cards/${id}`)).body;
  return card;
};

type Step = (id: string) => Promise<unknown>;
const asked =
  (method: string, path: string, body?: object): Step =>
  async (id) =>
    ok(await ada(method, path.replace(':id', id), body));
const operated =
  (path: string): Step =>
  async (id) =>
    ok(await florin.operator('POST', path.replace(':id', id), {}));

/** Sessions have ended by then. */
async function later(by: string): Promise<void> {
  await advance(florin, by);
  ada = await customer(florin);
}

/** What is done to a card, what it is called, and by whom. */
const STEPS: readonly (readonly [type: string, by: string, step: Step])[] = [
  ['card.updated', 'api', asked('PATCH', '/cards/:id', { friendlyName: 'Another name' })],
  ['card.limits_changed', 'api', asked('PUT', '/cards/limits/:id', { data: { maxTransactionAmount: 5000 } })],
  ['card.blocked', 'api', asked('POST', '/cards/block/:id')],
  ['card.blocked', 'operator', operated('/operator/cards/:id/block')],
  ['card.unblocked', 'operator', operated('/operator/cards/:id/unblock')],
  ['card.unblocked', 'api', asked('POST', '/cards/unblock/:id')],
  ['card.plastic_requested', 'api', asked('POST', '/cards/upgrade/:id', UPGRADE)],
  ['card.plastic_sent_for_fulfilment', 'schedule', () => later('2h')],
  ['card.plastic_dispatched', 'schedule', () => later('2d')],
  ['card.activated', 'api', asked('POST', '/cards/activate/:id', { activationCode: UPGRADE.activationCode })],
  ['card.destroyed', 'api', asked('POST', '/cards/remove/:id')],
];

for (const [kind, fields] of [
  ['prepaid', {}],
  ['debit', DEBIT],
] as const)
  test(`one event a change of a ${kind} card, with what GET says after it`, async () => {
    const id = await newCard(ada, fields);
    const wanted = ['card.created'];
    assert.deepEqual((await toldOf(id)).at(-1)?.data.object, await shown(id));
    for (const [type, by, step] of STEPS) {
      await step(id);
      wanted.push(type);
      const told = await toldOf(id);
      assert.deepEqual(
        told.map((one) => one.type),
        wanted,
      );
      assert.deepEqual(told.at(-1)?.data.object, await shown(id), type);
      assert.equal(told.at(-1)?.cause.by, by, type);
      assert.deepEqual(
        told.map(({ resource }) => resource.sequence),
        wanted.map((_, i) => i + 1),
      );
    }
    await assertBooksHold(florin);
  });

test('what a GET of a card does not show stands beside it: limits, and who was shown what', async () => {
  const id = await newCard(ada);
  ok(await ada('PUT', `/cards/limits/${id}`, { data: { maxTransactionAmount: 5000 } }));
  const { cvv } = ok(await ada('GET', `/cards/${id}`)).body;
  ok(await ada('POST', '/cards/reveal', { token: cvv.value }));
  const [, limits, revealed] = await toldOf(id);
  assert.deepEqual(limits?.data.operation, { limits: { maxTransactionAmount: 5000 } });
  const { userId, ...what } = (revealed?.data.operation ?? {}) as { userId: string };
  assert.deepEqual(what, { what: 'cvv' });
  assert.match(userId, /^\d+$/);
});

test('the same limits again, and none where there were none, are no change', async () => {
  const id = await newCard(ada);
  const types = async () => (await toldOf(id)).map(({ type }) => type);
  ok(await ada('DELETE', `/cards/limits/${id}`));
  assert.deepEqual(await types(), ['card.created']);
  const data = { allowAtm: true, spendLimit: [{ value: { currency: 'EUR', amount: 400 }, interval: 'DAILY' }] };
  await florin.operator('PATCH', '/operator/tenants/sandbox', { settings: { prepaidSpendLimits: true } });
  for (const _ of [1, 2]) ok(await ada('PUT', `/cards/limits/${id}`, { data }));
  ok(await ada('PATCH', `/cards/limits/${id}`, { data: { allowAtm: true } }));
  assert.deepEqual(await types(), ['card.created', 'card.limits_changed']);
  ok(await ada('PATCH', `/cards/limits/${id}`, { data: { allowAtm: false } }));
  assert.deepEqual((await types()).length, 3);
});

/** Nobody has looked at a card for long: its timers are set back. */
async function overdue(id: string, expires: Date | null, step: Date, renewal: string): Promise<void> {
  const yymm = expires && monthAfter(expires, -1);
  const rows = await florin.database.query(
    `update cards set expires = coalesce($2, expires), renewal = $3, due_at = $4,
       details = jsonb_set(details, '{physical,nextStepAt}', to_jsonb($5::text))
     where tenant_id || '/' || id = $1 returning id`,
    [await keyOf(id), yymm, renewal, step, step.toISOString()],
  );
  assert.equal(rows.length, 1);
  await advance(florin, '1s');
}

/** How the database knows a card. */
async function keyOf(id: string): Promise<string> {
  const [row] = await florin.database.query<{ key: string }>(
    `select owner_id || '/' || subject_id as key from events where body like $1 limit 1`,
    [`%"resource":{"type":"card","id":"${id}",%`],
  );
  return row?.key ?? '';
}

const now = async (): Promise<Date> => new Date((await florin.operator('GET', '/simulator/clock')).body.now);
const DAYS = 86_400_000;

for (const [what, renewal, early, behind] of [
  ['its plastic is made', null, 3 * DAYS, ['plastic_sent_for_fulfilment', 'plastic_dispatched']],
  [
    'it renews, and so the new one',
    'AUTO_RENEW',
    2 * DAYS,
    'plastic_sent_for_fulfilment plastic_dispatched renewed plastic_sent_for_fulfilment plastic_dispatched'.split(' '),
  ],
  ['it renews at the moment of a step', 'AUTO_RENEW', 0, ['plastic_sent_for_fulfilment', 'renewed']],
  ['it ends between two steps', 'NO_RENEW', 3_600_000, ['plastic_sent_for_fulfilment', 'expired']],
] as const)
  test(`what falls due together happens in its order, each with its event: ${what}`, async () => {
    const id = await plasticCard(ada, false);
    const before = (await toldOf(id)).length;
    const at = await now();
    // The first of a month that is over for long enough.
    const expiry = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1));
    await overdue(
      id,
      renewal && expiry,
      new Date((renewal ? expiry.getTime() : at.getTime()) - early),
      renewal ?? 'AUTO_RENEW',
    );
    ada = await customer(florin);
    const told = (await toldOf(id)).slice(before);
    const types = told.map(({ type }) => type.replace('card.', ''));
    assert.deepEqual(types.slice(0, behind.length), behind);
    assert.ok(types.slice(behind.length).every((type) => renewal === 'AUTO_RENEW' && type.startsWith('plastic_')));
    for (const { type, cause, data } of told) {
      assert.equal(cause.by, 'schedule');
      const { physicalCardDetails } = data.object as { physicalCardDetails: { manufacturingState: string } };
      const state = type.replace('card.plastic_', '').replace('fulfilment', 'fulfillment').toUpperCase();
      if (type.includes('plastic')) assert.equal(physicalCardDetails.manufacturingState, state);
    }
    assert.deepEqual(told.at(-1)?.data.object, await shown(id));
    await assertBooksHold(florin);
  });

test('three wrong PINs block the PIN, by whose doing they came; its holder unblocks it; the bureau delivers', async () => {
  const id = await plasticCard(ada, true);
  const { length } = await toldOf(id);
  const { pin } = ok(await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const wrong = pin === '1234' ? '4321' : '1234';
  for (let i = 0; i < 3; i++) await purchase(florin, id, 0, { channel: 'chip', pin: wrong });
  assert.deepEqual((await toldOf(id)).at(-1)?.data.object, await shown(id));
  ok(await ada('POST', `/cards/pin/unblock/${id}`));
  const made = (state: string, more: object = {}) =>
    florin.operator('PUT', `/operator/cards/${id}/manufacturing`, { state, ...more });
  ok(await made('DISPATCHED'));
  ok(await made('DISPATCHED', { deliveryTrackingCode: 'T-1' }));
  ok(await made('DISPATCHED', { deliveryTrackingCode: 'T-1' }));
  ok(await made('DELIVERED'));
  const told = (await toldOf(id)).slice(length);
  assert.deepEqual(
    told.map(({ type, cause }) => [type, cause.by]),
    [
      ['card.pin_blocked', 'simulator'],
      ['card.pin_unblocked', 'api'],
      ['card.plastic_dispatched', 'operator'],
      ['card.updated', 'operator'],
      ['card.plastic_delivered', 'operator'],
    ],
  );
  assert.deepEqual(told.at(-1)?.data.object, await shown(id));
  await assertBooksHold(florin);
});

test('a lost card is replaced: the old one says by what, the new one is created with its money', async () => {
  const id = await fundedCard(ada, 700);
  ok(await ada('POST', `/cards/upgrade/${id}`, UPGRADE));
  ok(await ada('POST', `/cards/report-lost/${id}`));
  const { body } = ok(await ada('POST', `/cards/replace-lost-stolen/${id}`, { activationCode: '654321' }));
  assert.equal((await toldOf(id)).at(-1)?.type, 'card.replaced');
  const old = (await toldOf(id)).at(-1)?.data;
  assert.deepEqual(old?.object, await shown(id));
  assert.deepEqual(old?.previous, {
    ...old?.previous,
    balances: { availableBalance: 700, actualBalance: 700 },
  });
  const [created] = await toldOf(body.id);
  assert.equal(created?.type, 'card.created');
  assert.deepEqual(created?.data.object, await shown(body.id));
});

test('no number, CVV, PIN or code stands in any event', async () => {
  const id = await plasticCard(ada, true);
  const { number, cvv } = (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
  const text = (await textsOf(id)).join('\n');
  assert.ok(text.length > 0);
  for (const secret of [number, UPGRADE.activationCode]) assert.ok(!text.includes(secret), secret);
  assert.doesNotMatch(text, new RegExp(`"${cvv}"`));
  assert.doesNotMatch(text, /cardNumber"|"cvv|activationHash|pinOffset|wrong(Cvvs|Pins)/);
});

test('a card without its event is found', async () => {
  const id = await newCard(ada);
  await florin.database.query('delete from events where body like $1', [`%"resource":{"type":"card","id":"${id}",%`]);
  const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
  assert.deepEqual(
    checks.filter((check: { ok: boolean }) => !check.ok).map((check: { id: string }) => check.id),
    ['card_events_are_changes'],
  );
});
