-- Up Migration
-- One row a committed group: how a COMMIT without an answer is looked up.
create table commit_groups (
  id int8 primary key,
  committed_at timestamptz not null
);

-- The mode of the first start, for good: no live server runs on what was a sandbox.
create table installation_mode (
  one bool primary key check (one),
  mode text not null check (mode in ('sandbox', 'live')),
  since timestamptz not null
);
