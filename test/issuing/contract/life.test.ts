// A card's life over HTTP, sentence by sentence: docs/contract/issuing.md#state-machine, #activation-order, #endpoints.
// Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  ADDRESS,
  advance,
  assertBooksHold,
  assertConflict,
  assertInvalid,
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
  // A month's beginning, so that a card's months don't end while a test runs.
  await florin.operator('PUT', '/simulator/clock', { now: '2031-01-05T08:00:00Z', frozen: true });
});
beforeEach(async () => {
  ada = await customer(florin);
});

const post = (path: string, body?: unknown) => ada('POST', path, body);
const done = (reply: Reply): void => assert.deepEqual([reply.status, reply.text], [204, ''], reply.text);
const show = async (id: string) => (await ada('GET', `/cards/${id}`)).body;
const stateOf = async (id: string) => (await show(id)).state;
const move = async (verb: string, id: string): Promise<void> => done(await post(`/cards/${verb}/${id}`));
const operator = (id: string, verb: string) => florin.operator('POST', `/operator/cards/${id}/${verb}`);
const wait = async (by: string): Promise<void> => {
  await advance(florin, by);
  ada = await customer(florin);
};
const profile = async (id: string, settings: object): Promise<void> => {
  const reply = await florin.operator('PATCH', `/operator/tenants/sandbox/profiles/${id}`, { settings });
  assert.equal(reply.status, 200, reply.text);
};
const transfer = (from: readonly [string, string], to: readonly [string, string], amount: number) =>
  post('/transfers', {
    source: { type: from[0], id: from[1] },
    destination: { type: to[0], id: to[1] },
    destinationAmount: { currency: 'EUR', amount },
  });
const CARD = 'managed_cards';
const ACCOUNT = 'managed_accounts';

/** One card in each standing that a refusal speaks of. */
const STANDINGS = {
  virtual: () => newCard(ada),
  blocked: async () => {
    const id = await newCard(ada);
    await move('block', id);
    return id;
  },
  ordered: () => plasticCard(ada, false),
  activated: () => plasticCard(ada, true),
  'blocked plastic': async () => {
    const id = await plasticCard(ada, true);
    await move('block', id);
    return id;
  },
  lost: async () => {
    const id = await plasticCard(ada, true);
    await move('report-lost', id);
    return id;
  },
  stolen: async () => {
    const id = await plasticCard(ada, true);
    await move('report-stolen', id);
    return id;
  },
  destroyed: async () => {
    const id = await newCard(ada);
    await move('remove', id);
    return id;
  },
  replaced: async () => {
    const id = await plasticCard(ada, true);
    await move('report-lost', id);
    assert.equal((await post(`/cards/replace-lost-stolen/${id}`, {})).status, 200);
    return id;
  },
} as const;
type Standing = keyof typeof STANDINGS;

const BODIES: Readonly<Record<string, object>> = {
  activate: { activationCode: UPGRADE.activationCode },
  upgrade: UPGRADE,
  'replace-damaged': {},
  'replace-lost-stolen': {},
};

