// accounts: managed accounts, the funds of accounts and prepaid cards, transfers and statements.
// Owns managed_accounts, funds, statement_entries and transfers.
export { availableOf, type Counter, emptyFunds, type Moved, type Movement, moveFunds, transferFunds } from './funds.ts';
export * from './model.ts';
export {
  accountGet,
  accountKind,
  fundsInsert,
  fundsKind,
  fundsOf,
  type InstrumentKey,
  needAccount,
  needFunds,
} from './queries.ts';
