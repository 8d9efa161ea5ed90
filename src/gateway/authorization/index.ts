// authorization: a card payment from the request to the issuer: rules, risk, 3-D Secure and its end, and the order that a payment refers to.
// No tables of its own.
// Rule: nothing outside is asked before the commit that says so.
export { authorize } from './authorize.ts';
export { complete } from './complete.ts';
export { ask, lapse } from './lapse.ts';
export { parentFor } from './parent.ts';
export type { AuthorizeRequest } from './prepare.ts';
