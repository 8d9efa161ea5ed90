-- Up Migration
-- 3-D Secure of cards that are issued here: the cardholder's own challenge behind the access control server's page.
alter table threeds_transactions add column challenge jsonb;

create table card_challenges (
  tenant_id int8 not null,
  id int8 not null,
  card_id int8 not null,
  channel text not null check (channel in ('OTP_SMS', 'BIOMETRICS', 'EXTERNAL_AUTHY')),
  state text not null check (state in ('PENDING', 'PASSED', 'FAILED', 'EXPIRED')),
  -- Where codes go; null: no telephone, and so no way over SMS.
  mobile text,
  -- What the code is good for.
  amount int8 not null,
  currency text not null,
  merchant text not null,
  -- Keyed hash of the present code, hex; null for what is confirmed on a device.
  code_hash text,
  tries int4 not null,
  sends int4 not null,
  -- Number of events.
  events int4 not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create index card_challenges_card on card_challenges (tenant_id, card_id, id);
create index card_challenges_pending on card_challenges (expires_at) where state = 'PENDING';
