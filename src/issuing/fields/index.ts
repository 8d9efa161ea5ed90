// fields: what issuing requests are made of, how they are checked, how their failures look, in which order answers show their members.
// Owns no table. Rule: one error a field, the first of the contract's order.
export { type InvalidField, invalidFields } from './check.ts';
export { checked, failureOfFields, issuingEnvelope, issuingReader, statusOf } from './envelope.ts';
export { errorCodeSchema } from './failure-schemas.ts';
export * from './fields.ts';
export { filled } from './filled.ts';
export {
  type FailureCode,
  failures,
  type RefusalCode,
  type RejectionCode,
  refuse,
  rejections,
} from './refusals.ts';
export { shown } from './shown.ts';
