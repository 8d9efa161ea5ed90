// operator: the part of the operator API that sets up issuing and looks after its cards. Owns no table.
export type { IssuingOffice } from './office.ts';
export { operatorEndpoints } from './routes.ts';
