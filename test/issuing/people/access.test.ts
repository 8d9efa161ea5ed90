// docs/contract/issuing.md#authentication, over real HTTP with the clock in hand.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type TestApp, testApp } from '../../support/app.ts';
import { assertConflict, assertInvalid, customer, issuingClient, PASSWORD, tokenOf } from '../../support/issuing.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const secretOnly = (): Client => issuingClient(florin);
const login = (email: unknown, password: unknown = PASSWORD, secret = 'sandbox-secret') =>
  issuingClient(florin, secret)('POST', '/auth/login', { email, password: { value: password } });
const withToken = (token: string, secret = 'sandbox-secret'): Client => issuingClient(florin, secret, token);
const advance = (by: string) => florin.operator('POST', '/simulator/clock/advance', { by });

test('POST /auth/login {email, password {value}}: 200 {token, tokenType ACCESS, identity {id, type}, credentials {id, type}}', async () => {
  const { status, body } = await login(' Consumer@Sandbox.test ');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['credentials', 'identity', 'token', 'tokenType']);
  assert.equal(body.tokenType, 'ACCESS');
  assert.deepEqual(body.identity, { id: '4001', type: 'consumer' });
  assert.deepEqual(body.credentials, { id: '3100', type: 'ROOT' });
  assert.equal((await login('corporate@sandbox.test')).body.identity.type, 'corporate');
  assert.ok(Buffer.from(body.token, 'base64url').length >= 32 + 8, '256 random bits');
});

test('login fields: REQUIRED, HAS_TEXT', async () => {
  const post = (body: unknown) => secretOnly()('POST', '/auth/login', body);
  assertInvalid(await post({}), 'email REQUIRED', 'password REQUIRED');
  assertInvalid(await post({ email: ' ', password: { value: '' } }), 'email HAS_TEXT', 'password.value HAS_TEXT');
});

test('wrong credentials 401: the same bytes for a wrong password and an unknown address', async () => {
  const wrong = await login('level1@sandbox.test', 'wrong');
  const unknown = await login('nobody@sandbox.test', 'wrong');
  assert.deepEqual([wrong.status, wrong.text], [401, unknown.text]);
  assert.equal(unknown.status, 401);
});

test('deactivated 410, only for who knows the password', async () => {
  assert.equal((await login('inactive@sandbox.test')).status, 410);
  assert.equal((await login('inactive@sandbox.test', 'wrong')).status, 401);
});

test('5 failures: 423 for 30 minutes, also with the right password, also for an unknown address', async () => {
  for (const email of ['other@sandbox.test', 'unknown-to-all@sandbox.test']) {
    for (let i = 0; i < 5; i++) assert.equal((await login(email, 'wrong')).status, 401, `${email} ${i}`);
    assert.equal((await login(email)).status, 423);
  }
  await advance('29m');
  assert.equal((await login('other@sandbox.test')).status, 423);
  await advance('1m');
  assert.equal((await login('other@sandbox.test')).status, 200);
  assert.equal((await login('unknown-to-all@sandbox.test')).status, 401);
});

test('of 30 wrong passwords at once five are judged', async () => {
  const replies = await Promise.all(Array.from({ length: 30 }, () => login('limited@sandbox.test', 'wrong')));
  assert.equal(replies.filter(({ status }) => status === 401).length, 5);
  assert.equal(replies.filter(({ status }) => status === 423).length, 25);
});

test('Missing or wrong x-secret: 401. Missing token: 401. Tokens belong to the tenant of the secret, else 401', async () => {
  const token = await tokenOf(florin);
  const cards = (secret: string | null, key: string | null) => issuingClient(florin, secret, key)('GET', '/cards');
  const bytes = new Set<string>();
  for (const [secret, key] of [
    [null, token],
    ['wrong', token],
    ['sandbox-secret', null],
    ['sandbox-two-secret', token],
  ] as const) {
    const reply = await cards(secret, key);
    assert.equal(reply.status, 401, `${secret} ${key?.length}`);
    bytes.add(reply.text);
  }
  assert.equal(bytes.size, 1, 'the same bytes whatever is wrong');
  assert.equal((await cards('sandbox-secret', token)).status, 200);
});

