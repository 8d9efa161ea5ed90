// Every table of an owner begins with it: its primary key and every unique index, as the catalogue has them. So the schema can be spread
// by owner, and nobody's row can stand in the way of another one's.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { NOBODYS, OWNED } from './owned.ts';

/** A part of a table is as its whole is. */
const TABLES = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;

/** The columns of what is unique, in their order; an expression is null. */
const UNIQUE = `select c.relname as "table", i.relname as name, x.indisprimary as main,
    array(select a.attname::text from unnest(x.indkey::int2[]) with ordinality as k(number, n)
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.n) as columns
  from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
  where c.relnamespace = 'public'::regnamespace and x.indisunique and not c.relispartition order by 1, 2`;

interface Unique {
  readonly table: string;
  readonly name: string;
  readonly main: boolean;
  readonly columns: readonly (string | null)[];
}

/** What is wrong with the tables that there are. */
async function faultsOf(database: TestDatabase): Promise<string[]> {
  const tables = (await database.query<{ name: string }>(TABLES)).map(({ name }) => name);
  const unique = await database.query<Unique>(UNIQUE);
  const keyed = new Set(unique.filter(({ main }) => main).map(({ table }) => table));
  const known = [...Object.keys(OWNED), ...Object.keys(NOBODYS)];
  return [
    ...tables.filter((name) => !known.includes(name)).map((name) => `${name}: whose are its rows?`),
    ...known.filter((name) => !tables.includes(name)).map((name) => `${name}: no such table`),
    ...tables.filter((name) => !keyed.has(name)).map((name) => `${name}: no primary key`),
    ...unique
      .filter(({ table, columns }) => OWNED[table] !== undefined && columns[0] !== OWNED[table])
      .map(({ name, columns }) => `${name} (${columns.join(', ')}): begins with no owner`),
  ];
}

describe('tables of an owner', () => {
  let database: TestDatabase;
  before(async () => {
    database = await testDatabase();
  });

  it('have it first in the primary key and in every unique index', async () => {
    assert.deepEqual(await faultsOf(database), []);
  });

  it('are missed when an index or a table is planted that has it not', async () => {
    await database.query('create unique index planted_id on cards (id)');
    await database.query('create unique index planted_tag on cards (lower(tag), tenant_id)');
    await database.query('create table planted (id int8 not null)');
    assert.deepEqual(await faultsOf(database), [
      'planted: whose are its rows?',
      'planted: no primary key',
      'planted_id (id): begins with no owner',
      'planted_tag (, tenant_id): begins with no owner',
    ]);
  });
});
