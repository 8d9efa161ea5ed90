// States that are one row each: found by the key of their table, and locked in its order.
// Rule: the statement is made of the table, so that no kind forgets the owner or the order of the locks.
import { followRow, type Kind, type Table } from './commit/index.ts';

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
  const columns = of.key.join(', ');
  const arrays = of.key.map((column, i) => `$${i + 1}::${of.columns[column]}[]`).join(', ');
  const order = of.key.map((column) => `t.${column}`).join(', ');
  const sql =
    `select t.* from unnest(${arrays}) as k(${columns}) join ${of.name} t using (${columns})` +
    (locked ? ` order by ${order} for update of t` : '');
  return {
    name,
    keyText: (key) => textOf(keyOf(key)),
    follows: [followRow(of, textOf)],
    async load(db, keys) {
      const wanted = keys.map(keyOf);
      const rows = await db.query<Row>(
        sql,
        of.key.map((column) => wanted.map((row) => row[column])),
      );
      return new Map(rows.map((row) => [textOf(row), row]));
    },
  };
}
