// installation: one data directory, one schema: who may start on it, what it was made for, and how it comes to the schema of this version.
// Rule: two Florins never run on one data directory, and a sandbox never becomes anything else.
export { openDataDir } from './data-dir.ts';
export { distribute, type Placement, placementOf, REFERENCE } from './distribute.ts';
export { openInstallation } from './installation.ts';
export { claimDatabase } from './installation-mode.ts';
export { migrate, migrated } from './migrate.ts';