const REFUSALS: readonly (readonly [verb: string, of: Standing, code: string])[] = [
  ['block', 'blocked', 'INSTRUMENT_ALREADY_BLOCKED'],
  ['block', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['unblock', 'virtual', 'INSTRUMENT_NOT_BLOCKED'],
  ['unblock', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['unblock', 'lost', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ['upgrade', 'ordered', 'INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL'],
  ['upgrade', 'activated', 'INSTRUMENT_ALREADY_UPGRADED_TO_PHYSICAL'],
  ['upgrade', 'blocked', 'INSTRUMENT_BLOCKED'],
  ['upgrade', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['activate', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['activate', 'stolen', 'INSTRUMENT_DESTROYED'],
  ['activate', 'blocked', 'INSTRUMENT_BLOCKED'],
  ['activate', 'blocked plastic', 'INSTRUMENT_BLOCKED'],
  ['activate', 'lost', 'INSTRUMENT_BLOCKED'],
  ['activate', 'virtual', 'INSTRUMENT_NOT_PHYSICAL'],
  ['activate', 'activated', 'INSTRUMENT_ALREADY_ACTIVATED'],
  ['remove', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['report-lost', 'virtual', 'INSTRUMENT_NOT_PHYSICAL'],
  ['report-lost', 'lost', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ['report-lost', 'stolen', 'INSTRUMENT_DESTROYED'],
  ['report-stolen', 'virtual', 'INSTRUMENT_NOT_PHYSICAL'],
  ['report-stolen', 'stolen', 'INSTRUMENT_DESTROYED'],
  ['replace-damaged', 'virtual', 'INSTRUMENT_NOT_PHYSICAL'],
  ['replace-damaged', 'blocked plastic', 'INSTRUMENT_BLOCKED'],
  ['replace-damaged', 'destroyed', 'INSTRUMENT_DESTROYED'],
  ['replace-damaged', 'lost', 'INSTRUMENT_MARKED_LOST_STOLEN'],
  ['replace-lost-stolen', 'virtual', 'INSTRUMENT_NOT_MARKED_LOST_STOLEN'],
  ['replace-lost-stolen', 'activated', 'INSTRUMENT_NOT_MARKED_LOST_STOLEN'],
  ['replace-lost-stolen', 'destroyed', 'INSTRUMENT_NOT_MARKED_LOST_STOLEN'],
  ['replace-lost-stolen', 'replaced', 'INSTRUMENT_ALREADY_REPLACED'],
];

for (const [verb, of, code] of REFUSALS)
  test(`409 on ${verb} of a card that is ${of}: ${code}, and it stays as it is`, async () => {
    const id = await STANDINGS[of]();
    const before_ = await show(id);
    assertConflict(await post(`/cards/${verb}/${id}`, BODIES[verb]), code);
    const secrets = { cardNumber: null, cvv: null };
    assert.deepEqual({ ...(await show(id)), ...secrets }, { ...before_, ...secrets });
  });

test('create ACTIVE; block BLOCKED USER; unblock', async () => {
  const id = await newCard(ada);
  assert.deepEqual(await stateOf(id), { state: 'ACTIVE' });
  await move('block', id);
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'USER' });
  assert.equal((await purchase(florin, id, 1)).responseCode, '62');
  await move('unblock', id);
  assert.deepEqual(await stateOf(id), { state: 'ACTIVE' });
});

test("operator: SYSTEM, which a user can't lift; blocks stack", async () => {
  const id = await newCard(ada);
  await move('block', id);
  done(await operator(id, 'block'));
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'SYSTEM' });
  await move('unblock', id);
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'SYSTEM' });
  assertConflict(await post(`/cards/unblock/${id}`), 'INSTRUMENT_NOT_BLOCKED');
  await move('block', id);
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'USER' });
  done(await operator(id, 'unblock'));
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'USER' });
  assert.equal((await operator(id, 'unblock')).status, 409);
  await move('unblock', id);
  assert.deepEqual(await stateOf(id), { state: 'ACTIVE' });
});

test('blocked and unblocked by many at once: each change happens once', async () => {
  const id = await newCard(ada);
  for (const verb of ['block', 'unblock']) {
    const replies = await Promise.all(Array.from({ length: 12 }, () => post(`/cards/${verb}/${id}`)));
    assert.equal(replies.filter(({ status }) => status === 204).length, 1, verb);
    assert.equal(replies.filter(({ status }) => status === 409).length, 11, verb);
  }
  assert.deepEqual(await stateOf(id), { state: 'ACTIVE' });
});

test('remove (balance zero, no holds) DESTROYED USER, else 409 BALANCE_NOT_ZERO', async () => {
  const id = await fundedCard(ada, 500);
  assertConflict(await post(`/cards/remove/${id}`), 'BALANCE_NOT_ZERO');
  const { authorizationId } = await purchase(florin, id, 500);
  assertConflict(await post(`/cards/remove/${id}`), 'BALANCE_NOT_ZERO');
  await florin.operator('POST', `/simulator/authorizations/${authorizationId}/clear`, {});
  await move('remove', id);
  assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'USER' });
  assert.equal((await purchase(florin, id, 1)).responseCode, '14');
});

