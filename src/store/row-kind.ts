// States that are one row each: found by the key of their table, and locked in its order.
// Rule: the statement is made of the table, so that no kind forgets the owner; keys come in one order, and so do the locks.
import { assert } from '../base/index.ts';
import { followRow, type Kind, type Table } from './commit/index.ts';
import { lookup } from './lookup.ts';

/** The owner of what a group loads: it has one, and the statement names it once. Refuses keys of several. */
export function oneOwner(owners: readonly bigint[]): bigint {
  const [first] = owners;
  assert(first !== undefined && owners.every((owner) => owner === first), 'states of one owner are loaded together');
  return first;
}

interface RowKind<Key, Row> {
  readonly name: string;
  /** The columns of the table's key. */
  readonly keyOf: (key: Key) => Partial<Row>;
  /** false: rows are never changed, and of two that insert one at once the key decides. */
  readonly locked: boolean;
}

export function rowKind<Key, Row extends object>(
  of: Table<Row>,
  { name, keyOf, locked }: RowKind<Key, Row>,
): Kind<Key, Row> {
  const textOf = (row: Partial<Row>): string => of.key.map((column) => String(row[column])).join('/');
  const owner = of.owner as (keyof Row & string) | null;
  const listed = of.key.filter((column) => column !== owner);
  const sql = lookup(of, { by: listed, locked });
  return {
    name,
    keyText: (key) => textOf(keyOf(key)),
    follows: [followRow(of, textOf)],
    async load(db, keys) {
      const wanted = keys.map(keyOf);
      const lists = listed.map((column) => wanted.map((row) => row[column]));
      const rows = await db.query<Row>(
        sql,
        owner === null ? lists : [...lists, oneOwner(wanted.map((row) => row[owner] as bigint))],
      );
      return new Map(rows.map((row) => [textOf(row), row]));
    },
  };
}
