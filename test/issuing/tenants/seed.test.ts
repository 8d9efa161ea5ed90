// The sandbox's issuing data: what docs/contract/sandbox.md#credentials-and-data promises, made once and left alone.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  factorsOf,
  type Identity,
  identityGet,
  loginOf,
  passwordMatches,
  seedPeople,
  userGet,
} from '../../../src/issuing/people/index.ts';
import {
  fixedId,
  SANDBOX_PASSWORD,
  sandboxAccounts,
  sandboxTenantId,
  sandboxTenantSecrets,
  sandboxTenants,
  sandboxUsers,
  seedTenants,
  type Tenant,
} from '../../../src/issuing/tenants/index.ts';
import {
  profileRows,
  profileUpsert,
  rangesList,
  secretEnd,
  secretsOf,
  tenantRows,
} from '../../../src/issuing/tenants/queries.ts';
import {
  sandboxIdentities,
  sandboxProfiles,
  sandboxProgrammes,
  sandboxRanges,
} from '../../../src/issuing/tenants/sandbox.ts';
import { type TenantsBench, tenantsBench } from './bench.ts';

let at: TenantsBench;
const seed = (tenants = at.tenants): Promise<boolean> =>
  seedTenants(at.database, tenants, at.tools, at.permutation, seedPeople(at.tools.events));
const idOf = (outward: string): bigint => fixedId(at.permutation, outward);
const tenantId = (name: string): bigint => sandboxTenantId(at.permutation, name);

const TABLES = ['tenants', 'tenant_secrets', 'programmes', 'profiles', 'card_ranges', 'identities', 'users', 'factors'];
/** Every row of every table that the seed fills, as text. */
const everything = async (): Promise<string[]> => {
  const rows = await Promise.all(
    TABLES.map((table) => at.database.query<{ text: string }>(`select t::text as text from ${table} t order by 1`)),
  );
  return rows.flatMap((found, i) => found.map(({ text }) => `${TABLES[i]} ${text}`));
};

before(async () => {
  at = await tenantsBench();
  assert.deepEqual(await sandboxTenantSecrets(at.tenants), [], 'a database without the sandbox knows no secret of it');
  const made = await Promise.all([seed(), seed(at.other()), seed(at.other())]);
  assert.deepEqual(made.filter(Boolean), [true], 'of three that seed at once one makes it');
});

test('everything is made once', async () => {
  const { database } = at;
  const counts = await Promise.all(
    TABLES.map(async (table) => {
      const [row] = await database.query<{ count: bigint }>(`select count(*) as count from ${table}`);
      return [table, Number(row?.count)];
    }),
  );
  const enrolled = sandboxUsers.filter(({ factors }) => factors).length;
  assert.deepEqual(Object.fromEntries(counts), {
    tenants: sandboxTenants.length,
    // One for the API, one for events.
    tenant_secrets: 2 * sandboxTenants.length,
    programmes: sandboxProgrammes.length,
    profiles: sandboxProfiles.length,
    card_ranges: sandboxRanges.length,
    identities: sandboxIdentities.length,
    users: sandboxUsers.length,
    factors: 3 * enrolled,
  });
});

test('each published secret opens its tenant, and only that', async () => {
  for (const { name, secret } of sandboxTenants)
    assert.equal((await at.tenants.authenticate(secret))?.id, tenantId(name), name);
  const published = sandboxTenants.slice(0, 2).map(({ name, secret }) => [name, secret]);
  assert.deepEqual(published, [
    ['sandbox', 'sandbox-secret'],
    ['sandbox-two', 'sandbox-two-secret'],
  ]);
  const settings = async (name: string): Promise<Tenant['settings'] | undefined> =>
    (await at.tenants.tenant(tenantId(name)))?.settings;
  assert.equal((await settings('sandbox-maintenance'))?.availability, 'maintenance');
  assert.equal((await settings('sandbox-failing'))?.availability, 'failing');
  assert.equal((await settings('sandbox-limited'))?.rateLimit?.burst, 0);
});

