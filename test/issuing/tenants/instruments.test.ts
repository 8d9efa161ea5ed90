// What an operator does on behalf of an identity and for its users: accounts, cards, passwords, locks. Over HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import {
  assertBooksHold,
  cardRequest,
  customer,
  DEBIT,
  fundedCard,
  issuingClient,
  PASSWORD,
  purchase,
} from '../../support/issuing.ts';

let florin: TestApp;
let ada: Client;
before(async () => {
  florin = await testApp();
  ada = await customer(florin);
});

const ADA = '/operator/tenants/sandbox/identities/4001';
const NEW_PASSWORD = 'Another-long-password-1';
const operator = (method: string, path: string, body?: unknown): Promise<Reply> => florin.operator(method, path, body);
const login = (email: string, value: string): Promise<Reply> =>
  issuingClient(florin)('POST', '/auth/login', { email, password: { value } });
const audit = async (): Promise<{ action: string; target: string; result: string }[]> =>
  (await operator('GET', '/operator/audit')).body.audit;
const auditText = async (): Promise<string> => {
  const [row] = await florin.database.query<{ text: string }>(
    `select string_agg(a::text, ' ') as text from operator_audit a`,
  );
  return row?.text ?? '';
};

test('an account on behalf of an identity is its own account, audited', async () => {
  const body = { profileId: '1011', friendlyName: 'Opened by the desk', currency: 'EUR', tag: 'desk' };
  const { status, body: account } = await operator('POST', `${ADA}/accounts`, body);
  assert.equal(status, 201);
  assert.deepEqual([account.friendlyName, account.tag, account.state.state], ['Opened by the desk', 'desk', 'ACTIVE']);
  assert.deepEqual((await ada('GET', `/managed-accounts/${account.id}`)).body, account, 'as its owner sees it');
  const { body: list } = await operator('GET', `${ADA}/accounts`);
  assert.equal(list.accounts.length, list.count);
  assert.deepEqual(
    list.accounts.find(({ id }: { id: string }) => id === account.id),
    account,
  );
  const { body: page } = await operator('GET', `${ADA}/accounts?per_page=1&offset=1`);
  assert.deepEqual(page, { accounts: [list.accounts[1]], count: list.count });
  assert.deepEqual(
    (await audit()).slice(0, 1).map(({ action, target, result }) => [action, target, result]),
    [['account.create', 'sandbox/4001', 'done']],
  );
});

test('a card on behalf of an identity is its own card; nobody is shown its number', async () => {
  const { data } = cardRequest({ tag: 'by-desk', cardholderMobileNumber: '+35699000001' });
  const made = await operator('POST', `${ADA}/cards`, { data });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  assert.deepEqual(made.body, { id, type: 'consumer', data: { id, ...data, ...made.body.data } });
  const own = (await ada('GET', `/cards/${id}`)).body;
  assert.equal(own.tag, 'by-desk');
  const { body: list, text } = await operator('GET', `${ADA}/cards`);
  const { cardNumber: _number, cvv: _cvv, ...shown } = own;
  assert.deepEqual(list.cards[0], shown, 'the newest first, without number and CVV');
  assert.equal(list.count >= 1, true);
  const { number, cvv } = (await operator('GET', `/operator/cards/${id}/number`)).body;
  assert.equal(text.includes(number), false);
  assert.equal(made.text.includes(number), false);
  assert.equal(made.text.includes(`"${cvv}"`), false);
  assert.equal((await auditText()).includes(number), false);
  assert.ok((await audit()).some(({ action, result }) => action === 'card.create' && result === 'done'));
  const debit = await operator('POST', `${ADA}/cards`, cardRequest(DEBIT));
  assert.equal(debit.body.data.parentManagedAccountId, '2001', debit.text);
  await assertBooksHold(florin);
});

