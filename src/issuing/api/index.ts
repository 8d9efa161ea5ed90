// api: the issuing side as app.ts is given it: its three declarations of one prefix, its part of the simulator, what it has due. No table.
// Rule: composition only; what is served stands in the rooms that own it.
export { tenantDesk } from './events-form.ts';
export { createIssuing, type Issuing } from './issuing.ts';
