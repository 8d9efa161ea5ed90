-- Up Migration
-- Where an owner wants its events sent.
create table webhooks (
  owner_id int8 not null,
  id int8 not null,
  -- 1 to 16: its place among those of its owner, so that no more are made by two at once.
  slot int4 not null check (slot between 1 and 16),
  -- project, tenant or operator: whose events there are.
  owner_type text not null,
  url text not null,
  description text not null,
  -- As given: names of types, `order.*`, `*`.
  types jsonb not null,
  enabled bool not null,
  -- Why it is not: asked, gone, given_up, legacy.
  disabled_reason text,
  payload text not null,
  signature text not null,
  version text not null,
  concurrency int4 not null,
  ordered bool not null,
  -- Generations of its key that sign, the newest first, with the end of those that are replaced. The keys themselves are derived.
  keys jsonb not null,
  -- Its own, told to others.
  events int4 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (owner_id, id),
  unique (owner_id, slot)
);

-- How far an endpoint's owner's log is delivered to it, and which process sends.
create table webhook_cursors (
  owner_id int8 not null,
  webhook_id int8 not null,
  -- All that stands in the log up to here was delivered, is not for it, or stands among its deliveries.
  position int8 not null,
  -- Of no meaning once that process is dead. null: none.
  leased_by int8,
  -- null: the last try succeeded, or there was none.
  failing_since timestamptz,
  -- Its owner was told that it fails.
  failing_told bool not null,
  succeeded_at timestamptz,
  -- So many tries failed in a row that nothing is sent but a probe now and then.
  circuit_open bool not null,
  primary key (owner_id, webhook_id)
) with (fillfactor = 50);

-- What was not delivered at the first try, or is asked for again. What was has its attempt alone.
create table webhook_deliveries (
  owner_id int8 not null,
  webhook_id int8 not null,
  event_id int8 not null,
  -- In the log.
  position int8 not null,
  subject_id int8 not null,
  type text not null,
  -- waiting, retrying, delivered, given_up, skipped
  state text not null,
  -- first, retry, resend, replay, test
  trigger text not null,
  tries int4 not null,
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (owner_id, webhook_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (owner_id, webhook_id, next_at) where next_at is not null;

-- Every try, in the day of its event, and dropped with it.
create table webhook_attempts (
  owner_id int8 not null,
  webhook_id int8 not null,
  id int8 not null,
  event_id int8 not null,
  type text not null,
  trigger text not null,
  attempt int4 not null,
  -- Real time, as it was signed.
  sent_at timestamptz not null,
  ms int4 not null,
  address text,
  -- An answer's; null: there was none, for this cause.
  status int4,
  cause text,
  -- The first KiB of it, card numbers masked.
  response text not null,
  primary key (owner_id, webhook_id, event_id, id)
) partition by range (event_id);
create table webhook_attempts_beside partition of webhook_attempts default;

-- Events of a span that are sent once more. What of it is on its way stands among the deliveries.
create table webhook_replays (
  owner_id int8 not null,
  webhook_id int8 not null,
  id int8 not null,
  -- running, done, stopped
  state text not null,
  -- What was told from then, till then.
  from_at timestamptz not null,
  to_at timestamptz not null,
  types jsonb not null,
  -- all, or failed: what was not delivered.
  only_failed bool not null,
  -- Looked at behind the first, up to the last.
  position int8 not null,
  until int8 not null,
  -- Sent once more, of those looked at.
  taken int8 not null,
  looked int8 not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (owner_id, webhook_id, id)
);
create index webhook_replays_running on webhook_replays (owner_id, webhook_id) where state = 'running';
