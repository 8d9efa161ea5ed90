// Tenants, their secrets, programmes and profiles over a real database, and what other processes see of their changes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  defaultInstallation,
  defaultProfile,
  defaultProgramme,
  defaultTenant,
  type Profile,
} from '../../../src/issuing/tenants/index.ts';
import { secretCreate, tenantCreate } from '../../../src/issuing/tenants/manage.ts';
import {
  installationPut,
  profileUpsert,
  programmeUpsert,
  secretEnd,
  secretsOf,
  tenantRows,
  tenantUpsert,
} from '../../../src/issuing/tenants/queries.ts';
import { aTenant, type TenantsBench, tenantsBench } from './bench.ts';

let at: TenantsBench;
before(async () => {
  at = await tenantsBench();
});

const rename = async (id: bigint, name: string): Promise<void> => {
  const row = (await tenantRows(at.database)).find((tenant) => tenant.id === id);
  assert.ok(row);
  await at.change((db) => tenantUpsert(db, { ...row, name }));
};

test('a new tenant is active and has the defaults', async () => {
  const { id, secret } = await aTenant(at, 'plain');
  const expected = { id, name: 'plain', active: true, settings: defaultTenant };
  assert.deepEqual(await at.tenants.tenant(id), expected);
  assert.deepEqual(await at.tenants.authenticate(secret), expected);
  assert.deepEqual(await at.tenants.installation(), defaultInstallation);
});

test('a secret has 256 random bits, and the database keeps no more than its keyed hash', async () => {
  const one = await aTenant(at, 'random-one');
  const two = await aTenant(at, 'random-two');
  for (const { secret } of [one, two]) assert.match(secret, /^fl_[\w-]{43}$/);
  assert.notEqual(one.secret, two.secret);
  const [row] = await secretsOf(at.database, one.id);
  assert.ok(row);
  assert.deepEqual(row.secret_hash, at.tools.keyed('tenant.secret', one.secret));
  const everything = await at.database.query<{ text: string }>(
    `select t::text as text from tenant_secrets t union all select t::text from tenants t`,
  );
  const hex = Buffer.from(one.secret).toString('hex');
  assert.deepEqual(
    everything.filter(({ text }) => text.includes(one.secret) || text.includes(hex)),
    [],
  );
});

test('what is not exactly a valid secret opens nothing', async () => {
  const { secret } = await aTenant(at, 'exact');
  const wrong = ['', ' ', secret.slice(0, -1), `${secret} `, ` ${secret}`, secret.toUpperCase(), 'x'.repeat(10_000)];
  for (const given of wrong) assert.equal(await at.tenants.authenticate(given), null, JSON.stringify(given));
  assert.ok(await at.tenants.authenticate(secret));
});

test('while a secret is rotated both open the tenant; the old one ends on time and the new one stays', async () => {
  const { id, secret, secretId } = await aTenant(at, 'rotating');
  const { clock, tenants, tools } = at;
  const next = await at.change(async (db) => {
    const now = clock.now();
    assert.equal(await secretEnd(db, id, secretId, new Date(now.getTime() + 60_000), now), true);
    return secretCreate(db, tools, id, { label: 'next' });
  });
  const opens = async (given: string): Promise<boolean> => (await tenants.authenticate(given))?.id === id;
  assert.deepEqual([await opens(secret), await opens(next.secret)], [true, true]);
  clock.advance(59_999);
  assert.deepEqual([await opens(secret), await opens(next.secret)], [true, true]);
  clock.advance(1);
  assert.deepEqual([await opens(secret), await opens(next.secret)], [false, true]);
});

test('ending a secret never lengthens its life, and an ended one can not be ended again', async () => {
  const { id, secret, secretId } = await aTenant(at, 'ending');
  const { clock, tenants } = at;
  const end = (ms: number): Promise<boolean> =>
    at.change((db) => {
      const now = clock.now();
      return secretEnd(db, id, secretId, new Date(now.getTime() + ms), now);
    });
  assert.equal(await end(1000), true);
  assert.equal(await end(3_600_000), true);
  clock.advance(1000);
  assert.equal(await tenants.authenticate(secret), null, 'the earlier end counts');
  assert.equal(await end(3_600_000), false);
  assert.equal(await tenants.authenticate(secret), null);
});

