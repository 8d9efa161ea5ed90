// Identities, their users, passwords and factors, and the ranges that card numbers come from, over a real database.
import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { before, test } from 'node:test';
import { addMs, seededRandom } from '../../../src/base/index.ts';
import { passwordFrom, passwordMatches } from '../../../src/issuing/people/index.ts';
import { loginOf, loginTry, passwordPut } from '../../../src/issuing/people/login-queries.ts';
import {
  factorPut,
  factorsOf,
  identitiesOf,
  identityGet,
  identityKind,
  identityUpsert,
  mobileOfOther,
  userGet,
  usersOf,
  userUpsert,
} from '../../../src/issuing/people/queries.ts';
import { rangeInsert, rangeKind, rangesList } from '../../../src/issuing/tenants/queries.ts';
import { aConsumer, aTenant, aUser, type TenantsBench, tenantsBench } from '../tenants/bench.ts';

let at: TenantsBench;
before(async () => {
  at = await tenantsBench();
});

test('a password is kept as argon2id with 19 MiB, 2 passes, 1 lane, a salt of its own', async () => {
  const random = seededRandom(3);
  const kept = await passwordFrom(random, 'Correct-Horse-1');
  assert.deepEqual(Object.keys(kept).sort(), ['hash', 'memory', 'passes', 'salt']);
  assert.deepEqual([kept.memory, kept.passes], [19_456, 2]);
  const salt = Buffer.from(kept.salt, 'base64');
  assert.equal(salt.length, 16);
  // Made again without our code: a parameter that is written down but not used would show here.
  const expected = argon2Sync('argon2id', {
    message: Buffer.from('Correct-Horse-1'),
    nonce: salt,
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });
  assert.equal(kept.hash, expected.toString('base64'));
  const again = await passwordFrom(random, 'Correct-Horse-1');
  assert.notEqual(again.salt, kept.salt);
  assert.notEqual(again.hash, kept.hash);
});

test('a password matches itself and nothing else; a user without password matches nothing', async () => {
  const kept = await passwordFrom(seededRandom(4), 'Pässwört 1');
  assert.equal(await passwordMatches(kept, 'Pässwört 1'), true);
  for (const wrong of ['', 'pässwört 1', 'Pässwört 1 ', 'Pässwört', 'x'.repeat(100_000)])
    assert.equal(await passwordMatches(kept, wrong), false, wrong.slice(0, 20));
  assert.equal(await passwordMatches(null, ''), false);
  assert.equal(await passwordMatches(null, 'Pässwört 1'), false);
});

test('a hash made at another cost is still compared at that cost', async () => {
  const salt = Buffer.alloc(16, 9);
  const parameters = { message: Buffer.from('old'), nonce: salt, parallelism: 1, tagLength: 32, memory: 64, passes: 1 };
  const hash = argon2Sync('argon2id', parameters).toString('base64');
  const kept = { salt: salt.toString('base64'), hash, memory: 64, passes: 1 };
  assert.equal(await passwordMatches(kept, 'old'), true);
  assert.equal(await passwordMatches({ ...kept, passes: 2 }, 'old'), false);
});

test('an identity is read and changed under its own tenant, and keeps its programme and type', async () => {
  const { database, tools, clock } = at;
  const one = await aTenant(at, 'people-a');
  const two = await aTenant(at, 'people-b');
  const id = await aConsumer(database, tools, one.id, one.programme);
  const identity = await identityGet(database, one.id, id);
  assert.ok(identity);
  assert.equal(await identityGet(database, two.id, id), null);
  assert.deepEqual(await identitiesOf(database, two.id, 0n, 10), []);
  clock.advance(1000);
  const now = clock.now();
  await identityUpsert(database, {
    ...identity,
    kyc_state: 'REJECTED',
    programme_id: 1n,
    type: 'corporate',
    updated_at: now,
  });
  const after = await identityGet(database, one.id, id);
  assert.deepEqual(after, { ...identity, kyc_state: 'REJECTED', events: 2, updated_at: now });
  const loaded = await identityKind.load(database, [
    { tenantId: one.id, id },
    { tenantId: two.id, id },
  ]);
  assert.deepEqual([...loaded.entries()], [[`${one.id}/${id}`, after]]);
});

