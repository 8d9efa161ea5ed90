// requests: what every request of issuing works with and how it ends: dependencies, the answer. Owns no table.
// Rule: an effect and its answer are one commit; a refusal is thrown and leaves nothing behind.
export * from './answer-schemas.ts';
export {
  answered,
  answeredOnce,
  type CommittedAnswer,
  commitAnswer,
  type Ending,
  type EndingCommand,
  rejectedEnding,
  rejection,
  toldNow,
} from './answering.ts';
export type { IssuingDeps } from './deps.ts';