test("field errors are those of the customer's own request, one by one", async () => {
  const bodies: object[] = [
    {},
    { type: 'consumer' },
    { type: 'nobody', data: cardRequest().data },
    cardRequest({ friendlyName: ' ', nameOnCard: 'x'.repeat(28), currency: 'eur', profileId: 'a' }),
    cardRequest({ mode: 'DEBIT_MODE' }),
    cardRequest({ billingAddress: { city: 7 }, digitalWallets: { walletsEnabled: 'yes' } }),
    cardRequest({ threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'ANOTHER_PRODUCT' } }),
  ];
  for (const body of bodies) {
    const typed = { type: 'consumer', ...body };
    const theirs = await ada('POST', '/cards/request', typed);
    assert.equal(theirs.status, 400, theirs.text);
    const expected = theirs.body.syntaxErrors.invalidFields.map(
      ({ params, fieldName, error }: { params: string[]; fieldName: string; error: string }) =>
        `#/${[...params, fieldName].join('/')} ${error}`,
    );
    const { status, body: problem } = await operator('POST', `${ADA}/cards`, body);
    assert.equal(status, 422);
    assert.deepEqual(
      problem.errors.map(({ uri, attribute }: { uri: string; attribute: string }) => `${uri} ${attribute}`),
      expected,
    );
  }
  const account = await operator('POST', `${ADA}/accounts`, { profileId: '1011', currency: 'EURO' });
  assert.deepEqual(
    account.body.errors.map(({ uri, attribute }: { uri: string; attribute: string }) => `${uri} ${attribute}`),
    ['#/friendlyName REQUIRED', '#/currency SIZE'],
  );
});

test("conflicts are those of the customer's own request, and are audited", async () => {
  const bodies = [
    cardRequest({ profileId: '999999' }),
    cardRequest({ profileId: '1005' }),
    cardRequest({ currency: 'CHF' }),
    cardRequest({}, 'corporate'),
    cardRequest({ ...DEBIT, parentManagedAccountId: '999999' }),
    cardRequest({ digitalWallets: { walletsEnabled: true, artworkReference: 'nobodys' } }),
    cardRequest({
      cardholderMobileNumber: '+35699000001',
      threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'OTP_SMS' },
    }),
    cardRequest({ threeDSecureAuthConfig: { linkedUserId: '3002', primaryChannel: 'OTP_SMS' } }),
  ];
  const codes = new Set<string>();
  for (const body of bodies) {
    const theirs = await ada('POST', '/cards/request', body);
    assert.equal(theirs.status, 409, theirs.text);
    const ours = await operator('POST', `${ADA}/cards`, body);
    assert.deepEqual([ours.status, ours.body.errorCode], [409, theirs.body.errorCode]);
    assert.ok(ours.body.detail.startsWith(`${theirs.body.errorCode}: `));
    codes.add(ours.body.errorCode);
  }
  assert.ok(codes.size >= 7, [...codes].join());
  const told = (await audit()).filter(({ action }) => action === 'card.create').map(({ result }) => result);
  for (const code of codes) assert.ok(told.includes(code), code);
  const of = (id: string): Promise<Reply> =>
    operator('POST', `/operator/tenants/sandbox/identities/${id}/cards`, cardRequest());
  assert.equal((await of('4004')).body.errorCode, 'OWNER_IDENTITY_NOT_VERIFIED');
  assert.equal((await of('4006')).body.errorCode, 'IDENTITY_LIMITS_EXCEEDED');
  const account = { profileId: '1011', friendlyName: 'Mine', currency: 'CHF' };
  const refused = await operator('POST', `${ADA}/accounts`, account);
  assert.deepEqual([refused.status, refused.body.errorCode], [409, 'CURRENCY_NOT_SUPPORTED_BY_PROFILE']);
});

test('limits hold when operator and customer ask at once', async () => {
  const patched = await operator('PATCH', ADA, { settings: { cardLimits: { total: null, currencies: { GBP: 4 } } } });
  assert.equal(patched.status, 200, patched.text);
  const body = cardRequest({ currency: 'GBP' });
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0 ? ada('POST', '/cards/request', body) : operator('POST', `${ADA}/cards`, body),
    ),
  );
  assert.equal(replies.filter(({ status }) => status < 300).length, 4);
  assert.ok(
    replies.every(({ status, body: { errorCode } }) => status < 300 || errorCode === 'IDENTITY_LIMITS_EXCEEDED'),
  );
});

test('plastic ordered at once: its activation code goes to a user; without one there is no such card', async () => {
  const made = await operator('POST', `${ADA}/cards`, cardRequest({ profileId: '1013' }));
  assert.equal(made.status, 201, made.text);
  const { messages } = (await operator('GET', '/simulator/messages?to=%2B35699003100')).body;
  const [code] = /^\d{6}/.exec(messages[0].text) ?? [];
  const activated = await ada('POST', `/cards/activate/${made.body.id}`, { activationCode: code });
  assert.equal(activated.body.type, 'PHYSICAL', activated.text);
  const path = '/operator/tenants/sandbox/identities';
  const person = {
    programmeId: '5001',
    type: 'consumer',
    name: 'Nobody',
    kycState: 'APPROVED',
    kycLevel: 'KYC_LEVEL_2',
  };
  const { id } = (await operator('POST', path, person)).body;
  assert.equal((await operator('POST', `${path}/${id}/cards`, cardRequest())).status, 201, 'a card needs no user');
  const plastic = await operator('POST', `${path}/${id}/cards`, cardRequest({ profileId: '1013' }));
  assert.deepEqual([plastic.status, plastic.body.errorCode], [409, 'LINKED_USER_NOT_FOUND']);
  assert.equal((await operator('PATCH', `${path}/${id}`, { active: false })).status, 200);
  assert.equal((await operator('POST', `${path}/${id}/cards`, cardRequest())).status, 409, 'deactivated');
  assert.equal((await operator('GET', `${path}/${id}/cards`)).body.count, 1);
});

