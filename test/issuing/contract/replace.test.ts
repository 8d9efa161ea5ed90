// What comes after a card's first life, over HTTP: replacement, renewal and expiry by the clock, and the wallet tokens that follow it.
// docs/contract/issuing.md#state-machine. Rule: a test is named by the words it proves.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  ADDRESS,
  advance,
  assertBooksHold,
  assertConflict,
  customer,
  DEBIT,
  newCard,
  plasticCard,
  purchase,
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
const wait = async (by: string): Promise<void> => {
  await advance(florin, by);
  ada = await customer(florin);
};
const until = async (now: string): Promise<void> => {
  const reply = await florin.operator('PUT', '/simulator/clock', { now });
  assert.equal(reply.status, 200, reply.text);
  ada = await customer(florin);
};
const numberOf = async (id: string) => (await florin.operator('GET', `/operator/cards/${id}/number`)).body;
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

test('replace damaged: same id and number, new plastic, replacementReason DAMAGED', async () => {
  const id = await plasticCard(ada, true);
  const before_ = await numberOf(id);
  const reply = await post(`/cards/replace-damaged/${id}`, { activationCode: '001234' });
  assert.equal(reply.status, 200, reply.text);
  const { physicalCardDetails } = reply.body;
  assert.equal(reply.body.id, id);
  assert.deepEqual(await numberOf(id), before_, 'number, CVV, expiry and PIN');
  assert.deepEqual(physicalCardDetails.replacement, { replacementReason: 'DAMAGED', replacementId: id });
  assert.deepEqual(
    [physicalCardDetails.manufacturingState, physicalCardDetails.pendingActivation],
    ['REQUESTED', true],
  );
  assertConflict(await post(`/cards/activate/${id}`, { activationCode: '004711' }), 'ACTIVATION_CODE_INVALID');
  await wait('2d');
  assert.equal((await show(id)).physicalCardDetails.manufacturingState, 'DISPATCHED');
  assert.equal((await post(`/cards/activate/${id}`, { activationCode: '001234' })).body.type, 'PHYSICAL');
});

test('replace lost or stolen: new card id and number, funds move; replacementReason LOST_STOLEN', async () => {
  for (const verb of ['report-lost', 'report-stolen'] as const) {
    const id = await plasticCard(ada, true, { tag: verb, friendlyName: 'Mine', nameOnCardLine2: 'Two' });
    await transfer([ACCOUNT, '2001'], [CARD, id], 700);
    const old = await numberOf(id);
    await move(verb, id);
    const reply = await post(`/cards/replace-lost-stolen/${id}`, { activationCode: '000042' });
    assert.equal(reply.status, 200, reply.text);
    const card = reply.body;
    assert.notEqual(card.id, id);
    const fresh = await numberOf(card.id);
    assert.notEqual(fresh.number, old.number);
    assert.deepEqual(
      [card.state, card.replaces, card.tag, card.friendlyName, card.nameOnCardLine2, card.billingAddress],
      [{ state: 'ACTIVE' }, id, verb, 'Mine', 'Two', ADDRESS],
    );
    const { physicalCardDetails } = card;
    const replacement = { replacementReason: 'LOST_STOLEN', replacementId: card.id };
    assert.deepEqual(physicalCardDetails.replacement, replacement);
    assert.deepEqual(
      [physicalCardDetails.manufacturingState, physicalCardDetails.pendingActivation],
      ['REQUESTED', true],
    );
    assert.deepEqual((await show(card.id)).balances, { availableBalance: 700, actualBalance: 700 });
    const before_ = await show(id);
    assert.deepEqual(before_.balances, { availableBalance: 0, actualBalance: 0 });
    assert.equal(before_.replacedBy, card.id);
    assert.deepEqual(before_.physicalCardDetails.replacement, replacement, 'the old card names what replaces it');
    assert.equal(before_.state.state, 'DESTROYED');
    assert.equal(before_.state.destroyedReason, verb === 'report-lost' ? 'LOST' : 'STOLEN');
    assert.equal((await post(`/cards/activate/${card.id}`, { activationCode: '000042' })).body.type, 'PHYSICAL');
    assert.equal((await purchase(florin, card.id, 100)).approved, true);
  }
  await assertBooksHold(florin);
});

