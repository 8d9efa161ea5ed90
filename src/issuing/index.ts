// issuing: the card issuing API. Rooms within: fields, tenants, issuer, rules, accounts, transfers, cards, access, authorization.
// Meets the gateway only as messages of the network; imports nothing of it.
export type { Issuer } from './issuer/index.ts';
export { createIssuing, type Issuing } from './issuing-routes.ts';
export { seedIssuing } from './seed.ts';
export { createTenants, sandboxTenantSecrets } from './tenants/index.ts';
