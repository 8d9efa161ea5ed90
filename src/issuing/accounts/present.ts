// Managed accounts and statements as the API shows them.
import { stringify } from 'csv-stringify/sync';
import type { Permutation } from '../../base/index.ts';
import { shown } from '../fields/index.ts';
import { availableOf } from './funds.ts';
import type { Funds, ManagedAccount, StatementEntry } from './model.ts';
import { stateView } from './states.ts';

export const balancesView = (funds: Funds): object => ({
  availableBalance: Number(availableOf(funds)),
  actualBalance: Number(funds.actual),
});

export const accountView = (
  { outward }: Pick<Permutation, 'outward'>,
  row: Omit<ManagedAccount, 'events'>,
  funds: Funds,
): object => ({
  id: outward(row.id),
  profileId: outward(row.profile_id),
  ...(row.tag === null ? {} : { tag: row.tag }),
  friendlyName: row.friendly_name,
  currency: row.currency,
  state: stateView(row),
  balances: balancesView(funds),
  creationTimestamp: row.created_at.getTime(),
});

/** What movements tell of themselves (`moveFunds`), in one order. */
const DETAILS = ['description', 'cardId', 'merchantName', 'merchantId', 'mcc'] as const;

const money = (currency: string, amount: bigint): object => ({ currency, amount: Number(amount) });

export const entryView = (
  { outward }: Permutation,
  currency: string,
  entry: StatementEntry,
): Record<string, unknown> => ({
  entryId: outward(entry.id),
  sequence: entry.sequence,
  transactionType: entry.type,
  ...(entry.reference_id === null ? {} : { transactionId: outward(entry.reference_id) }),
  amount: money(currency, entry.amount),
  availableBalanceAdjustment: money(currency, entry.available_change),
  actualBalanceAfter: money(currency, entry.actual_after),
  availableBalanceAfter: money(currency, entry.available_after),
  additionalFields: shown(DETAILS, entry.details),
  processedTimestamp: entry.created_at.getTime(),
});

const CSV = [
  'sequence',
  'processedAt',
  'transactionType',
  'transactionId',
  'currency',
  'amount',
  'availableBalanceAdjustment',
  'actualBalanceAfter',
  'availableBalanceAfter',
  'description',
] as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A text that a spreadsheet would run as a formula gets an apostrophe in front; a negative amount is none. */
const cell = (value: string | number | bigint): string => {
  const text = String(value);
  return /^[=+@\t\r]/.test(text) || (text.startsWith('-') && !/^-\d+$/.test(text)) ? `'${text}` : text;
};

/** RFC 4180. Amounts in minor units. */
export function statementCsv({ outward }: Permutation, currency: string, entries: readonly StatementEntry[]): string {
  const rows = entries.map((entry) => [
    entry.sequence,
    entry.created_at.toISOString(),
    entry.type,
    entry.reference_id === null ? '' : outward(entry.reference_id),
    currency,
    entry.amount,
    entry.available_change,
    entry.actual_after,
    entry.available_after,
    textOf(entry.details.description ?? entry.details.merchantName),
  ]);
  const records = [CSV, ...rows].map((row) => row.map(cell));
  return stringify(records, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });
}
