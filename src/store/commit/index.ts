// commit: how decisions become durable: commands, needs and changes, groups of one owner in their lanes, the answer that is stored with its
// effect, and what became of a group whose end nobody saw. Owns commit_groups.
// Rule: what is answered has been committed, and what is unknown is found out before anything is decided again.
export { arrayLiteral, type ColumnType } from './array.ts';
export {
  type Caller,
  type Cause,
  causedBy,
  forCaller,
  forNobody,
  presentCaller,
  presentCause,
} from './caller.ts';
export {
  type Command,
  type Committer,
  type Db,
  type Decision,
  type Follow,
  follow,
  followRow,
  type Kind,
  type Loaded,
  type Need,
  NotWritten,
  OutcomeUnknown,
  type Session,
  type Told,
  type Transaction,
} from './command.ts';
export { type CommitterOptions, createCommitter } from './commit.ts';
export { decidingNow } from './decide.ts';
export { databaseIsGone } from './gone.ts';
export type { FaultPoint } from './lane.ts';
export {
  type Begun,
  type Once,
  type OnceForm,
  type OnceRecords,
  onceCommand,
  type Replay,
  type StoredAnswer,
  type Subject,
} from './once.ts';
export { NOBODY, purgeCommitGroups } from './outcome.ts';
export {
  add,
  type Change,
  insert,
  remove,
  type Statement,
  statementsFor,
  type Table,
  table,
  update,
} from './table.ts';
export {
  groupsProved,
  type UnprovedGroup,
  unprovedCount,
  unprovedEntries,
  unprovedGroups,
  unprovedOwners,
} from './touched.ts';
