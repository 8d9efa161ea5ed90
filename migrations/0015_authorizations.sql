-- Up Migration
-- What issued cards are asked to pay, what was decided and why, and what became of it.

create table authorizations (
  tenant_id int8 not null,
  id int8 not null,
  card_id int8 not null,
  -- Whose funds: the card itself, or its parent account.
  instrument_id int8 not null,
  -- PENDING waits for forwarding; OPEN holds; CLOSED is cleared, released or expired; DECLINED never held.
  state text not null check (state in ('PENDING', 'OPEN', 'CLOSED', 'DECLINED')),
  kind text not null check (kind in ('purchase', 'credit', 'forced', 'refund')),
  channel text not null,
  merchant jsonb not null,
  -- Reference of the message that began it.
  reference text not null,
  -- As the merchant asked, in its currency: in all, and still to be cleared, cleared, given back.
  amount int8 not null,
  currency text not null,
  asked jsonb not null,
  -- In the card's currency: authorized so far, of it still to be cleared, held (with fees), cleared, given back, fees charged.
  billing_currency text not null,
  authorized int8 not null,
  open int8 not null,
  held int8 not null,
  cleared int8 not null,
  refunded int8 not null,
  fees int8 not null,
  rate jsonb,
  -- What of it stands on the spend counters, and in which windows.
  parts jsonb not null,
  response_code text not null,
  reason text,
  -- Every check in its order, and what it found.
  explanation jsonb not null,
  details jsonb not null,
  -- Number of events.
  events int4 not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create index authorizations_card on authorizations (tenant_id, card_id, id);
create index authorizations_expires_at on authorizations (expires_at) where state = 'OPEN';
create index authorizations_pending on authorizations (created_at) where state = 'PENDING';

-- Every message by its reference, and its answer: a repeat is answered as before and changes nothing.
create table authorization_messages (
  tenant_id int8 not null,
  reference text not null,
  operation text not null,
  -- Reference of the message that it belongs to.
  original text,
  authorization_id int8,
  amount int8 not null,
  -- null while forwarding is asked.
  answer jsonb,
  created_at timestamptz not null,
  primary key (tenant_id, reference)
);
create index authorization_messages_original on authorization_messages (tenant_id, original) where original is not null;

-- Authentication values that an approval has used up.
create table used_cavvs (
  tenant_id int8 not null,
  cavv_hash text not null,
  authorization_id int8 not null,
  created_at timestamptz not null,
  primary key (tenant_id, cavv_hash)
);

-- What a card has spent in the current windows: interval → {start, used}; and what is held for it. One row a card, locked by what spends.
create table spend_counters (
  tenant_id int8 not null,
  card_id int8 not null,
  windows jsonb not null,
  held int8 not null,
  primary key (tenant_id, card_id)
) with (fillfactor = 50);
