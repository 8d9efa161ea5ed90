// The sandbox's issuing data, whole: tenants and people, then their accounts with money on them.
import { seedAccount } from './accounts/index.ts';
import { seedPeople } from './people/index.ts';
import type { IssuingDeps } from './requests/index.ts';
import {
  fixedId,
  sandboxAccounts,
  sandboxTenantId,
  seedTenants,
  type TenantsRoom,
  type Tools,
} from './tenants/index.ts';

/** Accounts are made by who finds them missing: a start that was cut short is finished by the next one. */
export async function seedIssuing(deps: IssuingDeps, tenants: TenantsRoom, tools: Tools): Promise<void> {
  const { db, permutation } = deps;
  await seedTenants(db, tenants, tools, permutation, seedPeople(deps.events));
  for (const { tenant, id, identity, profile, name, currency, amount, blocked } of sandboxAccounts) {
    await seedAccount(deps, {
      tenantId: sandboxTenantId(permutation, tenant),
      id: fixedId(permutation, id),
      identityId: fixedId(permutation, identity),
      profileId: fixedId(permutation, profile),
      friendlyName: name,
      currency,
      amount,
      blocked: blocked ?? false,
    });
  }
}
