// operator: the API by which an installation is set up and looked into. Owns operator_audit; changes other rooms' data only
// through their use cases, each change with its audit row.
export { type Action, auditAppend, auditViolations } from './audit.ts';
export { audited, auditedCommand, type Check, type Office, type Operator } from './office.ts';
export { auditRefusals } from './refusals.ts';
export { bearerAuthentication, operatorApi, operatorEnvelope } from './routes.ts';
export { dueFailure } from './routes-answers.ts';
