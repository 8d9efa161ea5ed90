// tenants: who issues cards to whom. Owns issuing_versions, issuing_settings, tenants, tenant_secrets, programmes, profiles, card_ranges,
// identities, users and factors. Tenants, programmes and profiles are read from memory, identities and users from the database.
export * from './model.ts';
