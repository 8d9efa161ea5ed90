// What must be true of issued cards' money at any moment, as queries that return what violates it. Rule: reads everything, writes nothing.
import type { Invariant } from '../../ledger/index.ts';

/** Counter → the PostgreSQL expression of its window's first moment for a part's moment. */
const STARTS: Readonly<Record<string, string>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  QUARTERLY: 'quarter',
  YEARLY: 'year',
  ATM_DAILY: 'day',
};
const startOf = (counter: string): string =>
  counter === 'ALWAYS'
    ? `timestamp '1970-01-01'`
    : `date_trunc('${STARTS[counter]}', (part ->> 'at')::timestamptz at time zone 'UTC')`;

const counterSums = [...Object.keys(STARTS), 'ALWAYS']
  .map(
    (
      counter,
    ) => `select s.tenant_id, s.card_id, '${counter}' as counter, (s.windows -> '${counter}' ->> 'used')::int8 as used,
      coalesce((select sum((part -> 'used' ->> '${counter}')::int8) from authorizations a, jsonb_array_elements(a.parts) as part
        where a.tenant_id = s.tenant_id and a.card_id = s.card_id
          and ${startOf(counter)} = (s.windows -> '${counter}' ->> 'start')::timestamptz at time zone 'UTC'), 0) as parts
    from spend_counters s where s.windows ? '${counter}'`,
  )
  .join(' union all ');

export const authorizationInvariants: readonly Invariant[] = [
  {
    id: 'funds_held_are_authorizations',
    title: 'What is held on funds is what open authorizations hold',
    sql: `select coalesce(f.tenant_id, a.tenant_id) as tenant_id, coalesce(f.instrument_id, a.instrument_id) as instrument_id, f.held as funds, a.held as authorizations
          from funds f full join (select tenant_id, instrument_id, sum(held)::int8 as held from authorizations where held <> 0 group by tenant_id, instrument_id) a
            on a.tenant_id = f.tenant_id and a.instrument_id = f.instrument_id
          where coalesce(f.held, 0) <> coalesce(a.held, 0)`,
  },
  {
    id: 'funds_are_ledger',
    title: 'Funds are the balances of their accounts in the ledger',
    sql: `select f.tenant_id, f.instrument_id, f.actual, f.held, -c.amount as cardholder, h.amount as card_hold from funds f
          left join balances c on c.owner_id = f.tenant_id and c.account = 'cardholder:' || f.instrument_id and c.currency = f.currency
          left join balances h on h.owner_id = f.tenant_id and h.account = 'card_hold:' || f.instrument_id and h.currency = f.currency
          where f.actual <> -coalesce(c.amount, 0) or f.held <> coalesce(h.amount, 0)`,
  },
  {
    id: 'statements_end_in_funds',
    title: 'The last entry of a statement is what the funds are, and its entries are counted without a gap',
    sql: `select f.tenant_id, f.instrument_id, f.entries, f.actual, f.held, s.actual_after, s.available_after from funds f
          left join statement_entries s on s.tenant_id = f.tenant_id and s.instrument_id = f.instrument_id and s.sequence = f.entries
          where f.entries <> (select count(*) from statement_entries c where c.tenant_id = f.tenant_id and c.instrument_id = f.instrument_id)
             or f.actual <> coalesce(s.actual_after, 0) or f.actual - f.held <> coalesce(s.available_after, 0)`,
  },
  {
    id: 'counters_are_parts',
    title: 'A spend counter is the sum of what was consumed and not given back in its window',
    sql: `select * from (${counterSums}) c where used <> parts or used < 0`,
  },
  {
    id: 'card_holds_are_authorizations',
    title: 'What is held for a card is what its authorizations hold',
    sql: `select coalesce(s.tenant_id, a.tenant_id) as tenant_id, coalesce(s.card_id, a.card_id) as card_id, s.held as counter, a.held as authorizations
          from spend_counters s full join (select tenant_id, card_id, sum(held)::int8 as held from authorizations where held <> 0 group by tenant_id, card_id) a
            on a.tenant_id = s.tenant_id and a.card_id = s.card_id
          where coalesce(s.held, 0) <> coalesce(a.held, 0)`,
  },
  {
    id: 'authorization_states',
    title: 'State and amounts of an authorization fit each other',
    sql: `select tenant_id, id, state, kind, authorized, open, held, cleared, refunded from authorizations
          where open < 0 or held < open or cleared < 0 or refunded < 0 or open > authorized
             or (state in ('PENDING', 'OPEN') and (open = 0 or expires_at is null))
             or (state in ('CLOSED', 'DECLINED') and (open <> 0 or held <> 0 or expires_at is not null))
             or (state = 'DECLINED' and (cleared <> 0 or refunded <> 0 or reason is null))
             or (kind in ('purchase', 'forced') and refunded > cleared)`,
  },
];
