-- Up Migration
-- One row a committed group: how a COMMIT without an answer is looked up.
create table commit_groups (
  id int8 primary key,
  -- false: somebody asked before it was written, and so it never is
  written bool not null,
  made_at timestamptz not null
);
create index commit_groups_made_at on commit_groups (made_at);

-- Who of several Florins on this database lives.
create sequence process_ids;
create table processes (
  id int8 primary key,
  expires_at timestamptz not null
);

-- The mode of the first start, for good: no live server runs on what was a sandbox.
create table installation_mode (
  one bool primary key check (one),
  mode text not null check (mode in ('sandbox', 'live')),
  since timestamptz not null
);

-- Work that was due and failed: when it is tried again. What is no longer due leaves its row behind until that is purged.
create table due_failures (
  owner_id int8 not null,
  about text not null, -- what it is due on: an order, a card, an authorization
  id int8 not null,
  kind text not null,
  tries int4 not null,
  since timestamptz not null,
  retry_at timestamptz not null,
  code text not null,
  primary key (owner_id, about, id, kind)
);