test("remove of a debit card: its account's money is no balance of it, but a hold of its own stops it", async () => {
  const id = await newCard(ada, DEBIT);
  const { authorizationId } = await purchase(florin, id, 300);
  assertConflict(await post(`/cards/remove/${id}`), 'BALANCE_NOT_ZERO');
  await florin.operator('POST', `/simulator/authorizations/${authorizationId}/reverse`, {});
  await move('remove', id);
  assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'USER' });
});

test('a blocked card can be removed; a destroyed one shows no blocked reason and is still listed', async () => {
  const tag = 'removed-when-blocked';
  const id = await newCard(ada, { tag });
  await move('block', id);
  await move('remove', id);
  assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'USER' });
  const list = (await ada('GET', `/cards?tag=${tag}&state=DESTROYED`)).body;
  assert.deepEqual([list.count, list.cards[0].id], [1, id]);
});

test('POST /cards/upgrade: physicalCardDetails {pendingActivation true, REQUESTED}; type stays VIRTUAL until activation, then PHYSICAL', async () => {
  const id = await newCard(ada, { nameOnCardLine2: 'Line two' });
  const reply = await post(`/cards/upgrade/${id}`, { ...UPGRADE, bulkDelivery: true });
  assert.equal(reply.status, 200, reply.text);
  const details = {
    productReference: UPGRADE.productReference,
    carrierType: UPGRADE.carrierType,
    bulkDelivery: true,
    deliveryAddress: UPGRADE.deliveryAddress,
    deliveryMethod: UPGRADE.deliveryMethod,
    pendingActivation: true,
    manufacturingState: 'REQUESTED',
    pinBlocked: false,
    nameOnCardLine2: 'Line two',
  };
  assert.deepEqual([reply.body.id, reply.body.type, reply.body.physicalCardDetails], [id, 'VIRTUAL', details]);
  assert.deepEqual((await show(id)).physicalCardDetails, details);
  const activated = await post(`/cards/activate/${id}`, { activationCode: UPGRADE.activationCode });
  assert.equal(activated.status, 200, activated.text);
  assert.deepEqual(
    [activated.body.id, activated.body.type, activated.body.physicalCardDetails],
    [id, 'PHYSICAL', { ...details, pendingActivation: false, manufacturingState: 'DELIVERED' }],
  );
  assert.equal((await show(id)).type, 'PHYSICAL');
});

test('upgrade: PRODUCT_REFERENCE_INVALID, CARRIER_TYPE_INVALID, DELIVERY_METHOD_INVALID, and its field errors', async () => {
  const id = await newCard(ada, { profileId: '1010' });
  const upgrade = (fields: object) => post(`/cards/upgrade/${id}`, { ...UPGRADE, ...fields });
  assertConflict(await upgrade({ productReference: 'NONE' }), 'PRODUCT_REFERENCE_INVALID');
  assertConflict(await upgrade({ productReference: 'NONE', carrierType: 'NONE' }), 'PRODUCT_REFERENCE_INVALID');
  assertConflict(await upgrade({ carrierType: 'NONE' }), 'CARRIER_TYPE_INVALID');
  await profile('1010', {
    physical: {
      products: [UPGRADE.productReference],
      carriers: [UPGRADE.carrierType],
      deliveryMethods: ['STANDARD_DELIVERY'],
    },
  });
  assertConflict(await upgrade({ deliveryMethod: 'COURIER' }), 'DELIVERY_METHOD_INVALID');
  assertInvalid(
    await post(`/cards/upgrade/${id}`, {}),
    'activationCode REQUIRED',
    'productReference REQUIRED',
    'carrierType REQUIRED',
    'deliveryMethod REQUIRED',
    'deliveryAddress REQUIRED',
  );
  assertInvalid(
    await upgrade({ activationCode: '1234567', deliveryMethod: 'PIGEON', deliveryAddress: ADDRESS }),
    'activationCode SIZE',
    'deliveryMethod NOT_IN',
    'deliveryAddress.name REQUIRED',
    'deliveryAddress.surname REQUIRED',
  );
  assert.equal((await show(id)).physicalCardDetails, undefined);
  assert.equal((await upgrade({ deliveryMethod: 'STANDARD_DELIVERY' })).status, 200);
});