test('a revoked secret is refused by the next request of this process, and two seconds later by any other', async () => {
  const { id, secret, secretId } = await aTenant(at, 'revoked');
  const other = at.other();
  assert.ok(await other.authenticate(secret));
  await at.change((db) => secretEnd(db, id, secretId, at.clock.now(), at.clock.now()));
  assert.equal(await at.tenants.authenticate(secret), null);
  at.clock.advance(2000);
  assert.equal(await other.authenticate(secret), null);
});

test('a secret is ended under its own tenant only', async () => {
  const one = await aTenant(at, 'own');
  const two = await aTenant(at, 'foreign');
  const now = at.clock.now();
  assert.equal(await at.change((db) => secretEnd(db, two.id, one.secretId, now, now)), false);
  assert.equal((await at.tenants.authenticate(one.secret))?.id, one.id);
});

test('an inactive tenant is refused with any of its secrets, and is there again when it is active again', async () => {
  const { id, secret } = await aTenant(at, 'switched');
  const [row] = (await tenantRows(at.database)).filter((tenant) => tenant.id === id);
  assert.ok(row);
  await at.change((db) => tenantUpsert(db, { ...row, active: false }));
  assert.equal(await at.tenants.authenticate(secret), null);
  assert.equal((await at.tenants.tenant(id))?.active, false, 'cards it has issued still find it');
  await at.change((db) => tenantUpsert(db, { ...row, active: true }));
  assert.equal((await at.tenants.authenticate(secret))?.id, id);
});

test('programmes and profiles of one tenant are none of another, also under the same id', async () => {
  const one = await aTenant(at, 'isolated-a');
  const two = await aTenant(at, 'isolated-b');
  assert.equal(await at.tenants.programme(two.id, one.programme), null);
  const profile = (tenant: typeof one, name: string) => ({
    tenant_id: tenant.id,
    id: 77n,
    programme_id: tenant.programme,
    name,
    kind: 'card' as const,
    active: true,
    settings: {},
    created_at: at.clock.now(),
  });
  await at.change((db) => profileUpsert(db, profile(one, 'of a')));
  assert.equal(await at.tenants.profile(two.id, 77n), null);
  await at.change((db) => profileUpsert(db, profile(two, 'of b')));
  const shown = async (tenantId: bigint): Promise<Profile | null> => at.tenants.profile(tenantId, 77n);
  assert.deepEqual(
    [await shown(one.id), await shown(two.id)].map((found) => [found?.name, found?.programmeId, found?.settings]),
    [
      ['of a', one.programme, defaultProfile],
      ['of b', two.programme, defaultProfile],
    ],
  );
});

test('rows keep what differs from the defaults; what is read is whole', async () => {
  const { id, programme } = await aTenant(at, 'sparse');
  const { clock, tenants } = at;
  await at.change((db) =>
    programmeUpsert(db, {
      tenant_id: id,
      id: programme,
      name: 'sparse',
      settings: {
        biometrics: true,
        kyc: { ...defaultProgramme.kyc, KYC_LEVEL_1: { cards: 3, debitCards: true, rules: {} } },
      },
      created_at: clock.now(),
    }),
  );
  assert.deepEqual((await tenants.programme(id, programme))?.settings, {
    ...defaultProgramme,
    biometrics: true,
    kyc: {
      KYC_LEVEL_1: { cards: 3, debitCards: true, rules: { spendLimit: [] } },
      KYC_LEVEL_2: defaultProgramme.kyc.KYC_LEVEL_2,
    },
  });
});

test('a null within settings stands for the default, at any depth; a KYC level without limit of cards keeps its null', async () => {
  const { id, programme } = await aTenant(at, 'nulls');
  const created_at = at.clock.now();
  // As an operator may have sent it: the database holds JSON, not our types.
  const settings = <Of>(json: object): Of => json as Of;
  await at.change(async (db) => {
    const kyc = { KYC_LEVEL_1: { cards: null, debitCards: null, rules: { spendLimit: null } }, KYC_LEVEL_2: null };
    await programmeUpsert(db, {
      tenant_id: id,
      id: programme,
      name: 'nulls',
      settings: settings({ kyc, cardLimits: { total: 4, currencies: null }, countries: null }),
      created_at,
    });
    await profileUpsert(db, {
      tenant_id: id,
      id: 78n,
      programme_id: programme,
      name: 'nulls',
      kind: 'card',
      active: true,
      settings: settings({
        currencies: null,
        threeDs: { required: true, primaryChannels: null },
        fees: { atmFixed: 5, purchasePercent: null },
        rules: { spendLimit: null, allowAtm: false },
      }),
      created_at,
    });
  });
  assert.deepEqual((await at.tenants.programme(id, programme))?.settings, {
    ...defaultProgramme,
    cardLimits: { total: 4, currencies: {} },
    kyc: { ...defaultProgramme.kyc, KYC_LEVEL_1: { ...defaultProgramme.kyc.KYC_LEVEL_1, cards: null } },
  });
  assert.deepEqual((await at.tenants.profile(id, 78n))?.settings, {
    ...defaultProfile,
    threeDs: { ...defaultProfile.threeDs, required: true },
    fees: { ...defaultProfile.fees, atmFixed: 5 },
    rules: { allowAtm: false },
  });
});

