-- Up Migration
-- Requests with an idempotency key. The key and the request are kept as keyed hashes: a body may hold a card number.
create table idempotency_records (
  -- The owner: a project, or a tenant of the issuing side.
  project_id int8 not null,
  -- Over credential, method, path and key.
  key_hash text not null,
  -- Over query and body: another request under the same key is refused.
  fingerprint text not null,
  -- running, unresolved (its operation waits for the acquirer's answer), done (the answer below is repeated).
  state text not null,
  status int4,
  -- The exact JSON text, so that a repeat has the same bytes.
  body text,
  location text,
  order_id int8,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, key_hash),
  check (state in ('running', 'unresolved', 'done')),
  check ((state = 'done') = (status is not null))
) with (fillfactor = 85);

create index idempotency_records_expires_at on idempotency_records (expires_at);
