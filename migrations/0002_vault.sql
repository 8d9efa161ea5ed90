-- Up Migration
-- Card numbers, encrypted. No key stands here: vault_keys holds only names and check values of keys that live in files.

create table vault_cards (
  owner_id int8 not null,
  id int8 not null,
  -- The key-encrypting key under which wrapped_key opens.
  key_id text not null,
  -- The record's own data key, and the card under it: each iv (12), tag (16), ciphertext.
  wrapped_key bytea not null,
  sealed bytea not null,
  -- Keyed hash of the card number, hex.
  fingerprint text not null,
  created_at timestamptz not null,
  primary key (owner_id, id)
);

-- CVVs of orders that wait for their cardholder. The row goes with the decision, the key soon after.
create table vault_cvvs (
  owner_id int8 not null,
  id int8 not null,
  key_id text not null,
  sealed bytea not null,
  until timestamptz not null,
  primary key (owner_id, id)
);

create index vault_cvvs_until on vault_cvvs (until);

-- Of the installation, not of a project: what must stand in the key file for this database to be readable.
create table vault_keys (
  id text not null primary key,
  check_value text not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
