// Card ranges as an operator sees them, and which of them come to their end.
import type { Db } from '../../store/index.ts';
import { numbersUsed } from '../lending/index.ts';
import { rangesList } from '../tenants/index.ts';

export async function rangesShown(db: Db) {
  const used = await numbersUsed(db);
  return (await rangesList(db)).map((row) => ({
    ...row,
    size: Number(row.size),
    used: Number(used.get(row.name) ?? 0n),
  }));
}

/** From this part on of its numbers an operator has to think of another range. */
const NEAR_ITS_END = 0.9;

/** Those that come to their end, for who is told of each once. */
export const rangesExhausting = async (
  db: Db,
): Promise<{ readonly name: string; readonly state: string; readonly object: object }[]> =>
  (await rangesShown(db))
    .filter(({ used, size }) => used >= size * NEAR_ITS_END)
    .map((range) => ({ name: range.name, state: 'exhausting', object: range }));
