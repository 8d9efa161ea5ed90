// rates: GET /exchange_rates/ and GET /ping. Reads the ledger's rates; owns no table.
export { rateEndpoints } from './routes.ts';
