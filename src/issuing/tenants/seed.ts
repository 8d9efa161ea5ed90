// Puts the sandbox's tenants and people into the database, on the first start; what is there stays as the operator left it.
// Rule: live mode knows none of these secrets, and doesn't start while one of them is valid.
import type { Permutation } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { factorPut, identityCreate, identityUpsert, passwordFrom, userCreate } from '../people/index.ts';
import { UNLIMITED } from '../rules/index.ts';
import { secretCreate, type Tools, tenantCreate } from './manage.ts';
import { installationPut, profileUpsert, programmeUpsert, rangeInsert, tenantRows, versionNext } from './queries.ts';
import {
  SANDBOX_PASSWORD,
  sandboxIdentities,
  sandboxInstallation,
  sandboxProfiles,
  sandboxProgrammes,
  sandboxRanges,
  sandboxTenants,
  sandboxUsers,
} from './sandbox.ts';
import type { TenantsRoom } from './tenants.ts';

/** The internal id behind a published one. */
export function fixedId({ inward }: Permutation, outward: string): bigint {
  const id = inward(outward);
  if (id === null) throw new Error(`${outward} is no id`);
  return id;
}

/** The tenant of the sandbox by its name; its id is as fixed as the others. */
export const sandboxTenantId = (permutation: Permutation, name: string): bigint =>
  fixedId(permutation, String(6001 + sandboxTenants.findIndex((tenant) => tenant.name === name)));

/** True when this start has made the data. Two processes may try at once: one waits for the other. */
export async function seedTenants(tenants: TenantsRoom, tools: Tools, permutation: Permutation): Promise<boolean> {
  const first = sandboxTenantId(permutation, 'sandbox');
  if (await tenants.tenant(first)) return false;
  // One hash for all: they have one password, and each costs a twentieth of a second.
  const password = await passwordFrom(tools.random, SANDBOX_PASSWORD);
  return tenants.change(async (db) => {
    await versionNext(db);
    if ((await tenantRows(db)).some(({ id }) => id === first)) return false;
    await seedSetup(db, tools, permutation);
    await seedPeople(db, tools, permutation, password);
    return true;
  });
}

async function seedSetup(db: Db, tools: Tools, permutation: Permutation): Promise<void> {
  const now = tools.clock.now();
  const id = (outward: string): bigint => fixedId(permutation, outward);
  const tenantId = (name: string): bigint => sandboxTenantId(permutation, name);
  await installationPut(db, sandboxInstallation);
  for (const range of sandboxRanges) await rangeInsert(db, range);
  for (const { name, secret, settings } of sandboxTenants) {
    await tenantCreate(db, tools, { id: tenantId(name), name, settings });
    await secretCreate(db, tools, tenantId(name), { label: 'sandbox' }, secret);
  }
  for (const { tenant, id: outward, name, settings } of sandboxProgrammes)
    await programmeUpsert(db, { tenant_id: tenantId(tenant), id: id(outward), name, settings, created_at: now });
  for (const { tenant, programme, id: outward, name, kind = 'card', active = true, settings } of sandboxProfiles)
    await profileUpsert(db, {
      tenant_id: tenantId(tenant),
      id: id(outward),
      programme_id: id(programme),
      name,
      kind,
      active,
      settings,
      created_at: now,
    });
}

async function seedPeople(
  db: Db,
  tools: Tools,
  permutation: Permutation,
  password: Awaited<ReturnType<typeof passwordFrom>>,
): Promise<void> {
  const now = tools.clock.now();
  const id = (outward: string): bigint => fixedId(permutation, outward);
  for (const { tenant, programme, id: outward, type, name, kycState, kycLevel, mostCards } of sandboxIdentities) {
    const identity = await identityCreate(db, tools, {
      id: id(outward),
      tenantId: sandboxTenantId(permutation, tenant),
      programmeId: id(programme),
      type,
      name,
      kycState: kycState ?? 'APPROVED',
      kycLevel: kycLevel ?? 'KYC_LEVEL_2',
    });
    if (mostCards !== undefined)
      await identityUpsert(db, {
        ...identity,
        settings: { ...identity.settings, cardLimits: { ...UNLIMITED, total: mostCards } },
      });
  }
  for (const user of sandboxUsers) {
    const tenantId = sandboxTenantId(permutation, user.tenant);
    await userCreate(db, tools, {
      id: id(user.id),
      tenantId,
      identityId: id(user.identity),
      kind: user.kind,
      name: user.name,
      surname: 'Example',
      email: user.email,
      mobile: user.mobile,
      active: user.active ?? true,
      password,
    });
    for (const kind of user.factors ? (['OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY'] as const) : [])
      await factorPut(db, { tenant_id: tenantId, user_id: id(user.id), kind, active: true, created_at: now });
  }
}

/** Names of tenants whose published sandbox secret is valid: a live server must not start with any. */
export async function sandboxTenantSecrets(tenants: TenantsRoom): Promise<string[]> {
  const valid = await Promise.all(
    sandboxTenants.map(async ({ name, secret }) => ((await tenants.authenticate(secret)) ? name : null)),
  );
  return valid.filter((name) => name !== null);
}
