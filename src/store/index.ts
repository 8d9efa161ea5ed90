// store: Postgres and nothing of the domain. Owns commit_groups, processes, due_failures and what is shared.
// Rule: every other table belongs to the room whose queries.ts names it.
export * from './commit/index.ts';
export { type Database, DEADLINES, type Deadlines, openDatabase, type SessionOptions } from './database.ts';
export { type Directory, directoryOf } from './directory.ts';
export * from './due/index.ts';
export * from './embedded/index.ts';
export { openShared, type Shared } from './followed.ts';
export { hold } from './hold.ts';
export * from './installation/index.ts';
export { kept } from './kept.ts';
export { forgetProcesses, LEASE_TIMES, type Lease, type LeaseTimes, openLease } from './lease.ts';
export { lookup } from './lookup.ts';
export { nextIdNode } from './nodes.ts';
export * from './page.ts';
export { oneOwner, rowKind } from './row-kind.ts';
export { type ReadRow, type RowBy, rowBy, rowReader } from './row-reader.ts';
export { type ReadMany, together } from './together.ts';
