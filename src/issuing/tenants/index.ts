// tenants: who issues cards to whom. Owns issuing_versions, issuing_settings, tenants, tenant_secrets, programmes, profiles, card_ranges,
// identities, users and factors. Tenants, programmes and profiles are read from memory, identities and users from the database.

export { identityCreate, secretCreate, type Tools, tenantCreate, userCreate } from './manage.ts';
export * from './model.ts';
export { isGuessable, SHORTEST_PASSWORD } from './password-rules.ts';
export { passwordFrom, passwordMatches } from './passwords.ts';
export {
  factorPut,
  factorsOf,
  identitiesOf,
  identityGet,
  identityKind,
  identityUpsert,
  loginOf,
  loginReset,
  loginTried,
  mobileOfOther,
  needEmail,
  needIdentity,
  passwordSet,
  passwordsOf,
  userEmailKind,
  userGet,
  userInsert,
  usersOf,
  userToChange,
  userUpsert,
} from './people-queries.ts';
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
  tenantRows,
  tenantUpsert,
} from './queries.ts';
export { SANDBOX_PASSWORD, sandboxAccounts, sandboxTenants, sandboxUsers } from './sandbox.ts';
export { fixedId, sandboxTenantId, sandboxTenantSecrets, seedTenants } from './seed.ts';
export { createTenants, type TenantsRoom } from './tenants.ts';
