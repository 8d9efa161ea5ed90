// A table belongs to one room: only that room's queries files name it. So the meaning of its columns can be changed in one place.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesIn, type Source, sourceOf, textOf } from './source.ts';

const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '');

// schema.sql is made from them: it creates nothing.
const migrations = filesIn('migrations', '.sql').filter((file) => !file.endsWith('schema.sql'));

const tables: readonly string[] = migrations.flatMap((migration) =>
  [...withoutComments(textOf(migration)).matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+) \(/gi)].map(
    (match) => match[1] as string,
  ),
);

/** `table('orders', …)` or SQL that says what it does with it; a word in an address or in a message is no table. */
function names(source: Source, text: string, table: string): boolean {
  const sql = new RegExp(
    `\\b(from|join|into|update|truncate|table|references|exists|only|lock)\\s+(only\\s+)?${table}\\b|\\b(from|join)\\s[^;]*?,\\s*${table}\\s`,
    'i',
  );
  return (
    source.strings.some((string) => sql.test(string)) || new RegExp(`\\btable(<[^(]*>)?\\(\\s*'${table}'`).test(text)
  );
}

/** An auditor trusts nobody's queries: it reads the tables of every room itself, and writes none. */
const isAuditor = (path: string): boolean => path.endsWith('/invariants.ts');

/** The store's own table is a part of how it commits. */
const isStore = (path: string): boolean => path.startsWith('src/store/');

const isQueries = (path: string): boolean =>
  /\/(queries|[a-z-]+-queries|queries-[a-z-]+|queries\/[a-z-]+)\.ts$/.test(path);
const roomOf = (path: string): string => path.replace(/\/(queries\/)?[^/]+$/, '');

describe('tables', () => {
  const sources = filesIn('src', '.ts').map((path) => ({ source: sourceOf(path), text: textOf(path), path }));

  it('are found in the migrations', () => {
    const created = migrations.flatMap(
      (path) => withoutComments(textOf(path)).match(/create (unlogged )?table(?! \w+ partition of)/gi) ?? [],
    ).length;
    assert.equal(tables.length, created);
    assert.ok(tables.includes('orders'));
    assert.ok(sources.some(({ source, text }) => names(source, text, 'orders')));
  });

  it('are named by the queries of one room', () => {
    const faults: string[] = [];
    for (const name of tables) {
      const places = sources
        .filter(({ source, text, path }) => !isAuditor(path) && names(source, text, name))
        .map(({ path }) => path);
      faults.push(
        ...places
          .filter((path) => !isQueries(path) && !isStore(path))
          .map((path) => `${path} names ${name}: only queries may`),
      );
      const rooms = new Set(places.map(roomOf));
      if (rooms.size === 0) faults.push(`${name}: no room knows it`);
      if (rooms.size > 1) faults.push(`${name}: named in ${[...rooms].join(' and ')}`);
    }
    assert.deepEqual(faults, []);
  });

  it('are only read by auditors', () => {
    const writes = /\b(insert into|update \w+ set|delete from|truncate|merge into|for update|for share)\b/i;
    const auditors = sources.filter(({ path }) => isAuditor(path));
    assert.ok(auditors.length > 0);
    assert.deepEqual(
      auditors.filter(({ source }) => source.strings.some((text) => writes.test(text))).map(({ path }) => path),
      [],
    );
  });

  it('get their times from the clock: no SQL asks the database for the time', () => {
    const asks =
      /\b(now\(\)|current_timestamp|current_date|localtimestamp|clock_timestamp|statement_timestamp|transaction_timestamp)/i;
    const faults = [
      ...migrations.filter((path) => asks.test(withoutComments(textOf(path)))),
      ...sources
        // Who lives, and how often somebody asks, is told by the one clock that all processes share.
        .filter(({ path }) => path !== 'src/store/lease.ts' && path !== 'src/http/rates/queries.ts')
        .filter(({ source }) => source.strings.some((text) => asks.test(text)))
        .map(({ path }) => path),
    ];
    assert.deepEqual(faults, []);
  });
});

describe('migrations', () => {
  it('have numbers without gaps and a name', () => {
    assert.deepEqual(
      migrations.map((path) => /^migrations\/(\d{4})_[a-z_]+\.sql$/.exec(path)?.[1]),
      migrations.map((_, i) => String(i + 1).padStart(4, '0')),
    );
  });

  it('go forward only', () => {
    for (const path of migrations) {
      const text = textOf(path);
      assert.match(text, /^-- Up Migration\n/, path);
      assert.doesNotMatch(text, /down migration/i, path);
    }
  });
});
