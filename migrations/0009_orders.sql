-- Up Migration
-- Orders and their operations. Owner first in every key; one order's rows never span two owners.

create table orders (
  project_id int8 not null,
  id int8 not null,
  merchant_order_id text,
  status text not null,
  amount int8 not null,
  currency text not null,
  amount_charged int8 not null,
  amount_refunded int8 not null,
  amount_charged_back int8 not null,
  -- What the issuer still holds for this order.
  held int8 not null,
  description text,
  segment text not null,
  terminal text not null,
  descriptor text not null,
  auth_code text not null,
  pan text not null,
  card jsonb,
  issuer jsonb,
  client jsonb,
  location jsonb,
  -- Who stood before the payment page, as we saw it: for what the issuer's answer adds to the risk counters.
  visit jsonb,
  custom_fields jsonb,
  secure3d jsonb,
  -- What an attempt that is under way has changed, as it was told last: until its event the order is shown so.
  as_told jsonb,
  options jsonb not null,
  card_id int8,
  parent_order_id int8,
  initiator text not null,
  network_transaction_id text,
  -- The operation that was sent and has no result yet: nothing else may be done to the order meanwhile.
  in_flight int8,
  -- What is due on this order and when, by kind; next_at is the earliest of them that may run now.
  due jsonb not null,
  next_at timestamptz,
  failure_type text,
  failure_message text,
  attempts int4 not null,
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  check (amount >= 0 and held >= 0 and held <= amount),
  check (amount_refunded >= 0 and amount_charged_back >= 0),
  check (amount_refunded + amount_charged_back <= amount_charged or status = 'credited'),
  check (amount_charged <= amount)
) with (fillfactor = 85);

-- The id is carried and not a key: an order whose id is known is never looked for here.
create index orders_created on orders (project_id, created_at desc) include (id);
create index orders_merchant_order_id on orders (project_id, merchant_order_id) where merchant_order_id is not null;
create index orders_in_flight on orders (in_flight) where in_flight is not null;
create index orders_next_at on orders (next_at) where next_at is not null;

create table operations (
  project_id int8 not null,
  id int8 not null,
  order_id int8 not null,
  type text not null,
  -- sent (no result yet), success, failure, error; system reversals end as done.
  status text not null,
  -- A reversal that the gateway owes the issuer because an authorization got no answer: never shown as the merchant's.
  system bool not null,
  amount int8 not null,
  currency text not null,
  -- Own reference on the wire (DE 37 family) and that of the operation it belongs to.
  reference text not null,
  original text,
  auth_code text not null,
  iso_response_code text not null,
  iso_message text not null,
  details jsonb not null,
  arn text,
  rate jsonb,
  tries int4 not null,
  process int8 not null,
  once_key text,
  created_at timestamptz not null,
  resolved_at timestamptz,
  cleared_at timestamptz,
  primary key (project_id, order_id, id)
) with (fillfactor = 85);

create index operations_created on operations (project_id, created_at desc, id desc);

-- Merchant order ids of projects that want them unique, with a keyed hash of the request that used them.
create table merchant_order_ids (
  project_id int8 not null,
  merchant_order_id text not null,
  order_id int8 not null,
  fingerprint text not null,
  primary key (project_id, merchant_order_id)
);

-- The payment page's tokens, hashed.
create table pay_links (
  project_id int8 not null,
  token_hash text not null,
  order_id int8 not null,
  created_at timestamptz not null,
  primary key (project_id, token_hash)
);

-- Payouts by day, of a card (its fingerprint) and of all ('') of a project; at 0001-01-01 what is under way.
create table payout_sums (
  project_id int8 not null,
  card text not null,
  day date not null,
  -- Minor units of the accounting currency. Below zero something was given back twice.
  amount int8 not null,
  primary key (project_id, card, day)
) with (fillfactor = 50);

-- Rejections: what the gateway itself says no to. They send nothing and add no operation, only this record.
create table order_rejections (
  project_id int8 not null,
  id int8 not null,
  order_id int8,
  action text not null,
  code text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);

-- One row a project, settlement day, link and currency: what was cleared.
create table settlements (
  project_id int8 not null,
  day date not null,
  link text not null,
  currency text not null,
  charges int8 not null,
  charged int8 not null,
  refunds int8 not null,
  refunded int8 not null,
  primary key (project_id, day, link, currency)
);

-- Item numbers of acquirer reference numbers: eleven digits, used once a day at most.
create sequence arn_items maxvalue 99999999999 cycle;

