// A command that changes a row can't leave its group in the dark: each kind of state follows every table that it is read from.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Db, Kind } from '../../src/store/index.ts';
import { filesIn, sourceOf, textOf } from './source.ts';

const isKind = (value: unknown): value is Kind<unknown, unknown> =>
  typeof value === 'object' && value !== null && 'load' in value && 'keyText' in value;

/** A key of any kind: whatever it is asked for is one, and so is itself. */
const ANY = new Proxy({}, { get: (_, name) => (name === 'toString' || name === Symbol.toPrimitive ? () => '1' : '1') });

/** The SQL that a kind sends. */
async function sqlOf(kind: Kind<unknown, unknown>): Promise<string> {
  const sent: string[] = [];
  const db: Db = {
    query: (text) => {
      sent.push(text);
      return Promise.resolve([]);
    },
  };
  // Some need what they ask for.
  await kind.load(db, [ANY]).catch(() => undefined);
  assert.ok(sent.length > 0, `${kind.name} asks the database`);
  return sent.join('\n');
}

const files = filesIn('src', '.ts');
const written = files
  .flatMap((file) =>
    sourceOf(file).strings.length > 0 ? [...textOf(file).matchAll(/\btable(?:<[\s\S]{1,400}?>)?\(\s*'(\w+)'/g)] : [],
  )
  .map((match) => match[1] as string);
const named = (sql: string): string[] =>
  written.filter((table) => new RegExp(`\\b(from|join|into)\\s+${table}\\b`).test(sql));

describe('kinds of state', () => {
  it('follow each table that they are read from and that commands write', async () => {
    assert.ok(written.includes('orders') && written.includes('card_counts'), 'the tables were found');
    const kinds: Kind<unknown, unknown>[] = [];
    for (const file of files.filter((one) => /: (Kind|AttachedCards|OpenHolds)\b/.test(textOf(one)))) {
      const exports = (await import(path.resolve(file))) as Record<string, unknown>;
      kinds.push(...Object.values(exports).filter(isKind));
    }
    assert.ok(kinds.length >= 20, 'the kinds were found');
    const unfollowed: string[] = [];
    for (const kind of kinds) {
      const read = named(await sqlOf(kind));
      const followed = new Set(kind.follows.map(({ table }) => table));
      unfollowed.push(
        ...read.filter((table) => !followed.has(table)).map((table) => `${kind.name} does not follow ${table}`),
      );
    }
    assert.deepEqual(unfollowed, []);
  });

  it('a kind that forgets a table is found', async () => {
    const forgetful: Kind<bigint, unknown> = {
      name: 'forgetful',
      keyText: String,
      follows: [],
      load: async (db) => new Map((await db.query('select * from orders o')).map((row, i) => [String(i), row])),
    };
    assert.deepEqual(named(await sqlOf(forgetful as Kind<unknown, unknown>)), ['orders']);
  });
});
