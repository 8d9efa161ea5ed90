// What must be true of issued cards' money at any moment. Rule: reads everything, writes nothing.
import { type Auditor, eventsAreChanges, type Invariant } from '../../ledger/index.ts';

/** Counter → the PostgreSQL word for its window. */
const WINDOWS: Readonly<Record<string, string>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  QUARTERLY: 'quarter',
  YEARLY: 'year',
  ATM_DAILY: 'day',
};
/** SQL: the first moment of a counter's window for a part's moment. */
const START = `case w.counter when 'ALWAYS' then timestamp '1970-01-01' else
  date_trunc(case w.counter ${Object.entries(WINDOWS)
    .map(([counter, word]) => `when '${counter}' then '${word}'`)
    .join(' ')} end, (part ->> 'at')::timestamptz at time zone 'UTC') end`;

/** The rows of a table of tenants, each of which counts its events. */
const told = (noun: string, table: string, what: string): Invariant =>
  eventsAreChanges(`${noun}_events_are_changes`, `${what} has its event, every event its change`, {
    table,
    owner: 'tenant_id',
  });

export const authorizationInvariants: readonly Invariant[] = [
  {
    id: 'funds_held_are_authorizations',
    title: 'What is held on funds is what open authorizations hold',
    of: 'subject',
    sql: `select coalesce(f.instrument_id, a.instrument_id) as subject, f.held as funds, a.held as authorizations
          from (select instrument_id, held from funds where tenant_id = $owner and {instrument_id}) f
          full join (select instrument_id, sum(held)::int8 as held from authorizations
            where tenant_id = $owner and {instrument_id} and held <> 0 group by instrument_id) a on a.instrument_id = f.instrument_id
          where coalesce(f.held, 0) <> coalesce(a.held, 0)`,
  },
  {
    id: 'funds_are_ledger',
    title: 'Funds are the balances of their accounts in the ledger',
    of: 'subject',
    sql: `select f.instrument_id as subject, f.actual, f.held, -c.amount as cardholder, h.amount as card_hold from funds f
          left join balances c on c.owner_id = f.tenant_id and c.account = 'cardholder:' || f.instrument_id and c.currency = f.currency
          left join balances h on h.owner_id = f.tenant_id and h.account = 'card_hold:' || f.instrument_id and h.currency = f.currency
          where f.tenant_id = $owner and {f.instrument_id} and (f.actual <> -coalesce(c.amount, 0) or f.held <> coalesce(h.amount, 0))`,
  },
  {
    id: 'statements_end_in_funds',
    title: 'The last entry of a statement is what the funds are, and its entries are counted without a gap',
    of: 'subject',
    sql: `select f.instrument_id as subject, f.entries, f.actual, f.held, s.actual_after, s.available_after from funds f
          left join statement_entries s on s.tenant_id = f.tenant_id and s.instrument_id = f.instrument_id and s.sequence = f.entries
          where f.tenant_id = $owner and {f.instrument_id} and (
            least(f.entries, $most) <> (select count(*) from statement_entries c
              where c.tenant_id = f.tenant_id and c.instrument_id = f.instrument_id and c.sequence > f.entries - $most)
            or f.actual <> coalesce(s.actual_after, 0) or f.actual - f.held <> coalesce(s.available_after, 0))`,
  },
  {
    id: 'counters_are_parts',
    title: 'A spend counter is the sum of what was consumed and not given back in its window',
    of: 'subject',
    sql: `select s.card_id as subject, w.counter, w.used, coalesce(p.used, 0) as parts from spend_counters s
          cross join lateral (select e.key as counter, (e.value ->> 'used')::int8 as used,
            (e.value ->> 'start')::timestamptz at time zone 'UTC' as start from jsonb_each(s.windows) e) w
          left join lateral (select sum((part -> 'used' ->> w.counter)::int8) as used
            from authorizations a, jsonb_array_elements(a.parts) as part
            where a.tenant_id = s.tenant_id and a.card_id = s.card_id and part -> 'used' ? w.counter and ${START} = w.start) p on true
          where s.tenant_id = $owner and {s.card_id} and (w.used <> coalesce(p.used, 0) or w.used < 0)
            and ($most > 1000000000 or not exists (select from authorizations b
              where b.tenant_id = s.tenant_id and b.card_id = s.card_id offset $most))`,
  },
  {
    id: 'card_holds_are_authorizations',
    title: 'What is held for a card is what its authorizations hold',
    of: 'subject',
    sql: `select coalesce(s.card_id, a.card_id) as subject, s.held as counter, a.held as authorizations
          from (select card_id, held from spend_counters where tenant_id = $owner and {card_id}) s
          full join (select card_id, sum(held)::int8 as held from authorizations
            where tenant_id = $owner and {card_id} and held <> 0 group by card_id) a on a.card_id = s.card_id
          where coalesce(s.held, 0) <> coalesce(a.held, 0)`,
  },
  {
    id: 'authorization_states',
    title: 'State and amounts of an authorization fit each other',
    of: 'subject',
    sql: `select id as subject, state, kind, authorized, open, held, cleared, refunded from authorizations
          where tenant_id = $owner and {id} and (open < 0 or held < open or cleared < 0 or refunded < 0 or open > authorized
             or (state in ('PENDING', 'OPEN') and (open = 0 or expires_at is null))
             or (state in ('CLOSED', 'DECLINED') and (open <> 0 or held <> 0 or expires_at is not null))
             or (state = 'DECLINED' and (cleared <> 0 or refunded <> 0 or reason is null))
             or (kind in ('purchase', 'forced') and refunded > cleared))`,
  },
  told('authorization', 'authorizations', 'Every change of an authorization'),
  told('account', 'managed_accounts', 'Every change of a managed account'),
  told('card', 'cards', 'Every change of a card that is told'),
  told('wallet_token', 'wallet_tokens', 'Every change of a wallet token'),
  told('transfer', 'transfers', 'Every transfer'),
  told('challenge', 'card_challenges', 'Every change of a challenge'),
  told('user', 'users', 'Every change of a user'),
  told('identity', 'identities', 'Every change of an identity'),
  {
    id: 'numbers_are_lent_once',
    title: 'No two blocks of a card range overlap, and none reaches beyond what was lent of it',
    of: 'moment',
    sql: `select b.range_name, b.first, b.size, b.state, r.used
          from (select *, lead(first) over (partition by range_name order by first) as next from range_blocks) b
          join card_ranges r on r.name = b.range_name where first + b.size > coalesce(next, r.used)`,
  },
  {
    id: 'numbers_are_drawn_from_blocks',
    title: 'A tenant draws card numbers from blocks that he holds',
    of: 'owner',
    sql: `select c.range_name, c.first, c.size, c.used, b.size as lent from card_blocks c
          left join range_blocks b on b.range_name = c.range_name and b.first = c.first and b.lease = c.lease and b.tenant_id = c.tenant_id
          where c.tenant_id = $owner and c.size > coalesce(b.size, 0)`,
  },
  {
    id: 'places_are_leased',
    title: 'A tenant has no more places for cards than the installation has lent him',
    of: 'owner',
    sql: `select p.currency, p.granted, p.serial, l.granted as lent from card_places p
          left join card_leases l on l.currency = p.currency and l.tenant_id = p.tenant_id
          where p.tenant_id = $owner and p.granted > coalesce(l.granted, 0)`,
  },
  {
    id: 'numbers_are_one_cards',
    title: 'No card number is two cards',
    of: 'owner',
    sql: `select min(o.card_id) as card_id, max(o.card_id) as other from card_numbers o
          where o.fingerprint in (select n.fingerprint from card_numbers n where n.tenant_id = $owner and $whole)
          group by o.fingerprint having count(*) > 1`,
  },
];

export const authorizationAuditor: Auditor = {
  invariants: authorizationInvariants,
  walks: [
    { table: 'authorizations', owner: 'tenant_id', id: 'id' },
    { table: 'managed_accounts', owner: 'tenant_id', id: 'id' },
    { table: 'cards', owner: 'tenant_id', id: 'id' },
    { table: 'wallet_tokens', owner: 'tenant_id', id: 'id' },
    { table: 'transfers', owner: 'tenant_id', id: 'id' },
    { table: 'card_challenges', owner: 'tenant_id', id: 'id' },
    { table: 'users', owner: 'tenant_id', id: 'id' },
    { table: 'identities', owner: 'tenant_id', id: 'id' },
    { table: 'funds', owner: 'tenant_id', id: 'instrument_id' },
    { table: 'spend_counters', owner: 'tenant_id', id: 'card_id' },
  ],
};
