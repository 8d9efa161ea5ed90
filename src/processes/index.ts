// processes: several server processes on one machine, under one parent, at one address. Owns nothing: what they share is in the database.
// Rule: a process does not know whether there are others, but where it answers for all of them.
export { boundHeap } from './heap.ts';
export { type Gathered, isMember, joinParent, type Member } from './member.ts';
export { startTogether } from './start.ts';
export { censusMetrics, joinMetrics, readyTogether } from './together.ts';
