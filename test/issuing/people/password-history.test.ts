// Another password (PCI DSS 8.3.6, 8.3.7): at least 12 characters, hard to guess, none of the last four; whoever sets it, and of two who
// set one at once one is told that the old one is not in force any more.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { assertConflict, assertInvalid, issuingClient, PASSWORD, steppedUp } from '../../support/issuing.ts';

let florin: TestApp;
let root: Client;
before(async () => {
  florin = await testApp();
  root = await steppedUp(florin, 'corporate@sandbox.test');
});

interface Person {
  readonly id: string;
  readonly email: string;
  readonly own: Client;
  readonly login: (value: string) => Promise<Reply>;
  readonly change: (from: string, to: string) => Promise<Reply>;
  readonly reset: (value: string) => Promise<Reply>;
}

async function person(name: string): Promise<Person> {
  const email = `${name}@history.example`;
  const made = await root('POST', '/users', { name, surname: 'Example', email, password: { value: PASSWORD } });
  assert.equal(made.status, 200, made.text);
  const { id } = made.body;
  const login = (value: string) => issuingClient(florin)('POST', '/auth/login', { email, password: { value } });
  const own = issuingClient(florin, 'sandbox-secret', (await login(PASSWORD)).body.token);
  return {
    id,
    email,
    own,
    login,
    change: (from, to) => own('POST', '/users/password', { oldPassword: { value: from }, newPassword: { value: to } }),
    reset: (value) => florin.operator('POST', `/operator/tenants/sandbox/users/${id}/password`, { value }),
  };
}

const nth = (n: number): string => `turbo-bobsleigh-${n}`;

test('none of the last four, the one in force among them; the fifth is free again', async () => {
  const { change, login } = await person('fiver');
  assertConflict(await change(PASSWORD, PASSWORD), 'PASSWORD_ALREADY_USED');
  let current = PASSWORD;
  for (const next of [nth(1), nth(2), nth(3)]) {
    assert.equal((await change(current, next)).status, 204);
    for (const used of [PASSWORD, current, next]) assertConflict(await change(next, used), 'PASSWORD_ALREADY_USED');
    current = next;
  }
  assert.equal((await login(current)).status, 200, 'what was refused changed nothing and counted as no wrong try');
  assert.equal((await change(current, nth(4))).status, 204);
  for (const used of [nth(1), nth(2), nth(3), nth(4)])
    assertConflict(await change(nth(4), used), 'PASSWORD_ALREADY_USED');
  assert.equal((await change(nth(4), PASSWORD)).status, 204, 'the fifth from the end');
  const [row] = await florin.database.query<{ text: string; former: unknown[] }>(
    'select u::text as text, former_passwords as former from users u where email = $1',
    ['fiver@history.example'],
  );
  assert.equal(row?.former.length, 3, 'no more than are needed are kept');
  assert.equal(row?.text.includes('bobsleigh'), false);
});

test('whoever does not know the old one learns nothing of those before it', async () => {
  const { change } = await person('borrowed');
  assert.equal((await change(PASSWORD, nth(1))).status, 204);
  for (const guess of [PASSWORD, nth(1), nth(2)]) assertConflict(await change('wrong', guess), 'PASSWORD_INVALID');
});

test('of many changes at once one is made, and the history is whole', async () => {
  for (let round = 0; round < 3; round++) {
    const { change, login, email } = await person(`racer${round}`);
    const replies = await Promise.all([1, 2, 3, 4, 5].map((n) => change(PASSWORD, nth(n))));
    const made = replies.flatMap(({ status }, i) => (status === 204 ? [nth(i + 1)] : []));
    assert.equal(made.length, 1, replies.map(({ text }) => text).join('\n'));
    for (const reply of replies.filter(({ status }) => status !== 204)) assertConflict(reply, 'PASSWORD_INVALID');
    assert.equal((await login(made[0] as string)).status, 200);
    const [row] = await florin.database.query<{ former: unknown[] }>(
      'select former_passwords as former from users where email = $1',
      [email],
    );
    assert.equal(row?.former.length, 1, 'only the one that was in force');
    assertConflict(await change(made[0] as string, PASSWORD), 'PASSWORD_ALREADY_USED');
  }
});

