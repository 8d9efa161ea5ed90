// Every statement on postings, balances and rates. Postings are only ever inserted; balances only ever added to, in the same commit.
import { add, type Change, type Db, follow, insert, type Kind, table } from '../store/index.ts';

/** What money is booked for. */
export interface Subject {
  readonly type: 'order' | 'authorization' | 'transfer' | 'deposit' | 'card';
  readonly id: bigint;
}

export interface Posting {
  readonly owner_id: bigint;
  readonly entry_id: bigint;
  readonly line: number;
  readonly kind: string;
  readonly subject_type: Subject['type'];
  readonly subject_id: bigint;
  readonly operation_id: bigint | null;
  readonly account: string;
  readonly currency: string;
  /** Debit positive, credit negative. */
  readonly amount: bigint;
  readonly created_at: Date;
}

const postings = table<Posting>(
  'postings',
  {
    owner_id: 'int8',
    entry_id: 'int8',
    subject_id: 'int8',
    operation_id: 'int8',
    amount: 'int8',
    created_at: 'timestamptz',
    line: 'int4',
    subject_type: 'text',
    kind: 'text',
    account: 'text',
    currency: 'text',
  },
  ['owner_id', 'entry_id', 'line'],
  { subjects: ['subject_id'], entry: 'entry_id' },
);

export interface Balance {
  readonly owner_id: bigint;
  readonly account: string;
  readonly currency: string;
  readonly amount: bigint;
}
const balances = table<Balance>('balances', { owner_id: 'int8', account: 'text', currency: 'text', amount: 'int8' }, [
  'owner_id',
  'account',
  'currency',
]);

/** A line and its effect on the balance, never one without the other. */
export const postingInsert = (posting: Posting): Change[] => [
  insert(postings, posting),
  add(balances, {
    owner_id: posting.owner_id,
    account: posting.account,
    currency: posting.currency,
    amount: posting.amount,
  }),
];

/**
 * What a project's merchant is owed, and what acquirers have not paid yet. Not locked, and named so that it is read when the locks are
 * held: what changes under them is seen.
 */
export const settledKind: Kind<bigint, readonly Balance[]> = {
  name: 'settled_balance',
  keyText: (owner) => owner.toString(),
  // A sum of many rows: whoever needs it behind one that posts sees it in the next group.
  follows: [follow(balances, ({ owner_id }) => owner_id.toString())],
  async load(db, owners) {
    const rows = await db.query<Balance>(
      `select * from balances where owner_id = any($1::int8[])
         and (account in ('merchant_payable', 'merchant_disputed') or account like 'acquirer_receivable%')`,
      [owners],
    );
    return Map.groupBy(rows, ({ owner_id }) => owner_id.toString());
  },
};

export const postingsOf = (db: Db, owner: bigint, subjectIds: readonly bigint[]): Promise<Posting[]> =>
  db.query('select * from postings where owner_id = $1 and subject_id = any($2::int8[]) order by entry_id, line', [
    owner,
    subjectIds,
  ]);

export interface RateRow {
  readonly from_currency: string;
  readonly to_currency: string;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly micro: bigint;
  readonly source: string;
}

export async function ratesUpsert(db: Db, rows: readonly RateRow[], at: Date): Promise<void> {
  await db.query(
    `insert into rates (from_currency, to_currency, day, micro, source, created_at)
     select f, t, d, m, s, $6 from unnest($1::text[], $2::text[], $3::date[], $4::int8[], $5::text[]) as v(f, t, d, m, s)
     on conflict (from_currency, to_currency, day) do update set micro = excluded.micro, source = excluded.source, created_at = excluded.created_at`,
    [
      rows.map((r) => r.from_currency),
      rows.map((r) => r.to_currency),
      rows.map((r) => r.day),
      rows.map((r) => r.micro),
      rows.map((r) => r.source),
      at,
    ],
  );
}

/** The newest rate of each pair up to `day`. */
export const ratesLatest = (db: Db, day: string): Promise<RateRow[]> =>
  db.query(
    `select distinct on (from_currency, to_currency) from_currency, to_currency, day::text, micro, source from rates
     where day <= $1::date order by from_currency, to_currency, rates.day desc`,
    [day],
  );

export interface RateFilter {
  /** Days, both included; null: open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly currencyFrom: string | null;
  readonly currencyTo: string | null;
  /** Of each pair only the newest rate of the period. */
  readonly latest: boolean;
}

/** The row next to which a page lies. */
export interface RatesAfter {
  readonly day: string;
  readonly from: string;
  readonly to: string;
  readonly back: boolean;
}

const ratesWhere = ({ latest }: RateFilter): string =>
  `(select ${latest ? 'distinct on (from_currency, to_currency)' : ''} from_currency, to_currency, day, micro, source from rates
    where ($1::date is null or day >= $1) and ($2::date is null or day <= $2)
      and ($3::text is null or from_currency = $3) and ($4::text is null or to_currency = $4)
    ${latest ? 'order by from_currency, to_currency, rates.day desc' : ''}) r`;

const ratesValues = ({ from, to, currencyFrom, currencyTo }: RateFilter): (string | null)[] => [
  from,
  to,
  currencyFrom,
  currencyTo,
];

/** One row a pair and day, newest day first, one more than the limit; with `back` the other way round. */
export function ratesPage(
  db: Db,
  filter: RateFilter,
  { after, limit }: { readonly after: RatesAfter | null; readonly limit: number },
): Promise<RateRow[]> {
  const [older, behind, day, pair] = after?.back ? ['>', '<', 'asc', 'desc'] : ['<', '>', 'desc', 'asc'];
  return db.query(
    `select r.from_currency, r.to_currency, r.day::text, r.micro, r.source from ${ratesWhere(filter)}
     where $5::date is null or r.day ${older} $5
       or (r.day = $5 and (r.from_currency, r.to_currency) ${behind} ($6::text, $7::text))
     order by r.day ${day}, r.from_currency ${pair}, r.to_currency ${pair} limit ${limit + 1}`,
    [...ratesValues(filter), after?.day ?? null, after?.from ?? null, after?.to ?? null],
  );
}

export async function ratesCount(db: Db, filter: RateFilter): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from ${ratesWhere(filter)}`,
    ratesValues(filter),
  );
  return row?.count ?? 0n;
}
