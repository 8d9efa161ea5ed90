-- Up Migration
-- Merchants' accounts: projects, the credentials of their programs, their terminals; and what operators did.

-- One row. Whoever writes to a project counts it up first and holds the row until commit: so versions are committed in their order,
-- and a process that has seen version n misses nothing by asking for what is greater than n.
create table project_versions (
  one bool primary key check (one),
  version int8 not null
);
insert into project_versions values (true, 0);

create table projects (
  id int8 primary key,
  login text not null unique,
  name text not null,
  accounting_currency text not null,
  active bool not null,
  -- Only what differs from the defaults.
  settings jsonb not null,
  pricing jsonb not null,
  version int8 not null,
  created_at timestamptz not null
);
create unique index projects_version on projects (version);

-- The login of every credential is its project's. The secret is kept as a keyed hash over project and secret.
create table project_credentials (
  project_id int8 not null,
  id int8 not null,
  label text not null,
  secret_hash bytea not null check (length(secret_hash) = 32),
  rights jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (project_id, id)
);

-- A removed terminal stays: the orders that it took still have to be charged, reversed and refunded over it.
create table terminals (
  project_id int8 not null,
  id text not null,
  descriptor text not null,
  currencies jsonb not null,
  link text not null,
  merchant_id text not null,
  mcc text not null check (mcc ~ '^[0-9]{4}$'),
  secure3d text not null check (secure3d in ('when_needed', 'always')),
  multicapture bool not null,
  cvv_must_match bool not null,
  position int4 not null,
  removed_at timestamptz,
  primary key (project_id, id)
);

-- One row for each thing that an operator did or was refused. Every owner has a chain of its own, 0 is the installation's: each hash covers
-- its row and the hash before it.
create table operator_audit (
  owner_id int8 not null,
  -- 1, 2, 3 … of the owner, without gaps.
  sequence int8 not null,
  -- Where it stands in the list of all owners' rows.
  id int8 not null,
  at timestamptz not null,
  actor text not null,
  origin text not null,
  action text not null,
  target text not null,
  result text not null,
  hash bytea not null check (length(hash) = 32),
  primary key (owner_id, sequence)
);
create index operator_audit_id on operator_audit (id);
create sequence operator_audit_ids;

-- The last row of each chain. Whoever appends holds it until commit.
create table audit_heads (
  owner_id int8 primary key,
  sequence int8 not null,
  id int8 not null,
  hash bytea not null
);

create function operator_audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'operator_audit is append-only';
end
$$;
create trigger operator_audit_append_only before update or delete or truncate on operator_audit
  for each statement execute function operator_audit_is_append_only();
