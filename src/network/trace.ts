// The messages of an order as they stood on the wire, rebuilt from the acquirer's record instead of being written a second time.
// Rule: masked by default: only what stands in `requestFields` and `answerFields` is shown, never a CVV, expiry or whole card number.
import { numericOf } from '../base/index.ts';
import type { Db } from '../store/index.ts';
import { isoCode } from './iso-codes.ts';
import { MESSAGES, mtiOf } from './message.ts';
import { type Entry, orderEntriesSelect } from './queries.ts';

export interface TracedField {
  /** Data element of ISO 8583, `48.10` for a tag of DE 48. */
  readonly de: string;
  readonly name: string;
  readonly value: string;
}

export interface TracedMessage {
  readonly at: Date;
  readonly direction: 'out' | 'in';
  readonly mti: string;
  readonly reference: string;
  readonly fields: readonly TracedField[];
}

type FieldOf = (entry: Entry) => string | null;
const de7 = (at: Date): string => at.toISOString().slice(5, 19).replace(/[-T:]/g, '');

const common: readonly [string, string, FieldOf][] = [
  ['2', 'card number', (entry) => entry.card],
  ['3', 'processing code', (entry) => MESSAGES[entry.operation].processingCode],
  ['4', 'amount', (entry) => entry.amount.toString().padStart(12, '0')],
  ['7', 'transmitted at', (entry) => de7(entry.transmitted_at)],
  ['11', 'STAN', (entry) => entry.stan],
];
const currency: [string, string, FieldOf] = ['49', 'currency', (entry) => numericOf(entry.currency)];

const requestFields: readonly [string, string, FieldOf][] = [
  ...common,
  currency,
  ['90', 'original reference', (entry) => entry.original_reference],
];
const answerFields: readonly [string, string, FieldOf][] = [
  ...common,
  ['37', 'RRN', (entry) => entry.answer.rrn],
  ['38', 'approval code', (entry) => entry.answer.authCode],
  ['39', 'response code', (entry) => `${entry.response_code} ${isoCode(entry.response_code).message}`],
  ['48.09', 'CVV result', (entry) => entry.answer.cvvResult],
  ['48.10', 'network transaction id', (entry) => entry.answer.networkTransactionId],
  currency,
];

const shown = (fields: readonly [string, string, FieldOf][], entry: Entry): TracedField[] =>
  fields.flatMap(([de, name, of]) => {
    const value = of(entry);
    return value === null ? [] : [{ de, name, value }];
  });

const messagesOf = (entry: Entry): TracedMessage[] => [
  {
    at: entry.transmitted_at,
    direction: 'out',
    mti: mtiOf(entry.operation, entry.attempt),
    reference: entry.reference,
    fields: shown(requestFields, entry),
  },
  {
    at: entry.created_at,
    direction: 'in',
    mti: MESSAGES[entry.operation].answer,
    reference: entry.reference,
    fields: shown(answerFields, entry),
  },
];

/** Request and answer of every operation that reached the acquirer, in the order of their sending. */
export async function traceOf(db: Db, owner: bigint, orderId: bigint): Promise<TracedMessage[]> {
  return (await orderEntriesSelect(db, owner, orderId)).flatMap(messagesOf);
}
