// network: the card network. Owns bin_ranges, simulator_transactions and simulator_fault_counts. Knows messages, codes, card ranges and
// links. The gateway sends through a Link by the name that a terminal carries; the issuing side answers as IssuerHost.
// Rule: nothing of orders, projects or HTTP.
export {
  type Bin,
  type BinRange,
  binList,
  binPut,
  binRemove,
  binsLoad,
  cardNames,
  lookupBin,
  UNKNOWN_CARD,
} from './bins.ts';
export { makeStan, networkTransactionId, rrnOf, type StanMaker, stanMaker } from './identifiers.ts';
export {
  type CodeClass,
  codeFromScheme,
  type IsoCode,
  isApproved,
  isoCode,
  isoCodes,
  type RetryCategory,
} from './iso-codes.ts';
export {
  type Channel,
  type IssuerHost,
  type Link,
  type NetworkAnswer,
  type NetworkOperation,
  type NetworkRequest,
  NoAnswer,
} from './message.ts';
export type { OrderBook } from './queries.ts';
export * from './simulator/index.ts';
export { type TracedField, type TracedMessage, traceOf } from './trace.ts';
