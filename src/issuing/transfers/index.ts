// transfers: money between the accounts and prepaid cards of one identity. Owns transfers.
export { transferEndpoints } from './routes.ts';
export { transfer } from './transfer.ts';
