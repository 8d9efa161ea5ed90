// store: Postgres and nothing of the domain. Owns commit_groups, processes, due_failures and what is shared.
// Rule: every other table belongs to the room whose queries.ts names it.
export { StartError } from './binaries.ts';
export { type Caller, forCaller, forNobody, presentCaller } from './caller.ts';
export * from './command.ts';
export { type CommitterOptions, createCommitter } from './commit.ts';
export { openDataDir } from './data-dir.ts';
export { type Database, DEADLINES, type Deadlines, openDatabase, type SessionOptions } from './database.ts';
export { freeBytes } from './disk.ts';
export { createDueRunner, type DueItem, type DueRunner, dueJob, type Timeline } from './due.ts';
export {
  type DueColumns,
  type DueFailure,
  dueFailureCounts,
  dueFailuresPurge,
  dueTries,
  dueWaits,
} from './due-queries.ts';
export { type Connection, type Embedded, startEmbedded } from './embedded.ts';
export { openShared, type Shared } from './followed.ts';
export { databaseIsGone } from './gone.ts';
export { openInstallation } from './installation.ts';
export { claimDatabase } from './installation-mode.ts';
export { kept } from './kept.ts';
export type { FaultPoint } from './lane.ts';
export { type Lease, type LeaseTimes, openLease } from './lease.ts';
export { migrate, migrated } from './migrate.ts';
export { nextIdNode } from './nodes.ts';
export * from './once.ts';
export { purgeCommitGroups } from './outcome.ts';
export * from './page.ts';
export { rowKind } from './row-kind.ts';
export * from './table.ts';
