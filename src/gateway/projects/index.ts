// projects: merchants' accounts. Owns projects, project_credentials, terminals and project_versions; imports nothing of orders.
// Reading goes through `createProjects` (memory); changing through the use cases inside `Projects.change`.
export { addressAllowed } from './addresses.ts';
export {
  ALL_RIGHTS,
  type CredentialInput,
  type CredentialView,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
  type NewCredential,
} from './credentials.ts';
export { type Problem, ProjectRefusal, type ProjectRefusalCode, projectRefusals } from './errors.ts';
export {
  type Keyed,
  type ProjectInput,
  type ProjectPatch,
  pricingPut,
  projectCreate,
  projectGet,
  projectList,
  projectPatch,
  settingsOf,
  settingsPatch,
  type Tools,
} from './manage.ts';
export { createProjects, type Projects, type ProjectsOptions, type Transactions } from './projects.ts';
export type { ProjectRow, TerminalRow } from './queries.ts';
export { type SeedPorts, sandboxPricing, sandboxSecrets, seedSandbox } from './seed.ts';
export { settingProblems, settingRules } from './setting-rules.ts';
export {
  type Credential,
  defaultSettings,
  type Project,
  type ProjectSettings,
  type Right,
  type Terminal,
} from './settings.ts';
export { type TerminalInput, terminalGet, terminalList, terminalPut, terminalRemove } from './terminals.ts';
