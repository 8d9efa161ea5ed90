-- Up Migration
-- Who issues cards to whom: tenants, programmes, profiles, card ranges; identities and their users; sessions. A tenant is an owner as a
-- project is: its id stands first in every key, also in tables of other rooms whose column is called project_id.

-- One row. Whoever writes to a tenant, programme, profile or range counts it up first and holds the row until commit (as project_versions).
create table issuing_versions (
  one bool primary key check (one),
  version int8 not null
);
insert into issuing_versions values (true, 0);

-- The installation's own settings for issuing: one row, owner 0.
create table issuing_settings (
  one bool primary key check (one),
  settings jsonb not null,
  version int8 not null
);
insert into issuing_settings values (true, '{}', 0);

create table tenants (
  id int8 primary key,
  name text not null unique,
  active bool not null,
  settings jsonb not null,
  version int8 not null,
  created_at timestamptz not null
);

-- API secrets as keyed hashes: two are valid while one is rotated.
create table tenant_secrets (
  tenant_id int8 not null,
  id int8 not null,
  label text not null,
  -- api: what cardholders' apps are served with. events: a tenant's server reads what happened. Each opens nothing of the other.
  kind text not null check (kind in ('api', 'events')),
  secret_hash bytea not null check (length(secret_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);

create table programmes (
  tenant_id int8 not null,
  id int8 not null,
  name text not null,
  settings jsonb not null,
  version int8 not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);

create table profiles (
  tenant_id int8 not null,
  id int8 not null,
  programme_id int8 not null,
  name text not null,
  kind text not null check (kind in ('card', 'account')),
  active bool not null,
  settings jsonb not null,
  version int8 not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);

-- Card numbers of a range are a permutation of 0 .. size - 1, lent to tenants in blocks; `used` is how many are in blocks.
create table card_ranges (
  name text primary key,
  brand text not null check (brand in ('MASTERCARD', 'VISA')),
  -- What all its numbers begin with; the rest but the Luhn digit is the range's own.
  prefix text not null unique check (prefix ~ '^[0-9]{6,15}$'),
  number_length int4 not null check (number_length between 13 and 19),
  size int8 not null,
  used int8 not null,
  check (used between 0 and size)
);

-- What became of the indexes below `used`: `lent` until its tenant has taken the block into use, `taken`, `spent` when no number of it is
-- left, `free` when what was left came back. A block that is handed out again has another lease.
create table range_blocks (
  range_name text not null,
  first int8 not null,
  size int8 not null check (size > 0),
  lease int8 not null,
  tenant_id int8,
  state text not null check (state in ('lent', 'taken', 'spent', 'free')),
  primary key (range_name, first),
  check ((tenant_id is null) = (state = 'free'))
);
create index range_blocks_open on range_blocks (range_name, state) where state <> 'spent';

create table identities (
  tenant_id int8 not null,
  id int8 not null,
  programme_id int8 not null,
  type text not null check (type in ('consumer', 'corporate')),
  name text not null,
  kyc_state text not null,
  kyc_level text not null,
  active bool not null,
  -- Card limit, spend rules, country.
  settings jsonb not null,
  -- Number of events.
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create table users (
  tenant_id int8 not null,
  id int8 not null,
  identity_id int8 not null,
  kind text not null check (kind in ('root', 'authorised')),
  name text not null,
  surname text not null,
  -- Lower case: what a person logs in with.
  email text not null,
  mobile text,
  active bool not null,
  roles jsonb not null,
  -- argon2id with its salt and cost; null until a password is set.
  password jsonb,
  failed_logins int4 not null,
  locked_until timestamptz,
  -- Number of events.
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index users_email on users (tenant_id, email);
create index users_identity on users (tenant_id, identity_id);

create table factors (
  tenant_id int8 not null,
  user_id int8 not null,
  kind text not null check (kind in ('OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY')),
  active bool not null,
  created_at timestamptz not null,
  primary key (tenant_id, user_id, kind)
);

create table user_sessions (
  tenant_id int8 not null,
  -- Keyed hash of the token, hex.
  token_hash text not null,
  user_id int8 not null,
  identity_id int8 not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  stepped_up_at timestamptz,
  ended_at timestamptz,
  -- The one-time code that is asked for: its keyed hash, when it was sent, tries.
  challenge jsonb,
  primary key (tenant_id, token_hash)
);
create index user_sessions_user on user_sessions (tenant_id, user_id);
create index user_sessions_used_at on user_sessions (used_at);

-- SMS and mails as they were handed to a carrier; the sandbox has no carrier, so that they are read here.
create table messages (
  tenant_id int8 not null,
  id int8 not null,
  channel text not null check (channel in ('SMS', 'EMAIL')),
  recipient text not null,
  text text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index messages_recipient on messages (recipient, id);
