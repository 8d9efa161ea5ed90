// What must be true of orders at any moment, as queries that return what violates it.
import type { Invariant } from '../../ledger/index.ts';

export const orderInvariants: readonly Invariant[] = [
  {
    id: 'amounts_in_bounds',
    title: 'For each order 0 <= refunded + charged back <= charged <= amount',
    sql: `select project_id, id from orders where not (amount_refunded >= 0 and amount_charged_back >= 0
            and amount_refunded + amount_charged_back <= amount_charged and amount_charged <= amount)`,
  },
  {
    id: 'operation_has_group',
    title: 'Each successful operation that moves money has exactly one posting group, others none',
    sql: `select p.project_id, p.order_id, p.id, p.status from operations p
          where (p.status = 'success' and p.amount > 0) <> exists (select from postings g where g.owner_id = p.project_id and g.entry_id = p.id)
            and not (p.status = 'success' and p.amount = 0)`,
  },
  {
    id: 'cleared_once',
    title: 'What was cleared of an operation is its amount, once; of others nothing',
    sql: `select p.project_id, p.order_id, p.id, p.amount, c.amount as cleared from operations p
          left join lateral (select coalesce(sum(abs(g.amount)), 0) as amount from postings g where g.owner_id = p.project_id and g.subject_id = p.order_id
            and g.operation_id = p.id and g.kind = 'clearing' and g.account = 'settlement_bank') c on true
          where c.amount <> case when p.cleared_at is null then 0 else p.amount end`,
  },
  {
    id: 'hold_is_held',
    title: 'The hold of an order in the ledger is the amount while authorized and nothing after its release',
    sql: `select o.project_id, o.id, o.held, g.held as posted from orders o
          left join lateral (select coalesce(sum(amount), 0) as held from postings g where g.owner_id = o.project_id and g.subject_id = o.id and g.account = 'hold') g on true
          where o.held <> g.held or (o.status = 'authorized' and o.held <> o.amount)`,
  },
  {
    id: 'amounts_are_operations',
    title: 'Amounts on the order are the sums of its successful operations',
    sql: `select o.project_id, o.id from orders o
          left join lateral (
            select coalesce(sum(p.amount) filter (where p.type = 'charge'), 0)
                   - coalesce(sum(p.amount) filter (where p.type = 'reverse' and p.details->>'void' = 'true'), 0) as charged,
                   coalesce(sum(p.amount) filter (where p.type = 'refund'), 0) as refunded,
                   coalesce(sum(p.amount) filter (where p.type = 'chargeback'), 0) - coalesce(sum(p.amount) filter (where p.type = 'representment'), 0) as back
            from operations p where p.project_id = o.project_id and p.order_id = o.id and p.status = 'success') s on true
          where o.amount_charged <> s.charged or o.amount_refunded <> s.refunded or o.amount_charged_back <> s.back`,
  },
  {
    id: 'status_is_implied',
    title: 'The status of an order is what its amounts and operations imply',
    sql: `select project_id, id, status from orders where
            (status = 'authorized' and (amount_charged <> 0 or auth_code = ''))
            or (status = 'charged' and amount_charged = 0)
            or (status = 'refunded' and amount_refunded <> amount_charged)
            or (status = 'reversed' and amount_charged <> 0)
            or (status in ('reversed', 'refunded') and held <> 0 and in_flight is null and due->>'release' is null)
            or (status in ('new', 'prepared', 'declined', 'rejected', 'fraud', 'error') and (amount_charged <> 0 or held <> 0))`,
  },
  {
    id: 'one_authorization',
    title: 'At most one successful authorize an order',
    sql: `select project_id, order_id from operations where type = 'authorize' and status = 'success' group by project_id, order_id having count(*) > 1`,
  },
  {
    id: 'in_flight_has_intent',
    title: 'What is in flight was committed as sent before, and only one operation of an order is',
    sql: `select o.project_id, o.id from orders o
          left join lateral (select count(*) as sent, min(p.id) as id from operations p where p.project_id = o.project_id and p.order_id = o.id and p.status = 'sent') s on true
          where (o.in_flight is null and s.sent <> 0) or (o.in_flight is not null and (s.sent <> 1 or s.id <> o.in_flight))`,
  },
  {
    id: 'events_are_changes',
    title: 'Every change of an order has its event, every event its change',
    sql: `select o.project_id, o.id, o.events, e.count from orders o
          left join lateral (select count(*) as count, coalesce(max(sequence), 0) as last from events e where e.owner_id = o.project_id and e.subject_id = o.id) e on true
          where o.events <> e.count or o.events <> e.last`,
  },
  {
    id: 'answers_are_booked',
    title: 'What the acquirer has answered is booked',
    sql: `select project_id, order_id, id, type, details->'unbooked' as answer from operations where status = 'sent' and details->'unbooked' is not null`,
  },
  {
    id: 'in_flight_is_found_out',
    title: 'What is in flight is asked for, and is known within seven days',
    sql: `select o.project_id, o.id, p.id as operation, p.created_at from orders o
          join operations p on p.project_id = o.project_id and p.order_id = o.id and p.id = o.in_flight
          where o.due->'recover' is null or o.next_at is null or p.created_at < $1::timestamptz - interval '7 days'`,
  },
  {
    id: 'payouts_are_counted',
    title: 'What counts against the bounds of payouts is what was paid out or is under way',
    sql: `with counted as (
            select p.project_id, (p.details->'counted'->>'day')::date as day, p.details->'counted'->>'card' as card,
                   (p.details->'counted'->>'amount')::int8 as amount, p.status
            from operations p where p.type = 'credit' and p.status in ('sent', 'success')),
          wanted as (
            select project_id, card, day, amount from counted
            union all select project_id, '', day, amount from counted
            union all select project_id, '', '0001-01-01', amount from counted where status = 'sent')
          select project_id, card, day, s.amount as counted, w.amount as paid from payout_sums s
          full join (select project_id, card, day, sum(amount) as amount from wanted group by project_id, card, day) w using (project_id, card, day)
          where coalesce(s.amount, 0) <> coalesce(w.amount, 0)`,
  },
  {
    id: 'arn_once',
    title: 'Every acquirer reference number belongs to one operation',
    sql: `select arn from operations where arn is not null group by arn having count(*) > 1`,
  },
];
