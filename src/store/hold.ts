// Locks on what may have no row yet. A row that another transaction is about to insert can't be seen, nor waited for.
import { arrayLiteral, type Db } from './commit/index.ts';

/**
 * Holds these numbers until the transaction ends; who comes second waits, and sees in his next statement what the first has written. Taken in
 * their order, so that two groups can't wait for each other. Of one that stands for two things both wait: no more than that.
 */
export const hold = (db: Db, numbers: readonly bigint[]): Promise<unknown> =>
  db.query('select pg_advisory_xact_lock(number) from unnest($1::int8[]) as number', [
    arrayLiteral(
      numbers.toSorted((a, b) => (a < b ? -1 : 1)),
      'int8',
    ),
  ]);