test('replace lost or stolen: new plastic waits for activation, by the code that was set up before or by a new one', async () => {
  const waiting = async (card: Reply['body']): Promise<void> => {
    assert.deepEqual([card.type, card.physicalCardDetails.pendingActivation], ['VIRTUAL', true]);
    assert.equal((await purchase(florin, card.id, 100, { channel: 'chip' })).responseCode, '78');
  };
  const activate = async (id: string, activationCode: string): Promise<void> => {
    const { body } = await post(`/cards/activate/${id}`, { activationCode });
    const { type, physicalCardDetails } = body;
    assert.deepEqual(
      [type, physicalCardDetails.pendingActivation, physicalCardDetails.manufacturingState],
      ['PHYSICAL', false, 'DELIVERED'],
    );
    assert.equal((await purchase(florin, id, 100, { channel: 'chip' })).approved, true);
  };
  for (const activated of [true, false]) {
    const id = await plasticCard(ada, activated);
    await transfer([ACCOUNT, '2001'], [CARD, id], 700);
    await move('report-stolen', id);
    const second = (await post(`/cards/replace-lost-stolen/${id}`, {})).body;
    await waiting(second);
    await move('report-stolen', second.id);
    const third = (await post(`/cards/replace-lost-stolen/${second.id}`, {})).body;
    await waiting(third);
    assertConflict(await post(`/cards/activate/${third.id}`, { activationCode: '001234' }), 'ACTIVATION_CODE_INVALID');
    await activate(third.id, '004711');
    await move('report-lost', third.id);
    const fourth = (await post(`/cards/replace-lost-stolen/${third.id}`, { activationCode: '001234' })).body;
    await waiting(fourth);
    assertConflict(await post(`/cards/activate/${fourth.id}`, { activationCode: '004711' }), 'ACTIVATION_CODE_INVALID');
    await activate(fourth.id, '001234');
  }
});

test('replace lost or stolen: plastic whose code nobody knows any more works as it comes', async () => {
  const id = await plasticCard(ada, true, { nameOnCard: 'Unknown' });
  await transfer([ACCOUNT, '2001'], [CARD, id], 700);
  await florin.database.query(
    `update cards set details = jsonb_set(details, '{physical,activationHash}', 'null') where name_on_card = 'Unknown'`,
  );
  await move('report-lost', id);
  const { body } = await post(`/cards/replace-lost-stolen/${id}`, {});
  assert.deepEqual([body.type, body.physicalCardDetails.pendingActivation], ['PHYSICAL', false]);
  assert.equal((await purchase(florin, body.id, 100, { channel: 'chip' })).approved, true);
});

test('replace damaged: what waited for activation still does, what was in use works as it comes', async () => {
  for (const activated of [true, false]) {
    const id = await plasticCard(ada, activated);
    await transfer([ACCOUNT, '2001'], [CARD, id], 700);
    const { type, physicalCardDetails } = (await post(`/cards/replace-damaged/${id}`, {})).body;
    assert.deepEqual([type, physicalCardDetails.pendingActivation], [activated ? 'PHYSICAL' : 'VIRTUAL', !activated]);
    const chip = await purchase(florin, id, 100, { channel: 'chip' });
    assert.equal(chip.responseCode, activated ? '00' : '78');
    if (!activated)
      assert.equal((await post(`/cards/activate/${id}`, { activationCode: '004711' })).body.type, 'PHYSICAL');
  }
});

test('replace lost or stolen: what is held stays behind until its payments are over, and can then leave', async () => {
  const id = await plasticCard(ada, true);
  await transfer([ACCOUNT, '2001'], [CARD, id], 700);
  const { authorizationId } = await purchase(florin, id, 200);
  await move('report-lost', id);
  const { body } = await post(`/cards/replace-lost-stolen/${id}`, {});
  assert.deepEqual(body.balances, { availableBalance: 500, actualBalance: 500 });
  assert.deepEqual((await show(body.id)).balances, { availableBalance: 500, actualBalance: 500 });
  assert.deepEqual((await show(id)).balances, { availableBalance: 0, actualBalance: 200 });
  await florin.operator('POST', `/simulator/authorizations/${authorizationId}/clear`, { amount: 150 });
  assert.deepEqual((await show(id)).balances, { availableBalance: 50, actualBalance: 50 });
  assert.equal((await transfer([CARD, id], [CARD, body.id], 50)).status, 200);
  assert.deepEqual((await show(body.id)).balances, { availableBalance: 550, actualBalance: 550 });
  await assertBooksHold(florin);
});

test('replace lost or stolen: a debt moves too, and what is put on the new card pays it', async () => {
  const id = await plasticCard(ada, true);
  await transfer([ACCOUNT, '2001'], [CARD, id], 700);
  const { authorizationId } = await purchase(florin, id, 700);
  await florin.operator('POST', `/simulator/authorizations/${authorizationId}/clear`, { amount: 2_700 });
  assert.deepEqual((await show(id)).balances, { availableBalance: -2_000, actualBalance: -2_000 });
  await move('report-lost', id);
  const { body } = await post(`/cards/replace-lost-stolen/${id}`, {});
  assert.deepEqual(body.balances, { availableBalance: -2_000, actualBalance: -2_000 });
  assert.deepEqual((await show(id)).balances, { availableBalance: 0, actualBalance: 0 });
  assert.equal((await transfer([ACCOUNT, '2001'], [CARD, body.id], 2_500)).status, 200);
  assert.deepEqual((await show(body.id)).balances, { availableBalance: 500, actualBalance: 500 });
  await assertBooksHold(florin);
});

