// accounts: managed accounts, the funds of accounts and prepaid cards, and their statements.
// Owns managed_accounts, funds and statement_entries. Rule: money moves through funds.ts only: funds, statement and ledger together.
export { balances, instrumentState, managedAccount, statementPage } from './answer-schemas.ts';
export { type AttachedCards, changeAccount } from './change.ts';
export { createAccount } from './create.ts';
export { availableOf, type Counter, emptyFunds, type Moved, type Movement, moveFunds, transferFunds } from './funds.ts';
export { accountsList, EVERY_ACCOUNT } from './list-queries.ts';
export * from './model.ts';
export { balancesView } from './present.ts';
export {
  accountGet,
  accountKind,
  accountOwner,
  fundsInsert,
  fundsKind,
  fundsOf,
  fundsRead,
  type InstrumentKey,
  needAccount,
  needFunds,
} from './queries.ts';
export { accountEndpoints, accountsOf, type StatementInput, statementAnswer } from './routes.ts';
export { AccountBody, currency, friendlyName, PAGE, StatementQuery, tag } from './schemas.ts';
export { seedAccount } from './seed.ts';
export { depositEndpoints } from './simulator-routes.ts';
export { ACTIVE, blocked, destroyed, replaced, type Standing, stateView, unblocked } from './states.ts';
