// Operators who change the same things at once, and settings that only a careful look finds wrong, over HTTP.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Reply, type TestApp, testApp } from '../../support/app.ts';

let florin: TestApp;
before(async () => {
  florin = await testApp();
});

const call = (method: string, path: string, body?: object): Promise<Reply> =>
  florin.operator(method, `/operator${path}`, body);
const patched = async (path: string, settings: object): Promise<Reply['body']> => {
  const reply = await call('PATCH', path, { settings });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.settings;
};
const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status).sort((a, b) => a - b);
const SANDBOX = '/tenants/sandbox';

test('operators who set different settings at once all succeed', async () => {
  assert.equal((await call('POST', '/tenants', { name: 'shared' })).status, 201);
  const different = [
    { pciScoped: true },
    { strictParentAccount: true },
    { prepaidSpendLimits: true },
    { authenticatorAlias: 'MY_APP' },
  ];
  await Promise.all(different.map((settings) => patched('/tenants/shared', settings)));
  assert.deepEqual((await call('GET', '/tenants/shared')).body.settings, Object.assign({}, ...different));

  const before = await patched(`${SANDBOX}/programmes/5002`, {});
  const switches = [{ biometrics: true }, { externalAuthy: true }, { authForwarding: true }];
  await Promise.all(switches.map((settings) => patched(`${SANDBOX}/programmes/5002`, settings)));
  assert.deepEqual(await patched(`${SANDBOX}/programmes/5002`, {}), Object.assign({}, before, ...switches));

  const rules = [{ rules: { allowAtm: false } }, { country: 'MT' }, { cardLimits: { total: 3, currencies: {} } }];
  await Promise.all(rules.map((settings) => patched(`${SANDBOX}/identities/4007`, settings)));
  assert.deepEqual(await patched(`${SANDBOX}/identities/4007`, {}), Object.assign({}, ...rules));
});

test('a name, an address, a number is taken once, whoever asks at the same time', async () => {
  const five = Array.from({ length: 5 }, (_, i) => i);
  assert.deepEqual(
    statuses(await Promise.all(five.map(() => call('POST', '/tenants', { name: 'raced' })))),
    [201, 409, 409, 409, 409],
  );
  const user = { name: 'Eve', surname: 'Example', email: 'eve@sandbox.test' };
  assert.deepEqual(
    statuses(await Promise.all(five.map(() => call('POST', `${SANDBOX}/identities/4001/users`, user)))),
    [201, 409, 409, 409, 409],
  );
  const range = (prefix: string, i: number): Promise<Reply> =>
    call('POST', '/card-ranges', { name: `raced ${i}`, brand: 'VISA', prefix, size: 10 });
  const overlapping = ['459998', '4599981', '45999812', '459998123', '4599981234'];
  assert.deepEqual(
    statuses(await Promise.all(overlapping.map(range))).filter((status) => status === 201),
    [201],
  );
});

test('null takes an identity’s settings back', async () => {
  const path = `${SANDBOX}/identities/4002`;
  assert.deepEqual((await patched(path, { cardLimits: { total: 2 }, country: 'MT' })).cardLimits, {
    total: 2,
    currencies: {},
  });
  assert.deepEqual(await patched(path, { cardLimits: null, country: null }), {
    cardLimits: { total: null, currencies: {} },
    rules: {},
    country: null,
  });
});

test('a limit without currencies is a limit; unknown names, currencies and numbers are refused at any depth', async () => {
  for (const cardLimits of [{ total: 4 }, { total: 4, currencies: null }])
    assert.deepEqual((await patched('/issuing-settings', { cardLimits })).cardLimits, cardLimits);
  await patched('/issuing-settings', { cardLimits: null });
  for (const [path, settings, uri] of [
    [`${SANDBOX}/programmes/5002`, { kyc: { KYC_LEVEL_9: {} } }, '#/settings/kyc/KYC_LEVEL_9'],
    [`${SANDBOX}/programmes/5002`, { kyc: { KYC_LEVEL_1: { card: 1 } } }, '#/settings/kyc/KYC_LEVEL_1/card'],
    [`${SANDBOX}/profiles/1001`, { routing: [{ provider: 'VISA', to: 1 }] }, '#/settings/routing/0/to'],
    [`${SANDBOX}/profiles/1001`, { currencies: ['EUR', 'KWD'] }, '#/settings/currencies/1'],
    [SANDBOX, { rateLimit: { perSecond: 5, burst: 1 } }, '#/settings/rateLimit'],
  ] as const) {
    const reply = await call('PATCH', path, { settings });
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(
      reply.body.errors.map((error: { uri: string }) => error.uri),
      [uri],
    );
  }
});

test('a mobile number is a plus sign and digits', async () => {
  const user = (mobile: string): Promise<Reply> => call('PATCH', `${SANDBOX}/users/3001`, { mobile });
  for (const mobile of ['not a number', '++356990', '+356 99 00', '12345678901234567'])
    assert.equal((await user(mobile)).status, 422, mobile);
  assert.equal((await user('+35699003001')).status, 200);
});