test("replace lost or stolen: the operator's block stays on the new card, the user's own goes", async () => {
  const operator = async (verb: string, id: string): Promise<void> =>
    done(await florin.operator('POST', `/operator/cards/${id}/${verb}`));
  for (const verb of ['report-lost', 'report-stolen']) {
    const id = await plasticCard(ada, true, {
      digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true, artworkReference: 'florin-black' },
    });
    await transfer([ACCOUNT, '2001'], [CARD, id], 700);
    const token = (await post(`/cards/wallet-tokens/${id}`, { wallet: 'APPLE', device: 'phone' })).body;
    const taken = { cardId: id, result: 'success' };
    done(await florin.operator('POST', `/simulator/wallet-tokens/${token.id}`, taken));
    await move('block', id);
    await operator('block', id);
    await move(verb, id);
    const { body } = await post(`/cards/replace-lost-stolen/${id}`, {});
    const tokenStates = async () =>
      (await ada('GET', `/cards/wallet-tokens/${body.id}`)).body.tokens.map(({ state }: { state: string }) => state);
    assert.deepEqual(body.state, { state: 'BLOCKED', blockedReason: 'SYSTEM' });
    assert.deepEqual(await tokenStates(), ['SUSPENDED']);
    assert.equal((await purchase(florin, body.id, 100)).responseCode, '62');
    assertConflict(await post(`/cards/unblock/${body.id}`), 'INSTRUMENT_NOT_BLOCKED');
    await operator('unblock', body.id);
    assert.deepEqual([await stateOf(body.id), await tokenStates()], [{ state: 'ACTIVE' }, ['ACTIVE']]);
    assert.equal((await purchase(florin, body.id, 100)).approved, true);
  }
});

test('replaced by many at once: one new card', async () => {
  const id = await plasticCard(ada, true, { tag: 'once' });
  await transfer([ACCOUNT, '2001'], [CARD, id], 90);
  await move('report-lost', id);
  const replies = await Promise.all(Array.from({ length: 10 }, () => post(`/cards/replace-lost-stolen/${id}`, {})));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200))
    assertConflict(reply, 'INSTRUMENT_ALREADY_REPLACED');
  assert.equal((await ada('GET', '/cards?tag=once')).body.count, 2);
});

test("a debit card's replacement spends the same account, under the same rules", async () => {
  const id = await plasticCard(ada, true, DEBIT);
  const data = { spendLimit: [{ value: { currency: 'EUR', amount: 400 }, interval: 'ALWAYS' }] };
  done(await ada('PUT', `/cards/limits/${id}`, { data }));
  await move('report-stolen', id);
  const { body } = await post(`/cards/replace-lost-stolen/${id}`, {});
  assert.deepEqual([body.mode, body.parentManagedAccountId, body.balances], ['DEBIT_MODE', '2001', undefined]);
  assert.deepEqual((await ada('GET', `/cards/limits/${body.id}`)).body.cardLevelSpendRules, data);
  assert.equal((await purchase(florin, body.id, 401)).responseCode, '61');
  assert.equal((await purchase(florin, body.id, 400)).approved, true);
});

/** A card that is good to the end of the next month. */
async function expiring(fields: Record<string, unknown> = {}, plastic = false): Promise<string> {
  await profile('1014', { expiryPeriodMonths: 1 });
  const id = plastic
    ? await plasticCard(ada, true, { profileId: '1014', ...fields })
    : await newCard(ada, { profileId: '1014', ...fields });
  await transfer([ACCOUNT, '2001'], [CARD, id], 100);
  return id;
}

test('expiry: NO_RENEW DESTROYED EXPIRED, when the month that is printed is over and not before', async () => {
  await until('2032-01-10T00:00:00Z');
  const id = await expiring();
  await ada('PATCH', `/cards/${id}`, { renewalType: 'NO_RENEW' });
  const card = await show(id);
  assert.deepEqual(
    [card.startMmyy, card.expiryMmyy, card.expiryPeriodMonths, card.renewalType],
    ['0132', '0232', 1, 'NO_RENEW'],
  );
  await until('2032-02-29T23:59:59Z');
  assert.deepEqual(await stateOf(id), { state: 'ACTIVE' });
  assert.equal((await purchase(florin, id, 1)).approved, true);
  await until('2032-03-01T00:00:00Z');
  assert.deepEqual(await stateOf(id), { state: 'DESTROYED', destroyedReason: 'EXPIRED' });
  assert.equal((await purchase(florin, id, 1)).responseCode, '54');
});

