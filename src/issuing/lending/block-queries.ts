// Statements on card_blocks: the numbers that a tenant holds. Rule: who draws a number holds its block until commit.
import { assert } from '../../base/index.ts';
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
import type { Brand } from '../tenants/index.ts';

export interface CardBlock {
  readonly tenant_id: bigint;
  readonly lease: bigint;
  readonly range_name: string;
  readonly brand: Brand;
  readonly prefix: string;
  readonly number_length: number;
  readonly range_size: bigint;
  /** Its first index of the range's permutation. */
  readonly first: bigint;
  readonly size: bigint;
  /** How many were given out. */
  readonly used: bigint;
}

const cardBlocks = table<CardBlock>(
  'card_blocks',
  {
    tenant_id: 'int8',
    lease: 'int8',
    range_name: 'text',
    brand: 'text',
    prefix: 'text',
    number_length: 'int4',
    range_size: 'int8',
    first: 'int8',
    size: 'int8',
    used: 'int8',
  },
  ['tenant_id', 'lease'],
);
export const blockInsert = (block: CardBlock): Change => insert(cardBlocks, block);
export const blockUpdate = (block: CardBlock): Change => update(cardBlocks, block);

/** What a number is drawn from: whose, and which range. */
export interface NumberSource {
  readonly tenantId: bigint;
  readonly range: string;
}
const numbersText = ({ tenantId, range }: NumberSource): string => `${tenantId}/${range}`;
const OPEN =
  'select * from card_blocks where tenant_id = $1 and range_name = $2 and used < size order by lease limit 1';

/** The block that a tenant's next number of a range comes from, locked; undefined: he holds none that has one left. */
export const numbersKind: Kind<NumberSource, CardBlock> = {
  name: 'card_block_open',
  keyText: numbersText,
  async load(db, keys) {
    const found = keys.map(({ tenantId, range }) => db.query<CardBlock>(`${OPEN} for update`, [tenantId, range]));
    const rows = (await Promise.all(found)).flat();
    return new Map(rows.map((row) => [numbersText({ tenantId: row.tenant_id, range: row.range_name }), row]));
  },
  follows: [
    // The one that is open goes on; where none was, the one that is taken into use is. Of several only loading tells.
    follow(
      cardBlocks,
      ({ tenant_id, range_name }) => numbersText({ tenantId: tenant_id, range: range_name }),
      (open, row) => (open && open.lease !== row.lease ? open : row.used < row.size ? row : undefined),
    ),
  ],
};
export const needNumbers = (key: NumberSource): Need => ({ kind: numbersKind, key });

/** Whether a tenant's next number of a range could be drawn at this moment. */
export const holdsNumbers = async (db: Db, { tenantId, range }: NumberSource): Promise<boolean> =>
  (await db.query(OPEN, [tenantId, range])).length > 0;

export type BlockKey = Pick<CardBlock, 'tenant_id' | 'lease'>;
export const blockKind: Kind<BlockKey, CardBlock> = rowKind(cardBlocks, {
  name: 'card_block',
  keyOf: ({ tenant_id, lease }) => ({ tenant_id, lease }),
  locked: true,
});
export const needBlock = ({ tenant_id, lease }: BlockKey): Need => {
  assert(tenant_id > 0n, 'a block of a tenant');
  return { kind: blockKind, key: { tenant_id, lease } };
};

/** Numbers that were given out, by range. */
export async function numbersUsed(db: Db): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db.query<{ range_name: string; used: bigint }>(
    'select range_name, sum(used)::int8 as used from card_blocks group by range_name',
  );
  return new Map(rows.map(({ range_name, used }) => [range_name, used]));
}
