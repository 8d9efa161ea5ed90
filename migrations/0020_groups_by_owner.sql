-- Up Migration

-- A group has one owner, and its mark lies with what it wrote. 0: rows that belong to nobody.
alter table commit_groups add column owner_id int8 not null default 0;
alter table commit_groups alter column owner_id drop default;
alter table commit_groups drop constraint commit_groups_pkey;
alter table commit_groups add primary key (owner_id, id);
