// Statements on range_blocks: which tenant holds which part of a card range.
// Rule: whoever changes a block of a range holds the range's row (`needRange`).
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  type Need,
  rowKind,
  table,
  update,
} from '../../store/index.ts';

export interface RangeBlock {
  readonly range_name: string;
  /** Its first index of the range's permutation. */
  readonly first: bigint;
  readonly size: bigint;
  /** By which its tenant knows it. */
  readonly lease: bigint;
  /** null: nobody's, what came back. */
  readonly tenant_id: bigint | null;
  readonly state: 'lent' | 'taken' | 'spent' | 'free';
}

// Its rows are the installation's; the tenant is said of them.
const rangeBlocks = table<RangeBlock>(
  'range_blocks',
  { range_name: 'text', first: 'int8', size: 'int8', lease: 'int8', tenant_id: 'int8', state: 'text' },
  ['range_name', 'first'],
);
export const rangeBlockInsert = (row: RangeBlock): Change => insert(rangeBlocks, row);
export const rangeBlockUpdate = (row: RangeBlock): Change => update(rangeBlocks, row);

/** What of a range may be handed to a tenant: blocks lent to one who hasn't taken them yet, and the first free one. */
export const lendableKind: Kind<string, readonly RangeBlock[]> = {
  // Behind `card_range`, under whose lock it is read.
  name: 'card_range_lendable',
  keyText: (range) => range,
  async load(db, ranges) {
    const rows = await db.query<RangeBlock>(
      `select * from range_blocks b where range_name = any($1::text[]) and (state = 'lent' or state = 'free' and not exists
         (select from range_blocks o where o.range_name = b.range_name and o.state = 'free' and o.first < b.first))`,
      [ranges],
    );
    return Map.groupBy(rows, ({ range_name }) => range_name);
  },
  // What is the next one to be handed out only loading tells.
  follows: [follow(rangeBlocks, ({ range_name }) => range_name)],
};
export const needLendable = (range: string): Need => ({ kind: lendableKind, key: range });

export type RangeBlockKey = Pick<RangeBlock, 'range_name' | 'first'>;
export const rangeBlockKind: Kind<RangeBlockKey, RangeBlock> = rowKind(rangeBlocks, {
  name: 'card_range_block',
  keyOf: ({ range_name, first }) => ({ range_name, first }),
  locked: true,
});
export const needRangeBlock = ({ range_name, first }: RangeBlockKey): Need => ({
  kind: rangeBlockKind,
  key: { range_name, first },
});

/** Blocks of which something may be left, of one range or of one tenant. */
export const rangeBlocksOpen = (db: Db, of: { readonly range?: string; readonly tenantId?: bigint }) =>
  db.query<RangeBlock>(
    `select * from range_blocks where state in ('lent', 'taken') and ($1::text is null or range_name = $1)
       and ($2::int8 is null or tenant_id = $2) order by range_name, first`,
    [of.range ?? null, of.tenantId ?? null],
  );

export const rangeHasFree = async (db: Db, range: string): Promise<boolean> =>
  (await db.query(`select first from range_blocks where range_name = $1 and state = 'free' limit 1`, [range])).length >
  0;

/** No number of it is anybody's to give out. */
export async function rangeIsSpent(db: Db, range: string): Promise<boolean> {
  const left = await db.query(
    `select name from card_ranges r where name = $1
       and (used < size or exists (select from range_blocks b where b.range_name = r.name and b.state <> 'spent'))`,
    [range],
  );
  return left.length === 0;
}