test('identities are listed by id, in pages', async () => {
  const { database, tools } = at;
  const { id: tenantId, programme } = await aTenant(at, 'paged');
  const made: bigint[] = [];
  for (let i = 0; i < 5; i++) made.push(await aConsumer(database, tools, tenantId, programme));
  const seen: bigint[] = [];
  for (let after = 0n, page = [0n]; page.length > 0; after = page.at(-1) ?? after) {
    page = (await identitiesOf(database, tenantId, after, 2)).map(({ id }) => id);
    seen.push(...page);
  }
  assert.deepEqual(
    seen,
    made.sort((a, b) => (a < b ? -1 : 1)),
  );
});

test('an e-mail address is one user of a tenant, however it is written; another tenant may have it too', async () => {
  const { database, tools } = at;
  const one = await aTenant(at, 'mail-a');
  const two = await aTenant(at, 'mail-b');
  const own = { tenantId: one.id, identityId: await aConsumer(database, tools, one.id, one.programme) };
  const foreign = { tenantId: two.id, identityId: await aConsumer(database, tools, two.id, two.programme) };
  const id = await aUser(database, tools, { ...own, email: ' Ada@Example.TEST ' });
  assert.ok(id !== null);
  assert.equal((await loginOf(database, one.id, 'ada@example.test'))?.id, id);
  assert.equal(await loginOf(database, one.id, 'Ada@Example.TEST'), null, 'asked for in lower case');
  assert.equal(await aUser(database, tools, { ...own, email: 'ADA@example.test' }), null);
  assert.ok((await aUser(database, tools, { ...foreign, email: 'ada@example.test' })) !== null);
  assert.deepEqual(
    (await usersOf(database, one.id, own.identityId)).map((user) => user.id),
    [id],
  );
  assert.deepEqual(await usersOf(database, two.id, own.identityId), []);
});

test('two who take one e-mail address at once: one has it, the other is told', async () => {
  const { database, tools } = at;
  const { id: tenantId, programme } = await aTenant(at, 'mail-race');
  const identityId = await aConsumer(database, tools, tenantId, programme);
  const made = await Promise.all(
    Array.from({ length: 8 }, () =>
      database.transaction((db) => aUser(db, tools, { tenantId, identityId, email: 'raced@example.test' })),
    ),
  );
  assert.equal(made.filter((id) => id !== null).length, 1);
});

test('changing a user leaves his password alone, whatever comes with the change', async () => {
  const { database, tools } = at;
  const { id: tenantId, programme } = await aTenant(at, 'passwords');
  const identityId = await aConsumer(database, tools, tenantId, programme);
  const id = (await aUser(database, tools, { tenantId, identityId, email: 'pass@example.test' })) as bigint;
  const user = await userGet(database, tenantId, id);
  assert.ok(user);
  assert.equal('password' in user, false, 'no reader of users sees it');
  const [first, other] = [await passwordFrom(tools.random, 'first'), await passwordFrom(tools.random, 'other')];
  assert.ok(await passwordPut(database, { tenantId, id }, { next: first, against: null, at: at.clock.now() }));
  assert.ok(await userUpsert(database, { ...user, name: 'Eve' }, other));
  const login = await loginOf(database, tenantId, 'pass@example.test');
  assert.deepEqual([login?.password, (await userGet(database, tenantId, id))?.name], [first, 'Eve']);
});

test('wrong passwords lock after the last that is allowed; a lock that is over begins a new count; a right one clears it', async () => {
  const { database, tools, clock } = at;
  const { id: tenantId, programme } = await aTenant(at, 'locks');
  const identityId = await aConsumer(database, tools, tenantId, programme);
  const id = (await aUser(database, tools, { tenantId, identityId, email: 'lock@example.test' })) as bigint;
  const attempt = async (right: boolean): Promise<boolean> => {
    const now = clock.now();
    const tried = await loginTry(database, { tenantId, id }, { right, now, most: 3, until: addMs(now, 60_000) });
    return tried !== null;
  };
  const fail = (): Promise<boolean> => attempt(false);
  const lockedUntil = async (): Promise<Date | null | undefined> =>
    (await loginOf(database, tenantId, 'lock@example.test'))?.locked_until;
  await fail();
  await fail();
  assert.equal(await lockedUntil(), null);
  await fail();
  const until = await lockedUntil();
  assert.deepEqual(until, addMs(clock.now(), 60_000));
  assert.equal(await attempt(true), false, 'the right one neither, while it is locked');
  assert.deepEqual(await lockedUntil(), until);
  clock.advance(60_000);
  await fail();
  await fail();
  assert.equal(await lockedUntil(), null, 'two since the lock was over');
  assert.equal(await attempt(true), true);
  await fail();
  await fail();
  assert.equal(await lockedUntil(), null, 'two since the right one');
  await fail();
  assert.ok(await lockedUntil());
});

