-- Up Migration
-- What every process on this database follows: the sandbox's clock and the faults of its link. One row, so that changes have an order.
create table shared_state (
  one bool primary key check (one),
  version int8 not null,
  -- By name.
  state jsonb not null
);
insert into shared_state values (true, 0, '{}');

-- How far each process has followed. Who changes something goes on when all that live have it.
create table shared_followers (
  process int8 primary key,
  version int8 not null,
  seen_at timestamptz not null
);
