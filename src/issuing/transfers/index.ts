// transfers: money between the accounts and prepaid cards of one identity. Owns transfers.
// Rule: both instruments and both funds are locked by the commit that moves the money.
export { transferEndpoints } from './routes.ts';
export { transfer } from './transfer.ts';
