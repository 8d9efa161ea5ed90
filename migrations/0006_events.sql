-- Up Migration
-- What happened: written in the transaction that made the change, and never changed. By days of their ids, which are those of real time, so
-- that the oldest are dropped and not deleted. Days are made ahead (src/events/keeping); what none was made for lies beside them.
create table events (
  owner_id int8 not null,
  id int8 not null,
  -- What it tells of: an order, a card, an authorization of one. Its events are numbered without gaps.
  subject_id int8 not null,
  sequence int4 not null,
  subject_type text not null,
  type text not null,
  -- The bytes that every receiver gets.
  body text not null,
  created_at timestamptz not null,
  primary key (owner_id, id)
) partition by range (id);
create index events_subject on events (owner_id, subject_id, sequence);
create table events_beside partition of events default;

-- What has no position yet: written with the event, taken by who holds its owner's head.
create table event_queue (
  owner_id int8 not null,
  arrival int8 generated always as identity,
  event_id int8 not null,
  subject_id int8 not null,
  type text not null,
  created_at timestamptz not null,
  primary key (owner_id, arrival)
);

-- How far an owner's events are numbered.
create table event_heads (
  owner_id int8 primary key,
  position int8 not null
);

-- The order in which an owner's events are told. Ids are drawn before commits, and no cursor may trust them; positions are given behind.
create table event_log (
  owner_id int8 not null,
  position int8 not null,
  event_id int8 not null,
  subject_id int8 not null,
  type text not null,
  created_at timestamptz not null,
  primary key (owner_id, position)
);
create index event_log_event on event_log (owner_id, event_id);

-- What of an owner's events may be gone, because its days are over.
create table event_floors (
  owner_id int8 primary key,
  -- Ids below this one.
  gone_before int8 not null,
  -- Of its log, nothing behind this position.
  gone_position int8 not null,
  -- The latest moment, of business time, that one of them told; null: none was there.
  gone_at timestamptz
);

-- The clock by which days are over, and from when on it is believed: one row.
create table event_clock (
  name text primary key,
  looked_at timestamptz not null,
  drops_from timestamptz not null
);