test('deliveryMethod STANDARD_DELIVERY REGISTERED_MAIL COURIER FIRST_CLASS_MAIL', async () => {
  for (const deliveryMethod of ['STANDARD_DELIVERY', 'REGISTERED_MAIL', 'COURIER', 'FIRST_CLASS_MAIL']) {
    const id = await newCard(ada);
    const { body } = await post(`/cards/upgrade/${id}`, { ...UPGRADE, deliveryMethod });
    assert.equal(body.physicalCardDetails.deliveryMethod, deliveryMethod);
  }
});

test('Activation order: destroyed, blocked, not physical, already activated, code invalid', async () => {
  const wrong = { activationCode: '999999' };
  const activate = (id: string) => post(`/cards/activate/${id}`, wrong);
  const id = await plasticCard(ada, true);
  assertConflict(await activate(id), 'INSTRUMENT_ALREADY_ACTIVATED');
  await move('block', id);
  assertConflict(await activate(id), 'INSTRUMENT_BLOCKED');
  await move('remove', id);
  assertConflict(await activate(id), 'INSTRUMENT_DESTROYED');
  const virtual = await newCard(ada);
  assertConflict(await activate(virtual), 'INSTRUMENT_NOT_PHYSICAL');
  assertConflict(await activate(await plasticCard(ada, false)), 'ACTIVATION_CODE_INVALID');
});

test('code invalid: five failures block the card with SYSTEM; leading zeros matter', async () => {
  const id = await plasticCard(ada, false);
  const activate = (activationCode: string) => post(`/cards/activate/${id}`, { activationCode });
  for (const code of ['4711', '04711', '004712', '174400', '0'])
    assertConflict(await activate(code), 'ACTIVATION_CODE_INVALID');
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'SYSTEM' });
  assertConflict(await activate(UPGRADE.activationCode), 'INSTRUMENT_BLOCKED');
  assertConflict(await post(`/cards/unblock/${id}`), 'INSTRUMENT_NOT_BLOCKED');
  done(await operator(id, 'unblock'));
  assert.equal((await activate(UPGRADE.activationCode)).status, 200);
});

test('code invalid: four failures and then the right one; of many guesses at once five are judged', async () => {
  const id = await plasticCard(ada, false);
  const activate = (activationCode: string) => post(`/cards/activate/${id}`, { activationCode });
  for (let i = 0; i < 4; i++) assertConflict(await activate('111111'), 'ACTIVATION_CODE_INVALID');
  assert.equal((await activate(UPGRADE.activationCode)).status, 200);
  const other = await plasticCard(ada, false);
  const guesses = Array.from({ length: 20 }, (_, i) => `5000${String(i).padStart(2, '0')}`);
  const replies = await Promise.all(
    guesses.map((activationCode) => post(`/cards/activate/${other}`, { activationCode })),
  );
  const codes = replies.map(({ body }) => body.errorCode);
  assert.equal(codes.filter((code) => code === 'ACTIVATION_CODE_INVALID').length, 5, codes.join());
  assert.equal(codes.filter((code) => code === 'INSTRUMENT_BLOCKED').length, 15, codes.join());
});

test('activation under an idempotency-ref is answered again as it was', async () => {
  const id = await plasticCard(ada, false);
  const activate = () =>
    ada(
      'POST',
      `/cards/activate/${id}`,
      { activationCode: UPGRADE.activationCode },
      { 'idempotency-ref': `activate-${id}` },
    );
  const first = await activate();
  const again = await activate();
  assert.deepEqual([first.status, again.status], [200, 200], again.text);
  assert.equal(again.text, first.text);
});