/** docs/contract/sandbox.md#users: [address, type, KYC state, KYC level]. */
const PEOPLE = [
  ['consumer@sandbox.test', 'consumer', 'APPROVED', 'KYC_LEVEL_2'],
  ['corporate@sandbox.test', 'corporate', 'APPROVED', 'KYC_LEVEL_2'],
  ['level1@sandbox.test', 'consumer', 'APPROVED', 'KYC_LEVEL_1'],
  ['unverified@sandbox.test', 'consumer', 'PENDING_REVIEW', 'KYC_LEVEL_2'],
] as const;

test('the users log in with the published password, and are who the document says', async () => {
  assert.equal(SANDBOX_PASSWORD, 'Sandbox-12345');
  const { database } = at;
  for (const [email, type, kycState, kycLevel] of PEOPLE) {
    const login = await loginOf(database, tenantId('sandbox'), email);
    assert.ok(login, email);
    assert.equal(await passwordMatches(login.password, SANDBOX_PASSWORD), true, email);
    const identity = await identityGet(database, tenantId('sandbox'), login.identity_id);
    assert.deepEqual([identity?.type, identity?.kyc_state, identity?.kyc_level], [type, kycState, kycLevel], email);
    assert.equal((await userGet(database, tenantId('sandbox'), login.id))?.active, true, email);
    assert.equal(await loginOf(database, tenantId('sandbox-two'), email), null, 'another tenant does not know it');
  }
  assert.ok(await loginOf(database, tenantId('sandbox-two'), 'consumer@sandbox-two.test'));
});

test('linked users 3001 to 3004 and 3011', async () => {
  const sandbox = tenantId('sandbox');
  const identityOf = async (email: string): Promise<bigint | undefined> =>
    (await loginOf(at.database, sandbox, email))?.identity_id;
  const consumer = await identityOf('consumer@sandbox.test');
  const corporate = await identityOf('corporate@sandbox.test');
  const all = ['BIOMETRICS', 'EXTERNAL_AUTHY', 'OTP_SMS'];
  for (const [id, owner, hasMobile, active, factors] of [
    ['3001', consumer, true, true, all],
    ['3002', consumer, false, true, []],
    ['3003', consumer, true, false, []],
    ['3004', consumer, true, true, []],
    ['3011', corporate, true, true, all],
  ] as const) {
    const user = await userGet(at.database, sandbox, idOf(id));
    assert.ok(user, id);
    assert.equal(user.identity_id, owner, id);
    assert.deepEqual([user.kind, user.mobile !== null, user.active], ['authorised', hasMobile, active], id);
    assert.deepEqual(await factorsOf(at.database, sandbox, user.id), factors, id);
  }
});

test('card profiles 1001 to 1006', async () => {
  const FULL = { currencies: ['EUR', 'USD', 'GBP'], wallets: true, push: true, forwarding: true, channels: 3 };
  const PLAIN = { currencies: ['EUR'], wallets: false, push: false, forwarding: false, channels: 3 };
  for (const [id, ownerType, mode, active, expected] of [
    ['1001', 'consumer', 'PREPAID_MODE', true, FULL],
    ['1002', 'consumer', 'DEBIT_MODE', true, FULL],
    ['1003', 'corporate', 'PREPAID_MODE', true, FULL],
    ['1004', 'corporate', 'DEBIT_MODE', true, FULL],
    ['1005', 'consumer', 'PREPAID_MODE', false, FULL],
    ['1006', 'consumer', 'PREPAID_MODE', true, PLAIN],
  ] as const) {
    const profile = await at.tenants.profile(tenantId('sandbox'), idOf(id));
    assert.ok(profile, id);
    const { settings } = profile;
    assert.deepEqual(
      [profile.kind, profile.active, settings.ownerType, settings.mode],
      ['card', active, ownerType, mode],
      id,
    );
    assert.deepEqual(
      {
        currencies: settings.currencies,
        wallets: settings.wallets.enabled,
        push: settings.wallets.pushProvisioning,
        forwarding: settings.authForwarding,
        channels: settings.threeDs.primaryChannels.length,
      },
      expected,
      id,
    );
  }
});

