// options: what may be changed of a card that exists: its options and its own spend rules. Owns no table.
// Rule: what is given is judged as on creation, on the locked card; what is absent stays.
export { type LimitsPort, optionEndpoints } from './routes.ts';
