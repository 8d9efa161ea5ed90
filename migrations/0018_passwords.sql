-- Up Migration
-- The passwords that a user had before the one in force, the latest first, at most three: none of the last four is taken again.
alter table users add column former_passwords jsonb not null default '[]';
