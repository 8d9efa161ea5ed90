-- Up Migration
-- Fingerprints (SHA-256, hexadecimal) of the client certificates that a credential is bound to; none: it opens without one.
alter table project_credentials add column certificates jsonb not null default '[]';
alter table tenant_secrets add column certificates jsonb not null default '[]';
