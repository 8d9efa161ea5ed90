// What must be true of orders at any moment. Rule: reads everything, writes nothing.
import { type Auditor, eventsAreChanges, type Invariant } from '../../ledger/index.ts';

export const orderInvariants: readonly Invariant[] = [
  {
    id: 'amounts_in_bounds',
    title: 'For each order 0 <= refunded + charged back <= charged <= amount',
    of: 'subject',
    sql: `select id as subject from orders where project_id = $owner and {id} and not (amount_refunded >= 0 and amount_charged_back >= 0
            and amount_refunded + amount_charged_back <= amount_charged and amount_charged <= amount)`,
  },
  {
    id: 'operation_has_group',
    title: 'Each successful operation that moves money has exactly one posting group, others none',
    of: 'subject',
    sql: `select p.order_id as subject, p.id, p.status from operations p
          where p.project_id = $owner and {p.order_id} and (p.status = 'success' and p.amount > 0) <> exists (select from postings g where g.owner_id = p.project_id and g.entry_id = p.id)
            and not (p.status = 'success' and p.amount = 0)`,
  },
  {
    id: 'cleared_once',
    title: 'What was cleared of an operation is its amount, once; of others nothing',
    of: 'subject',
    sql: `select p.order_id as subject, p.id, p.amount, c.amount as cleared from operations p
          left join lateral (select coalesce(sum(abs(g.amount)), 0) as amount from postings g where g.owner_id = p.project_id and g.subject_id = p.order_id
            and g.operation_id = p.id and g.kind = 'clearing' and g.account = 'settlement_bank') c on true
          where p.project_id = $owner and {p.order_id} and c.amount <> case when p.cleared_at is null then 0 else p.amount end`,
  },
  {
    id: 'hold_is_held',
    title: 'The hold of an order in the ledger is the amount while authorized and nothing after its release',
    of: 'subject',
    sql: `select o.id as subject, o.held, g.held as posted from orders o
          left join lateral (select coalesce(sum(amount), 0) as held from postings g where g.owner_id = o.project_id and g.subject_id = o.id and g.account = 'hold') g on true
          where o.project_id = $owner and {o.id} and (o.held <> g.held or (o.status = 'authorized' and o.held <> o.amount))`,
  },
  {
    id: 'amounts_are_operations',
    title: 'Amounts on the order are the sums of its successful operations',
    of: 'subject',
    sql: `select o.id as subject from orders o
          left join lateral (
            select coalesce(sum(p.amount) filter (where p.type = 'charge'), 0)
                   - coalesce(sum(p.amount) filter (where p.type = 'reverse' and p.details->>'void' = 'true'), 0) as charged,
                   coalesce(sum(p.amount) filter (where p.type = 'refund'), 0) as refunded,
                   coalesce(sum(p.amount) filter (where p.type = 'chargeback'), 0) - coalesce(sum(p.amount) filter (where p.type = 'representment'), 0) as back
            from operations p where p.project_id = o.project_id and p.order_id = o.id and p.status = 'success') s on true
          where o.project_id = $owner and {o.id}
            and (o.amount_charged <> s.charged or o.amount_refunded <> s.refunded or o.amount_charged_back <> s.back)`,
  },
  {
    id: 'status_is_implied',
    title: 'The status of an order is what its amounts and operations imply',
    of: 'subject',
    sql: `select id as subject, status from orders where project_id = $owner and {id} and (
            (status = 'authorized' and (amount_charged <> 0 or auth_code = ''))
            or (status = 'charged' and amount_charged = 0)
            or (status = 'refunded' and amount_refunded <> amount_charged)
            or (status = 'reversed' and amount_charged <> 0)
            or (status in ('reversed', 'refunded') and held <> 0 and in_flight is null and due->>'release' is null)
            or (status in ('new', 'prepared', 'declined', 'rejected', 'fraud', 'error') and (amount_charged <> 0 or held <> 0)))`,
  },
  {
    id: 'one_authorization',
    title: 'At most one successful authorize an order',
    of: 'subject',
    sql: `select order_id as subject from operations where project_id = $owner and {order_id} and type = 'authorize' and status = 'success'
          group by order_id having count(*) > 1`,
  },
  {
    id: 'in_flight_has_intent',
    title: 'What is in flight was committed as sent before, and only one operation of an order is',
    of: 'subject',
    sql: `select o.id as subject from orders o
          left join lateral (select count(*) as sent, min(p.id) as id from operations p where p.project_id = o.project_id and p.order_id = o.id and p.status = 'sent') s on true
          where o.project_id = $owner and {o.id}
            and ((o.in_flight is null and s.sent <> 0) or (o.in_flight is not null and (s.sent <> 1 or s.id <> o.in_flight)))`,
  },
  eventsAreChanges('events_are_changes', 'Every change of an order has its event, every event its change', {
    table: 'orders',
    owner: 'project_id',
  }),
  {
    id: 'events_have_a_place',
    title: 'Every event waits for its position or has it, once',
    of: 'subject',
    // Of what may be gone the place goes first (event_floors).
    sql: `select e.subject_id as subject, e.id, e.type from events e where e.owner_id = $owner and {e.subject_id}
          and e.id >= coalesce((select f.gone_before from event_floors f where f.owner_id = $owner), 0)
          and (select count(*) from event_log l where l.owner_id = e.owner_id and l.event_id = e.id)
              <> case when e.id in (select q.event_id from event_queue q where q.owner_id = $owner) then 0 else 1 end`,
  },
  {
    id: 'events_in_order',
    title: 'The positions of the events of one resource are in the order of their numbers',
    of: 'subject',
    sql: `select subject, sequence, position, before from (
            select e.subject_id as subject, e.sequence, l.position, lag(l.position) over (partition by e.subject_id order by e.sequence) as before
            from events e join event_log l on l.owner_id = e.owner_id and l.event_id = e.id
            where e.owner_id = $owner and {e.subject_id}) told where position <= before`,
  },
  {
    id: 'positions_without_gaps',
    title: 'Positions follow one another up to the head, of the newest thousand or all of them',
    of: 'owner',
    sql: `select head, gone, first, last, count from (
            select h.position as head, g.gone, l.first, l.last, l.count from event_heads h
            cross join lateral (select coalesce((select f.gone_position from event_floors f where f.owner_id = $owner), 0) as gone) g
            cross join lateral (select count(*) as count, min(position) as first, max(position) as last from (
              select position from event_log where owner_id = $owner and position > g.gone
              order by position desc limit case when $whole then null else 1000 end) newest) l
            where h.owner_id = $owner) places
          where (head - gone <> count and (count = 0 or $whole)) or (count > 0 and (last <> head or count <> last - first + 1))`,
  },
  {
    id: 'answers_are_booked',
    title: 'What the acquirer has answered is booked',
    of: 'subject',
    sql: `select order_id as subject, id, type, details->'unbooked' as answer from operations
          where project_id = $owner and {order_id} and status = 'sent' and details->'unbooked' is not null`,
  },
  {
    id: 'in_flight_is_found_out',
    title: 'What is in flight is asked for, and is known within seven days',
    of: 'moment',
    sql: `select o.project_id, o.id, p.id as operation, p.created_at from orders o
          join operations p on p.project_id = o.project_id and p.order_id = o.id and p.id = o.in_flight
          where o.in_flight is not null and (o.due->'recover' is null or o.next_at is null or p.created_at < $now - interval '7 days')`,
  },
  {
    id: 'payouts_are_counted',
    title: 'What counts against the bounds of payouts is what was paid out or is under way',
    of: 'owner',
    sql: `with days as materialized (
            select distinct p.details->'counted'->>'day' as day from operations p
            where p.project_id = $owner and {p.order_id} and p.type = 'credit' and p.details->'counted'->>'day' is not null and not $whole),
          counted as (
            select (p.details->'counted'->>'day')::date as day, p.details->'counted'->>'card' as card,
                   (p.details->'counted'->>'amount')::int8 as amount, p.status
            from operations p where p.project_id = $owner and p.type = 'credit' and p.status in ('sent', 'success')
              and ($whole or (p.details->'counted'->>'day' in (select day from days)
                and p.created_at > (select min(day)::date - 2 from days) and p.created_at < (select max(day)::date + 2 from days)))),
          under_way as (
            select (p.details->'counted'->>'amount')::int8 as amount from orders o
            join operations p on p.project_id = o.project_id and p.order_id = o.id and p.id = o.in_flight
            where o.project_id = $owner and o.in_flight is not null and p.type = 'credit' and p.status = 'sent'
              and ($whole or exists (select from days))),
          wanted as (
            select card, day, sum(amount) as amount from (
              select card, day, amount from counted
              union all select '', day, amount from counted
              union all select '', '0001-01-01', amount from under_way) c group by card, day)
          select card, day, s.amount as counted, w.amount as paid
          from (select card, day, amount from payout_sums where project_id = $owner
                  and ($whole or day in (select day::date from days union all select '0001-01-01' from days))) s
          full join wanted w using (card, day)
          where coalesce(s.amount, 0) <> coalesce(w.amount, 0)`,
  },
  {
    id: 'arn_once',
    title: 'Every acquirer reference number belongs to one operation',
    of: 'subject',
    sql: `select p.order_id as subject, p.id, p.arn from operations p where p.project_id = $owner and {p.order_id} and p.arn in (
            select arn from operations where arn in (
              select arn from operations where project_id = $owner and {order_id} and arn is not null)
            group by arn having count(*) > 1)`,
  },
];

export const orderAuditor: Auditor = {
  invariants: orderInvariants,
  walks: [
    { table: 'orders', owner: 'project_id', id: 'id' },
    { table: 'operations', owner: 'project_id', id: 'order_id' },
    { table: 'events', owner: 'owner_id', id: 'subject_id' },
    { table: 'payout_sums', owner: 'project_id', id: null },
  ],
};
