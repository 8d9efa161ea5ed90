// turns: work that takes turns, so that what one owner asks for is never waited for by all.
// Rule: whoever has the least in flight is next.
export { type FairQueue, fairQueue, type Job, type Shares } from './fair-queue.ts';
export { Busy, createTurns, type Steps, type Turn, type Turns, type TurnsOptions } from './turns.ts';
