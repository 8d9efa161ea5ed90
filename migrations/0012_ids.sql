-- Up Migration
-- Which number a process makes its ids with: the next one of 1024 for each start, so that ids of two processes differ also where a
-- frozen clock, or one that was set back, shows both of them the same millisecond.
create sequence id_nodes as int4 minvalue 0 maxvalue 1023 cycle;
