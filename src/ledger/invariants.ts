// What must be true of the books at any moment, as queries that return what violates it.
import type { Db } from '../store/index.ts';

export interface Invariant {
  readonly id: string;
  readonly title: string;
  /** Rows are violations; at most 100 are shown. `$1`, where it stands, is the time. */
  readonly sql: string;
}

export const ledgerInvariants: readonly Invariant[] = [
  {
    id: 'groups_balance',
    title: 'Every posting group sums to zero in each currency',
    sql: `select owner_id, entry_id, currency, sum(amount) as amount from postings group by owner_id, entry_id, currency having sum(amount) <> 0`,
  },
  {
    id: 'balances_are_sums',
    title: 'Every balance is the sum of its postings',
    sql: `select coalesce(b.owner_id, p.owner_id) as owner_id, coalesce(b.account, p.account) as account, b.amount as balance, p.amount as postings
          from balances b full join (select owner_id, account, currency, sum(amount) as amount from postings group by owner_id, account, currency) p
            on p.owner_id = b.owner_id and p.account = b.account and p.currency = b.currency
          where coalesce(b.amount, 0) <> coalesce(p.amount, 0)`,
  },
  {
    id: 'books_balance',
    title: 'All accounts of an owner together are zero in each currency',
    sql: `select owner_id, currency, sum(amount) as amount from balances group by owner_id, currency having sum(amount) <> 0`,
  },
  {
    id: 'conversion_adds_up',
    title: 'An order that gave back all it took in its currency gave back all it took in the accounting currency',
    sql: `select owner_id, subject_id, account from postings where account like 'fx:%' group by owner_id, subject_id, account
          having sum(amount) filter (where 'fx:' || currency = split_part(account, '/', 1)) = 0
             and sum(amount) filter (where currency = split_part(account, '/', 2)) <> 0`,
  },
  {
    id: 'reserve_released_once',
    title: 'Of an order no more reserve is released than was kept',
    sql: `select owner_id, subject_id, account, sum(amount) as amount from postings where account like 'merchant_reserve%'
          group by owner_id, subject_id, account, currency having sum(amount) > 0`,
  },
  {
    id: 'holds_not_negative',
    title: 'No reserve and no hold is overdrawn',
    sql: `select owner_id, account, currency, amount from balances where (account like 'merchant_reserve%' and amount > 0) or (account = 'hold' and amount < 0)`,
  },
];

/** One invariant asked of the database as it stands. */
export async function proof(
  db: Db,
  { id, sql }: Invariant,
  now: Date,
): Promise<{ readonly id: string; readonly ok: boolean; readonly violations: readonly object[] }> {
  const violations = await db.query(`select * from (${sql}) violations limit 100`, sql.includes('$1') ? [now] : []);
  return { id, ok: violations.length === 0, violations };
}
