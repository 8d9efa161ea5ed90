// Every statement on transfers.
import { type Change, type Db, insert, table } from '../../store/index.ts';

export type InstrumentType = 'managed_accounts' | 'managed_cards';

export interface Transfer {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly identity_id: bigint;
  readonly source_type: InstrumentType;
  readonly source_id: bigint;
  readonly destination_type: InstrumentType;
  readonly destination_id: bigint;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly tag: string | null;
  readonly description: string | null;
  /** A transfer within the house is done at once. */
  readonly state: 'COMPLETED';
  readonly events: number;
  readonly created_at: Date;
}

const transfers = table<Transfer>(
  'transfers',
  {
    tenant_id: 'int8',
    id: 'int8',
    identity_id: 'int8',
    source_type: 'text',
    source_id: 'int8',
    destination_type: 'text',
    destination_id: 'int8',
    amount: 'int8',
    currency: 'text',
    tag: 'text',
    description: 'text',
    state: 'text',
    events: 'int4',
    created_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

export const transferInsert = (row: Transfer): Change => insert(transfers, row);

export async function transferGet(db: Db, tenantId: bigint, id: bigint): Promise<Transfer | null> {
  const rows = await db.query<Transfer>('select * from transfers where tenant_id = $1 and id = $2', [tenantId, id]);
  return rows[0] ?? null;
}

export interface TransferFilter {
  readonly instrumentId: bigint | null;
  readonly tag: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** The newest first, and how many there are. */
export async function transfersList(
  db: Db,
  tenantId: bigint,
  identityId: bigint,
  { instrumentId, tag, createdFrom, createdTo }: TransferFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly transfers: Transfer[]; readonly count: number }> {
  const where = `tenant_id = $1 and identity_id = $2 and ($3::int8 is null or $3 in (source_id, destination_id))
    and ($4::text is null or tag = $4) and ($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at <= $6)`;
  const values = [tenantId, identityId, instrumentId, tag, createdFrom, createdTo];
  const [found, counted] = await Promise.all([
    db.query<Transfer>(`select * from transfers where ${where} order by id desc offset $7 limit $8`, [
      ...values,
      offset,
      limit,
    ]),
    db.query<{ count: bigint }>(`select count(*) as count from transfers where ${where}`, values),
  ]);
  return { transfers: found, count: Number(counted[0]?.count ?? 0n) };
}
