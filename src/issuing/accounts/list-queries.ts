// Lists of managed accounts and statement entries.
import type { Db } from '../../store/index.ts';
import type { ManagedAccount, StatementEntry } from './model.ts';

export interface AccountFilter {
  readonly identityId: bigint;
  readonly profileId: bigint | null;
  readonly state: string | null;
  readonly currency: string | null;
  readonly tag: string | null;
  readonly friendlyName: string | null;
  readonly createdFrom: Date | null;
  readonly createdTo: Date | null;
}

/** No filter but whose accounts they are. */
export const EVERY_ACCOUNT: Omit<AccountFilter, 'identityId'> = {
  profileId: null,
  state: null,
  currency: null,
  tag: null,
  friendlyName: null,
  createdFrom: null,
  createdTo: null,
};

/** The newest first, and how many there are. */
export async function accountsList(
  db: Db,
  tenantId: bigint,
  filter: AccountFilter,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly accounts: ManagedAccount[]; readonly count: number }> {
  const where = `tenant_id = $1 and identity_id = $2 and ($3::int8 is null or profile_id = $3) and ($4::text is null or state = $4)
    and ($5::text is null or currency = $5) and ($6::text is null or tag = $6) and ($7::text is null or friendly_name = $7)
    and ($8::timestamptz is null or created_at >= $8) and ($9::timestamptz is null or created_at <= $9)`;
  const values = [
    tenantId,
    filter.identityId,
    filter.profileId,
    filter.state,
    filter.currency,
    filter.tag,
    filter.friendlyName,
    filter.createdFrom,
    filter.createdTo,
  ];
  const [accounts, counted] = await Promise.all([
    db.query<ManagedAccount>(`select * from managed_accounts where ${where} order by id desc offset $10 limit $11`, [
      ...values,
      offset,
      limit,
    ]),
    db.query<{ count: bigint }>(`select count(*) as count from managed_accounts where ${where}`, values),
  ]);
  return { accounts, count: Number(counted[0]?.count ?? 0n) };
}

export interface StatementFilter {
  /** Of a debit card: only the entries of its parent's statement that are about it (outward id); null: all. */
  readonly cardId: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** The newest first unless told. */
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

/** Entries of an instrument in the order of their sequence, and how many there are. */
export async function statementList(
  db: Db,
  tenantId: bigint,
  instrumentId: bigint,
  { cardId, from, to, order, offset, limit }: StatementFilter,
): Promise<{ readonly entries: StatementEntry[]; readonly count: number }> {
  const where = `tenant_id = $1 and instrument_id = $2 and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at <= $4)
    and ($5::text is null or details->>'cardId' = $5)`;
  const values = [tenantId, instrumentId, from, to, cardId];
  const [entries, counted] = await Promise.all([
    db.query<StatementEntry>(
      `select * from statement_entries where ${where} order by sequence ${order === 'asc' ? 'asc' : 'desc'} offset $6 limit $7`,
      [...values, offset, limit],
    ),
    db.query<{ count: bigint }>(`select count(*) as count from statement_entries where ${where}`, values),
  ]);
  return { entries, count: Number(counted[0]?.count ?? 0n) };
}
