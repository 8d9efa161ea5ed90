// Rows that requests read one at a time, by the key of their table. Those that are asked for meanwhile are read together.
// Rule: what is read was committed before it was asked for; nothing is locked, and nothing is remembered.
import type { Db, Table } from './commit/index.ts';
import { lookup } from './lookup.ts';
import { together } from './together.ts';

/** How a row of an owner is found: by the one column that is left of its table's key. */
export interface RowBy<Row extends object, Key> {
  readonly text: string;
  readonly keyOf: (row: Row) => Key;
}

/** `columns`: only these are read; the key's is among them. */
export function rowBy<Row extends object, Read extends keyof Row & string, By extends Read>(
  of: Table<Row>,
  by: By,
  columns?: readonly Read[],
): RowBy<Pick<Row, Read>, Row[By]> {
  return { text: lookup(of, { by: [by], ...(columns ? { columns } : {}) }), keyOf: (row) => row[by] };
}

/** null: the owner has no such row. */
export type ReadRow = <Row extends object, Key>(by: RowBy<Row, Key>, owner: bigint, key: Key) => Promise<Row | null>;

/** `db` plans each of these texts once and keeps the plan (Database.prepared). */
export function rowReader(db: Db): ReadRow {
  const readers = new Map<unknown, (owner: bigint, key: unknown) => Promise<object | null>>();
  const reader = <Row extends object, Key>({ text, keyOf }: RowBy<Row, Key>) =>
    together(async (owner, keys: readonly unknown[]) => {
      // Many ask for one: a session is read with every request of it.
      const rows = await db.query<Row>(text, [[...new Set(keys)], owner]);
      const byKey = new Map<unknown, Row>(rows.map((row) => [keyOf(row), row]));
      return keys.map((key) => byKey.get(key) ?? null);
    });
  return <Row extends object, Key>(by: RowBy<Row, Key>, owner: bigint, key: Key) => {
    let read = readers.get(by);
    if (!read) readers.set(by, (read = reader(by)));
    return read(owner, key) as Promise<Row | null>;
  };
}
