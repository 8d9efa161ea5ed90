// Numbers for the makers of ids.
import type { Db } from './commit/index.ts';

/**
 * From 0 to 1023, another one for each of 1024 starts in a row. What a process that was killed had drawn is not drawn again: the
 * number is on disk with the first row that carries one of its ids, and before that nobody has seen one.
 */
export async function nextIdNode(db: Db): Promise<number> {
  const [row] = await db.query<{ node: number }>(`select nextval('id_nodes')::int4 as node`, []);
  return (row as { node: number }).node;
}