test('AUTO_RENEW new expiry and CVV; number, id, balance and tokens of the holder stay', async () => {
  await until('2033-01-10T00:00:00Z');
  const id = await expiring();
  assert.equal((await show(id)).renewalType, 'AUTO_RENEW');
  const old = await numberOf(id);
  await until('2033-02-28T23:59:59Z');
  assert.deepEqual(await numberOf(id), old);
  await until('2033-03-01T00:00:00Z');
  const fresh = await numberOf(id);
  const card = await show(id);
  assert.deepEqual([card.state, card.startMmyy, card.expiryMmyy], [{ state: 'ACTIVE' }, '0333', '0333']);
  assert.deepEqual([fresh.number, fresh.expiryMmyy], [old.number, '0333']);
  assert.deepEqual(card.balances, { availableBalance: 100, actualBalance: 100 });
  if (fresh.cvv !== old.cvv) assert.equal((await purchase(florin, id, 1, { cvv: old.cvv })).responseCode, '82');
  assert.equal((await purchase(florin, id, 1, { cvv: fresh.cvv })).approved, true);
  await until('2033-04-01T00:00:00Z');
  assert.equal((await show(id)).expiryMmyy, '0433', 'and again');
});

test('AUTO_RENEW of a physical card: new plastic comes from the bureau, replacementReason EXPIRED', async () => {
  await until('2034-01-10T00:00:00Z');
  const id = await expiring({}, true);
  await until('2034-03-01T00:00:00Z');
  const renewed = (await show(id)).physicalCardDetails;
  assert.deepEqual(renewed.replacement, { replacementReason: 'EXPIRED', replacementId: id });
  assert.deepEqual([renewed.manufacturingState, renewed.pendingActivation], ['REQUESTED', false]);
  await until('2034-03-03T00:00:00Z');
  assert.equal((await show(id)).physicalCardDetails.manufacturingState, 'DISPATCHED');
  assert.equal((await purchase(florin, id, 1, { channel: 'chip' })).approved, true);
});

test('a clock that jumps over two expiries does the same as one that walks', async () => {
  const plain = async (id: string) => {
    const { expiryMmyy, startMmyy, state, type, physicalCardDetails } = await show(id);
    const { manufacturingState, pendingActivation, replacement } = physicalCardDetails;
    const months = [startMmyy.slice(0, 2), expiryMmyy.slice(0, 2)];
    return { months, state, type, manufacturingState, pendingActivation, reason: replacement.replacementReason };
  };
  await until('2035-01-10T00:00:00Z');
  const walked = await expiring({}, true);
  for (const day of ['02-28', '03-01', '03-02', '03-20', '04-01', '04-30', '05-01', '05-02'])
    await until(`2035-${day}T00:00:00Z`);
  const expected = await plain(walked);
  assert.deepEqual(expected, {
    months: ['05', '05'],
    state: { state: 'ACTIVE' },
    type: 'PHYSICAL',
    manufacturingState: 'SENT_FOR_FULFILLMENT',
    pendingActivation: false,
    reason: 'EXPIRED',
  });
  await until('2037-01-10T00:00:00Z');
  const jumped = await expiring({}, true);
  await until('2037-05-02T00:00:00Z');
  assert.deepEqual(await plain(jumped), expected);
});

test('a blocked card expires or is renewed too, and stays blocked; a destroyed one stays as it is', async () => {
  await until('2038-01-10T00:00:00Z');
  const [renewing, ending, gone] = [await expiring(), await expiring(), await newCard(ada, { profileId: '1014' })];
  await ada('PATCH', `/cards/${ending}`, { renewalType: 'NO_RENEW' });
  await move('block', renewing);
  await move('block', ending);
  await move('remove', gone);
  await until('2038-03-01T00:00:00Z');
  assert.deepEqual(await stateOf(renewing), { state: 'BLOCKED', blockedReason: 'USER' });
  assert.equal((await show(renewing)).expiryMmyy, '0338');
  assert.deepEqual(await stateOf(ending), { state: 'DESTROYED', destroyedReason: 'EXPIRED' });
  assert.deepEqual(await stateOf(gone), { state: 'DESTROYED', destroyedReason: 'USER' });
  assert.equal((await show(gone)).expiryMmyy, '0238');
});

test('a card that was reported lost is not renewed: no plastic is sent for it', async () => {
  await until('2039-01-10T00:00:00Z');
  const id = await expiring({}, true);
  await move('report-lost', id);
  await until('2039-03-02T00:00:00Z');
  const { state, physicalCardDetails } = await show(id);
  assert.equal(physicalCardDetails.manufacturingState, 'DELIVERED');
  assert.deepEqual(state, { state: 'BLOCKED', blockedReason: 'LOST' });
  assert.equal((await post(`/cards/replace-lost-stolen/${id}`, {})).status, 200, 'it can still be replaced');
});

test('the books hold', () => assertBooksHold(florin));
