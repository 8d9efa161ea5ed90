-- Up Migration
-- The outbox: written in the transaction that made the change, numbered by order so that receivers can drop what is stale.
create table events (
  project_id int8 not null,
  id int8 not null,
  order_id int8 not null,
  sequence int4 not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create unique index events_order on events (project_id, order_id, sequence);
