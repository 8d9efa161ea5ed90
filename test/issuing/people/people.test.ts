// Identities, users, factors (docs/contract/issuing.md#endpoints) and wallet tokens (#wallet-tokens):
// requested, active, suspended, deleted; block suspends, destroy deletes, replacement re-points.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  assertConflict,
  assertInvalid,
  customer,
  issuingClient,
  newCard,
  PASSWORD,
  plasticCard,
} from '../../support/issuing.ts';

let florin: TestApp;
/** The corporate's root user, stepped up. */
let root: Client;
before(async () => {
  florin = await testApp();
  root = await steppedUp('corporate@sandbox.test');
});

async function steppedUp(email: string): Promise<Client> {
  const as = await customer(florin, email);
  assert.equal((await as('POST', '/auth/stepup/send-otp', {})).status, 204);
  assert.equal((await as('POST', '/auth/stepup/verify-otp', { verificationCode: '123456' })).status, 204);
  return as;
}

const forbidden = ({ status, body }: Reply) => [status, body?.errorCode];
let serial = 0;
const person = (fields: object = {}) => ({
  name: 'Grace',
  surname: 'Example',
  email: `grace${++serial}@shop.example`,
  ...fields,
});
const made = async (fields: object = {}): Promise<Record<string, string>> => {
  const reply = await root('POST', '/users', person({ password: { value: PASSWORD }, ...fields }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};

describe('users', () => {
  it('the identity of the session, and no other', async () => {
    const [me] = (await root('GET', '/users')).body.users;
    const { status, body } = await root('GET', `/identities/${me.identityId}`);
    assert.equal(status, 200);
    assert.deepEqual(
      [body.id, body.type, body.verification, body.active],
      [me.identityId, 'corporate', { state: 'APPROVED', level: 'KYC_LEVEL_2' }, true],
    );
    const other = await customer(florin);
    const theirs = await other('GET', `/identities/${me.identityId}`);
    const unknown = await other('GET', '/identities/1234567890');
    assert.deepEqual([theirs.status, theirs.text], [404, unknown.text]);
  });

  it('the root user makes users, stepped up; they log in and see themselves alone', async () => {
    const plain = await customer(florin, 'corporate@sandbox.test');
    assert.deepEqual(forbidden(await plain('POST', '/users', person())), [403, 'STEP_UP_REQUIRED']);
    const user = await made({ mobileNumber: '+35699000777', email: 'Mixed.Case@shop.example' });
    assert.deepEqual(
      [user.type, user.email, user.mobileNumber, user.active],
      ['USER', 'mixed.case@shop.example', '+35699000777', true],
    );
    const own = await customer(florin, 'mixed.case@shop.example');
    assert.deepEqual((await own('GET', '/users')).body, { users: [user], count: 1, responseCount: 1 });
    assert.deepEqual((await own('GET', `/users/${user.id}`)).body, user);
    const [boss] = (await root('GET', '/users?limit=1')).body.users;
    assert.equal(boss.type, 'ROOT');
    assert.equal((await own('GET', `/users/${boss.id}`)).status, 404);
    assert.deepEqual(forbidden(await own('POST', '/users', person())), [403, 'ROOT_USER_REQUIRED']);
    assert.deepEqual(forbidden(await own('POST', `/users/deactivate/${user.id}`)), [403, 'ROOT_USER_REQUIRED']);
  });

  it('wrong fields, all at once', async () => {
    assertInvalid(
      await root('POST', '/users', { name: ' ', email: 'x', mobileNumber: '0699', password: { value: 'short' } }),
      'name HAS_TEXT',
      'surname REQUIRED',
      'email SIZE',
      'mobileNumber SIZE',
      'password.value SIZE',
    );
  });

  it('an e-mail address is one user’s, also of ten at once; idempotency-ref makes it one request', async () => {
    const same = person();
    const all = await Promise.all(Array.from({ length: 10 }, () => root('POST', '/users', same)));
    assert.equal(all.filter(({ status }) => status === 200).length, 1);
    for (const reply of all.filter(({ status }) => status !== 200)) assertConflict(reply, 'EMAIL_NOT_UNIQUE');
    const once = { 'idempotency-ref': 'user-1' };
    const body = person();
    const first = await root('POST', '/users', body, once);
    assert.equal((await root('POST', '/users', body, once)).text, first.text);
  });

  it('a deactivated user is out at once; the root user stays', async () => {
    const user = await made();
    const own = await customer(florin, user.email);
    assert.equal((await root('POST', `/users/deactivate/${user.id}`)).status, 204);
    assert.deepEqual(forbidden(await own('GET', '/users')), [403, 'ACCESS_TOKEN_REQUIRED']);
    const login = () =>
      issuingClient(florin)('POST', '/auth/login', { email: user.email, password: { value: PASSWORD } });
    assert.equal((await login()).status, 410);
    assert.equal((await root('POST', `/users/activate/${user.id}`)).status, 204);
    assert.equal((await login()).status, 200);
    assert.deepEqual(
      forbidden(await own('GET', '/users')),
      [403, 'ACCESS_TOKEN_REQUIRED'],
      'the old session stays over',
    );
    const [boss] = (await root('GET', '/users')).body.users;
    assertConflict(await root('POST', `/users/deactivate/${boss.id}`), 'ROOT_USER_ALWAYS_ACTIVE');
  });

  it('a name may be changed by anybody, what opens an account only stepped up', async () => {
    const user = await made();
    const own = await customer(florin, user.email);
    assert.equal((await own('PATCH', `/users/${user.id}`, { name: 'Gracia' })).body.name, 'Gracia');
    for (const patch of [{ email: 'other@shop.example' }, { mobileNumber: '+35699000778' }])
      assert.deepEqual(forbidden(await own('PATCH', `/users/${user.id}`, patch)), [403, 'STEP_UP_REQUIRED']);
    const changed = await root('PATCH', `/users/${user.id}`, {
      email: 'New@shop.example',
      mobileNumber: '+35699000778',
    });
    assert.deepEqual([changed.body.email, changed.body.mobileNumber], ['new@shop.example', '+35699000778']);
    assertConflict(await root('PATCH', `/users/${user.id}`, { email: 'corporate@sandbox.test' }), 'EMAIL_NOT_UNIQUE');
  });

  it('the password: the old one is asked for, five wrong ones lock', async () => {
    const user = await made();
    const own = await customer(florin, user.email);
    const change = (old: string, next: string) =>
      own('POST', '/users/password', { oldPassword: { value: old }, newPassword: { value: next } });
    const elsewhere = await customer(florin, user.email);
    assert.equal((await change(PASSWORD, 'Another-12345')).status, 204);
    assert.deepEqual(forbidden(await elsewhere('GET', '/users')), [403, 'ACCESS_TOKEN_REQUIRED']);
    assert.equal((await own('GET', '/users')).status, 200, 'his own stays');
    const login = (value: string) =>
      issuingClient(florin)('POST', '/auth/login', { email: user.email, password: { value } });
    assert.deepEqual([(await login(PASSWORD)).status, (await login('Another-12345')).status], [401, 200]);
    for (let i = 0; i < 5; i++) assertConflict(await change('wrong', 'Third-123456'), 'PASSWORD_INVALID');
    assert.equal((await change('Another-12345', 'Third-123456')).status, 423);
  });

  it('factors: enrolled and given up, stepped up; the programme may have them off', async () => {
    const user = await made({ mobileNumber: '+35699000779' });
    const own = await steppedUp(user.email as string);
    const enrolled = async () =>
      (await own('GET', '/factors')).body.factors
        .filter(({ enrolled: on }: { enrolled: boolean }) => on)
        .map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(await enrolled(), []);
    for (const kind of ['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY'])
      assert.equal((await own('PUT', `/factors/${kind}`)).status, 204, kind);
    assert.deepEqual(await enrolled(), ['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY']);
    assert.equal((await own('DELETE', '/factors/BIOMETRICS')).status, 204);
    assert.deepEqual(await enrolled(), ['OTP_SMS', 'EXTERNAL_AUTHY']);
    assertInvalid(await own('PUT', '/factors/PIGEON'), 'kind NOT_IN');
    const plain = await customer(florin, user.email);
    assert.deepEqual(forbidden(await plain('PUT', '/factors/BIOMETRICS')), [403, 'STEP_UP_REQUIRED']);
    const silent = await made();
    // No mobile, no code, no step-up.
    assertConflict(
      await (await customer(florin, silent.email))('POST', '/auth/stepup/send-otp', {}),
      'CHANNEL_NOT_REGISTERED',
    );
  });
});

describe('wallet tokens', () => {
  let ada: Client;
  before(async () => {
    ada = await customer(florin);
  });
  const WALLETS = { digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true } };
  const ask = (card: string, device = 'phone-1') =>
    ada('POST', `/cards/wallet-tokens/${card}`, { wallet: 'APPLE', device });
  const states = async (card: string): Promise<string[]> =>
    (await ada('GET', `/cards/wallet-tokens/${card}`)).body.tokens.map(({ state }: { state: string }) => state);
  const device = (id: string, cardId: string, result = 'success') =>
    florin.operator('POST', `/simulator/wallet-tokens/${id}`, { cardId, result });
  const active = async (card: string, name?: string): Promise<string> => {
    const { body } = await ask(card, name);
    assert.equal((await device(body.id, card)).status, 204);
    return body.id;
  };

  it('requested, taken into use by the device, deleted; one a card and device', async () => {
    const card = await newCard(ada, WALLETS);
    const first = await ask(card);
    assert.deepEqual([first.status, first.body.state, first.body.cardId], [200, 'REQUESTED', card]);
    assert.equal((await ask(card)).text, first.text, 'the same device, the same token');
    assert.equal((await device(first.body.id, card)).status, 204);
    assert.equal((await device(first.body.id, card)).status, 409);
    const second = await ask(card, 'watch');
    assert.equal((await device(second.body.id, card, 'declined')).status, 204);
    assert.deepEqual(await states(card), ['ACTIVE', 'DELETED']);
    const remove = () => ada('DELETE', `/cards/wallet-tokens/${card}/${first.body.id}`);
    assert.equal((await remove()).status, 204);
    assertConflict(await remove(), 'STATE_INVALID');
    assert.equal((await ada('DELETE', `/cards/wallet-tokens/${card}/1234567890`)).status, 404);
  });

  it('"block suspends, destroy deletes"; one that waits for its device waits on', async () => {
    const card = await newCard(ada, WALLETS);
    await active(card);
    const waiting = await ask(card, 'watch');
    assert.equal((await ada('POST', `/cards/block/${card}`)).status, 204);
    assert.deepEqual(await states(card), ['SUSPENDED', 'REQUESTED']);
    assert.equal((await device(waiting.body.id, card)).status, 409);
    assertConflict(await ask(card, 'third'), 'INSTRUMENT_BLOCKED');
    assert.equal((await ada('POST', `/cards/unblock/${card}`)).status, 204);
    assert.deepEqual(await states(card), ['ACTIVE', 'REQUESTED']);
    assert.equal((await ada('POST', `/cards/remove/${card}`)).status, 204);
    assert.deepEqual(await states(card), ['DELETED', 'DELETED']);
    assertConflict(await ask(card, 'third'), 'INSTRUMENT_DESTROYED');
  });

  it('"replacement re-points": the new card has the tokens of the old one', async () => {
    const card = await plasticCard(ada, true, WALLETS);
    await active(card);
    assert.equal((await ada('POST', `/cards/report-lost/${card}`)).status, 204);
    assert.deepEqual(await states(card), ['SUSPENDED']);
    const replaced = await ada('POST', `/cards/replace-lost-stolen/${card}`, {});
    assert.equal(replaced.status, 200, replaced.text);
    assert.deepEqual(await states(replaced.body.id), ['ACTIVE']);
    assert.deepEqual(await states(card), []);
  });

  it('only where the card has wallets and push provisioning on, and for its own cardholder', async () => {
    const card = await newCard(ada, WALLETS);
    const without = await newCard(ada);
    assertConflict(await ask(without), 'WALLETS_NOT_ENABLED');
    assertConflict(
      await ask(await newCard(ada, { digitalWallets: { walletsEnabled: true } })),
      'PUSHPROVISIONING_NOT_ENABLED',
    );
    const body = { wallet: 'APPLE', device: 'phone-1' };
    const foreign = await root('POST', `/cards/wallet-tokens/${card}`, body);
    const unknown = await root('POST', '/cards/wallet-tokens/1234567890', body);
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
    assert.equal((await root('GET', `/cards/wallet-tokens/${card}`)).status, 404);
    assertInvalid(
      await ada('POST', `/cards/wallet-tokens/${card}`, { wallet: 'PURSE' }),
      'wallet NOT_IN',
      'device REQUIRED',
    );
  });
});
