// What must be true of the books at any moment. Rule: reads everything, writes nothing.
import { unprovedEntries } from '../store/index.ts';
import type { Auditor, Invariant } from './invariant.ts';

/** A table whose rows count what was told of them. */
interface Told {
  readonly table: string;
  /** The column that says whose a row is. */
  readonly owner: 'project_id' | 'tenant_id';
}

/**
 * Each row of it has as many events as it counts, numbered without gaps. What is older than the days for which events are kept may have lost
 * the first of them, or all: what is left ends with its count, and has no gaps. Younger is what was made after all that was dropped had
 * happened (`event_floors`), so a bug is found as long as there is anything to find it by.
 */
export const eventsAreChanges = (id: string, title: string, { table, owner }: Told): Invariant => ({
  id,
  title,
  of: 'subject',
  sql: `select subject, events, count, first, last from (
          select r.id as subject, r.events, coalesce(e.count, 0) as count, coalesce(e.numbers, 0) as numbers, e.first, e.last,
            coalesce(r.created_at > f.gone_at, true) as young
          from ${table} r
          left join (select subject_id, count(*) as count, count(distinct sequence) as numbers, min(sequence) as first, max(sequence) as last
            from events where owner_id = $owner and {subject_id} group by subject_id) e on e.subject_id = r.id
          left join event_floors f on f.owner_id = $owner
          where r.${owner} = $owner and {r.id}) told
        where (young and count <> events) or numbers <> count or (count > 0 and (last <> events or count <> last - first + 1))`,
});

/** Of posting groups that are committed and not proved: proved_sums doesn't have them yet (prover.ts). */
const UNPROVED = `select p.account, p.currency, p.amount from postings p
  where p.owner_id = $owner and p.entry_id in (${unprovedEntries('$owner')})`;
const PROVED_RUN = '(select r.proved_run from proofs r where r.owner_id = $owner)';

export const ledgerInvariants: readonly Invariant[] = [
  {
    id: 'groups_balance',
    title: 'Every posting group sums to zero in each currency',
    of: 'subject',
    sql: `select subject_id as subject, entry_id, currency, sum(amount) as amount from postings where owner_id = $owner and {subject_id}
          group by subject_id, entry_id, currency having sum(amount) <> 0`,
  },
  {
    id: 'balances_are_sums',
    title: 'Every balance is the sum of its postings',
    of: 'owner',
    sql: `with unproved as materialized (select account, currency, sum(amount) as amount from (${UNPROVED}) u group by account, currency),
          asked as (
            select account, currency from postings where owner_id = $owner and not $whole and {subject_id}
            union select account, currency from balances where owner_id = $owner and $whole
            union select account, currency from proved_sums where owner_id = $owner and run = ${PROVED_RUN} and $whole
            union select account, currency from unproved where $whole)
          select a.account, a.currency, b.amount as balance, coalesce(s.amount, 0) + coalesce(u.amount, 0) as postings from asked a
          left join balances b on b.owner_id = $owner and b.account = a.account and b.currency = a.currency
          left join proved_sums s on s.owner_id = $owner and s.run = ${PROVED_RUN} and s.account = a.account and s.currency = a.currency
          left join unproved u on u.account = a.account and u.currency = a.currency
          where ${PROVED_RUN} is not null and coalesce(b.amount, 0) <> coalesce(s.amount, 0) + coalesce(u.amount, 0)`,
  },
  {
    id: 'books_balance',
    title: 'All accounts of an owner together are zero in each currency',
    of: 'owner',
    sql: `select currency, sum(amount) as amount from balances where owner_id = $owner and $whole group by currency having sum(amount) <> 0`,
  },
  {
    id: 'conversion_adds_up',
    title: 'An order that gave back all it took in its currency gave back all it took in the accounting currency',
    of: 'subject',
    sql: `select subject_id as subject, account from postings where owner_id = $owner and {subject_id} and account like 'fx:%' group by subject_id, account
          having sum(amount) filter (where 'fx:' || currency = split_part(account, '/', 1)) = 0
             and sum(amount) filter (where currency = split_part(account, '/', 2)) <> 0`,
  },
  {
    id: 'reserve_released_once',
    title: 'Of an order no more reserve is released than was kept',
    of: 'subject',
    sql: `select subject_id as subject, account, sum(amount) as amount from postings
          where owner_id = $owner and {subject_id} and account like 'merchant_reserve%'
          group by subject_id, account, currency having sum(amount) > 0`,
  },
  {
    id: 'holds_not_negative',
    title: 'No reserve and no hold is overdrawn',
    of: 'owner',
    sql: `select account, currency, amount from balances where owner_id = $owner
          and ((account = 'hold' and amount < 0)
            or (account >= 'merchant_reserve' and account < 'merchant_reservf' and account like 'merchant_reserve%' and amount > 0))`,
  },
];

export const ledgerAuditor: Auditor = {
  invariants: ledgerInvariants,
  walks: [
    { table: 'postings', owner: 'owner_id', id: 'subject_id' },
    { table: 'balances', owner: 'owner_id', id: null },
  ],
};
