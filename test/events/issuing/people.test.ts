// Each change of a user or an identity has its event, and the event says what GET says at that moment
// (docs/contract/events.md#users-and-identities).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { CATALOGUE } from '../../../src/events/log/catalogue.ts';
import { type Client, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { customer, issuingClient, PASSWORD, steppedUp } from '../../support/issuing.ts';
import { untruths } from '../told.ts';

let florin: TestApp;
/** The corporate's root user, stepped up. */
let root: Client;
let identityId: string;
before(async () => {
  florin = await testApp();
  root = await steppedUp(florin, 'corporate@sandbox.test');
  [{ identityId }] = (await root('GET', '/users')).body.users;
});

interface Told {
  readonly type: string;
  readonly cause: { readonly by: string };
  readonly resource: { readonly sequence: number };
  readonly data: { readonly object: object; readonly previous: object; readonly operation?: object };
}

const toldOf = async (noun: string, id: string): Promise<Told[]> =>
  (
    await florin.database.query<{ body: string }>('select body from events where body like $1 order by sequence', [
      `%"resource":{"type":"${noun}","id":"${id}",%`,
    ])
  ).map(({ body }) => JSON.parse(body));
const ok = (reply: Reply): Reply => {
  assert.ok(reply.status < 300, reply.text);
  return reply;
};
const NEXT = 'Another-12345-pass';
let serial = 0;
const person = () => ({
  name: 'Grace',
  surname: 'Example',
  email: `told${++serial}@shop.example`,
  mobileNumber: `+3569900${1000 + serial}`,
  password: { value: PASSWORD },
});
const made = async (): Promise<{ id: string; email: string }> => ok(await root('POST', '/users', person())).body;
const login = (email: string, value: string): Promise<Reply> =>
  issuingClient(florin)('POST', '/auth/login', { email, password: { value } });
const wrongly = async (email: string, times: number): Promise<void> => {
  for (let i = 0; i < times; i++) assert.equal((await login(email, 'Wrong-12345')).status, 401);
};
const operator = async (method: string, path: string, body: object): Promise<Reply> =>
  ok(await florin.operator(method, `/operator/tenants/sandbox${path}`, body));

type Step = (user: { id: string; email: string }) => Promise<unknown>;

/** What is done to a user, one after the other; what it is called, and by whom. */
const USER_STEPS: readonly (readonly [type: string, by: string, step: Step])[] = [
  ['user.updated', 'api', async ({ id }) => ok(await root('PATCH', `/users/${id}`, { name: 'Gracia' }))],
  ['user.updated', 'operator', ({ id }) => operator('PATCH', `/users/${id}`, { surname: 'Sample' })],
  ['user.deactivated', 'api', async ({ id }) => ok(await root('POST', `/users/deactivate/${id}`))],
  ['user.activated', 'api', async ({ id }) => ok(await root('POST', `/users/activate/${id}`))],
  ['user.deactivated', 'operator', ({ id }) => operator('PATCH', `/users/${id}`, { active: false, name: 'Grace' })],
  ['user.activated', 'operator', ({ id }) => operator('PATCH', `/users/${id}`, { active: true })],
  [
    'user.factor_enrolled',
    'operator',
    ({ id }) => operator('PUT', `/users/${id}/factors/BIOMETRICS`, { active: true }),
  ],
  [
    'user.factor_enrolled',
    'api',
    async ({ email }) => ok(await (await steppedUp(florin, email))('PUT', '/factors/OTP_SMS')),
  ],
  [
    'user.factor_removed',
    'api',
    async ({ email }) => ok(await (await steppedUp(florin, email))('DELETE', '/factors/BIOMETRICS')),
  ],
  ['user.locked', 'api', ({ email }) => wrongly(email, 5)],
  ['user.updated', 'operator', ({ id }) => operator('POST', `/users/${id}/unlock`, {})],
  [
    'user.updated',
    'api',
    async ({ email }) =>
      ok(
        await (await customer(florin, email))('POST', '/users/password', {
          oldPassword: { value: PASSWORD },
          newPassword: { value: NEXT },
        }),
      ),
  ],
  ['user.updated', 'operator', ({ id }) => operator('POST', `/users/${id}/password`, { value: `${NEXT}-too` })],
];

const verbsOf = (told: readonly { readonly type: string }[]): string[] =>
  [...new Set(told.map(({ type }) => type.replace(/^\w+\./, '')))].sort();

test('users: one event a change, with what GET says after it; all of the catalogue', async () => {
  const user = await made();
  const wanted = ['user.created'];
  for (const [type, by, step] of USER_STEPS) {
    await step(user);
    wanted.push(type);
    const told = await toldOf('user', user.id);
    assert.deepEqual(
      told.map((event) => event.type),
      wanted,
    );
    assert.deepEqual(told.at(-1)?.data.object, (await root('GET', `/users/${user.id}`)).body);
    assert.equal(told.at(-1)?.cause.by, by);
  }
  const told = await toldOf('user', user.id);
  assert.deepEqual(
    told.map(({ resource }) => resource.sequence),
    told.map((_, i) => i + 1),
  );
  assert.deepEqual(verbsOf(told), [...CATALOGUE.user.verbs].sort());
  assert.deepEqual(told[5]?.data.previous, { name: 'Gracia', active: true });
  assert.deepEqual(
    told.flatMap(({ data }) => data.operation ?? []),
    [{ kind: 'BIOMETRICS' }, { kind: 'OTP_SMS' }, { kind: 'BIOMETRICS' }],
  );
});

/** What an operator changes of an identity, and what it is called: the weightiest of what one request changes. */
const IDENTITY_STEPS: readonly (readonly [type: string, patch: object])[] = [
  ['identity.updated', { name: 'Example and Sons' }],
  ['identity.updated', { settings: { cardLimits: { total: 7 } } }],
  ['identity.verification_changed', { kycState: 'PENDING_REVIEW' }],
  ['identity.level_changed', { kycLevel: 'KYC_LEVEL_1' }],
  ['identity.verification_changed', { kycState: 'APPROVED', kycLevel: 'KYC_LEVEL_2', name: 'Example' }],
];

test('identities: one event a change, with what GET says after it; all of the catalogue', async () => {
  const [{ id: of }] = (await florin.operator('GET', '/operator/tenants/sandbox/programmes')).body.programmes;
  const { id } = (
    await operator('POST', '/identities', { programmeId: of, type: 'consumer', name: 'New', kycState: 'APPROVED' })
  ).body;
  assert.deepEqual(
    (await toldOf('identity', id)).map(({ type, cause }) => [type, cause.by]),
    [['identity.created', 'operator']],
  );
  const known = (await toldOf('identity', identityId)).length;
  for (const [type, patch] of IDENTITY_STEPS) {
    await operator('PATCH', `/identities/${identityId}`, patch);
    const last = (await toldOf('identity', identityId)).at(-1);
    assert.equal(last?.type, type);
    assert.deepEqual(last?.data.object, (await root('GET', `/identities/${identityId}`)).body);
  }
  const told = await toldOf('identity', identityId);
  assert.equal(told.length, known + IDENTITY_STEPS.length);
  assert.deepEqual(
    told.map(({ resource }) => resource.sequence),
    told.map((_, i) => i + 1),
  );
  assert.deepEqual(verbsOf(told), [...CATALOGUE.identity.verbs].sort());
});

test('what is refused, and what changes nothing, has no event', async () => {
  const user = await made();
  const { length } = await toldOf('user', user.id);
  assert.equal((await root('PATCH', `/users/${user.id}`, { email: 'corporate@sandbox.test' })).status, 409);
  ok(await root('PATCH', `/users/${user.id}`, { name: 'Grace' }));
  ok(await root('POST', `/users/activate/${user.id}`));
  await wrongly(user.email, 4);
  assert.equal((await login(user.email, PASSWORD)).status, 200);
  await operator('POST', `/users/${user.id}/unlock`, {});
  await operator('PUT', `/users/${user.id}/factors/BIOMETRICS`, { active: false });
  const { length: before } = await toldOf('identity', identityId);
  await operator('PATCH', `/identities/${identityId}`, { active: true });
  assert.deepEqual(
    [(await toldOf('user', user.id)).length, (await toldOf('identity', identityId)).length],
    [length, before],
  );
});

test('what changes a user at once is told one after the other, without a gap', async () => {
  const user = await made();
  await Promise.all([
    ...Array.from({ length: 4 }, (_, i) => root('PATCH', `/users/${user.id}`, { name: `Name ${i}` })),
    ...Array.from({ length: 4 }, (_, i) => operator('PATCH', `/users/${user.id}`, { surname: `Surname ${i}` })),
    ...Array.from({ length: 6 }, () => login(user.email, 'Wrong-12345')),
    operator('PUT', `/users/${user.id}/factors/BIOMETRICS`, { active: true }),
    ...Array.from({ length: 4 }, (_, i) => operator('PATCH', `/identities/${identityId}`, { name: `Shop ${i}` })),
  ]);
  for (const [noun, id] of [
    ['user', user.id],
    ['identity', identityId],
  ] as const) {
    const told = await toldOf(noun, id);
    assert.deepEqual(
      told.map(({ resource }) => resource.sequence),
      told.map((_, i) => i + 1),
    );
    const [row] = await florin.database.query<{ events: number }>(
      `select events from ${noun === 'user' ? 'users' : 'identities'} where id =
         (select subject_id from events where body like $1 limit 1)`,
      [`%"resource":{"type":"${noun}","id":"${id}",%`],
    );
    assert.equal(row?.events, told.length);
  }
  assert.equal((await toldOf('user', user.id)).filter(({ type }) => type === 'user.locked').length, 1);
});

test('the sandbox’s people have theirs; no event holds a password', async () => {
  const [told] = await toldOf('user', '3001');
  assert.deepEqual([told?.type, told?.cause.by], ['user.created', 'schedule']);
  for (const secret of [PASSWORD, NEXT, 'argon', '"hash"', '"salt"', 'assword'])
    assert.deepEqual(await florin.database.query('select id from events where strpos(body, $1) > 0', [secret]), []);
});

test('an event that says otherwise than GET is found', async () => {
  const { id } = await made();
  const { text } = await root('GET', `/users/${id}`);
  assert.deepEqual(await untruths(florin.database, florin.app.permutation, '/issuing/users/:userId', text), []);
  await florin.database.query(
    `update events set body = replace(body, '"surname":"Example"', '"surname":"Other"')
    where body like $1`,
    [`%"type":"user","id":"${id}",%`],
  );
  assert.deepEqual(await untruths(florin.database, florin.app.permutation, '/issuing/users/:userId', text), [
    'user: surname is told otherwise than GET shows it',
  ]);
});
