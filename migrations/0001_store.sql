-- Up Migration
-- One row a committed group: how a COMMIT without an answer is looked up.
create table commit_groups (
  id int8 primary key,
  committed_at timestamptz not null
);
