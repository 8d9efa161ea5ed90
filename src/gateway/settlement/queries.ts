// settlements: what was cleared, by day, link and currency; arn_items: the numbers in acquirer reference numbers.
import { add, type Change, type Db, table } from '../../store/index.ts';

interface Settlement {
  readonly project_id: bigint;
  readonly day: string;
  readonly link: string;
  readonly currency: string;
  readonly charges: bigint;
  readonly charged: bigint;
  readonly refunds: bigint;
  readonly refunded: bigint;
}
const settlements = table<Settlement>(
  'settlements',
  {
    project_id: 'int8',
    day: 'date',
    link: 'text',
    currency: 'text',
    charges: 'int8',
    charged: 'int8',
    refunds: 'int8',
    refunded: 'int8',
  },
  ['project_id', 'day', 'link', 'currency'],
);
export const settlementAdd = (row: Settlement): Change => add(settlements, row);

/** The next item numbers for acquirer reference numbers. */
export async function arnItems(db: Db, count: number): Promise<bigint[]> {
  const rows = await db.query<{ item: bigint }>(`select nextval('arn_items') as item from generate_series(1, $1)`, [
    count,
  ]);
  return rows.map((row) => row.item);
}
