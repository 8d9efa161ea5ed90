-- Up Migration
-- How often somebody has asked, for all servers of this database. Not logged, so that counting costs no flush of the disk: after a crash
-- of Postgres every bucket is full. Moments are microseconds of the database's own clock.
create unlogged table rate_buckets (
  -- A keyed hash of who is counted: some of them are addresses, or tokens of pages.
  key text primary key,
  -- How often it was written: who writes it has seen the last write.
  version int8 not null,
  -- When nothing is missing any more.
  full_us float8 not null,
  -- For when the last who was refused was told to come back.
  promised_us float8 not null
);
