-- Up Migration
-- How payment pages look, by project; orders name a template in their options.
create table page_templates (
  project_id int8 not null,
  id text not null,
  -- Only what was given: the rest is the default.
  template jsonb not null,
  version int4 not null,
  updated_at timestamptz not null,
  primary key (project_id, id)
);