test('Absolute 24 h, unknown, logged out: 403 ACCESS_TOKEN_REQUIRED', async () => {
  const unknown = await withToken('x'.repeat(54))('GET', '/cards');
  assert.deepEqual([unknown.status, unknown.body.errorCode], [403, 'ACCESS_TOKEN_REQUIRED']);
  const token = await tokenOf(florin);
  assert.equal((await withToken(token)('POST', '/auth/logout')).status, 204);
  const out = await withToken(token)('GET', '/cards');
  assert.deepEqual([out.status, out.text], [403, unknown.text]);
});

test('Absolute 24 h holds however busy the session is', async () => {
  const token = await tokenOf(florin);
  const used = async (): Promise<number> => (await withToken(token)('GET', '/transfers?limit=1')).status;
  for (let i = 0; i < 24 * 15 - 1; i++) {
    await advance('4m');
    assert.equal(await used(), 200, `${i}`);
  }
  await advance('4m');
  assert.equal((await withToken(token)('GET', '/cards')).body.errorCode, 'ACCESS_TOKEN_REQUIRED');
});

test('Idle 5 minutes, restarted by each call: 403 STEP_UP_REQUIRED, and a step-up revives the same token', async () => {
  const token = await tokenOf(florin);
  const as = withToken(token);
  for (let i = 0; i < 3; i++) {
    await advance('4m');
    assert.equal((await as('GET', '/cards')).status, 200);
  }
  await advance('5m');
  const idle = await as('GET', '/cards');
  assert.deepEqual([idle.status, idle.body.errorCode], [403, 'STEP_UP_REQUIRED']);
  assert.deepEqual(Object.keys(idle.body).sort(), ['errorCode', 'message']);
  assert.equal((await as('POST', '/auth/stepup/send-otp', { channel: 'SMS' })).status, 204);
  assert.equal((await as('GET', '/cards')).status, 403, 'a code that was sent revives nothing');
  assert.equal((await as('POST', '/auth/stepup/verify-otp', { verificationCode: '123456' })).status, 204);
  assert.equal((await as('GET', '/cards')).status, 200);
});

test('the code goes to the user, and the outbox can be read', async () => {
  const as = await customer(florin);
  await as('POST', '/auth/stepup/send-otp');
  const { messages } = (await florin.operator('GET', '/simulator/messages?to=%2B35699003100')).body;
  assert.match(messages[0].text, /^123456 /);
});

test('send-otp: CHANNEL_NOT_SUPPORTED, CHANNEL_NOT_REGISTERED, RETRY_IN_15SEC, CHALLENGE_LIMIT_EXCEEDED', async () => {
  const as = await customer(florin);
  const send = (body: object = {}) => as('POST', '/auth/stepup/send-otp', body);
  assertConflict(await send({ channel: 'EMAIL' }), 'CHANNEL_NOT_SUPPORTED');
  const noMobile = await customer(florin, 'no-mobile@sandbox.test');
  assertConflict(await noMobile('POST', '/auth/stepup/send-otp', {}), 'CHANNEL_NOT_REGISTERED');
  for (let i = 0; i < 5; i++) {
    assert.equal((await send()).status, 204, `${i}`);
    assertConflict(await send(), 'RETRY_IN_15SEC');
    await advance('15s');
  }
  assertConflict(await send(), 'CHALLENGE_LIMIT_EXCEEDED');
});

