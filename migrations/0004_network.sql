-- Up Migration

-- Card ranges that the operator knows better than the built-in data: the longest prefix wins. No owner: they are facts about cards.
create table bin_ranges (
  prefix text primary key check (prefix ~ '^[0-9]{6,8}$'),
  brand text not null,
  subtype text not null,
  title text,
  country text check (country ~ '^[A-Z]{3}$'),
  own boolean not null,
  updated_at timestamptz not null
);

-- The simulated acquirer's own record, one row an operation, never updated: its books are compared with ours.
-- Written with synchronous_commit off. WAL is sequential, so whatever we durably wrote after an answer implies the answer's row.
create table simulator_transactions (
  owner_id int8 not null,
  -- What its sender asks for: an order.
  subject_id int8 not null,
  amount int8 not null check (amount >= 0),
  voided int8 not null check (voided between 0 and amount),
  transmitted_at timestamptz not null,
  created_at timestamptz not null,
  attempt int4 not null,
  effect boolean not null,
  subject_type text not null,
  reference text not null,
  operation text not null check (operation in ('authorize', 'charge', 'reverse', 'refund', 'credit')),
  original_reference text,
  currency text not null,
  card text not null,
  stan text not null,
  response_code text not null,
  answer jsonb not null,
  primary key (owner_id, reference)
);
-- With the reference, which is also the order of locking: without it the planner took the primary key for that order and filtered
-- all of the owner's (groups of 64 authorizations: 550/s instead of 41,000/s).
create index simulator_transactions_subject on simulator_transactions (owner_id, subject_id, reference);

-- How often a plan of faults has met each kind of operation, counted for all processes together.
create table simulator_fault_counts (
  plan text not null,
  operation text not null,
  count int8 not null,
  primary key (plan, operation)
);
