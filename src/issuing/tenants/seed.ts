// Puts the sandbox's tenants into the database, on the first start; what is there stays as the operator left it.
// Rule: live mode knows none of these secrets, and doesn't start while one of them is valid.
import type { Permutation } from '../../base/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import { secretCreate, type Tools, tenantCreate } from './manage.ts';
import { installationPut, profileUpsert, programmeUpsert, rangeInsert, tenantRows, versionNext } from './queries.ts';
import { sandboxInstallation, sandboxProfiles, sandboxProgrammes, sandboxRanges, sandboxTenants } from './sandbox.ts';
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

/** What else the sandbox begins with, in the same transaction; what takes long is made before it. */
export type SeedMore = (tools: Tools, permutation: Permutation) => Promise<(db: Transaction) => Promise<void>>;

/** True when this start has made the data. Two processes may try at once: one waits for the other. */
export async function seedTenants(
  database: { transaction(work: (db: Transaction) => Promise<boolean>): Promise<boolean> },
  tenants: TenantsRoom,
  tools: Tools,
  permutation: Permutation,
  more: SeedMore,
): Promise<boolean> {
  const first = sandboxTenantId(permutation, 'sandbox');
  if (await tenants.tenant(first)) return false;
  const prepared = await more(tools, permutation);
  const made = await database.transaction(async (db) => {
    await versionNext(db);
    if ((await tenantRows(db)).some(({ id }) => id === first)) return false;
    await seedSetup(db, tools, permutation);
    await prepared(db);
    return true;
  });
  await tenants.refresh();
  return made;
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
    await secretCreate(db, tools, tenantId(name), { label: 'sandbox events', kind: 'events' }, eventsSecretOf(name));
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

/** What opens a sandbox tenant's events and endpoints. */
export const eventsSecretOf = (name: string): string => `${name}-events`;

/** Names of tenants whose published sandbox secrets are valid: a live server must not start with any. */
export async function sandboxTenantSecrets(tenants: TenantsRoom): Promise<string[]> {
  const valid = await Promise.all(
    sandboxTenants.map(async ({ name, secret }) => {
      const opened = await Promise.all([
        tenants.authenticate(secret),
        tenants.authenticate(eventsSecretOf(name), null, 'events'),
      ]);
      return opened.some(Boolean) ? name : null;
    }),
  );
  return valid.filter((name) => name !== null);
}
