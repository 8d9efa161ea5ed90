// The SQL of this room: bin_ranges, simulator_transactions and simulator_fault_counts, named in no other file.
import { arrayLiteral, type Db, follow, followRow, hold, type Kind, lookup, oneOwner, table } from '../store/index.ts';
import type { NetworkOperation } from './message.ts';

export interface BinRangeRow {
  readonly prefix: string;
  readonly brand: string;
  readonly subtype: string;
  readonly title: string | null;
  readonly country: string | null;
  readonly own: boolean;
  readonly updated_at: Date;
}

export const binRangesSelect = (db: Db): Promise<BinRangeRow[]> =>
  db.query<BinRangeRow>(
    'select prefix, brand, subtype, title, country, own, updated_at from bin_ranges order by prefix',
  );

export async function binRangeUpsert(db: Db, row: BinRangeRow): Promise<void> {
  await db.query(
    `insert into bin_ranges (prefix, brand, subtype, title, country, own, updated_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (prefix) do update set brand = excluded.brand, subtype = excluded.subtype, title = excluded.title,
       country = excluded.country, own = excluded.own, updated_at = excluded.updated_at`,
    [row.prefix, row.brand, row.subtype, row.title, row.country, row.own, row.updated_at],
  );
}

export async function binRangeDelete(db: Db, prefix: string): Promise<boolean> {
  return (await db.query('delete from bin_ranges where prefix = $1 returning prefix', [prefix])).length > 0;
}

/** What the acquirer answered, beside the code and the amount. */
export interface AnswerFields {
  readonly authCode: string | null;
  readonly rrn: string;
  readonly networkTransactionId: string | null;
  readonly cvvResult: string | null;
  readonly avsResult: string | null;
}

/** One operation in the acquirer's record: written once, when it was answered. */
export interface Entry {
  readonly owner_id: bigint;
  readonly reference: string;
  readonly operation: NetworkOperation;
  readonly original_reference: string | null;
  readonly subject_type: 'order';
  readonly subject_id: bigint;
  readonly attempt: number;
  readonly amount: bigint;
  /** The amount of a reverse that undid charges (a void); zero when it released a hold. */
  readonly voided: bigint;
  readonly currency: string;
  /** Masked. */
  readonly card: string;
  readonly stan: string;
  readonly response_code: string;
  /** Did it move or hold money. */
  readonly effect: boolean;
  readonly answer: AnswerFields;
  readonly transmitted_at: Date;
  readonly created_at: Date;
}

export const simulatorTransactions = table<Entry>(
  'simulator_transactions',
  {
    owner_id: 'int8',
    reference: 'text',
    operation: 'text',
    original_reference: 'text',
    subject_type: 'text',
    subject_id: 'int8',
    attempt: 'int4',
    amount: 'int8',
    voided: 'int8',
    currency: 'text',
    card: 'text',
    stan: 'text',
    response_code: 'text',
    effect: 'bool',
    answer: 'jsonb',
    transmitted_at: 'timestamptz',
    created_at: 'timestamptz',
  },
  ['owner_id', 'reference'],
);

const COLUMNS = Object.keys(simulatorTransactions.columns);
const columns = (alias: string): string => COLUMNS.map((name) => `${alias}.${name}`).join(', ');

const BY_ORDER = lookup(simulatorTransactions, { by: ['subject_id'], order: 't.reference' });
const BY_REFERENCE = lookup(simulatorTransactions, { by: ['reference'] });

export interface OrderKey {
  readonly owner: bigint;
  readonly orderId: bigint;
}

/**
 * Everything that the acquirer knows of an order. What it hears first of one has no row to lock, so the order itself is held: a reversal waits
 * for the authorization whose entry is not committed yet.
 */
export const entriesOfOrder: Kind<OrderKey, readonly Entry[]> = {
  name: 'simulator_order',
  keyText: ({ owner, orderId }) => `${owner}/${orderId}`,
  follows: [
    follow(
      simulatorTransactions,
      ({ owner_id, subject_id }) => `${owner_id}/${subject_id}`,
      (book, entry) => [...(book ?? []), entry],
    ),
  ],
  async load(db, keys) {
    const orders = keys.map((key) => key.orderId);
    const [, rows] = await Promise.all([
      hold(db, orders),
      db.query<Entry>(BY_ORDER, [arrayLiteral(orders, 'int8'), oneOwner(keys.map((key) => key.owner))]),
    ]);
    const books = new Map<string, Entry[]>();
    for (const row of rows) {
      const key = `${row.owner_id}/${row.subject_id}`;
      const book = books.get(key);
      if (book) book.push(row);
      else books.set(key, [row]);
    }
    return books;
  },
};

export interface ReferenceKey {
  readonly owner: bigint;
  readonly reference: string;
}

export const entryOfReference: Kind<ReferenceKey, Entry> = {
  name: 'simulator_reference',
  keyText: ({ owner, reference }) => `${owner}/${reference}`,
  follows: [followRow(simulatorTransactions, ({ owner_id, reference }) => `${owner_id}/${reference}`)],
  async load(db, keys) {
    const rows = await db.query<Entry>(BY_REFERENCE, [
      arrayLiteral(
        keys.map((key) => key.reference),
        'text',
      ),
      oneOwner(keys.map((key) => key.owner)),
    ]);
    return new Map(rows.map((row) => [`${row.owner_id}/${row.reference}`, row] as const));
  },
};

export const orderEntriesSelect = (db: Db, owner: bigint, orderId: bigint): Promise<Entry[]> =>
  db.query<Entry>(
    `select ${columns('t')} from simulator_transactions t where t.owner_id = $1 and t.subject_id = $2
     order by t.transmitted_at, t.created_at, t.reference`,
    [owner, orderId],
  );

/** The acquirer's sums of one order, minor units. */
export interface OrderBook {
  readonly owner: bigint;
  readonly orderId: bigint;
  readonly currency: string;
  readonly authorized: bigint;
  /** Holds released. */
  readonly reversed: bigint;
  /** Gross: what was voided later is still in it. */
  readonly charged: bigint;
  /** Charges undone before clearing. */
  readonly voided: bigint;
  readonly refunded: bigint;
  readonly credited: bigint;
}

/** Only orders for which something took effect; of one project, or of all. */
export const booksSelect = (db: Db, owner: bigint | null): Promise<OrderBook[]> =>
  db.query<OrderBook>(
    `with t as (select * from simulator_transactions where effect and ($1::int8 is null or owner_id = $1))
     select owner_id as "owner", subject_id as "orderId", min(currency) as currency,
       ${sum('amount', 'authorize')} as authorized, ${sum('amount', 'charge')} as charged,
       ${sum('amount', 'refund')} as refunded, ${sum('amount', 'credit')} as credited,
       ${sum('amount - voided', 'reverse')} as reversed, ${sum('voided', 'reverse')} as voided
     from t group by owner_id, subject_id order by owner_id, subject_id`,
    [owner],
  );

function sum(what: string, operation: NetworkOperation): string {
  return `coalesce(sum(${what}) filter (where operation = '${operation}'), 0)::int8`;
}

/** One more operation of that kind under that plan; how many there are by now. */
export async function faultCountAdd(db: Db, plan: string, operation: string): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `insert into simulator_fault_counts as c (plan, operation, count) values ($1, $2, 1)
     on conflict (plan, operation) do update set count = c.count + 1 returning count`,
    [plan, operation],
  );
  return Number(row?.count ?? 1n);
}

/** The counts of other plans are of no use any more. */
export async function faultCountsKeep(db: Db, plan: string): Promise<void> {
  await db.query('delete from simulator_fault_counts where plan <> $1', [plan]);
}
