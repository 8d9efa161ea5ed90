// The golden schema: migrations/schema.sql is what the migrations make of an empty database, so that a change of one shows in the other.
// `FLORIN_TEST_UPDATE=1 npm test -- test/store/schema.test.ts` writes it anew.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '../support/database.ts';

const FILE = path.resolve(import.meta.dirname, '../../migrations/schema.sql');

test('migrations/schema.sql is what the migrations make', async () => {
  const database = await testDatabase();
  const columns = await database.query<{ table_name: string; line: string }>(
    `select c.relname as table_name, format('  %s %s%s', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end) as line
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`,
  );
  const rest = await database.query<{ line: string }>(
    `select format('alter table %s add constraint %s %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
       from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'c', 'f')
     union all select indexdef || ';' from pg_indexes i where schemaname = 'public'
       and not exists (select from pg_constraint k where k.conname = i.indexname)
     union all select pg_get_triggerdef(oid) || ';' from pg_trigger where not tgisinternal
     union all select format('create sequence %s minvalue %s maxvalue %s%s;', sequencename, min_value, max_value, case when cycle then ' cycle' else '' end) from pg_sequences where schemaname = 'public'
     order by 1`,
  );
  const tables = Map.groupBy(columns, ({ table_name }) => table_name);
  const dump = [
    '-- Made by test/store/schema.test.ts from the migrations; never edited by hand.',
    ...[...tables].map(([name, rows]) => `create table ${name} (\n${rows.map(({ line }) => line).join(',\n')}\n);`),
    ...rest.map(({ line }) => line),
    '',
  ].join('\n');
  if (process.env.FLORIN_TEST_UPDATE) writeFileSync(FILE, dump);
  assert.ok(existsSync(FILE), 'there is no golden schema yet');
  assert.equal(readFileSync(FILE, 'utf8'), dump);
});
