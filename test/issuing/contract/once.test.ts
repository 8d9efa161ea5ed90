// "`idempotency-ref` request header: kept 24 h, other payload 409": every request that changes something, over HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  advance,
  assertBooksHold,
  assertConflict,
  cardRequest,
  customer,
  DEBIT,
  newCard,
  PASSWORD,
  plasticCard,
  steppedUp,
  UPGRADE,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await steppedUp(florin);
});

type Request = readonly [method: string, path: string, body?: unknown];
let refs = 0;
const other = ([method, path, body]: Request): Request => [method, path, { ...(body as object | undefined), other: 1 }];

/** Sent twice it is done once and answered the same; with another payload it is refused. */
async function assertOnce(name: string, request: Request, as = ada): Promise<Reply> {
  const ref = { 'idempotency-ref': `once-${++refs}` };
  const send = ([method, path, body]: Request) => as(method, path, body, ref);
  const first = await send(request);
  assert.ok(first.status < 300, `${name}: ${first.text}`);
  const again = await send(request);
  assert.deepEqual([again.status, again.text], [first.status, first.text], name);
  assert.equal(again.headers.get('idempotent-replay'), 'true', name);
  assertConflict(await send(other(request)), 'IDEMPOTENCY_REF_REUSED');
  return first;
}

test('cards, limits, wallet tokens, accounts, transfers', async () => {
  const { body: card } = await assertOnce('request', ['POST', '/cards/request', cardRequest()]);
  const debit = await newCard(ada, DEBIT);
  const on = await newCard(ada, { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } });
  const plastic = await plasticCard(ada, true);
  await assertOnce('PATCH', ['PATCH', `/cards/${card.id}`, { friendlyName: 'Once' }]);
  for (const method of ['PUT', 'PATCH']) await assertOnce(method, [method, `/cards/limits/${debit}`, { data: {} }]);
  await assertOnce('DELETE limits', ['DELETE', `/cards/limits/${debit}`]);
  await assertOnce('block', ['POST', `/cards/block/${card.id}`]);
  await assertOnce('unblock', ['POST', `/cards/unblock/${card.id}`]);
  await assertOnce('upgrade', ['POST', `/cards/upgrade/${card.id}`, UPGRADE]);
  await assertOnce('activate', ['POST', `/cards/activate/${card.id}`, { activationCode: UPGRADE.activationCode }]);
  await assertOnce('damaged', ['POST', `/cards/replace-damaged/${plastic}`, {}]);
  await assertOnce('lost', ['POST', `/cards/report-lost/${plastic}`]);
  await assertOnce('replaced', ['POST', `/cards/replace-lost-stolen/${plastic}`, {}]);
  await assertOnce('stolen', ['POST', `/cards/report-stolen/${card.id}`]);
  await assertOnce('remove', ['POST', `/cards/remove/${debit}`]);
  const token = await assertOnce('token', ['POST', `/cards/wallet-tokens/${on}`, { wallet: 'APPLE', device: 'phone' }]);
  await assertOnce('token off', ['DELETE', `/cards/wallet-tokens/${on}/${token.body.id}`]);

  const asked = { profileId: '1011', friendlyName: 'Once', currency: 'EUR' };
  const { body: account } = await assertOnce('account', ['POST', '/managed-accounts', asked]);
  for (const verb of ['block', 'unblock']) await assertOnce(verb, ['POST', `/managed-accounts/${verb}/${account.id}`]);
  const moved = {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id: on },
    destinationAmount: { currency: 'EUR', amount: 100 },
  };
  await assertOnce('transfer', ['POST', '/transfers', moved]);
  assert.equal((await ada('GET', `/cards/${on}`)).body.balances.actualBalance, 100);
  await assertOnce('remove account', ['POST', `/managed-accounts/remove/${account.id}`]);
});

test('users, factors, passwords', async () => {
  const person = { name: 'Grace', surname: 'Example', email: 'grace.once@shop.example' };
  const { body: user } = await assertOnce('user', ['POST', '/users', person]);
  await assertOnce('PATCH user', ['PATCH', `/users/${user.id}`, { name: 'Other' }]);
  for (const verb of ['deactivate', 'activate']) await assertOnce(verb, ['POST', `/users/${verb}/${user.id}`]);
  for (const method of ['PUT', 'DELETE']) await assertOnce(`${method} factor`, [method, '/factors/OTP_SMS']);
  const bea = await customer(florin, 'consumer@sandbox-two.test', 'sandbox-two-secret');
  const change = { oldPassword: { value: PASSWORD }, newPassword: { value: 'Another-Sandbox-12345' } };
  await assertOnce('password', ['POST', '/users/password', change], bea);
});

test('a ref that was used for another request changes nothing, and after 24 h it is free again', async () => {
  const id = await newCard(ada);
  const ref = { 'idempotency-ref': 'a-day' };
  const block = () => ada('POST', `/cards/block/${id}`, undefined, ref);
  assert.equal((await block()).status, 204);
  await advance(florin, '23h');
  ada = await customer(florin);
  assert.equal((await block()).status, 204, 'kept');
  await advance(florin, '2h');
  ada = await customer(florin);
  assertConflict(await block(), 'INSTRUMENT_ALREADY_BLOCKED');
});

test('the books hold', () => assertBooksHold(florin));

test('a wrong activation code is counted once, however often its request is repeated', async () => {
  const id = await plasticCard(ada, false);
  const send = (ref: string, activationCode: string): Promise<Reply> =>
    ada('POST', `/cards/activate/${id}`, { activationCode }, { 'idempotency-ref': `${ref}-${id}` });
  const first = await send('wrong', '999');
  assertConflict(first, 'ACTIVATION_CODE_INVALID');
  // More often than a code may be wrong.
  for (let i = 0; i < 6; i++) {
    const again = await send('wrong', '999');
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.equal(again.headers.get('idempotent-replay'), 'true');
  }
  assertConflict(await send('wrong', UPGRADE.activationCode), 'IDEMPOTENCY_REF_REUSED');
  assert.equal((await send('right', UPGRADE.activationCode)).status, 200);
});
