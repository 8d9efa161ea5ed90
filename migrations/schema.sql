-- Made by test/store/schema.test.ts from the migrations; never edited by hand.
create table alarms (
  noun text not null,
  name text not null,
  id bigint not null,
  state text,
  object json not null,
  events integer not null,
  updated_at timestamp with time zone not null
);
create table audit_heads (
  owner_id bigint not null,
  sequence bigint not null,
  id bigint not null,
  hash bytea not null
);
create table authorization_messages (
  tenant_id bigint not null,
  reference text not null,
  operation text not null,
  original text,
  authorization_id bigint,
  amount bigint not null,
  answer jsonb,
  created_at timestamp with time zone not null
);
create table authorizations (
  tenant_id bigint not null,
  id bigint not null,
  card_id bigint not null,
  instrument_id bigint not null,
  state text not null,
  kind text not null,
  channel text not null,
  merchant jsonb not null,
  reference text not null,
  amount bigint not null,
  currency text not null,
  asked jsonb not null,
  billing_currency text not null,
  authorized bigint not null,
  open bigint not null,
  held bigint not null,
  cleared bigint not null,
  refunded bigint not null,
  fees bigint not null,
  rate jsonb,
  parts jsonb not null,
  response_code text not null,
  reason text,
  explanation jsonb not null,
  details jsonb not null,
  events integer not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table balances (
  owner_id bigint not null,
  account text not null,
  currency text not null,
  amount bigint not null
);
create table bin_ranges (
  prefix text not null,
  brand text not null,
  subtype text not null,
  title text,
  country text,
  own boolean not null,
  updated_at timestamp with time zone not null
);
create table card_blocks (
  tenant_id bigint not null,
  lease bigint not null,
  range_name text not null,
  brand text not null,
  prefix text not null,
  number_length integer not null,
  range_size bigint not null,
  first bigint not null,
  size bigint not null,
  used bigint not null
);
create table card_challenges (
  tenant_id bigint not null,
  id bigint not null,
  card_id bigint not null,
  channel text not null,
  state text not null,
  mobile text,
  amount bigint not null,
  currency text not null,
  merchant text not null,
  code_hash text,
  tries integer not null,
  sends integer not null,
  events integer not null,
  sent_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table card_counts (
  tenant_id bigint not null,
  level text not null,
  level_id bigint not null,
  currency text not null,
  live bigint not null
);
create table card_leases (
  currency text not null,
  tenant_id bigint not null,
  granted bigint not null,
  serial bigint not null,
  version bigint not null
);
create table card_mobiles (
  tenant_id bigint not null,
  programme_id bigint not null,
  mobile text not null,
  identity_id bigint not null
);
create table card_numbers (
  tenant_id bigint not null,
  fingerprint text not null,
  card_id bigint not null
);
create table card_places (
  tenant_id bigint not null,
  currency text not null,
  granted bigint not null,
  serial bigint not null,
  version bigint not null
);
create table card_ranges (
  name text not null,
  brand text not null,
  prefix text not null,
  number_length integer not null,
  size bigint not null,
  used bigint not null
);
create table cards (
  tenant_id bigint not null,
  id bigint not null,
  identity_id bigint not null,
  programme_id bigint not null,
  profile_id bigint not null,
  mode text not null,
  currency text not null,
  parent_account_id bigint,
  state text not null,
  blocks jsonb not null,
  destroyed_reason text,
  type text not null,
  brand text not null,
  classification text not null,
  first_six text not null,
  last_four text not null,
  starts text not null,
  expires text not null,
  renewal text not null,
  friendly_name text not null,
  name_on_card text not null,
  tag text,
  mobile text,
  details jsonb not null,
  due_at timestamp with time zone,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table commit_groups (
  id bigint not null,
  written boolean not null,
  made_at timestamp with time zone not null,
  owner_id bigint not null,
  subjects text,
  entries text
);
create table due_failures (
  owner_id bigint not null,
  about text not null,
  id bigint not null,
  kind text not null,
  tries integer not null,
  since timestamp with time zone not null,
  retry_at timestamp with time zone not null,
  code text not null
);
create table event_clock (
  name text not null,
  looked_at timestamp with time zone not null,
  drops_from timestamp with time zone not null
);
create table event_floors (
  owner_id bigint not null,
  gone_before bigint not null,
  gone_position bigint not null,
  gone_at timestamp with time zone
);
create table event_heads (
  owner_id bigint not null,
  position bigint not null
);
create table event_log (
  owner_id bigint not null,
  position bigint not null,
  event_id bigint not null,
  subject_id bigint not null,
  type text not null,
  created_at timestamp with time zone not null
);
create table event_queue (
  owner_id bigint not null,
  arrival bigint not null,
  event_id bigint not null,
  subject_id bigint not null,
  type text not null,
  created_at timestamp with time zone not null
);
create table events_beside (
  owner_id bigint not null,
  id bigint not null,
  subject_id bigint not null,
  sequence integer not null,
  subject_type text not null,
  type text not null,
  body text not null,
  created_at timestamp with time zone not null
);
create table factors (
  tenant_id bigint not null,
  user_id bigint not null,
  kind text not null,
  active boolean not null,
  created_at timestamp with time zone not null
);
create table florin_migrations (
  id integer not null,
  name character varying(255) not null,
  run_on timestamp without time zone not null
);
create table funds (
  tenant_id bigint not null,
  instrument_id bigint not null,
  currency text not null,
  actual bigint not null,
  held bigint not null,
  entries integer not null
);
create table idempotency_records (
  owner_id bigint not null,
  subject_id bigint,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  status integer,
  key_hash text not null,
  fingerprint text not null,
  state text not null,
  subject_type text,
  body text,
  location text
);
create table identities (
  tenant_id bigint not null,
  id bigint not null,
  programme_id bigint not null,
  type text not null,
  name text not null,
  kyc_state text not null,
  kyc_level text not null,
  active boolean not null,
  settings jsonb not null,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table inbox_messages (
  id bigint not null,
  name text not null,
  bytes integer not null,
  message json not null
);
create table inbox_scripts (
  name text not null,
  script json not null,
  updated_at timestamp with time zone not null
);
create table installation_mode (
  one boolean not null,
  mode text not null,
  since timestamp with time zone not null
);
create table issuing_settings (
  one boolean not null,
  settings jsonb not null,
  version bigint not null
);
create table issuing_versions (
  one boolean not null,
  version bigint not null
);
create table managed_accounts (
  tenant_id bigint not null,
  id bigint not null,
  identity_id bigint not null,
  profile_id bigint not null,
  friendly_name text not null,
  tag text,
  currency text not null,
  state text not null,
  blocks jsonb not null,
  destroyed_reason text,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table merchant_order_ids (
  project_id bigint not null,
  merchant_order_id text not null,
  order_id bigint not null,
  fingerprint text not null
);
create table messages (
  tenant_id bigint not null,
  id bigint not null,
  channel text not null,
  recipient text not null,
  text text not null,
  created_at timestamp with time zone not null
);
create table operations (
  project_id bigint not null,
  id bigint not null,
  order_id bigint not null,
  type text not null,
  status text not null,
  system boolean not null,
  amount bigint not null,
  currency text not null,
  reference text not null,
  original text,
  auth_code text not null,
  iso_response_code text not null,
  iso_message text not null,
  details jsonb not null,
  arn text,
  rate jsonb,
  tries integer not null,
  process bigint not null,
  once_key text,
  created_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  cleared_at timestamp with time zone
);
create table operator_audit (
  owner_id bigint not null,
  sequence bigint not null,
  id bigint not null,
  at timestamp with time zone not null,
  actor text not null,
  origin text not null,
  action text not null,
  target text not null,
  result text not null,
  hash bytea not null
);
create table order_rejections (
  project_id bigint not null,
  id bigint not null,
  order_id bigint,
  action text not null,
  code text not null,
  created_at timestamp with time zone not null
);
create table orders (
  project_id bigint not null,
  id bigint not null,
  merchant_order_id text,
  status text not null,
  amount bigint not null,
  currency text not null,
  amount_charged bigint not null,
  amount_refunded bigint not null,
  amount_charged_back bigint not null,
  held bigint not null,
  description text,
  segment text not null,
  terminal text not null,
  descriptor text not null,
  auth_code text not null,
  pan text not null,
  card jsonb,
  issuer jsonb,
  client jsonb,
  location jsonb,
  visit jsonb,
  custom_fields jsonb,
  secure3d jsonb,
  as_told jsonb,
  options jsonb not null,
  card_id bigint,
  parent_order_id bigint,
  initiator text not null,
  network_transaction_id text,
  in_flight bigint,
  due jsonb not null,
  next_at timestamp with time zone,
  failure_type text,
  failure_message text,
  attempts integer not null,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table page_templates (
  project_id bigint not null,
  id text not null,
  template jsonb not null,
  version integer not null,
  updated_at timestamp with time zone not null
);
create table pay_links (
  project_id bigint not null,
  token_hash text not null,
  order_id bigint not null,
  created_at timestamp with time zone not null
);
create table payout_sums (
  project_id bigint not null,
  card text not null,
  day date not null,
  amount bigint not null
);
create table postings (
  owner_id bigint not null,
  entry_id bigint not null,
  subject_id bigint not null,
  operation_id bigint,
  amount bigint not null,
  created_at timestamp with time zone not null,
  line integer not null,
  subject_type text not null,
  kind text not null,
  account text not null,
  currency text not null
);
create table processes (
  id bigint not null,
  expires_at timestamp with time zone not null
);
create table profiles (
  tenant_id bigint not null,
  id bigint not null,
  programme_id bigint not null,
  name text not null,
  kind text not null,
  active boolean not null,
  settings jsonb not null,
  version bigint not null,
  created_at timestamp with time zone not null
);
create table programmes (
  tenant_id bigint not null,
  id bigint not null,
  name text not null,
  settings jsonb not null,
  version bigint not null,
  created_at timestamp with time zone not null
);
create table project_credentials (
  project_id bigint not null,
  id bigint not null,
  label text not null,
  secret_hash bytea not null,
  rights jsonb not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  certificates jsonb not null
);
create table project_versions (
  one boolean not null,
  version bigint not null
);
create table projects (
  id bigint not null,
  login text not null,
  name text not null,
  accounting_currency text not null,
  active boolean not null,
  settings jsonb not null,
  pricing jsonb not null,
  version bigint not null,
  created_at timestamp with time zone not null
);
create table proof_reds (
  owner_id bigint not null,
  invariant text not null,
  scope text not null,
  found_at timestamp with time zone not null,
  times integer not null
);
create table proofs (
  owner_id bigint not null,
  run integer not null,
  cursor bigint,
  proved_run integer,
  slices integer not null,
  began_at timestamp with time zone,
  proved_at timestamp with time zone
);
create table proved_sums (
  owner_id bigint not null,
  run integer not null,
  account text not null,
  currency text not null,
  amount bigint not null
);
create table range_blocks (
  range_name text not null,
  first bigint not null,
  size bigint not null,
  lease bigint not null,
  tenant_id bigint,
  state text not null
);
create table rate_buckets (
  key text not null,
  version bigint not null,
  full_us double precision not null,
  promised_us double precision not null
);
create table rates (
  from_currency text not null,
  to_currency text not null,
  day date not null,
  micro bigint not null,
  source text not null,
  created_at timestamp with time zone not null
);
create table risk_counters (
  project_id bigint not null,
  dimension text not null,
  key_hash text not null,
  span integer not null,
  bucket_at timestamp with time zone not null,
  count bigint not null,
  sum bigint not null
);
create table risk_events (
  project_id bigint not null,
  id bigint not null,
  order_id bigint not null,
  rule_id text not null,
  class text not null,
  action text not null,
  dry_run boolean not null,
  created_at timestamp with time zone not null
);
create table risk_rules (
  project_id bigint not null,
  id text not null,
  version integer not null,
  name text not null,
  class text not null,
  expression text not null,
  action text not null,
  dry_run boolean not null,
  active boolean not null,
  position integer not null,
  created_at timestamp with time zone not null
);
create table settlements (
  project_id bigint not null,
  day date not null,
  link text not null,
  currency text not null,
  charges bigint not null,
  charged bigint not null,
  refunds bigint not null,
  refunded bigint not null
);
create table shared_followers (
  process bigint not null,
  version bigint not null,
  seen_at timestamp with time zone not null
);
create table shared_state (
  one boolean not null,
  version bigint not null,
  state jsonb not null
);
create table simulator_fault_counts (
  plan text not null,
  operation text not null,
  count bigint not null
);
create table simulator_transactions (
  owner_id bigint not null,
  subject_id bigint not null,
  amount bigint not null,
  voided bigint not null,
  transmitted_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  attempt integer not null,
  effect boolean not null,
  subject_type text not null,
  reference text not null,
  operation text not null,
  original_reference text,
  currency text not null,
  card text not null,
  stan text not null,
  response_code text not null,
  answer jsonb not null
);
create table spend_counters (
  tenant_id bigint not null,
  card_id bigint not null,
  windows jsonb not null,
  held bigint not null
);
create table statement_entries (
  tenant_id bigint not null,
  instrument_id bigint not null,
  sequence integer not null,
  id bigint not null,
  type text not null,
  amount bigint not null,
  available_change bigint not null,
  actual_after bigint not null,
  available_after bigint not null,
  reference_id bigint,
  details jsonb not null,
  created_at timestamp with time zone not null
);
create table tenant_secrets (
  tenant_id bigint not null,
  id bigint not null,
  label text not null,
  kind text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  certificates jsonb not null
);
create table tenants (
  id bigint not null,
  name text not null,
  active boolean not null,
  settings jsonb not null,
  version bigint not null,
  created_at timestamp with time zone not null
);
create table terminals (
  project_id bigint not null,
  id text not null,
  descriptor text not null,
  currencies jsonb not null,
  link text not null,
  merchant_id text not null,
  mcc text not null,
  secure3d text not null,
  multicapture boolean not null,
  cvv_must_match boolean not null,
  position integer not null,
  removed_at timestamp with time zone
);
create table threeds_cavvs (
  project_id bigint not null,
  cavv_hash text not null,
  order_id bigint not null
);
create table threeds_closed (
  project_id bigint not null,
  id bigint not null,
  how text not null,
  closed_at timestamp with time zone not null
);
create table threeds_transactions (
  project_id bigint not null,
  id bigint not null,
  order_id bigint not null,
  md_hash text not null,
  step text not null,
  state text not null,
  letter text,
  reason_code text,
  cancel_code text,
  version text not null,
  server_trans_id text not null,
  acs_trans_id text not null,
  ds_trans_id text not null,
  stalled boolean not null,
  tries integer not null,
  resends integer not null,
  sent_at timestamp with time zone not null,
  amount bigint not null,
  currency text not null,
  merchant_name text not null,
  masked_pan text not null,
  brand text not null,
  cavv_seed bytea not null,
  browser jsonb,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  challenge jsonb
);
create table transfers (
  tenant_id bigint not null,
  id bigint not null,
  identity_id bigint not null,
  source_type text not null,
  source_id bigint not null,
  destination_type text not null,
  destination_id bigint not null,
  amount bigint not null,
  currency text not null,
  tag text,
  description text,
  state text not null,
  events integer not null,
  created_at timestamp with time zone not null
);
create table used_cavvs (
  tenant_id bigint not null,
  cavv_hash text not null,
  authorization_id bigint not null,
  created_at timestamp with time zone not null
);
create table used_reveals (
  tenant_id bigint not null,
  token_hash text not null,
  used_at timestamp with time zone not null
);
create table user_sessions (
  tenant_id bigint not null,
  token_hash text not null,
  user_id bigint not null,
  identity_id bigint not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  stepped_up_at timestamp with time zone,
  ended_at timestamp with time zone,
  challenge jsonb
);
create table users (
  tenant_id bigint not null,
  id bigint not null,
  identity_id bigint not null,
  kind text not null,
  name text not null,
  surname text not null,
  email text not null,
  mobile text,
  active boolean not null,
  roles jsonb not null,
  password jsonb,
  failed_logins integer not null,
  locked_until timestamp with time zone,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  former_passwords jsonb not null
);
create table vault_cards (
  owner_id bigint not null,
  id bigint not null,
  key_id text not null,
  wrapped_key bytea not null,
  sealed bytea not null,
  fingerprint text not null,
  created_at timestamp with time zone not null
);
create table vault_cvvs (
  owner_id bigint not null,
  id bigint not null,
  key_id text not null,
  sealed bytea not null,
  until timestamp with time zone not null
);
create table vault_keys (
  id text not null,
  check_value text not null,
  created_at timestamp with time zone not null,
  retired_at timestamp with time zone
);
create table wallet_tokens (
  tenant_id bigint not null,
  card_id bigint not null,
  id bigint not null,
  device text not null,
  wallet text not null,
  state text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  events integer not null
);
create table webhook_attempts_beside (
  owner_id bigint not null,
  webhook_id bigint not null,
  id bigint not null,
  event_id bigint not null,
  type text not null,
  trigger text not null,
  attempt integer not null,
  sent_at timestamp with time zone not null,
  ms integer not null,
  address text,
  status integer,
  cause text,
  response text not null
);
create table webhook_cursors (
  owner_id bigint not null,
  webhook_id bigint not null,
  position bigint not null,
  leased_by bigint,
  failing_since timestamp with time zone,
  failing_told boolean not null,
  succeeded_at timestamp with time zone,
  circuit_open boolean not null
);
create table webhook_deliveries (
  owner_id bigint not null,
  webhook_id bigint not null,
  event_id bigint not null,
  position bigint not null,
  subject_id bigint not null,
  type text not null,
  state text not null,
  trigger text not null,
  tries integer not null,
  next_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table webhook_replays (
  owner_id bigint not null,
  webhook_id bigint not null,
  id bigint not null,
  state text not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  types jsonb not null,
  only_failed boolean not null,
  position bigint not null,
  until bigint not null,
  taken bigint not null,
  looked bigint not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
create table webhooks (
  owner_id bigint not null,
  id bigint not null,
  slot integer not null,
  owner_type text not null,
  url text not null,
  description text not null,
  types jsonb not null,
  enabled boolean not null,
  disabled_reason text,
  payload text not null,
  signature text not null,
  version text not null,
  concurrency integer not null,
  ordered boolean not null,
  keys jsonb not null,
  events integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null
);
CREATE INDEX authorization_messages_original ON public.authorization_messages USING btree (tenant_id, original) WHERE (original IS NOT NULL);
CREATE INDEX authorizations_card ON public.authorizations USING btree (tenant_id, card_id, id);
CREATE INDEX authorizations_expires_at ON public.authorizations USING btree (expires_at) WHERE (state = 'OPEN'::text);
CREATE INDEX authorizations_held ON public.authorizations USING btree (tenant_id, instrument_id) WHERE (held <> 0);
CREATE INDEX authorizations_pending ON public.authorizations USING btree (created_at) WHERE (state = 'PENDING'::text);
CREATE INDEX card_blocks_open ON public.card_blocks USING btree (tenant_id, range_name) WHERE (used < size);
CREATE INDEX card_challenges_card ON public.card_challenges USING btree (tenant_id, card_id, id);
CREATE INDEX card_challenges_pending ON public.card_challenges USING btree (expires_at) WHERE (state = 'PENDING'::text);
CREATE INDEX card_counts_tenants ON public.card_counts USING btree (currency) WHERE (level = 'TENANT'::text);
CREATE INDEX card_numbers_fingerprint ON public.card_numbers USING btree (fingerprint);
CREATE INDEX cards_due_at ON public.cards USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX cards_identity ON public.cards USING btree (tenant_id, identity_id, id);
CREATE INDEX cards_parent ON public.cards USING btree (tenant_id, parent_account_id) WHERE (parent_account_id IS NOT NULL);
CREATE INDEX commit_groups_made_at ON public.commit_groups USING btree (made_at);
CREATE INDEX commit_groups_unproved ON public.commit_groups USING btree (owner_id, id) WHERE (subjects IS NOT NULL);
CREATE INDEX event_log_event ON public.event_log USING btree (owner_id, event_id);
CREATE INDEX events_beside_owner_id_subject_id_sequence_idx ON public.events_beside USING btree (owner_id, subject_id, sequence);
CREATE INDEX events_subject ON ONLY public.events USING btree (owner_id, subject_id, sequence);
CREATE INDEX idempotency_records_expires_at ON public.idempotency_records USING btree (expires_at);
CREATE INDEX inbox_messages_name ON public.inbox_messages USING btree (name, id);
CREATE INDEX managed_accounts_identity ON public.managed_accounts USING btree (tenant_id, identity_id, id);
CREATE INDEX messages_recipient ON public.messages USING btree (recipient, id);
CREATE INDEX operations_arn ON public.operations USING btree (arn) WHERE (arn IS NOT NULL);
CREATE INDEX operations_created ON public.operations USING btree (project_id, created_at DESC, id DESC);
CREATE INDEX operations_payouts ON public.operations USING btree (project_id, created_at) WHERE (type = 'credit'::text);
CREATE INDEX operator_audit_id ON public.operator_audit USING btree (id);
CREATE INDEX orders_created ON public.orders USING btree (project_id, created_at DESC) INCLUDE (id);
CREATE INDEX orders_in_flight ON public.orders USING btree (in_flight) WHERE (in_flight IS NOT NULL);
CREATE INDEX orders_merchant_order_id ON public.orders USING btree (project_id, merchant_order_id) WHERE (merchant_order_id IS NOT NULL);
CREATE INDEX orders_next_at ON public.orders USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX postings_subject ON public.postings USING btree (owner_id, subject_id);
CREATE INDEX range_blocks_open ON public.range_blocks USING btree (range_name, state) WHERE (state <> 'spent'::text);
CREATE INDEX rates_day ON public.rates USING btree (day DESC, from_currency, to_currency);
CREATE INDEX risk_counters_expired ON public.risk_counters USING btree (span, bucket_at);
CREATE INDEX risk_events_order ON public.risk_events USING btree (project_id, order_id);
CREATE INDEX simulator_transactions_subject ON public.simulator_transactions USING btree (owner_id, subject_id, reference);
CREATE INDEX threeds_transactions_order ON public.threeds_transactions USING btree (project_id, order_id, id);
CREATE INDEX transfers_identity ON public.transfers USING btree (tenant_id, identity_id, id);
CREATE INDEX used_reveals_used_at ON public.used_reveals USING btree (used_at);
CREATE INDEX user_sessions_used_at ON public.user_sessions USING btree (used_at);
CREATE INDEX user_sessions_user ON public.user_sessions USING btree (tenant_id, user_id);
CREATE INDEX users_identity ON public.users USING btree (tenant_id, identity_id);
CREATE INDEX vault_cvvs_until ON public.vault_cvvs USING btree (until);
CREATE INDEX wallet_tokens_card ON public.wallet_tokens USING btree (tenant_id, card_id);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (owner_id, webhook_id, next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX webhook_replays_running ON public.webhook_replays USING btree (owner_id, webhook_id) WHERE (state = 'running'::text);
CREATE TRIGGER operator_audit_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_audit FOR EACH STATEMENT EXECUTE FUNCTION operator_audit_is_append_only();
CREATE TRIGGER postings_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.postings FOR EACH STATEMENT EXECUTE FUNCTION postings_are_final();
CREATE UNIQUE INDEX postings_once ON public.postings USING btree (owner_id, operation_id, kind, line) WHERE (entry_id <> operation_id);
CREATE UNIQUE INDEX projects_version ON public.projects USING btree (version);
CREATE UNIQUE INDEX users_email ON public.users USING btree (tenant_id, email);
alter table alarms add constraint alarms_pkey PRIMARY KEY (noun, name);
alter table audit_heads add constraint audit_heads_pkey PRIMARY KEY (owner_id);
alter table authorization_messages add constraint authorization_messages_pkey PRIMARY KEY (tenant_id, reference);
alter table authorizations add constraint authorizations_kind_check CHECK ((kind = ANY (ARRAY['purchase'::text, 'credit'::text, 'forced'::text, 'refund'::text])));
alter table authorizations add constraint authorizations_pkey PRIMARY KEY (tenant_id, id);
alter table authorizations add constraint authorizations_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'OPEN'::text, 'CLOSED'::text, 'DECLINED'::text])));
alter table balances add constraint balances_pkey PRIMARY KEY (owner_id, account, currency);
alter table bin_ranges add constraint bin_ranges_country_check CHECK ((country ~ '^[A-Z]{3}$'::text));
alter table bin_ranges add constraint bin_ranges_pkey PRIMARY KEY (prefix);
alter table bin_ranges add constraint bin_ranges_prefix_check CHECK ((prefix ~ '^[0-9]{6,8}$'::text));
alter table card_blocks add constraint card_blocks_check CHECK (((used >= 0) AND (used <= size)));
alter table card_blocks add constraint card_blocks_pkey PRIMARY KEY (tenant_id, lease);
alter table card_challenges add constraint card_challenges_channel_check CHECK ((channel = ANY (ARRAY['OTP_SMS'::text, 'BIOMETRICS'::text, 'EXTERNAL_AUTHY'::text])));
alter table card_challenges add constraint card_challenges_pkey PRIMARY KEY (tenant_id, id);
alter table card_challenges add constraint card_challenges_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'PASSED'::text, 'FAILED'::text, 'EXPIRED'::text])));
alter table card_counts add constraint card_counts_pkey PRIMARY KEY (tenant_id, level, level_id, currency);
alter table card_leases add constraint card_leases_granted_check CHECK ((granted >= 0));
alter table card_leases add constraint card_leases_pkey PRIMARY KEY (currency, tenant_id);
alter table card_mobiles add constraint card_mobiles_pkey PRIMARY KEY (tenant_id, programme_id, mobile);
alter table card_numbers add constraint card_numbers_pkey PRIMARY KEY (tenant_id, fingerprint);
alter table card_places add constraint card_places_granted_check CHECK ((granted >= 0));
alter table card_places add constraint card_places_pkey PRIMARY KEY (tenant_id, currency);
alter table card_ranges add constraint card_ranges_brand_check CHECK ((brand = ANY (ARRAY['MASTERCARD'::text, 'VISA'::text])));
alter table card_ranges add constraint card_ranges_check CHECK (((used >= 0) AND (used <= size)));
alter table card_ranges add constraint card_ranges_number_length_check CHECK (((number_length >= 13) AND (number_length <= 19)));
alter table card_ranges add constraint card_ranges_pkey PRIMARY KEY (name);
alter table card_ranges add constraint card_ranges_prefix_check CHECK ((prefix ~ '^[0-9]{6,15}$'::text));
alter table card_ranges add constraint card_ranges_prefix_key UNIQUE (prefix);
alter table cards add constraint cards_mode_check CHECK ((mode = ANY (ARRAY['PREPAID_MODE'::text, 'DEBIT_MODE'::text])));
alter table cards add constraint cards_pkey PRIMARY KEY (tenant_id, id);
alter table cards add constraint cards_renewal_check CHECK ((renewal = ANY (ARRAY['AUTO_RENEW'::text, 'NO_RENEW'::text])));
alter table cards add constraint cards_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'BLOCKED'::text, 'DESTROYED'::text])));
alter table cards add constraint cards_type_check CHECK ((type = ANY (ARRAY['VIRTUAL'::text, 'PHYSICAL'::text])));
alter table commit_groups add constraint commit_groups_pkey PRIMARY KEY (owner_id, id);
alter table due_failures add constraint due_failures_pkey PRIMARY KEY (owner_id, about, id, kind);
alter table event_clock add constraint event_clock_pkey PRIMARY KEY (name);
alter table event_floors add constraint event_floors_pkey PRIMARY KEY (owner_id);
alter table event_heads add constraint event_heads_pkey PRIMARY KEY (owner_id);
alter table event_log add constraint event_log_pkey PRIMARY KEY (owner_id, "position");
alter table event_queue add constraint event_queue_pkey PRIMARY KEY (owner_id, arrival);
alter table events add constraint events_pkey PRIMARY KEY (owner_id, id);
alter table events_beside add constraint events_beside_pkey PRIMARY KEY (owner_id, id);
alter table factors add constraint factors_kind_check CHECK ((kind = ANY (ARRAY['OTP_SMS'::text, 'BIOMETRICS'::text, 'EXTERNAL_AUTHY'::text])));
alter table factors add constraint factors_pkey PRIMARY KEY (tenant_id, user_id, kind);
alter table florin_migrations add constraint florin_migrations_pkey PRIMARY KEY (id);
alter table funds add constraint funds_pkey PRIMARY KEY (tenant_id, instrument_id);
alter table idempotency_records add constraint idempotency_records_check CHECK (((state = 'done'::text) = (status IS NOT NULL)));
alter table idempotency_records add constraint idempotency_records_check1 CHECK (((subject_id IS NULL) = (subject_type IS NULL)));
alter table idempotency_records add constraint idempotency_records_pkey PRIMARY KEY (owner_id, key_hash);
alter table idempotency_records add constraint idempotency_records_state_check CHECK ((state = ANY (ARRAY['running'::text, 'unresolved'::text, 'done'::text])));
alter table identities add constraint identities_pkey PRIMARY KEY (tenant_id, id);
alter table identities add constraint identities_type_check CHECK ((type = ANY (ARRAY['consumer'::text, 'corporate'::text])));
alter table inbox_messages add constraint inbox_messages_pkey PRIMARY KEY (id);
alter table inbox_scripts add constraint inbox_scripts_pkey PRIMARY KEY (name);
alter table installation_mode add constraint installation_mode_mode_check CHECK ((mode = ANY (ARRAY['sandbox'::text, 'live'::text])));
alter table installation_mode add constraint installation_mode_one_check CHECK (one);
alter table installation_mode add constraint installation_mode_pkey PRIMARY KEY (one);
alter table issuing_settings add constraint issuing_settings_one_check CHECK (one);
alter table issuing_settings add constraint issuing_settings_pkey PRIMARY KEY (one);
alter table issuing_versions add constraint issuing_versions_one_check CHECK (one);
alter table issuing_versions add constraint issuing_versions_pkey PRIMARY KEY (one);
alter table managed_accounts add constraint managed_accounts_pkey PRIMARY KEY (tenant_id, id);
alter table managed_accounts add constraint managed_accounts_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'BLOCKED'::text, 'DESTROYED'::text])));
alter table merchant_order_ids add constraint merchant_order_ids_pkey PRIMARY KEY (project_id, merchant_order_id);
alter table messages add constraint messages_channel_check CHECK ((channel = ANY (ARRAY['SMS'::text, 'EMAIL'::text])));
alter table messages add constraint messages_pkey PRIMARY KEY (tenant_id, id);
alter table operations add constraint operations_pkey PRIMARY KEY (project_id, order_id, id);
alter table operator_audit add constraint operator_audit_hash_check CHECK ((length(hash) = 32));
alter table operator_audit add constraint operator_audit_pkey PRIMARY KEY (owner_id, sequence);
alter table order_rejections add constraint order_rejections_pkey PRIMARY KEY (project_id, id);
alter table orders add constraint orders_check CHECK (((amount >= 0) AND (held >= 0) AND (held <= amount)));
alter table orders add constraint orders_check1 CHECK (((amount_refunded >= 0) AND (amount_charged_back >= 0)));
alter table orders add constraint orders_check2 CHECK ((((amount_refunded + amount_charged_back) <= amount_charged) OR (status = 'credited'::text)));
alter table orders add constraint orders_check3 CHECK ((amount_charged <= amount));
alter table orders add constraint orders_pkey PRIMARY KEY (project_id, id);
alter table page_templates add constraint page_templates_pkey PRIMARY KEY (project_id, id);
alter table pay_links add constraint pay_links_pkey PRIMARY KEY (project_id, token_hash);
alter table payout_sums add constraint payout_sums_pkey PRIMARY KEY (project_id, card, day);
alter table postings add constraint postings_pkey PRIMARY KEY (owner_id, entry_id, line);
alter table processes add constraint processes_pkey PRIMARY KEY (id);
alter table profiles add constraint profiles_kind_check CHECK ((kind = ANY (ARRAY['card'::text, 'account'::text])));
alter table profiles add constraint profiles_pkey PRIMARY KEY (tenant_id, id);
alter table programmes add constraint programmes_pkey PRIMARY KEY (tenant_id, id);
alter table project_credentials add constraint project_credentials_pkey PRIMARY KEY (project_id, id);
alter table project_credentials add constraint project_credentials_secret_hash_check CHECK ((length(secret_hash) = 32));
alter table project_versions add constraint project_versions_one_check CHECK (one);
alter table project_versions add constraint project_versions_pkey PRIMARY KEY (one);
alter table projects add constraint projects_login_key UNIQUE (login);
alter table projects add constraint projects_pkey PRIMARY KEY (id);
alter table proof_reds add constraint proof_reds_pkey PRIMARY KEY (owner_id, invariant, scope);
alter table proofs add constraint proofs_pkey PRIMARY KEY (owner_id);
alter table proved_sums add constraint proved_sums_pkey PRIMARY KEY (owner_id, run, account, currency);
alter table range_blocks add constraint range_blocks_check CHECK (((tenant_id IS NULL) = (state = 'free'::text)));
alter table range_blocks add constraint range_blocks_pkey PRIMARY KEY (range_name, first);
alter table range_blocks add constraint range_blocks_size_check CHECK ((size > 0));
alter table range_blocks add constraint range_blocks_state_check CHECK ((state = ANY (ARRAY['lent'::text, 'taken'::text, 'spent'::text, 'free'::text])));
alter table rate_buckets add constraint rate_buckets_pkey PRIMARY KEY (key);
alter table rates add constraint rates_micro_check CHECK ((micro > 0));
alter table rates add constraint rates_pkey PRIMARY KEY (from_currency, to_currency, day);
alter table risk_counters add constraint risk_counters_pkey PRIMARY KEY (project_id, dimension, key_hash, span, bucket_at);
alter table risk_events add constraint risk_events_pkey PRIMARY KEY (project_id, id);
alter table risk_rules add constraint risk_rules_pkey PRIMARY KEY (project_id, id);
alter table settlements add constraint settlements_pkey PRIMARY KEY (project_id, day, link, currency);
alter table shared_followers add constraint shared_followers_pkey PRIMARY KEY (process);
alter table shared_state add constraint shared_state_one_check CHECK (one);
alter table shared_state add constraint shared_state_pkey PRIMARY KEY (one);
alter table simulator_fault_counts add constraint simulator_fault_counts_pkey PRIMARY KEY (plan, operation);
alter table simulator_transactions add constraint simulator_transactions_amount_check CHECK ((amount >= 0));
alter table simulator_transactions add constraint simulator_transactions_check CHECK (((voided >= 0) AND (voided <= amount)));
alter table simulator_transactions add constraint simulator_transactions_operation_check CHECK ((operation = ANY (ARRAY['authorize'::text, 'charge'::text, 'reverse'::text, 'refund'::text, 'credit'::text])));
alter table simulator_transactions add constraint simulator_transactions_pkey PRIMARY KEY (owner_id, reference);
alter table spend_counters add constraint spend_counters_pkey PRIMARY KEY (tenant_id, card_id);
alter table statement_entries add constraint statement_entries_pkey PRIMARY KEY (tenant_id, instrument_id, sequence);
alter table tenant_secrets add constraint tenant_secrets_kind_check CHECK ((kind = ANY (ARRAY['api'::text, 'events'::text])));
alter table tenant_secrets add constraint tenant_secrets_pkey PRIMARY KEY (tenant_id, id);
alter table tenant_secrets add constraint tenant_secrets_secret_hash_check CHECK ((length(secret_hash) = 32));
alter table tenants add constraint tenants_name_key UNIQUE (name);
alter table tenants add constraint tenants_pkey PRIMARY KEY (id);
alter table terminals add constraint terminals_mcc_check CHECK ((mcc ~ '^[0-9]{4}$'::text));
alter table terminals add constraint terminals_pkey PRIMARY KEY (project_id, id);
alter table terminals add constraint terminals_secure3d_check CHECK ((secure3d = ANY (ARRAY['when_needed'::text, 'always'::text])));
alter table threeds_cavvs add constraint threeds_cavvs_pkey PRIMARY KEY (project_id, cavv_hash);
alter table threeds_closed add constraint threeds_closed_pkey PRIMARY KEY (project_id, id);
alter table threeds_transactions add constraint threeds_transactions_check CHECK (((tries >= 0) AND (resends >= 0)));
alter table threeds_transactions add constraint threeds_transactions_check1 CHECK ((((state = 'done'::text) = (letter IS NOT NULL)) OR (step = 'method'::text)));
alter table threeds_transactions add constraint threeds_transactions_pkey PRIMARY KEY (project_id, id);
alter table transfers add constraint transfers_pkey PRIMARY KEY (tenant_id, id);
alter table used_cavvs add constraint used_cavvs_pkey PRIMARY KEY (tenant_id, cavv_hash);
alter table used_reveals add constraint used_reveals_pkey PRIMARY KEY (tenant_id, token_hash);
alter table user_sessions add constraint user_sessions_pkey PRIMARY KEY (tenant_id, token_hash);
alter table users add constraint users_kind_check CHECK ((kind = ANY (ARRAY['root'::text, 'authorised'::text])));
alter table users add constraint users_pkey PRIMARY KEY (tenant_id, id);
alter table vault_cards add constraint vault_cards_pkey PRIMARY KEY (owner_id, id);
alter table vault_cvvs add constraint vault_cvvs_pkey PRIMARY KEY (owner_id, id);
alter table vault_keys add constraint vault_keys_pkey PRIMARY KEY (id);
alter table wallet_tokens add constraint wallet_tokens_pkey PRIMARY KEY (tenant_id, id);
alter table wallet_tokens add constraint wallet_tokens_state_check CHECK ((state = ANY (ARRAY['REQUESTED'::text, 'ACTIVE'::text, 'SUSPENDED'::text, 'DELETED'::text])));
alter table webhook_attempts add constraint webhook_attempts_pkey PRIMARY KEY (owner_id, webhook_id, event_id, id);
alter table webhook_attempts_beside add constraint webhook_attempts_beside_pkey PRIMARY KEY (owner_id, webhook_id, event_id, id);
alter table webhook_cursors add constraint webhook_cursors_pkey PRIMARY KEY (owner_id, webhook_id);
alter table webhook_deliveries add constraint webhook_deliveries_pkey PRIMARY KEY (owner_id, webhook_id, event_id);
alter table webhook_replays add constraint webhook_replays_pkey PRIMARY KEY (owner_id, webhook_id, id);
alter table webhooks add constraint webhooks_owner_id_slot_key UNIQUE (owner_id, slot);
alter table webhooks add constraint webhooks_pkey PRIMARY KEY (owner_id, id);
alter table webhooks add constraint webhooks_slot_check CHECK (((slot >= 1) AND (slot <= 16)));
create sequence arn_items minvalue 1 maxvalue 99999999999 cycle;
create sequence event_queue_arrival_seq minvalue 1 maxvalue 9223372036854775807;
create sequence florin_migrations_id_seq minvalue 1 maxvalue 2147483647;
create sequence id_nodes minvalue 0 maxvalue 1023 cycle;
create sequence inbox_messages_id_seq minvalue 1 maxvalue 9223372036854775807;
create sequence operator_audit_ids minvalue 1 maxvalue 9223372036854775807;
create sequence process_ids minvalue 1 maxvalue 9223372036854775807;
