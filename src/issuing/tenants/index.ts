// tenants: who issues cards, and by which programmes and profiles. Owns issuing_versions, issuing_settings, tenants, tenant_secrets,
// programmes, profiles, card_ranges and range_blocks. Rule: a request finds them in memory, at most two seconds old.
export { secretCreate, type Tools, tenantCreate } from './manage.ts';
export * from './model.ts';
export {
  type CardRange,
  installationGet,
  installationPut,
  limitsKind,
  needLimits,
  needRange,
  type ProfileRow,
  profileRows,
  profileUpsert,
  programmeRows,
  programmeUpsert,
  rangeGet,
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
export {
  lendableKind,
  needLendable,
  needRangeBlock,
  type RangeBlock,
  rangeBlockInsert,
  rangeBlockKind,
  rangeBlocksOpen,
  rangeBlockUpdate,
  rangeHasFree,
  rangeIsSpent,
} from './range-queries.ts';
export { SANDBOX_PASSWORD, sandboxAccounts, sandboxIdentities, sandboxTenants, sandboxUsers } from './sandbox.ts';
export { eventsSecretOf, fixedId, type SeedMore, sandboxTenantId, sandboxTenantSecrets, seedTenants } from './seed.ts';
export { createTenants, type TenantsRoom } from './tenants.ts';
