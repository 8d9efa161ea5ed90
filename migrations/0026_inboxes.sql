-- Up Migration
-- Where a sandbox receives its own webhooks: how each inbox answers. One without a row answers 200.
create table inbox_scripts (
  name text primary key,
  -- {next: [answer, …], default: answer}; next is used up from its beginning.
  script json not null,
  updated_at timestamptz not null
);

-- What arrived. Bounded in number and bytes, per inbox and in all; the oldest go.
create table inbox_messages (
  id int8 generated always as identity primary key,
  name text not null,
  bytes int4 not null,
  -- As it is shown.
  message json not null
);
create index inbox_messages_name on inbox_messages (name, id);
