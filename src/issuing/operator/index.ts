// operator: the part of the operator API that sets up issuing and looks after its cards. Owns no table.
// Rule: nothing is changed for an operator but together with its audit row.
export { rangesExhausting } from './ranges.ts';
export { type OperatorOptions, operatorEndpoints } from './routes.ts';
