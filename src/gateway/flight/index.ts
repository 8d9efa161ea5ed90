// flight: an operation on its way: the intent that is committed, the message to the network, the answer and what it does to the order and
// in the books, and what is done where no answer came. No tables of its own: it writes orders, operations and postings through their rooms.
// Rule: the intent is committed before anything is sent, and no transaction is open while the network is asked.
export { paymentOf } from './assess.ts';
export { cashflowsOf, postingsFor, rateFor, rateJson } from './books.ts';
export { cardOf, carry } from './carry.ts';
export { approved } from './effects.ts';
export { type Intended, type Intent, newOperation, startOperation } from './intent.ts';
export type { CardData } from './message.ts';
export { type StuckDesk, stuckOperatorEndpoints } from './operator-routes.ts';
export { recover } from './recovery.ts';
export { CLOSED_WAIT_MS } from './result.ts';
export { type Heard, type Resolved, resolveOperation, type StuckOperation, stuckOperations } from './stuck.ts';
export { unresolvedAnswer } from './unresolved.ts';
