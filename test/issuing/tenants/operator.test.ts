// Issuing set up through the operator API, over HTTP: from nothing to a person who logs in, and what no answer may tell.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { defaultTenant } from '../../../src/issuing/tenants/index.ts';
import { type Reply, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const PASSWORD = 'A-long-enough-password-1';
const made = async (path: string, body: object): Promise<Reply['body']> => {
  const reply = await florin.operator('POST', `/operator${path}`, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const patched = async (path: string, body: object): Promise<Reply['body']> => {
  const reply = await florin.operator('PATCH', `/operator${path}`, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const got = async (path: string): Promise<Reply['body']> => {
  const reply = await florin.operator('GET', `/operator${path}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const login = (secret: string, email: string, value = PASSWORD): Promise<Reply> =>
  florin.clientWith(null)('POST', '/issuing/auth/login', { email, password: { value } }, { 'x-secret': secret });

/** A tenant with a programme, an identity and a user who can log in. */
async function company(
  name: string,
): Promise<{ secret: string; secretId: string; programme: string; identity: string }> {
  await made('/tenants', { name });
  const { secret, id: secretId } = await made(`/tenants/${name}/secrets`, { label: 'server' });
  const { id: programme } = await made(`/tenants/${name}/programmes`, { name: 'Cards' });
  const { id: identity } = await made(`/tenants/${name}/identities`, {
    programmeId: programme,
    type: 'consumer',
    name: 'Ada Example',
    kycState: 'APPROVED',
    kycLevel: 'KYC_LEVEL_2',
  });
  await made(`/tenants/${name}/identities/${identity}/users`, {
    kind: 'root',
    name: 'Ada',
    surname: 'Example',
    email: `Ada@${name}.test`,
    password: PASSWORD,
  });
  return { secret, secretId, programme, identity };
}

test('from nothing to a card', async () => {
  const { secret, programme } = await company('fresh');
  const { id: profileId } = await made('/tenants/fresh/profiles', {
    programmeId: programme,
    name: 'Prepaid',
    settings: { ranges: { MASTERCARD: 'mastercard' } },
  });
  const session = await login(secret, 'ada@fresh.test');
  assert.equal(session.status, 200, session.text);
  const card = await florin.clientWith(null)(
    'POST',
    '/issuing/cards/request',
    {
      type: 'consumer',
      data: {
        profileId,
        friendlyName: 'First',
        nameOnCard: 'Ada Example',
        billingAddress: { addressLine1: 'Street 1', city: 'Valletta', postCode: 'VLT 1000', country: 'MT' },
        mode: 'PREPAID_MODE',
        currency: 'EUR',
      },
    },
    { 'x-secret': secret, 'authorization-key': session.body.token },
  );
  assert.equal(card.status, 200, card.text);
});

test('a secret is told once, by the answer that made it', async () => {
  const { secret, secretId } = await company('told-once');
  const shown = await florin.operator('GET', '/operator/tenants/told-once/secrets');
  assert.deepEqual(
    shown.body.secrets.map(({ id, label }: { id: string; label: string }) => [id, label]),
    [[secretId, 'server']],
  );
  assert.equal(shown.text.includes(secret), false);
  assert.equal(shown.text.includes('hash'), false);
  const [row] = await florin.database.query<{ text: string }>(
    `select string_agg(a::text, ' ') as text from operator_audit a`,
  );
  assert.equal(row?.text.includes(secret), false, 'nor is it audited');
});

test('rotating keeps both valid for the overlap; revoking ends one at once, and once', async () => {
  const { secret, secretId } = await company('rotated');
  const base = '/tenants/rotated/secrets';
  const { secret: next, id: nextId } = await made(`${base}/${secretId}/rotate`, { overlap: '1h' });
  const statuses = async (): Promise<number[]> => [
    (await login(secret, 'ada@rotated.test')).status,
    (await login(next, 'ada@rotated.test')).status,
  ];
  assert.deepEqual(await statuses(), [200, 200]);
  const advanced = await florin.operator('POST', '/simulator/clock/advance', { by: '1h' });
  assert.equal(advanced.status, 200, advanced.text);
  assert.deepEqual(await statuses(), [401, 200]);
  assert.equal((await florin.operator('POST', `/operator${base}/${secretId}/rotate`, {})).status, 404, 'it is over');
  assert.equal((await florin.operator('DELETE', `/operator${base}/${nextId}`)).status, 204);
  assert.deepEqual(await statuses(), [401, 401]);
  assert.equal((await florin.operator('DELETE', `/operator${base}/${nextId}`)).status, 404);
});

test('a tenant that is closed is refused, and served again when it is open', async () => {
  const { secret } = await company('closing');
  await patched('/tenants/closing', { active: false });
  assert.equal((await login(secret, 'ada@closing.test')).status, 401);
  await patched('/tenants/closing', { active: true });
  assert.equal((await login(secret, 'ada@closing.test')).status, 200);
});

test('the secret that signs forwarding is told to nobody', async () => {
  await company('forwarding');
  const secret = 'whsec_0123456789012345678901234567';
  const forwarding = { url: 'https://tenant.example/authorize', secret };
  const answers = [
    await florin.operator('PATCH', '/operator/tenants/forwarding', { settings: { forwarding } }),
    await florin.operator('GET', '/operator/tenants/forwarding'),
    await florin.operator('GET', '/operator/tenants'),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.equal(text.includes(secret), false);
    assert.ok(text.includes(forwarding.url));
  }
});

test('what belongs to one tenant is not there under another, however it is asked for', async () => {
  const one = await company('mine');
  const two = await company('theirs');
  const { id: profile } = await made('/tenants/mine/profiles', { programmeId: one.programme, name: 'Prepaid' });
  const { users } = await got(`/tenants/mine/identities/${one.identity}/users`);
  const attempts: readonly [string, string, object?][] = [
    ['PATCH', `/tenants/theirs/programmes/${one.programme}`, { name: 'Taken' }],
    ['PATCH', `/tenants/theirs/profiles/${profile}`, { name: 'Taken' }],
    ['PATCH', `/tenants/theirs/identities/${one.identity}`, { active: false }],
    ['GET', `/tenants/theirs/identities/${one.identity}/users`],
    ['PATCH', `/tenants/theirs/users/${users[0].id}`, { active: false }],
    ['PUT', `/tenants/theirs/users/${users[0].id}/factors/BIOMETRICS`, { active: true }],
    ['POST', `/tenants/theirs/secrets/${one.secretId}/rotate`, {}],
    ['DELETE', `/tenants/theirs/secrets/${one.secretId}`],
    ['POST', '/tenants/theirs/profiles', { programmeId: one.programme, name: 'Prepaid' }],
    ['POST', '/tenants/theirs/identities', { programmeId: one.programme, type: 'consumer', name: 'Eve' }],
    ['GET', '/tenants/nobody'],
  ];
  for (const [method, path, body] of attempts) {
    const reply = await florin.operator(method, `/operator${path}`, body);
    assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
  }
  assert.equal((await login(one.secret, 'ada@mine.test')).status, 200);
  assert.equal((await login(two.secret, 'ada@mine.test')).status, 401, 'nor do its people log in there');
  const programmes = (await got('/tenants/theirs/programmes')).programmes.map(({ id }: { id: string }) => id);
  assert.deepEqual(programmes, [two.programme]);
});

test('a user who is deactivated or whose identity is can not log in', async () => {
  const { secret, identity } = await company('leaving');
  const [user] = (await got(`/tenants/leaving/identities/${identity}/users`)).users;
  const status = async (): Promise<number> => (await login(secret, 'ada@leaving.test')).status;
  await patched(`/tenants/leaving/users/${user.id}`, { active: false });
  assert.equal(await status(), 410);
  await patched(`/tenants/leaving/users/${user.id}`, { active: true });
  assert.equal(await status(), 200);
  await patched(`/tenants/leaving/identities/${identity}`, { active: false });
  assert.equal(await status(), 410);
});

test('no answer about people has a password in it', async () => {
  const { identity } = await company('quiet');
  const { text } = await florin.operator('GET', `/operator/tenants/quiet/identities/${identity}/users`);
  for (const word of ['password', 'salt', 'hash', PASSWORD]) assert.equal(text.includes(word), false, word);
});

test('names and addresses are taken once; a wrong setting is named and changes nothing', async () => {
  const { identity } = await company('strict');
  assert.equal((await florin.operator('POST', '/operator/tenants', { name: 'strict' })).status, 409);
  const again = { name: 'Eve', surname: 'Example', email: 'ADA@strict.test' };
  const taken = await florin.operator('POST', `/operator/tenants/strict/identities/${identity}/users`, again);
  assert.equal(taken.status, 409, taken.text);
  const wrong = await florin.operator('PATCH', '/operator/tenants/strict', {
    settings: { pciScoped: true, availability: 'down', surprise: 1 },
  });
  assert.equal(wrong.status, 422);
  assert.deepEqual(
    wrong.body.errors.map(({ uri }: { uri: string }) => uri),
    ['#/settings/availability', '#/settings/surprise'],
  );
  const names = Object.keys(defaultTenant).join(', ');
  assert.deepEqual(wrong.body.errors[1].details, [`one of ${names}`]);
  const reference = await (await fetch(`${florin.url}/openapi.json`)).text();
  assert.ok(reference.includes(`Settings by name, of the form that the answer has: ${names}.`));
  assert.deepEqual((await got('/tenants/strict')).settings, {});
});

test('ranges are added once, and not over the numbers of another', async () => {
  const range = { name: 'extra', brand: 'VISA', prefix: '45999800', numberLength: 16, size: 1000 };
  assert.equal((await made('/card-ranges', range)).used, 0);
  const refused = async (fields: object): Promise<number> =>
    (await florin.operator('POST', '/operator/card-ranges', { ...range, name: 'other', ...fields })).status;
  assert.equal(await refused({}), 409);
  assert.equal(await refused({ prefix: '459998' }), 409, 'around it');
  assert.equal(await refused({ prefix: '4599980012' }), 409, 'within it');
  assert.equal(await refused({ name: 'extra', prefix: '45999700' }), 409, 'the name');
  assert.equal(await refused({ prefix: '45999700', size: 10_000_001 }), 422, 'more than there is room for');
  const { ranges } = await got('/card-ranges');
  assert.deepEqual(
    ranges.map(({ name }: { name: string }) => name),
    ['exhausted', 'extra', 'mastercard', 'single', 'visa'],
  );
});

test('every change is audited under its name, a refused one too; nothing without the operator’s secret', async () => {
  for (const [method, path] of [
    ['GET', '/tenants'],
    ['POST', '/tenants/sandbox/secrets'],
    ['GET', '/tenants/sandbox/identities'],
    ['GET', '/card-ranges'],
    ['PATCH', '/issuing-settings'],
  ] as const)
    assert.equal((await florin.clientWith('Bearer wrong')(method, `/operator${path}`)).status, 401, path);
  await company('audited');
  await florin.operator('POST', '/operator/tenants', { name: 'audited' });
  const rows = await florin.database.query<{ action: string; result: string }>(
    `select action, result from operator_audit where target like 'audited%' order by id`,
  );
  assert.deepEqual(
    rows
      .filter(({ action }) => action.startsWith('tenant.') || action.startsWith('programme.'))
      .map(({ action }) => action),
    ['tenant.create', 'tenant.secret.create', 'programme.create', 'tenant.create'],
  );
  assert.notEqual(rows.at(-1)?.result, 'done');
});
