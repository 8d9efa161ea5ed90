-- Up Migration
-- The sandbox's clock, kept over a restart: how far it is from the system's, and where it is frozen.
create table sandbox_clock (
  one bool primary key check (one),
  offset_ms int8 not null,
  frozen_at timestamptz
);
