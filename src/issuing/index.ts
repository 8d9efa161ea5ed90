// issuing: the card issuing API. Its rooms, each knowing only those before it, stand in ARCHITECTURE.md.
// Rule: never imports the gateway: the two meet as messages through the network.
export { createIssuing, type Issuing, tenantDesk } from './api/index.ts';
export { rangesExhausting } from './operator/index.ts';
export { createPasswords } from './people/index.ts';
export type { IssuingDeps } from './requests/index.ts';
export { seedIssuing } from './seed.ts';
export { createTenants, sandboxTenantSecrets } from './tenants/index.ts';
