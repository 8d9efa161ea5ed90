// due: work that becomes due by the clock, found by any process and done by one. Owns due_failures.
// Rule: work that fails stops no other work, and is tried again.
export { type Beside, createDueRunner, type DueItem, type DueRunner, dueJob, type Timeline } from './due.ts';
export {
  type DueColumns,
  type DueFailure,
  dueFailureCounts,
  dueFailuresPurge,
  dueKindsWaiting,
  dueTries,
  dueTriesByKind,
  dueWaits,
} from './due-queries.ts';
