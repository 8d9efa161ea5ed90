// Managed accounts, transfers, deposits and statements over real HTTP, and that no cent moves twice whatever comes at once.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { assertConflict, assertInvalid, customer, DEBIT, fundedCard, newCard } from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

const account = async (fields: object = {}): Promise<string> => {
  const body = { profileId: '1011', friendlyName: 'Savings', currency: 'EUR', ...fields };
  const reply = await ada('POST', '/managed-accounts', body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.id;
};
const deposit = (id: string, amount: unknown) =>
  florin.operator('POST', `/simulator/accounts/${id}/deposit`, { amount });
const balances = async (id: string): Promise<{ availableBalance: number; actualBalance: number }> =>
  (await ada('GET', `/managed-accounts/${id}`)).body.balances;
const transfer = (
  from: readonly [string, string],
  to: readonly [string, string],
  amount: number,
  more: object = {},
  headers = {},
) =>
  ada(
    'POST',
    '/transfers',
    {
      source: { type: from[0], id: from[1] },
      destination: { type: to[0], id: to[1] },
      destinationAmount: { currency: 'EUR', amount },
      ...more,
    },
    headers,
  );
const A = (id: string) => ['managed_accounts', id] as const;
const C = (id: string) => ['managed_cards', id] as const;
const invariantsHold = async (): Promise<void> => {
  const { checks } = (await florin.operator('GET', '/operator/invariants?full=true')).body;
  assert.deepEqual(
    checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
};

test('the sandbox: 2001 EUR 10,000.00, 2003 blocked, 2004 USD 10,000.00, 2002 the corporate’s EUR 100,000.00', async () => {
  assert.deepEqual(await balances('2001'), { availableBalance: 1_000_000, actualBalance: 1_000_000 });
  const blocked = (await ada('GET', '/managed-accounts/2003')).body;
  assert.deepEqual(blocked.state, { state: 'BLOCKED', blockedReason: 'USER' });
  assert.equal((await ada('GET', '/managed-accounts/2004')).body.currency, 'USD');
  assert.equal((await ada('GET', '/managed-accounts/2002')).status, 404, 'another identity’s');
  const cor = await customer(florin, 'corporate@sandbox.test');
  assert.equal((await cor('GET', '/managed-accounts/2002')).body.balances.availableBalance, 10_000_000);
});

test('POST /managed-accounts: opened with nothing on it; field errors; conflicts', async () => {
  const id = await account({ tag: 'save-1' });
  const { body } = await ada('GET', `/managed-accounts/${id}`);
  assert.deepEqual(
    { ...body, creationTimestamp: 0 },
    {
      id,
      profileId: '1011',
      tag: 'save-1',
      friendlyName: 'Savings',
      currency: 'EUR',
      state: { state: 'ACTIVE' },
      balances: { availableBalance: 0, actualBalance: 0 },
      creationTimestamp: 0,
    },
  );
  const open = (fields: object) =>
    ada('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'x', currency: 'EUR', ...fields });
  assertInvalid(
    await ada('POST', '/managed-accounts', {}),
    'profileId REQUIRED',
    'friendlyName REQUIRED',
    'currency REQUIRED',
  );
  assertConflict(await open({ profileId: '1001' }), 'PROFILE_NOT_FOUND');
  assertConflict(await open({ profileId: '1012' }), 'PAYMENT_MODEL_CONSTRAINTS_VIOLATED');
  assertConflict(await open({ currency: 'JPY' }), 'CURRENCY_NOT_SUPPORTED_BY_PROFILE');
  const una = await customer(florin, 'unverified@sandbox.test');
  assertConflict(
    await una('POST', '/managed-accounts', { profileId: '1011', friendlyName: 'x', currency: 'EUR' }),
    'OWNER_IDENTITY_NOT_VERIFIED',
  );
});

test('GET /managed-accounts: a page, filters, the newest first', async () => {
  const ids = [await account({ tag: 'listed' }), await account({ tag: 'listed', friendlyName: 'Second' })].reverse();
  const list = async (query: string) => (await ada('GET', `/managed-accounts?tag=listed&${query}`)).body;
  assert.deepEqual(
    (await list('')).accounts.map(({ id }: { id: string }) => id),
    ids,
  );
  assert.deepEqual(
    (await list('limit=1&offset=1')).accounts.map(({ id }: { id: string }) => id),
    [ids[1]],
  );
  assert.equal((await list('friendlyName=Second')).count, 1);
  assert.equal((await list('currency=USD')).count, 0);
});

test('money arrives: deposit', async () => {
  const id = await account();
  assert.equal((await deposit(id, 1234)).status, 200);
  assert.deepEqual(await balances(id), { availableBalance: 1234, actualBalance: 1234 });
  for (const wrong of [0, -1, 1.5, 'much', 1e13]) assert.equal((await deposit(id, wrong)).status, 422, String(wrong));
  assert.equal((await deposit('12345', 1)).status, 404);
});

test('block, unblock, remove; blocks stack, and the operator’s is not the user’s to lift', async () => {
  const id = await account();
  const act = (verb: string) => ada('POST', `/managed-accounts/${verb}/${id}`);
  const operator = (verb: string) => florin.operator('POST', `/operator/managed-accounts/${id}/${verb}`);
  const state = async () => (await ada('GET', `/managed-accounts/${id}`)).body.state;
  assertConflict(await act('unblock'), 'INSTRUMENT_NOT_BLOCKED');
  assert.equal((await act('block')).status, 204);
  assertConflict(await act('block'), 'INSTRUMENT_ALREADY_BLOCKED');
  assert.equal((await operator('block')).status, 204);
  assert.deepEqual(await state(), { state: 'BLOCKED', blockedReason: 'SYSTEM' });
  assert.equal((await act('unblock')).status, 204);
  assert.deepEqual(await state(), { state: 'BLOCKED', blockedReason: 'SYSTEM' });
  assertConflict(await act('unblock'), 'INSTRUMENT_NOT_BLOCKED');
  assert.equal((await operator('unblock')).status, 204);
  assert.deepEqual(await state(), { state: 'ACTIVE' });
  await deposit(id, 1);
  assertConflict(await act('remove'), 'BALANCE_NOT_ZERO');
  await transfer(A(id), A('2001'), 1);
  const attached = await newCard(ada, { ...DEBIT, parentManagedAccountId: id });
  assertConflict(await act('remove'), 'INSTRUMENTS_ATTACHED');
  assert.equal((await ada('POST', `/cards/remove/${attached}`)).status, 204);
  assert.equal((await act('remove')).status, 204);
  assert.deepEqual(await state(), { state: 'DESTROYED', destroyedReason: 'USER' });
  assertConflict(await act('block'), 'INSTRUMENT_DESTROYED');
  assert.equal((await deposit(id, 1)).status, 409);
});

test('POST /transfers: between accounts and prepaid cards; shown again by GET', async () => {
  const card = await newCard(ada);
  const before = await balances('2001');
  const made = await transfer(A('2001'), C(card), 250, { tag: 'pocket', description: 'Pocket money' });
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(
    { ...made.body, id: '', creationTimestamp: 0 },
    {
      id: '',
      source: { type: 'managed_accounts', id: '2001' },
      destination: { type: 'managed_cards', id: card },
      destinationAmount: { currency: 'EUR', amount: 250 },
      tag: 'pocket',
      description: 'Pocket money',
      state: 'COMPLETED',
      creationTimestamp: 0,
    },
  );
  assert.deepEqual((await ada('GET', `/transfers/${made.body.id}`)).body, made.body);
  assert.deepEqual((await ada('GET', '/transfers?tag=pocket')).body.transfers, [made.body]);
  assert.deepEqual((await ada('GET', `/transfers?instrumentId=${card}`)).body.transfers, [made.body]);
  assert.equal((await balances('2001')).actualBalance, before.actualBalance - 250);
  assert.equal((await ada('GET', `/cards/${card}`)).body.balances.actualBalance, 250);
});

test('transfer field errors', async () => {
  assertInvalid(
    await ada('POST', '/transfers', { source: { type: 'banks', id: 'x' }, destinationAmount: { amount: '1' } }),
    'source.type NOT_IN',
    'source.id REGEX',
    'destination REQUIRED',
    'destinationAmount.currency REQUIRED',
    'destinationAmount.amount RANGE',
  );
});

test('AMOUNT_INVALID, FUNDS_INSUFFICIENT, CURRENCY_MISMATCH, SOURCE_NOT_FOUND, DESTINATION_NOT_FOUND, SOURCE_CANNOT_BE_DEBIT_MODE_CARD, …', async () => {
  const empty = await account();
  const debit = await newCard(ada, DEBIT);
  assertConflict(await transfer(A('2001'), A(empty), 0), 'AMOUNT_INVALID');
  assertConflict(await transfer(A('2001'), A(empty), -5), 'AMOUNT_INVALID');
  assertConflict(await transfer(A(empty), A('2001'), 1), 'FUNDS_INSUFFICIENT');
  assertConflict(await transfer(A('2001'), A('2004'), 1), 'CURRENCY_MISMATCH');
  assertConflict(await transfer(A('2002'), A('2001'), 1), 'SOURCE_NOT_FOUND');
  assertConflict(await transfer(A('2001'), C('99'), 1), 'DESTINATION_NOT_FOUND');
  assertConflict(await transfer(C('2001'), A(empty), 1), 'SOURCE_NOT_FOUND');
  assertConflict(await transfer(C(debit), A('2001'), 1), 'SOURCE_CANNOT_BE_DEBIT_MODE_CARD');
  assertConflict(await transfer(A('2001'), C(debit), 1), 'DESTINATION_CANNOT_BE_DEBIT_MODE_CARD');
  assertConflict(await transfer(A('2001'), A('2001'), 1), 'SOURCE_AND_DESTINATION_MUST_DIFFER');
  assertConflict(await transfer(A('2003'), A('2001'), 1), 'SOURCE_BLOCKED');
  assertConflict(await transfer(A('2001'), A('2003'), 1), 'DESTINATION_BLOCKED');
});

test('50 parallel transfers of the last cent: one wins', async () => {
  const [from, to] = [await account(), await account()];
  await deposit(from, 1);
  const replies = await Promise.all(Array.from({ length: 50 }, () => transfer(A(from), A(to), 1)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) assertConflict(reply, 'FUNDS_INSUFFICIENT');
  assert.equal((await balances(to)).actualBalance, 1);
});

test('transfers back and forth at once neither lock each other out nor lose a cent', async () => {
  const ids = [await account(), await account(), await account()];
  for (const id of ids) await deposit(id, 100);
  const replies = await Promise.all(
    Array.from({ length: 120 }, (_, i) =>
      transfer(A(ids[i % 3] as string), A(ids[(i + 1 + (i % 2)) % 3] as string), 1 + (i % 9)),
    ),
  );
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  const sums = await Promise.all(ids.map(balances));
  assert.equal(
    sums.reduce((sum, { actualBalance }) => sum + actualBalance, 0),
    300,
  );
  assert.ok(sums.every(({ actualBalance }) => actualBalance >= 0));
});

test('idempotency-ref on a transfer: sent 20 times, moved once', async () => {
  const [from, to] = [await account(), await account()];
  await deposit(from, 100);
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => transfer(A(from), A(to), 10, {}, { 'idempotency-ref': 'once-only' })),
  );
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  assert.equal((await balances(to)).actualBalance, 10);
  const other = await transfer(A(from), A(to), 11, {}, { 'idempotency-ref': 'once-only' });
  assertConflict(other, 'IDEMPOTENCY_REF_REUSED');
});

test('statement with running balances, as JSON and CSV', async () => {
  const id = await account();
  await deposit(id, 500);
  await transfer(A(id), A('2001'), 120, { description: '=cmd, "quoted"' });
  await transfer(A('2001'), A(id), 20);
  const statement = async (query = '') => (await ada('GET', `/managed-accounts/statement/${id}${query}`)).body;
  const { entry, count } = await statement();
  assert.equal(count, 3);
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: rows of a statement
    entry.map((row: any) => [row.sequence, row.transactionType, row.amount.amount, row.actualBalanceAfter.amount]),
    [
      [3, 'TRANSFER_IN', 20, 400],
      [2, 'TRANSFER_OUT', -120, 380],
      [1, 'DEPOSIT', 500, 500],
    ],
  );
  const oldest = await statement('?orderByTimestamp=ASC&limit=1');
  assert.deepEqual([oldest.entry[0].sequence, oldest.responseCount, oldest.count], [1, 1, 3]);
  const csv = await ada('GET', `/managed-accounts/statement/${id}?format=csv`);
  assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
  const lines = csv.text.trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[2] ?? '', /,"'=cmd, ""quoted"""$/, 'no spreadsheet runs it');
  assertInvalid(await ada('GET', `/managed-accounts/statement/${id}?limit=0`), 'limit RANGE');
});

