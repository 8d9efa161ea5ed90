-- Up Migration
-- Cards, managed accounts, the money on them and how it moves.

create table managed_accounts (
  tenant_id int8 not null,
  id int8 not null,
  identity_id int8 not null,
  profile_id int8 not null,
  friendly_name text not null,
  tag text,
  currency text not null,
  state text not null check (state in ('ACTIVE', 'BLOCKED', 'DESTROYED')),
  -- Reasons that hold it blocked, the newest last.
  blocks jsonb not null,
  destroyed_reason text,
  -- Number of events.
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create index managed_accounts_identity on managed_accounts (tenant_id, identity_id, id);

-- What an account or a prepaid card holds, minor units. Its row is the lock for all that spends it; the postings are the proof.
create table funds (
  tenant_id int8 not null,
  instrument_id int8 not null,
  currency text not null,
  actual int8 not null,
  held int8 not null,
  -- Number of statement entries.
  entries int4 not null,
  primary key (tenant_id, instrument_id)
) with (fillfactor = 50);

create table statement_entries (
  tenant_id int8 not null,
  instrument_id int8 not null,
  -- 1, 2, 3 … without gaps.
  sequence int4 not null,
  id int8 not null,
  type text not null,
  -- Signed, minor units of the instrument's currency; 0 for a hold, which only moves what is available.
  amount int8 not null,
  available_change int8 not null,
  actual_after int8 not null,
  available_after int8 not null,
  -- The authorization, transfer or deposit; and what people read.
  reference_id int8,
  details jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, instrument_id, sequence)
);

create table transfers (
  tenant_id int8 not null,
  id int8 not null,
  identity_id int8 not null,
  source_type text not null,
  source_id int8 not null,
  destination_type text not null,
  destination_id int8 not null,
  amount int8 not null,
  currency text not null,
  tag text,
  description text,
  state text not null,
  -- Number of events.
  events int4 not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index transfers_identity on transfers (tenant_id, identity_id, id);

create table cards (
  tenant_id int8 not null,
  id int8 not null,
  identity_id int8 not null,
  programme_id int8 not null,
  profile_id int8 not null,
  mode text not null check (mode in ('PREPAID_MODE', 'DEBIT_MODE')),
  currency text not null,
  parent_account_id int8,
  state text not null check (state in ('ACTIVE', 'BLOCKED', 'DESTROYED')),
  blocks jsonb not null,
  destroyed_reason text,
  type text not null check (type in ('VIRTUAL', 'PHYSICAL')),
  brand text not null,
  classification text not null,
  first_six text not null,
  last_four text not null,
  -- YYMM.
  starts text not null,
  expires text not null,
  renewal text not null check (renewal in ('AUTO_RENEW', 'NO_RENEW')),
  friendly_name text not null,
  name_on_card text not null,
  tag text,
  mobile text,
  -- Address, wallets, 3-D Secure, forwarding, external data, physical card, spend rules, counters of wrong codes.
  details jsonb not null,
  -- The next moment at which something happens by itself; null: nothing will.
  due_at timestamptz,
  -- How many events have told of it.
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create index cards_identity on cards (tenant_id, identity_id, id);
create index cards_parent on cards (tenant_id, parent_account_id) where parent_account_id is not null;
create index cards_due_at on cards (due_at) where due_at is not null;

-- Which card has a number: by its keyed fingerprint. No number is two tenants': it is drawn from a block of one.
create table card_numbers (
  tenant_id int8 not null,
  fingerprint text not null,
  card_id int8 not null,
  primary key (tenant_id, fingerprint)
);
-- The network knows no tenants.
create index card_numbers_fingerprint on card_numbers (fingerprint);

-- Blocks of numbers that a tenant holds, with what their range says of a number. `used` were given out; a block that was given back ends there.
create table card_blocks (
  tenant_id int8 not null,
  lease int8 not null,
  range_name text not null,
  brand text not null,
  prefix text not null,
  number_length int4 not null,
  range_size int8 not null,
  first int8 not null,
  size int8 not null,
  used int8 not null,
  primary key (tenant_id, lease),
  check (used between 0 and size)
) with (fillfactor = 50);
create index card_blocks_open on card_blocks (tenant_id, range_name) where used < size;

-- Live cards by level (tenant, programme, identity) and currency; '' counts all of them.
create table card_counts (
  tenant_id int8 not null,
  level text not null,
  level_id int8 not null,
  currency text not null,
  live int8 not null,
  primary key (tenant_id, level, level_id, currency)
) with (fillfactor = 50);
-- The installation's limit counts over all tenants.
create index card_counts_tenants on card_counts (currency) where level = 'TENANT';

-- Under a limit of the installation: how many cards a tenant may have at most, by currency; '' counts all of them. The first table is the
-- installation's, the second the tenant's own, who never has more there than here. `serial` counts the changes of a lease.
create table card_leases (
  currency text not null,
  tenant_id int8 not null,
  granted int8 not null check (granted >= 0),
  serial int8 not null,
  -- Of the installation's settings that it was granted under.
  version int8 not null,
  primary key (currency, tenant_id)
) with (fillfactor = 50);
create table card_places (
  tenant_id int8 not null,
  currency text not null,
  granted int8 not null check (granted >= 0),
  serial int8 not null,
  version int8 not null,
  primary key (tenant_id, currency)
) with (fillfactor = 50);

-- Mobile numbers of a programme that wants them unique, and whose they are.
create table card_mobiles (
  tenant_id int8 not null,
  programme_id int8 not null,
  mobile text not null,
  identity_id int8 not null,
  primary key (tenant_id, programme_id, mobile)
);

-- One-time reveal tokens that were used; a token that isn't here and not over its time is good.
create table used_reveals (
  tenant_id int8 not null,
  token_hash text not null,
  used_at timestamptz not null,
  primary key (tenant_id, token_hash)
);
create index used_reveals_used_at on used_reveals (used_at);

create table wallet_tokens (
  tenant_id int8 not null,
  card_id int8 not null,
  id int8 not null,
  device text not null,
  wallet text not null,
  state text not null check (state in ('REQUESTED', 'ACTIVE', 'SUSPENDED', 'DELETED')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, card_id, id)
);
