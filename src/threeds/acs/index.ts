// acs: the access control server, where cardholders prove who they are: its addresses, its decisions, its pages. No tables of its own.
// Rule: takes nothing on trust that a browser brings.
export { acsRoutes } from './routes.ts';
