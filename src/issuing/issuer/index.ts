// issuer: what the rooms of issuing share: the tools, the table of refusals, the way a request ends. Owns no table.
export {
  answered,
  answeredOnce,
  type CommittedAnswer,
  commitAnswer,
  type Ending,
  type EndingCommand,
  refusedEnding,
} from './answering.ts';
export { Refusal, type RefusalCode, refusals } from './errors.ts';
export type { Issuer } from './issuer.ts';
export * from './routes-answers.ts';
