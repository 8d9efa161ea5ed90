-- Up Migration
-- What the operator was told last of each thing that can go wrong with the installation, or change in it.
create table alarms (
  -- Of the event's type: invariant, operation, page.
  noun text not null,
  -- By which the operator knows it.
  name text not null,
  -- What stands in its events.
  id int8 not null,
  -- As it was told last; null: it is over, and will be told again.
  state text,
  -- What that event said of it.
  object json not null,
  -- Number of events.
  events int4 not null,
  updated_at timestamptz not null,
  primary key (noun, name)
);