test('managed accounts 2001 to 2004 as they are to be', () => {
  const shown = sandboxAccounts
    .filter(({ tenant }) => tenant === 'sandbox')
    .map(({ id, identity, currency, amount, blocked }) => [id, identity, currency, amount, blocked ?? false]);
  assert.deepEqual(shown, [
    ['2001', '4001', 'EUR', 1_000_000n, false],
    ['2002', '4002', 'EUR', 10_000_000n, false],
    ['2003', '4001', 'EUR', 0n, true],
    ['2004', '4001', 'USD', 1_000_000n, false],
  ]);
});

test('what the data refers to is there, in the same tenant', async () => {
  const { tenants } = at;
  for (const { tenant, programme, id } of sandboxProfiles)
    assert.ok(await tenants.programme(tenantId(tenant), idOf(programme)), `profile ${id}`);
  for (const { tenant, programme, id } of sandboxIdentities)
    assert.ok(await tenants.programme(tenantId(tenant), idOf(programme)), `identity ${id}`);
  const identity = (tenant: string, id: string): Promise<Identity | null> =>
    identityGet(at.database, tenantId(tenant), idOf(id));
  for (const user of sandboxUsers) assert.ok(await identity(user.tenant, user.identity), `user ${user.id}`);
  for (const account of sandboxAccounts) {
    const owner = await identity(account.tenant, account.identity);
    const profile = await tenants.profile(tenantId(account.tenant), idOf(account.profile));
    assert.deepEqual(
      [profile?.kind, profile?.settings.ownerType, profile?.programmeId],
      ['account', owner?.type, owner?.programme_id],
      `account ${account.id}`,
    );
  }
  const ranges = new Set((await rangesList(at.database)).map(({ name }) => name));
  for (const { settings } of await profileRows(at.database))
    for (const range of Object.values(settings.ranges ?? {})) assert.ok(ranges.has(range), range);
});

test('no number belongs to two ranges', async () => {
  const ranges = (await rangesList(at.database)).map(({ name, prefix, number_length, size }) => {
    // The first `size` numbers behind the prefix, without the Luhn digit.
    const free = number_length - 1 - prefix.length;
    assert.ok(size <= 10n ** BigInt(free), `${name} has room for its size`);
    const first = BigInt(prefix) * 10n ** BigInt(free);
    return { name, first, last: first + size - 1n };
  });
  for (const one of ranges)
    for (const two of ranges)
      assert.ok(one === two || one.last < two.first || two.last < one.first, `${one.name} and ${two.name}`);
  assert.deepEqual(
    (await rangesList(at.database)).map(({ prefix, brand }) => `${prefix.slice(0, 6)} ${brand}`).sort(),
    ['459999 VISA', '559999 MASTERCARD', '559999 MASTERCARD', '559999 MASTERCARD'],
  );
});

test('a second start changes nothing, and what the operator changed stays', async () => {
  const sandbox = tenantId('sandbox');
  const [row] = (await profileRows(at.database)).filter(
    ({ tenant_id, id }) => tenant_id === sandbox && id === idOf('1006'),
  );
  assert.ok(row);
  await at.change((db) => profileUpsert(db, { ...row, name: 'Changed', active: false }));
  const before = await everything();
  assert.equal(await seed(), false);
  assert.equal(await seed(at.other()), false);
  assert.deepEqual(await everything(), before);
  assert.equal((await at.tenants.profile(sandbox, idOf('1006')))?.name, 'Changed');
});

test('live mode is told every tenant whose published secret is valid, until it is ended', async () => {
  const { tenants, database, clock } = at;
  assert.deepEqual((await sandboxTenantSecrets(tenants)).sort(), sandboxTenants.map(({ name }) => name).sort());
  for (const { id } of await tenantRows(database))
    for (const secret of await secretsOf(database, id))
      await at.change((db) => secretEnd(db, id, secret.id, clock.now(), clock.now()));
  assert.deepEqual(await sandboxTenantSecrets(tenants), []);
});
