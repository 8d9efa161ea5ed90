-- Up Migration
-- What a group changed, until it is proved: the ids of orders, authorizations, instruments, cards, and its posting groups, as the text of an
-- array. null: proved, or nothing of it has to be.
alter table commit_groups add column subjects text;
alter table commit_groups add column entries text;
create index commit_groups_unproved on commit_groups (owner_id, id) where subjects is not null;

-- How far each owner's history is proved: one row an owner.
create table proofs (
  owner_id int8 primary key,
  -- Full proofs begun so far.
  run int4 not null,
  -- Ids up to this one are looked at by the run under way. null: none is.
  cursor int8,
  -- The last run that looked at every id: its sums are what is proved. null: none has.
  proved_run int4,
  -- Looked at by the run under way, or by the last one.
  slices int4 not null,
  began_at timestamptz,
  proved_at timestamptz
);

-- By run: what the postings of an account add up to, of those that are looked at.
create table proved_sums (
  owner_id int8 not null,
  run int4 not null,
  account text not null,
  currency text not null,
  amount int8 not null,
  primary key (owner_id, run, account, currency)
) with (fillfactor = 50);

-- What was found wrong and has not been proved right since.
create table proof_reds (
  owner_id int8 not null,
  invariant text not null,
  -- JSON: some ids, those between two, or all of the owner.
  scope text not null,
  found_at timestamptz not null,
  -- How often.
  times int4 not null,
  primary key (owner_id, invariant, scope)
);

-- Proofs find by key what is open, however much lies behind it. Nothing here names what the result of an operation changes: that update
-- must go on without a new entry in every index of the row.
create index operations_arn on operations (arn) where arn is not null;
create index operations_payouts on operations (project_id, created_at) where type = 'credit';
create index authorizations_held on authorizations (tenant_id, instrument_id) where held <> 0;
