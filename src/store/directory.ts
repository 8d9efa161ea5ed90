// From an id to whose it is, for operators and the simulator, who have only an id. Nothing is kept for it: each owner is asked by his key,
// all of them in one statement.
// Rule: no way of a payment asks here. What is done for an owner is told whose it is.
import type { Db, Table } from './commit/index.ts';

/** null: no owner has a row with this id. `column`: another one of the table's that holds an id. */
export type Directory = <Row extends object>(
  db: Db,
  of: Table<Row>,
  id: bigint,
  column?: keyof Row & string,
) => Promise<bigint | null>;

/** The directory of the owners that are the rows of this table. Belongs in the one queries.ts that names it. */
export const directoryOf =
  (owners: string): Directory =>
  async (db, of, id, column) => {
    const rows = await db.query<{ owner: bigint }>(
      `select o.id as owner from ${owners} o join ${of.name} t on t.${of.owner} = o.id where t.${column ?? 'id'} = $1`,
      [id],
    );
    return rows[0]?.owner ?? null;
  };
