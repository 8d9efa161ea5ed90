// projects: merchants' accounts. Owns projects, project_credentials, terminals and project_versions; imports nothing of orders.
// Rule: reading goes through `createProjects` (memory); what changed in a transaction is in force here behind `Projects.refresh`.
export type { ProjectsDesk } from './access-operator-routes.ts';
export { addressAllowed } from './addresses.ts';
export {
  type CredentialView,
  credentialCreate,
  credentialList,
  credentialRevoke,
  credentialRotate,
} from './credentials.ts';
export { projectRefusal } from './errors.ts';
export {
  type Keyed,
  pricingPut,
  projectCreate,
  projectGet,
  projectList,
  projectPatch,
  settingsOf,
  settingsPatch,
  type Tools,
} from './manage.ts';
export { projectOperatorEndpoints } from './operator-routes.ts';
export { createProjects, ownerNamed, type Projects } from './projects.ts';
export { type ProjectRow, projectOf, type TerminalRow } from './queries.ts';
export { ProjectLogin, ProjectPath } from './schemas.ts';
export { sandboxSecrets, seedSandbox } from './seed.ts';
export { settingProblems, settingRules } from './setting-rules.ts';
export {
  type Credential,
  defaultSettings,
  type Project,
  type ProjectSettings,
  type Terminal,
} from './settings.ts';
export { terminalGet, terminalList, terminalPut, terminalRemove } from './terminals.ts';