test('the operator sets none of the last four either, and what he set counts', async () => {
  const { change, reset, login, id } = await person('helped');
  assert.equal((await reset(nth(1))).status, 204);
  for (const used of [PASSWORD, nth(1)]) {
    const reply = await reset(used);
    assert.deepEqual([reply.status, reply.body.errorCode], [409, 'PASSWORD_ALREADY_USED'], reply.text);
  }
  assert.equal((await login(nth(1))).status, 200);
  const { token } = (await login(nth(1))).body;
  const own = issuingClient(florin, 'sandbox-secret', token);
  const body = (to: string) => ({ oldPassword: { value: nth(1) }, newPassword: { value: to } });
  assertConflict(await own('POST', '/users/password', body(PASSWORD)), 'PASSWORD_ALREADY_USED');
  assert.equal((await change(nth(1), nth(2))).status, 403, 'a session of before the reset is over');
  const { audit } = (await florin.operator('GET', '/operator/audit')).body;
  const told = audit.filter((row: { target: string }) => row.target === `sandbox/${id}`);
  assert.deepEqual(
    told.map(({ action, result }: { action: string; result: string }) => `${action} ${result}`),
    ['user.password PASSWORD_ALREADY_USED', 'user.password PASSWORD_ALREADY_USED', 'user.password done'],
  );
});

test('of two resets at once one is made', async () => {
  const { reset, login } = await person('twice');
  const replies = await Promise.all([1, 2, 3].map((n) => reset(nth(n))));
  assert.equal(replies.filter(({ status }) => status === 204).length, 1, replies.map(({ text }) => text).join('\n'));
  assert.equal(replies.filter(({ status }) => status === 409).length, 2);
  for (const [i, { status }] of replies.entries())
    assert.equal((await login(nth(i + 1))).status, status === 204 ? 200 : 401);
});

test('a user who never had a password gets his first one', async () => {
  const email = 'first@history.example';
  const made = await root('POST', '/users', { name: 'F', surname: 'Example', email });
  const path = `/operator/tenants/sandbox/users/${made.body.id}/password`;
  assert.equal((await florin.operator('POST', path, { value: nth(1) })).status, 204);
  const again = await florin.operator('POST', path, { value: nth(1) });
  assert.equal(again.status, 409, again.text);
});

test('SIZE below 12 characters, IN for what is guessed soon or holds the name of the address', async () => {
  const { change } = await person('gracehopper');
  assertInvalid(await change(PASSWORD, 'turbo-bobsl'), 'newPassword.value SIZE');
  for (const value of ['password1234', 'Qwertyuiop12', 'aaaaaaaaaaaaaa', 'GraceHopper-7x'])
    assertInvalid(await change(PASSWORD, value), 'newPassword.value IN');
  assertInvalid(await change('wrong', 'password1234'), 'newPassword.value IN');
  const body = { name: 'G', surname: '', email: 'new.user@history.example' };
  const create = (value: string) => root('POST', '/users', { ...body, password: { value } });
  assertInvalid(await create('turbo-bobsl'), 'surname HAS_TEXT', 'password.value SIZE');
  for (const value of ['password1234', 'New.User-7x-77', 'newuser-at-7x-77'])
    assertInvalid(await create(value), 'surname HAS_TEXT', 'password.value IN');
});

test('the operator is told so too, of a user that he makes and of one that he helps', async () => {
  const { reset, login } = await person('adalovelace');
  const identity = (await root('GET', '/users')).body.users[0].identityId;
  const user = { name: 'A', surname: 'L', email: 'ada.lovelace@history.example' };
  const create = (password: string) =>
    florin.operator('POST', `/operator/tenants/sandbox/identities/${identity}/users`, { ...user, password });
  for (const [reply, uri] of [
    [await reset('password1234'), '#/value'],
    [await reset('AdaLovelace-1815'), '#/value'],
    [await create('password1234'), '#/password'],
    [await create('Ada.Lovelace-1815'), '#/password'],
  ] as const) {
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(
      reply.body.errors.map((error: { uri: string; attribute: string }) => [error.uri, error.attribute]),
      [[uri, 'IN']],
    );
    assert.equal(/1815|1234/.test(reply.text), false, 'and the password is not repeated');
  }
  assert.equal((await login(PASSWORD)).status, 200, 'nothing was changed');
});
