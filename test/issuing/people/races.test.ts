// Users who are changed by themselves, by their root user and by the operator at the same time: every change that was answered stays.
// Rule: what is asked of one field never writes another back.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { waitsForLock } from '../../support/database.ts';
import { issuingClient, PASSWORD, steppedUp } from '../../support/issuing.ts';

let florin: TestApp;
let root: Client;
before(async () => {
  florin = await testApp();
  root = await steppedUp(florin, 'corporate@sandbox.test');
});

interface Person {
  readonly id: string;
  readonly own: Client;
}

async function person(name: string): Promise<Person> {
  const email = `${name}@races.example`;
  const password = { value: PASSWORD };
  const made = await root('POST', '/users', { name, surname: 'Example', email, password });
  assert.equal(made.status, 200, made.text);
  const login = await issuingClient(florin)('POST', '/auth/login', { email, password });
  return { id: made.body.id, own: issuingClient(florin, 'sandbox-secret', login.body.token) };
}

test('a user who changes the password while being deactivated stays deactivated', async () => {
  for (let i = 0; i < 5; i++) {
    const { id, own } = await person(`racer${i}`);
    const newPassword = { value: `${PASSWORD}-new` };
    const changing = own('POST', '/users/password', { oldPassword: { value: PASSWORD }, newPassword });
    // The password takes long to check, on purpose; all of this is over before it is kept.
    const read = await own('GET', `/users/${id}`);
    assert.equal(read.status, 200);
    const deactivated = await root('POST', `/users/deactivate/${id}`);
    assert.equal(deactivated.status, 204, deactivated.text);
    await changing;
    assert.equal((await root('GET', `/users/${id}`)).body.active, false);
  }
});

test('changes of different fields at once all stay, whoever makes them', async () => {
  for (let i = 0; i < 10; i++) {
    const { id, own } = await person(`many${i}`);
    const replies = await Promise.all([
      root('PATCH', `/users/${id}`, { name: 'Named' }),
      own('PATCH', `/users/${id}`, { surname: 'Surnamed' }),
      florin.operator('PATCH', `/operator/tenants/sandbox/users/${id}`, { mobile: '+35699007777' }),
      root('POST', `/users/deactivate/${id}`),
    ]);
    const { body } = await root('GET', `/users/${id}`);
    // Who was deactivated first may have been refused.
    const expected = [
      ['name', 'Named', body.name],
      ['surname', 'Surnamed', body.surname],
      ['mobileNumber', '+35699007777', body.mobileNumber],
      ['active', false, body.active],
    ] as const;
    for (const [at, [field, wanted, is]] of expected.entries())
      if ((replies[at]?.status ?? 500) < 300)
        assert.equal(is, wanted, `${field}: ${replies.map(({ status }) => status)}`);
  }
});

test('who logs in while his identity or the tenant is being shut waits for it, and is not let in', async () => {
  await person('shut');
  const login = () =>
    issuingClient(florin)('POST', '/auth/login', { email: 'shut@races.example', password: { value: PASSWORD } });
  for (const [row, refused] of [
    [`identities set active = $1 where id = (select identity_id from users where email = 'shut@races.example')`, 410],
    [`tenants set active = $1 where name = 'sandbox'`, 401],
  ] as const) {
    const replies: Reply[] = [];
    const answer = await florin.database.transaction(async (db) => {
      await db.query(`update ${row}`, [false]);
      const asked = login().then((reply) => replies.push(reply));
      for (let tries = 0; replies.length === 0 && !(await waitsForLock(florin.database)); tries++)
        assert.ok(tries < 5000, 'the login does not come to the lock');
      return { asked };
    });
    await answer.asked;
    await florin.database.query(`update ${row}`, [true]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [refused],
    );
  }
});

test('who logs in while being deactivated is in no longer once he is let in again', async () => {
  const { id } = await person('late');
  const user = `/operator/tenants/sandbox/users/${id}`;
  const identity = '/operator/tenants/sandbox/identities/4002';
  const email = 'late@races.example';
  for (const path of [user, identity, user, identity]) {
    const logins = Array.from({ length: 8 }, () =>
      issuingClient(florin)('POST', '/auth/login', { email, password: { value: PASSWORD } }),
    );
    // Some have their session, some are between password and session, some wait for their turn.
    await Promise.race(logins);
    assert.equal((await florin.operator('PATCH', path, { active: false })).status, 200);
    const replies = await Promise.all(logins);
    assert.equal((await florin.operator('PATCH', path, { active: true })).status, 200);
    for (const { status, body } of replies) {
      assert.ok(status === 200 || status === 410, `${status}`);
      if (status === 200)
        assert.equal((await issuingClient(florin, 'sandbox-secret', body.token)('GET', '/users')).status, 403);
    }
  }
});
