-- Up Migration
-- Cards, encrypted: the only place where a card number stands. Keys are never in the database.
create table vault_cards (
  project_id int8 not null,
  id int8 not null,
  -- The key-encrypting key that wraps this row's data key.
  key_id text not null,
  wrapped_key bytea not null,
  ciphertext bytea not null,
  -- HMAC of the number under a key of its own.
  fingerprint text not null,
  created_at timestamptz not null,
  primary key (project_id, id)
);
create index vault_cards_key on vault_cards (key_id);

-- Card verification values of orders that wait for a challenge, under a key that is destroyed when its hour and window are over.
create table vault_cvvs (
  project_id int8 not null,
  order_id int8 not null,
  key_id text not null,
  ciphertext bytea not null,
  until_at timestamptz not null,
  primary key (project_id, order_id)
);
create index vault_cvvs_until on vault_cvvs (until_at);
