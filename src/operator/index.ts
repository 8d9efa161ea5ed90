// operator: the API by which an installation is set up and looked into. Owns operator_audit, who may ask, how a change is told; the endpoints
// on a room's own data are that room's (operator-routes.ts); app-operator.ts brings them together, for `operatorApi`.
// Rule: nothing is changed for an operator without its row in the audit log, in the same transaction.
export { auditAnchors } from './anchors.ts';
export { type Action, auditAppend } from './audit.ts';
export { bearerAuthentication } from './bearer-routes.ts';
export { createChanges } from './changes.ts';
export { operatorEnvelope } from './envelope.ts';
export { type Check, type Inspection, inspectionEndpoints, type PageDifference } from './inspection-routes.ts';
export { auditBreaks, auditViolations } from './proof.ts';
export { rangeEndpoints } from './range-routes.ts';
export { type RatesDesk, rateEndpoints } from './rate-routes.ts';
export { auditRefusals } from './refused-logins.ts';
export { operatorApi } from './routes.ts';
export { dueFailure } from './schemas.ts';
