// issuing: the card issuing API. Its rooms, each knowing only those before it, stand in ARCHITECTURE.md.
// Meets the gateway only as messages of the network; imports nothing of it.

export { createIssuing, type Issuing } from './api/index.ts';
export { createPasswords } from './people/index.ts';
export type { IssuingDeps } from './requests/index.ts';
export { seedIssuing } from './seed.ts';
export { createTenants, sandboxTenantSecrets } from './tenants/index.ts';