test('REQUESTED, advanced by the bureau (simulated) to DISPATCHED; manufacturingState SENT_FOR_FULFILLMENT between', async () => {
  const ids = [await plasticCard(ada, false), await plasticCard(ada, false)];
  const byCourier = await newCard(ada);
  await post(`/cards/upgrade/${byCourier}`, { ...UPGRADE, deliveryMethod: 'COURIER' });
  const states = async () =>
    Promise.all(ids.map(async (id) => (await show(id)).physicalCardDetails.manufacturingState));
  assert.deepEqual(await states(), ['REQUESTED', 'REQUESTED']);
  await wait('59m');
  assert.deepEqual(await states(), ['REQUESTED', 'REQUESTED']);
  await wait('1m');
  assert.deepEqual(await states(), ['SENT_FOR_FULFILLMENT', 'SENT_FOR_FULFILLMENT']);
  await wait('24h');
  assert.deepEqual(await states(), ['DISPATCHED', 'DISPATCHED']);
  const tracking = async (id: string) => (await show(id)).physicalCardDetails.deliveryTrackingMethod;
  assert.deepEqual([await tracking(ids[0] as string), await tracking(byCourier)], ['NO_TRACKING', 'TRACKED']);
  await wait('30d');
  assert.deepEqual(await states(), ['DISPATCHED', 'DISPATCHED'], 'only its holder says that it has come');
  assert.equal(
    (await post(`/cards/activate/${ids[0]}`, { activationCode: UPGRADE.activationCode })).body.physicalCardDetails
      .manufacturingState,
    'DELIVERED',
  );
});

test("the bureau's own word: state, deliveryTrackingCode, deliveryTrackingMethod; a blocked card's plastic goes on", async () => {
  const id = await plasticCard(ada, false);
  await move('block', id);
  await wait('2d');
  assert.equal((await show(id)).physicalCardDetails.manufacturingState, 'DISPATCHED');
  const told = { state: 'DELIVERED', deliveryTrackingCode: 'TRACK-7', deliveryTrackingMethod: 'SIGNED_FOR' };
  done(await florin.operator('PUT', `/operator/cards/${id}/manufacturing`, told));
  const { physicalCardDetails } = await show(id);
  assert.deepEqual(
    [
      physicalCardDetails.manufacturingState,
      physicalCardDetails.deliveryTrackingCode,
      physicalCardDetails.deliveryTrackingMethod,
      physicalCardDetails.pendingActivation,
    ],
    ['DELIVERED', 'TRACK-7', 'SIGNED_FOR', true],
  );
  const virtual = await newCard(ada);
  assert.equal((await florin.operator('PUT', `/operator/cards/${virtual}/manufacturing`, told)).status, 409);
});

test('physical use before activation: 78; after it approved', async () => {
  const id = await plasticCard(ada, false);
  await transfer([ACCOUNT, '2001'], [CARD, id], 900);
  const chip = { channel: 'chip' };
  assert.equal((await purchase(florin, id, 10, chip)).responseCode, '78');
  assert.equal((await purchase(florin, id, 10)).approved, true, 'on the net it is a card already');
  await post(`/cards/activate/${id}`, { activationCode: UPGRADE.activationCode });
  assert.equal((await purchase(florin, id, 10, chip)).approved, true);
});

test('report lost (physical) BLOCKED LOST, final', async () => {
  const id = await plasticCard(ada, true);
  await move('report-lost', id);
  assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'LOST' });
  assert.equal((await purchase(florin, id, 1)).responseCode, '41');
  assertConflict(await post(`/cards/unblock/${id}`), 'INSTRUMENT_MARKED_LOST_STOLEN');
  assert.equal((await operator(id, 'unblock')).status, 409);
  // A card that is also blocked by its user or the operator stays lost.
  await move('block', id);
  assertConflict(await post(`/cards/unblock/${id}`), 'INSTRUMENT_MARKED_LOST_STOLEN');
  assert.equal((await stateOf(id)).state, 'BLOCKED');
});

test('a blocked card is reported lost and one that is ordered too; a lost one is then known to be stolen', async () => {
  for (const standing of ['blocked plastic', 'ordered'] as const) {
    const id = await STANDINGS[standing]();
    await move('report-lost', id);
    assert.deepEqual(await stateOf(id), { state: 'BLOCKED', blockedReason: 'LOST' });
    await move('report-stolen', id);
    assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'STOLEN' });
  }
});

test('report stolen DESTROYED STOLEN at once, whatever is on it; its money waits for the replacement', async () => {
  const id = await plasticCard(ada, true);
  await transfer([ACCOUNT, '2001'], [CARD, id], 700);
  await move('report-stolen', id);
  assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'STOLEN' });
  assert.equal((await purchase(florin, id, 1)).responseCode, '43');
  assert.deepEqual((await show(id)).balances, { availableBalance: 700, actualBalance: 700 });
});

test('the books hold', () => assertBooksHold(florin));