test('the settings of the installation are read back, and set back', async () => {
  const { tenants } = at;
  await at.change((db) => installationPut(db, { cardLimits: { total: 5, currencies: { RUB: 0 } } }));
  assert.deepEqual(await tenants.installation(), {
    cardLimits: { total: 5, currencies: { RUB: 0 } },
    rules: {},
  });
  await at.change((db) => installationPut(db, {}));
  assert.deepEqual(await tenants.installation(), defaultInstallation);
});

test('what another process changes is seen after two seconds, and not before one', async () => {
  const { id } = await aTenant(at, 'watched');
  const other = at.other();
  assert.equal((await other.tenant(id))?.name, 'watched');
  await rename(id, 'renamed');
  assert.equal((await at.tenants.tenant(id))?.name, 'renamed', 'at once where it was changed');
  assert.equal((await other.tenant(id))?.name, 'watched', 'memory is fresh for a second');
  at.clock.advance(2000);
  assert.equal((await other.tenant(id))?.name, 'renamed', 'older memory is compared before it is used');
});

test('five hundred requests within a second cost one look at the version, and reading everything only when it moved', async () => {
  const { database, clock } = at;
  const { secret } = await aTenant(at, 'counted');
  let queries = 0;
  const counted = at.other({
    query: (text, values) => {
      queries++;
      return database.query(text, values);
    },
  });
  await counted.all();
  const first = queries;
  queries = 0;
  for (let i = 0; i < 500; i++) await counted.authenticate(i % 2 === 0 ? secret : 'wrong');
  assert.equal(queries, 0);
  clock.advance(2000);
  await counted.authenticate(secret);
  assert.equal(queries, 1, 'nothing changed: the version alone');
  await aTenant(at, 'counted-again');
  clock.advance(2000);
  queries = 0;
  assert.ok((await counted.all()).some(({ name }) => name === 'counted-again'));
  assert.equal(queries, first);
});

test('memory serves while the database is away for less than two seconds, and refuses to guess afterwards', async () => {
  const { database, clock } = at;
  const { secret } = await aTenant(at, 'outage');
  let away = false;
  const tenants = at.other({
    query: (text, values) => (away ? Promise.reject(new Error('away')) : database.query(text, values)),
  });
  assert.ok(await tenants.authenticate(secret));
  away = true;
  clock.advance(1500);
  assert.ok(await tenants.authenticate(secret));
  clock.advance(1000);
  await assert.rejects(tenants.authenticate(secret), /away/);
  away = false;
  assert.ok(await tenants.authenticate(secret));
});

test('a change that fails leaves nothing, and its error comes through', async () => {
  const { tenants, tools, database } = at;
  const before = await database.query('select version from issuing_versions');
  const failing = at.change(async (db) => {
    await tenantCreate(db, tools, { id: tools.ids.next(), name: 'never', settings: {} });
    throw new Error('no');
  });
  await assert.rejects(failing, /^Error: no$/);
  assert.deepEqual(await database.query('select version from issuing_versions'), before);
  assert.deepEqual(
    (await tenants.all()).filter(({ name }) => name === 'never'),
    [],
  );
});

test('names are taken once', async () => {
  const { tenants, tools } = at;
  await aTenant(at, 'once');
  const again = at.change((db) => tenantCreate(db, tools, { id: tools.ids.next(), name: 'once', settings: {} }));
  await assert.rejects(again, /duplicate key/);
  assert.equal((await tenants.all()).filter(({ name }) => name === 'once').length, 1);
});
