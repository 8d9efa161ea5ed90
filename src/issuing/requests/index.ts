// requests: what every request of issuing works with and how it ends: dependencies, the table of refusals, the answer. Owns no table.
// Rule: an effect and its answer are one commit; a refusal is thrown before anything is written.
export * from './answer-schemas.ts';
export {
  answered,
  answeredOnce,
  type CommittedAnswer,
  commitAnswer,
  type Ending,
  type EndingCommand,
  rejectedEnding,
  toldNow,
} from './answering.ts';
export type { IssuingDeps } from './deps.ts';
export { type RefusalCode, refusals, refuse } from './refusals.ts';
