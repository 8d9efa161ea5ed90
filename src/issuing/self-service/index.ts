// self-service: what users see and change of themselves, and the root user of his identity's other users. Owns no table.
// Rule: a factor, a mobile number, an e-mail address or another user is changed by sessions that are stepped up.
export { selfServiceEndpoints } from './routes.ts';
