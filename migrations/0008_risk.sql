-- Up Migration
create table risk_rules (
  project_id int8 not null,
  id text not null,
  class text not null,
  -- CEL over the payment and its counters.
  expression text not null,
  action text not null,
  dry_run bool not null,
  active bool not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create table risk_counters (
  project_id int8 not null,
  dimension text not null,
  key_hash text not null,
  bucket_at timestamptz not null,
  count int8 not null,
  sum int8 not null,
  primary key (project_id, dimension, key_hash, bucket_at)
);
create index risk_counters_bucket on risk_counters (bucket_at);
create table risk_events (
  project_id int8 not null,
  id int8 not null,
  order_id int8 not null,
  rule_id text not null,
  action text not null,
  dry_run bool not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
