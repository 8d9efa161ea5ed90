// Statements that look rows up by known values of some columns, each value by itself.
// Rule: how they run doesn't hang on what Postgres believes of the table. Joined to a list of keys, a table without fresh statistics of an
// owner is read whole for that owner, once a group; looked up, it costs the same with an hour's rows and with years of them.
import type { Table } from './commit/index.ts';

interface Lookup<Row> {
  /** The columns whose values are known; an index must begin with the owner and them. Without the owner. */
  readonly by: readonly (keyof Row & string)[];
  /** Locks what it finds, in the order of the values. */
  readonly locked?: boolean;
  /** Only these rows: a condition on `t`. */
  readonly only?: string;
  /** The order of the rows of one value: columns of `t`. */
  readonly order?: string;
  /** What is read of a row; all of it by default. */
  readonly columns?: readonly (keyof Row & string)[];
}

/**
 * `$1 …`: an array of values for each column of `by`; after them the owner, where the table has one. Answers rows in the order of
 * the values. Values must not come twice.
 */
export function lookup<Row extends object>(
  of: Table<Row>,
  { by, locked = false, only, order, columns }: Lookup<Row>,
): string {
  const arrays = by.map((column, i) => `$${i + 1}::${of.columns[column]}[]`).join(', ');
  const conditions = [
    ...(of.owner === null ? [] : [`t.${of.owner} = $${by.length + 1}`]),
    ...by.map((column) => `t.${column} = k.${column}`),
    ...(only === undefined ? [] : [only]),
  ];
  const read = columns?.map((column) => `t.${column}`).join(', ') ?? 't.*';
  // Without its last words the inner select would be joined like any other table.
  const last = locked ? 'for update of t' : 'offset 0';
  return (
    `select r.* from unnest(${arrays}) as k(${by.join(', ')}) cross join lateral ` +
    `(select ${read} from ${of.name} t where ${conditions.join(' and ')}${order === undefined ? '' : ` order by ${order}`} ${last}) r`
  );
}