test('an identity of another tenant, or of nobody, is not there', async () => {
  const bodies = { accounts: { profileId: '1011', friendlyName: 'Mine', currency: 'EUR' }, cards: cardRequest() };
  for (const owner of ['sandbox-two/identities/4001', 'sandbox/identities/999999', 'nobody/identities/4001'])
    for (const [part, body] of Object.entries(bodies)) {
      const path = `/operator/tenants/${owner}/${part}`;
      assert.equal((await operator('POST', path, body)).status, 404, path);
      assert.equal((await operator('GET', path)).status, 404, path);
    }
  for (const who of ['sandbox-two/users/3001', 'sandbox/users/4001', 'nobody/users/3001']) {
    const path = `/operator/tenants/${who}`;
    assert.equal((await operator('POST', `${path}/password`, { value: NEW_PASSWORD })).status, 404, path);
    assert.equal((await operator('POST', `${path}/unlock`, {})).status, 404, path);
  }
  assert.equal((await login('consumer@sandbox.test', PASSWORD)).status, 200, 'nothing was changed');
  assert.equal((await florin.clientWith(null)('GET', `${ADA}/cards`)).status, 401);
});

test('a new password ends every session, lifts the lock, and stands nowhere', async () => {
  const email = 'corporate@sandbox.test';
  const { users } = (await operator('GET', '/operator/tenants/sandbox/identities/4002/users')).body;
  const user = users.find((one: { email: string }) => one.email === email);
  const sessions = [await customer(florin, email), await customer(florin, email)];
  for (let i = 0; i < 5; i++) assert.equal((await login(email, 'wrong')).status, 401);
  assert.equal((await login(email, PASSWORD)).status, 423);
  const path = `/operator/tenants/sandbox/users/${user.id}/password`;
  for (const value of ['short', 7, null]) assert.equal((await operator('POST', path, { value })).status, 422);
  const reset = await operator('POST', path, { value: NEW_PASSWORD });
  assert.deepEqual([reset.status, reset.text], [204, '']);
  for (const session of sessions) {
    const { status, body } = await session('GET', '/cards');
    assert.deepEqual([status, body.errorCode], [403, 'ACCESS_TOKEN_REQUIRED']);
    assert.equal((await session('POST', '/auth/stepup/send-otp', {})).status, 403, 'nor does a step-up revive it');
  }
  assert.equal((await login(email, PASSWORD)).status, 401);
  assert.equal((await login(email, NEW_PASSWORD)).status, 200);
  assert.equal((await ada('GET', '/cards')).status, 200, 'other users stay as they are');
  const [row] = await florin.database.query<{ password: { memory: number; passes: number }; text: string }>(
    'select password, u::text as text from users u where email = $1',
    [email],
  );
  assert.deepEqual([row?.password.memory, row?.password.passes], [19_456, 2], 'argon2id');
  assert.equal(row?.text.includes(NEW_PASSWORD), false);
  assert.equal((await auditText()).includes(NEW_PASSWORD), false);
  assert.deepEqual(
    (await audit())
      .filter(({ action }) => action === 'user.password')
      .map(({ target, result }) => `${target} ${result}`),
    [`sandbox/${user.id} done`],
  );
});

test('a login with the old password that is under way while it is reset leads nowhere', async () => {
  const email = 'no-factors@sandbox.test';
  for (let i = 0; i < 6; i++) {
    const [old, value] = [i === 0 ? PASSWORD : `${NEW_PASSWORD}-${i - 1}`, `${NEW_PASSWORD}-${i}`];
    const logins = Array.from({ length: 4 }, () => login(email, old));
    const reset = await operator('POST', '/operator/tenants/sandbox/users/3004/password', { value });
    assert.equal(reset.status, 204);
    for (const { body } of await Promise.all(logins)) {
      if (!body.token) continue;
      const used = await issuingClient(florin, 'sandbox-secret', body.token)('GET', '/cards');
      assert.equal(used.status, 403, 'a session of the old password');
    }
    assert.equal((await login(email, value)).status, 200, 'wrong tries before the reset lock nobody out');
  }
});

