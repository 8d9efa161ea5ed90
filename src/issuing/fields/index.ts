// fields: what issuing requests are made of, how they are checked, and how their failures look. Owns no table.
export { type InvalidField, invalidFields } from './check.ts';
export { checked, issuingEnvelope, issuingReader } from './envelope.ts';
export * from './fields.ts';
