// tenants: who issues cards, and by which programmes and profiles. Owns issuing_versions, issuing_settings, tenants, tenant_secrets,
// programmes, profiles and card_ranges. Rule: a request finds them in memory, at most two seconds old.
export { secretCreate, type Tools, tenantCreate } from './manage.ts';
export * from './model.ts';
export {
  type CardRange,
  installationGet,
  installationPut,
  needRange,
  type ProfileRow,
  profileRows,
  profileUpsert,
  programmeRows,
  programmeUpsert,
  rangeInsert,
  rangeKind,
  rangesList,
  rangeUpdate,
  type SecretRow,
  secretBind,
  secretEnd,
  secretsOf,
  setupHold,
  tenantHold,
  tenantOf,
  tenantOpen,
  tenantRows,
  tenantUpsert,
} from './queries.ts';
export { SANDBOX_PASSWORD, sandboxAccounts, sandboxIdentities, sandboxTenants, sandboxUsers } from './sandbox.ts';
export { fixedId, type SeedMore, sandboxTenantId, sandboxTenantSecrets, seedTenants } from './seed.ts';
export { createTenants, type TenantsRoom } from './tenants.ts';