test('unlocking lets the same password in again, and keeps sessions', async () => {
  const email = 'no-mobile@sandbox.test';
  const before = await customer(florin, email);
  for (let i = 0; i < 5; i++) assert.equal((await login(email, 'wrong')).status, 401);
  assert.equal((await login(email, PASSWORD)).status, 423);
  assert.equal((await operator('POST', '/operator/tenants/sandbox/users/3002/unlock', {})).status, 204);
  assert.equal((await login(email, PASSWORD)).status, 200);
  assert.equal((await before('GET', '/cards')).status, 200);
  for (let i = 0; i < 4; i++) assert.equal((await login(email, 'wrong')).status, 401);
  assert.equal((await login(email, PASSWORD)).status, 200, 'the count began anew');
  assert.equal((await audit())[0]?.action, 'user.unlock');
});

test('the description has them all, with an example each', async () => {
  const { body } = await operator('GET', '/openapi.json');
  const of = (path: string, method: string) => body.paths[`/operator/tenants/{tenant}${path}`]?.[method];
  for (const part of ['accounts', 'cards']) {
    assert.ok(of(`/identities/{id}/${part}`, 'post').requestBody.content['application/json'].example);
    assert.ok(of(`/identities/{id}/${part}`, 'get').responses[200]);
  }
  assert.ok(of('/users/{id}/password', 'post').requestBody);
  assert.equal(of('/users/{id}/unlock', 'post').requestBody, undefined);
  assert.ok(of('/identities/{id}', 'get'));
});

test('three wrong CVVs stop the CVV of a card until the operator unblocks it; its state and its owner have no say', async () => {
  const id = await fundedCard(ada, 10_000);
  const { cvv } = (await operator('GET', `/operator/cards/${id}/number`)).body;
  const pay = async (fields: Record<string, unknown>): Promise<string> =>
    (await purchase(florin, id, 100, fields)).responseCode;
  const stop = async (): Promise<void> => {
    const wrong = { cvv: `${(Number(cvv) + 1) % 1000}`.padStart(3, '0') };
    assert.deepEqual([await pay(wrong), await pay(wrong), await pay(wrong)], ['82', '82', '82']);
    assert.deepEqual([await pay(wrong), await pay({ cvv }), await pay({})], ['62', '62', '00']);
  };
  const shown = async () => {
    const { cards } = (await operator('GET', `${ADA}/cards`)).body;
    const { state, cvvBlocked } = cards.find((card: { id: string }) => card.id === id);
    return [state.state, state.blockedReason, cvvBlocked];
  };
  const unblock = async (): Promise<number> => (await operator('POST', `/operator/cards/${id}/unblock`)).status;
  assert.equal(await unblock(), 409, 'nothing to lift');
  await stop();
  assert.deepEqual(await shown(), ['ACTIVE', undefined, true]);
  assert.equal((await ada('GET', `/cards/${id}`)).body.cvvBlocked, undefined);
  assert.equal((await ada('POST', `/cards/unblock/${id}`)).body.errorCode, 'INSTRUMENT_NOT_BLOCKED');
  assert.equal(await pay({ cvv }), '62');
  assert.equal(await unblock(), 204);
  assert.deepEqual(
    (await audit()).slice(0, 1).map(({ action, target, result }) => [action, target, result]),
    [['card.unblock', id, 'done']],
  );
  assert.deepEqual(await shown(), ['ACTIVE', undefined, undefined]);
  assert.equal(await pay({ cvv }), '00');
  assert.equal(await unblock(), 409, 'lifted already');
  // Beside its owner's block, which stays, and beside the operator's, which goes with it.
  await stop();
  assert.equal((await ada('POST', `/cards/block/${id}`)).status, 204);
  assert.equal(await unblock(), 204);
  assert.deepEqual(await shown(), ['BLOCKED', 'USER', undefined]);
  assert.equal((await ada('POST', `/cards/unblock/${id}`)).status, 204);
  await stop();
  assert.equal((await operator('POST', `/operator/cards/${id}/block`)).status, 204);
  assert.equal(await unblock(), 204);
  assert.deepEqual(await shown(), ['ACTIVE', undefined, undefined]);
  assert.equal(await pay({ cvv }), '00');
});