test('verify-otp: VERIFICATION_CODE_INVALID, _EXPIRED, STATE_INVALID, ALREADY_VERIFIED, CHALLENGE_LIMIT_EXCEEDED', async () => {
  const verify = (as: Client, verificationCode: unknown) => as('POST', '/auth/stepup/verify-otp', { verificationCode });
  const as = await customer(florin);
  assertInvalid(await verify(as, '12345'), 'verificationCode REGEX');
  assertInvalid(await verify(as, undefined), 'verificationCode REQUIRED');
  assertConflict(await verify(as, '123456'), 'STATE_INVALID');
  await as('POST', '/auth/stepup/send-otp');
  assertConflict(await verify(as, '000000'), 'VERIFICATION_CODE_INVALID');
  assert.equal((await verify(as, '123456')).status, 204);
  assertConflict(await verify(as, '123456'), 'ALREADY_VERIFIED');

  const slow = await customer(florin);
  await slow('POST', '/auth/stepup/send-otp');
  await advance('5m');
  assertConflict(await verify(slow, '123456'), 'VERIFICATION_CODE_EXPIRED');

  const guessing = await customer(florin);
  await guessing('POST', '/auth/stepup/send-otp');
  for (let i = 0; i < 3; i++) assertConflict(await verify(guessing, '000000'), 'VERIFICATION_CODE_INVALID');
  assertConflict(await verify(guessing, '123456'), 'CHALLENGE_LIMIT_EXCEEDED');
});

test('of 20 guesses at once three are judged', async () => {
  const as = await customer(florin);
  await as('POST', '/auth/stepup/send-otp');
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => as('POST', '/auth/stepup/verify-otp', { verificationCode: '000000' })),
  );
  const codes = replies.map(({ body }) => body.errorCode);
  assert.equal(codes.filter((code) => code === 'VERIFICATION_CODE_INVALID').length, 3);
  assert.equal(codes.filter((code) => code === 'CHALLENGE_LIMIT_EXCEEDED').length, 17);
});

test('owner deactivated: his sessions end at once', async () => {
  const as = await customer(florin, 'small@sandbox.test');
  assert.equal((await as('GET', '/cards')).status, 200);
  const patch = (active: boolean) => florin.operator('PATCH', '/operator/tenants/sandbox/users/3140', { active });
  assert.equal((await patch(false)).status, 200);
  assert.equal((await as('GET', '/cards')).body.errorCode, 'ACCESS_TOKEN_REQUIRED');
  await patch(true);
});

test('user or identity deactivated, or the tenant closed: every session that was is over for good, nobody else’s', async () => {
  const tenant = '/operator/tenants/sandbox-two';
  const email = 'consumer@sandbox-two.test';
  const first = (await login(email, PASSWORD, 'sandbox-two-secret')).body;
  const bystander = await customer(florin, 'corporate@sandbox.test');
  for (const path of [`${tenant}/users/${first.credentials.id}`, `${tenant}/identities/${first.identity.id}`, tenant]) {
    const { token } = (await login(email, PASSWORD, 'sandbox-two-secret')).body;
    const as = withToken(token, 'sandbox-two-secret');
    assert.equal((await as('POST', '/auth/stepup/send-otp', {})).status, 204, path);
    for (const active of [false, true]) assert.equal((await florin.operator('PATCH', path, { active })).status, 200);
    for (const [method, target, body] of [
      ['GET', '/cards'],
      ['POST', '/auth/stepup/verify-otp', { verificationCode: '123456' }],
      ['POST', '/auth/stepup/send-otp', {}],
    ] as const)
      assert.equal((await as(method, target, body)).body.errorCode, 'ACCESS_TOKEN_REQUIRED', `${path} ${target}`);
  }
  assert.equal((await login(email, PASSWORD, 'sandbox-two-secret')).status, 200);
  assert.equal((await bystander('GET', '/cards')).status, 200);
});

test('a rotated secret: the old one stays valid for the overlap, then 401', async () => {
  const { secrets } = (await florin.operator('GET', '/operator/tenants/sandbox-two/secrets')).body;
  const rotated = await florin.operator('POST', `/operator/tenants/sandbox-two/secrets/${secrets[0].id}/rotate`, {
    overlap: '1h',
  });
  assert.equal(rotated.status, 201, rotated.text);
  const ok = (secret: string) => login('consumer@sandbox-two.test', PASSWORD, secret);
  assert.equal((await ok('sandbox-two-secret')).status, 200);
  assert.equal((await ok(rotated.body.secret)).status, 200);
  await advance('1h');
  assert.equal((await ok('sandbox-two-secret')).status, 401);
  assert.equal((await ok(rotated.body.secret)).status, 200);
});