test("a debit card's transactions are the part of its account's statement that is about it", async () => {
  const parent = await account();
  await deposit(parent, 10_000);
  const cards = [
    await newCard(ada, { ...DEBIT, parentManagedAccountId: parent }),
    await newCard(ada, { ...DEBIT, parentManagedAccountId: parent }),
  ];
  for (const [i, cardId] of cards.entries()) {
    const reply = await florin.operator('POST', '/simulator/purchases', {
      cardId,
      amount: 100 + i,
      currency: 'EUR',
      mcc: '5999',
      merchantId: 'SHOP1',
      country: 'DEU',
      channel: 'ecommerce',
      threeDs: true,
    });
    assert.equal(reply.body.approved, true, reply.text);
  }
  const { entry } = (await ada('GET', `/cards/transactions/${cards[1]}`)).body;
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: rows of a statement
    entry.map((row: any) => [row.transactionType, row.availableBalanceAdjustment.amount]),
    [['AUTHORISATION', -101]],
  );
  assert.deepEqual(await balances(parent), { availableBalance: 9799, actualBalance: 10_000 });
});

test('what is left on a card that expired can still leave it', async () => {
  const card = await fundedCard(ada, 70);
  await ada('PATCH', `/cards/${card}`, { renewalType: 'NO_RENEW' });
  for (let i = 0; i < 4; i++) await florin.operator('POST', '/simulator/clock/advance', { by: '366d' });
  ada = await customer(florin);
  const { body } = await ada('GET', `/cards/${card}`);
  assert.deepEqual([body.state, body.balances.actualBalance], [{ state: 'DESTROYED', destroyedReason: 'EXPIRED' }, 70]);
  assert.equal((await transfer(C(card), A('2001'), 70)).status, 200);
  assertConflict(await transfer(A('2001'), C(card), 1), 'DESTINATION_DESTROYED');
});

test('the books hold', invariantsHold);
