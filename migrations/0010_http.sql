-- Up Migration
-- Requests with an idempotency key. The key and the request are kept as keyed hashes: a body may hold a card number.
create table idempotency_records (
  owner_id int8 not null,
  -- What the request is about, where its answer may be unknown: an order.
  subject_id int8,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  status int4,
  -- Over credential, method, path and key.
  key_hash text not null,
  -- Over query and body: another request under the same key is refused.
  fingerprint text not null,
  -- running, unresolved (its operation waits for the acquirer's answer), done (the answer below is repeated).
  state text not null,
  subject_type text,
  -- The exact JSON text, so that a repeat has the same bytes.
  body text,
  location text,
  primary key (owner_id, key_hash),
  check (state in ('running', 'unresolved', 'done')),
  check ((state = 'done') = (status is not null)),
  check ((subject_id is null) = (subject_type is null))
) with (fillfactor = 85);

create index idempotency_records_expires_at on idempotency_records (expires_at);
