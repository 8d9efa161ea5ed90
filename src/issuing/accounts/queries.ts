// Statements on managed_accounts, funds and statement_entries. Rule: funds are only ever changed by moveFunds (funds.ts), under their lock.
import {
  type Change,
  type Db,
  insert,
  type Kind,
  type Need,
  type ReadRow,
  rowBy,
  rowKind,
  table,
  update,
} from '../../store/index.ts';
import { tenantOf } from '../tenants/index.ts';
import type { Funds, ManagedAccount, StatementEntry } from './model.ts';

export const managedAccounts = table<ManagedAccount>(
  'managed_accounts',
  {
    tenant_id: 'int8',
    id: 'int8',
    identity_id: 'int8',
    profile_id: 'int8',
    friendly_name: 'text',
    tag: 'text',
    currency: 'text',
    state: 'text',
    blocks: 'jsonb',
    destroyed_reason: 'text',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);
const funds = table<Funds>(
  'funds',
  { tenant_id: 'int8', instrument_id: 'int8', currency: 'text', actual: 'int8', held: 'int8', entries: 'int4' },
  ['tenant_id', 'instrument_id'],
  { subjects: ['instrument_id'] },
);
const statementEntries = table<StatementEntry>(
  'statement_entries',
  {
    tenant_id: 'int8',
    instrument_id: 'int8',
    sequence: 'int4',
    id: 'int8',
    type: 'text',
    amount: 'int8',
    available_change: 'int8',
    actual_after: 'int8',
    available_after: 'int8',
    reference_id: 'int8',
    details: 'jsonb',
    created_at: 'timestamptz',
  },
  ['tenant_id', 'instrument_id', 'sequence'],
  { subjects: ['instrument_id'] },
);

export interface InstrumentKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}

/** Managed accounts, locked. */
export const accountKind: Kind<InstrumentKey, ManagedAccount> = rowKind(managedAccounts, {
  name: 'managed_account',
  keyOf: ({ tenantId, id }) => ({ tenant_id: tenantId, id }),
  locked: true,
});
export const needAccount = (tenantId: bigint, id: bigint): Need => ({ kind: accountKind, key: { tenantId, id } });

/** Funds of an account or prepaid card, locked: the one lock for all that spends them. */
export const fundsKind: Kind<InstrumentKey, Funds> = rowKind(funds, {
  name: 'funds',
  keyOf: ({ tenantId, id }) => ({ tenant_id: tenantId, instrument_id: id }),
  locked: true,
});
export const needFunds = (tenantId: bigint, instrumentId: bigint): Need => ({
  kind: fundsKind,
  key: { tenantId, id: instrumentId },
});

/** For `accountWritten` alone (write.ts). */
export const accountInsert = (row: ManagedAccount): Change => insert(managedAccounts, row);
export const accountUpdate = (row: ManagedAccount): Change => update(managedAccounts, row);
export const fundsInsert = (row: Funds): Change => insert(funds, row);
export const fundsUpdate = (row: Funds): Change => update(funds, row);
export const statementInsert = (row: StatementEntry): Change => insert(statementEntries, row);

export async function accountGet(db: Db, tenantId: bigint, id: bigint): Promise<ManagedAccount | null> {
  const rows = await db.query<ManagedAccount>('select * from managed_accounts where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rows[0] ?? null;
}

/** By instrument; what has no funds of its own (a debit card) is left out. */
export async function fundsOf(db: Db, tenantId: bigint, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Funds>> {
  const rows = await db.query<Funds>('select * from funds where tenant_id = $1 and instrument_id = any($2::int8[])', [
    tenantId,
    ids,
  ]);
  return new Map(rows.map((row) => [row.instrument_id, row]));
}

const FUNDS_BY_INSTRUMENT = rowBy(funds, 'instrument_id');
/** Of one instrument; null: it has no funds of its own. */
export const fundsRead = (read: ReadRow, tenantId: bigint, id: bigint): Promise<Funds | null> =>
  read(FUNDS_BY_INSTRUMENT, tenantId, id);

/** The tenant of an account, for the operator and the simulator; null: no such account. */
export const accountOwner = (db: Db, id: bigint): Promise<bigint | null> => tenantOf(db, managedAccounts, id);
