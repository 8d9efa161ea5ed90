-- Up Migration
-- The outbox: written in the transaction that made the change, numbered by subject so that receivers can drop what is stale.
create table events (
  owner_id int8 not null,
  id int8 not null,
  -- What it tells of: an order, a card, an authorization of one.
  subject_id int8 not null,
  sequence int4 not null,
  subject_type text not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (owner_id, id)
);
create unique index events_subject on events (owner_id, subject_id, sequence);
