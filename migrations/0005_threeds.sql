-- Up Migration
-- 3-D Secure transactions that need the cardholder's browser. Results without a browser step leave no row here.
create table threeds_transactions (
  project_id int8 not null,
  id int8 not null,
  order_id int8 not null,
  -- SHA-256 of the MD that the browser carries; the MD itself is nowhere.
  md_hash text not null,
  -- method (device data) or challenge.
  step text not null,
  -- open, done: what the access control server reported. Whether the order has used it stands in threeds_closed.
  state text not null,
  letter text,
  reason_code text,
  cancel_code text,
  version text not null,
  server_trans_id text not null,
  acs_trans_id text not null,
  ds_trans_id text not null,
  -- The challenge never ends by an answer (sandbox card that abandons).
  stalled bool not null,
  tries int4 not null,
  resends int4 not null,
  -- When the last one-time code was sent.
  sent_at timestamptz not null,
  amount int8 not null,
  currency text not null,
  merchant_name text not null,
  masked_pan text not null,
  brand text not null,
  -- Keyed hash over card, amount, currency and directory id, from which the authentication value is made.
  cavv_seed bytea not null,
  -- What the device-data step collected.
  browser jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, id),
  check (tries >= 0 and resends >= 0),
  check ((state = 'done') = (letter is not null) or step = 'method')
);
create index threeds_transactions_order on threeds_transactions (project_id, order_id, id);

-- The one end of a transaction: its result was used by the order, or the order went on without it.
create table threeds_closed (
  project_id int8 not null,
  id int8 not null,
  how text not null,
  closed_at timestamptz not null,
  primary key (project_id, id)
);

-- Authentication values made elsewhere: each is accepted once.
create table threeds_cavvs (
  project_id int8 not null,
  cavv_hash text not null,
  order_id int8 not null,
  primary key (project_id, cavv_hash)
);