test('wrong passwords that come at once are all counted', async () => {
  const { database, tools, clock } = at;
  const { id: tenantId, programme } = await aTenant(at, 'parallel');
  const identityId = await aConsumer(database, tools, tenantId, programme);
  const id = (await aUser(database, tools, { tenantId, identityId, email: 'many@example.test' })) as bigint;
  const now = clock.now();
  const fail = () => loginTry(database, { tenantId, id }, { right: false, now, most: 5, until: addMs(now, 60_000) });
  const judged = await Promise.all(Array.from({ length: 40 }, fail));
  assert.equal(judged.filter(Boolean).length, 5, 'no more than are allowed are judged');
  assert.deepEqual((await loginOf(database, tenantId, 'many@example.test'))?.locked_until, addMs(now, 60_000));
});

test('factors are those that are active, of that user', async () => {
  const { database, tools, clock } = at;
  const { id: tenantId, programme } = await aTenant(at, 'factors');
  const identityId = await aConsumer(database, tools, tenantId, programme);
  const user = (await aUser(database, tools, { tenantId, identityId, email: 'f@example.test' })) as bigint;
  const other = (await aUser(database, tools, { tenantId, identityId, email: 'g@example.test' })) as bigint;
  const put = (kind: 'OTP_SMS' | 'BIOMETRICS' | 'EXTERNAL_AUTHY', active: boolean): Promise<boolean> =>
    factorPut(database, { tenant_id: tenantId, user_id: user, kind, active, created_at: clock.now() });
  assert.equal(await put('OTP_SMS', true), true);
  assert.equal(await put('OTP_SMS', true), false, 'it has him already');
  await put('BIOMETRICS', true);
  assert.deepEqual(await factorsOf(database, tenantId, user), ['BIOMETRICS', 'OTP_SMS']);
  assert.equal(await put('BIOMETRICS', false), true);
  assert.equal(await put('EXTERNAL_AUTHY', false), false, 'he never had it');
  assert.deepEqual(await factorsOf(database, tenantId, user), ['OTP_SMS']);
  assert.deepEqual(await factorsOf(database, tenantId, other), []);
  assert.deepEqual(await factorsOf(database, tenantId + 1n, user), []);
});

test('a mobile number is another’s only within the programme', async () => {
  const { database, tools } = at;
  const { id: tenantId, programme } = await aTenant(at, 'mobiles');
  const owner = await aConsumer(database, tools, tenantId, programme);
  const neighbour = await aConsumer(database, tools, tenantId, programme);
  const mobile = '+35699000042';
  await aUser(database, tools, { tenantId, identityId: owner, email: 'm@example.test', mobile });
  const taken = (identityId: bigint, programmeId = programme, tenant = tenantId): Promise<boolean> =>
    mobileOfOther(database, { tenantId: tenant, programmeId, identityId }, mobile);
  assert.equal(await taken(neighbour), true);
  assert.equal(await taken(owner), false, 'his own');
  assert.equal(await taken(neighbour, programme + 1n), false, 'another programme');
  assert.equal(await taken(neighbour, programme, tenantId + 1n), false, 'another tenant');
});

test('a range is made once, and who gives out its numbers holds it', async () => {
  const { database } = at;
  const range = { name: 'test', brand: 'VISA', prefix: '459998', number_length: 16, size: 10n, used: 0n } as const;
  assert.equal(await rangeInsert(database, range), true);
  assert.equal(await rangeInsert(database, { ...range, size: 99n }), false);
  assert.deepEqual(await rangesList(database), [range]);
  await database.transaction(async (db) => {
    assert.deepEqual([...(await rangeKind.load(db, ['test', 'nowhere'])).entries()], [['test', range]]);
    await assert.rejects(
      database.transaction((other) => other.query('select 1 from card_ranges for update nowait')),
      /could not obtain lock/,
    );
  });
});
