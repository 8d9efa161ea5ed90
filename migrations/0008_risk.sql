-- Up Migration
-- Fraud rules, what they count, and what they found. Counters and events travel in the commit of the order they belong to.

create table risk_rules (
  project_id int8 not null,
  -- The operator's name for it in the API.
  id text not null,
  -- 1, and one more after each change.
  version int4 not null,
  name text not null,
  -- What the merchant is told when the rule refuses.
  class text not null,
  -- CEL over the payment and its counters, checked when it was saved.
  expression text not null,
  action text not null,
  dry_run bool not null,
  active bool not null,
  position int4 not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);

-- One row a key and bucket. Keys are keyed hashes: neither address nor e-mail nor card stands here.
create table risk_counters (
  project_id int8 not null,
  dimension text not null,
  key_hash text not null,
  -- Length of the bucket in seconds: 60 or 3600.
  span int4 not null,
  bucket_at timestamptz not null,
  count int8 not null,
  sum int8 not null,
  primary key (project_id, dimension, key_hash, span, bucket_at)
) with (fillfactor = 85);

create index risk_counters_expired on risk_counters (span, bucket_at);

create table risk_events (
  project_id int8 not null,
  id int8 not null,
  order_id int8 not null,
  -- The rule, or what of the card-testing defence spoke.
  rule_id text not null,
  class text not null,
  -- refuse, force3d, or error: the expression failed on this payment.
  action text not null,
  dry_run bool not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);

create index risk_events_order on risk_events (project_id, order_id);
