-- Up Migration
-- Double entry: signed lines (debit positive), append-only; the sum of a group is zero in each currency.
create table postings (
  owner_id int8 not null,
  -- The operation's id for its main group; groups of their own (clearing, reserve release) have an own id.
  entry_id int8 not null,
  -- What it is booked for: an order, an authorization of a card, a transfer, a deposit.
  subject_id int8 not null,
  operation_id int8,
  amount int8 not null,
  created_at timestamptz not null,
  line int4 not null,
  subject_type text not null,
  kind text not null,
  account text not null,
  currency text not null,
  primary key (owner_id, entry_id, line)
);
create index postings_subject on postings (owner_id, subject_id);
-- An operation's main group has the operation's id; of its clearing and of the release of its reserve there is one each as well.
create unique index postings_once on postings (owner_id, operation_id, kind, line) where entry_id <> operation_id;

create function postings_are_final() returns trigger language plpgsql as $$
begin
  raise exception 'postings are append-only';
end $$;
create trigger postings_final before update or delete or truncate on postings for each statement execute function postings_are_final();

create table balances (
  owner_id int8 not null,
  account text not null,
  currency text not null,
  amount int8 not null,
  primary key (owner_id, account, currency)
) with (fillfactor = 50);

create table rates (
  from_currency text not null,
  to_currency text not null,
  day date not null,
  -- Millionths: six decimals.
  micro int8 not null check (micro > 0),
  source text not null,
  created_at timestamptz not null,
  primary key (from_currency, to_currency, day)
);
create index rates_day on rates (day desc, from_currency, to_currency);
