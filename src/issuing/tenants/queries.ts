// Statements on issuing_versions, issuing_settings, tenants, tenant_secrets, programmes, profiles and card_ranges.
// Rule: every write to them begins with `versionNext`: one writer at a time, and other processes see what changed.
import { assert } from '../../base/index.ts';
import {
  type Change,
  type Db,
  directoryOf,
  followRow,
  type Kind,
  type Need,
  table,
  update,
} from '../../store/index.ts';
import { filled } from '../fields/index.ts';
import {
  type Brand,
  defaultInstallation,
  type InstallationLimits,
  type InstallationSettings,
  type ProfileSettings,
  type ProgrammeSettings,
  type SecretKind,
  type TenantSettings,
} from './model.ts';

/** Whose a row is of which somebody has only the id. */
export const tenantOf = directoryOf('tenants');

/** Holds the one row until commit. */
export async function versionNext(db: Db): Promise<bigint> {
  const rows = await db.query<{ version: bigint }>(
    'update issuing_versions set version = version + 1 returning version',
  );
  assert(rows[0], 'issuing_versions has its row');
  return rows[0].version;
}

/** For who reads before he writes: what is read stays so until commit. Held first, as `versionNext` does. */
export async function setupHold(db: Db): Promise<void> {
  await db.query('select version from issuing_versions for update');
}

/** Locks the tenant's row until the transaction ends: it stands for what is unique in the tenant. */
export async function tenantHold(db: Db, tenantId: bigint): Promise<void> {
  await db.query('select id from tenants where id = $1 for no key update', [tenantId]);
}

/** Open, and it stays so until the transaction ends. Before any lock on its users, as `tenantHold` is. */
export async function tenantOpen(db: Db, tenantId: bigint): Promise<boolean> {
  return (await db.query('select id from tenants where id = $1 and active for share', [tenantId])).length > 0;
}

export async function versionNow(db: Db): Promise<bigint> {
  const rows = await db.query<{ version: bigint }>('select version from issuing_versions');
  return rows[0]?.version ?? 0n;
}

export interface TenantRow {
  readonly id: bigint;
  readonly name: string;
  readonly active: boolean;
  /** Only what differs from the defaults. */
  readonly settings: Partial<TenantSettings>;
  readonly version: bigint;
  readonly created_at: Date;
}

export interface SecretRow {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly label: string;
  readonly kind: SecretKind;
  readonly secret_hash: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  /** Fingerprints of the client certificates that it is bound to; none: it opens without one. */
  readonly certificates: readonly string[];
}

export interface ProgrammeRow {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly name: string;
  readonly settings: Partial<ProgrammeSettings>;
  readonly version: bigint;
  readonly created_at: Date;
}

export interface ProfileRow {
  readonly tenant_id: bigint;
  readonly id: bigint;
  readonly programme_id: bigint;
  readonly name: string;
  readonly kind: 'card' | 'account';
  readonly active: boolean;
  readonly settings: Partial<ProfileSettings>;
  readonly version: bigint;
  readonly created_at: Date;
}

export async function tenantName(db: Db, id: bigint): Promise<string | null> {
  const rows = await db.query<{ name: string }>('select name from tenants where id = $1', [id]);
  return rows[0]?.name ?? null;
}

export async function tenantUpsert(db: Db, row: Omit<TenantRow, 'version'>): Promise<void> {
  await db.query(
    `insert into tenants (id, name, active, settings, version, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set name = excluded.name, active = excluded.active, settings = excluded.settings, version = excluded.version`,
    [row.id, row.name, row.active, JSON.stringify(row.settings), await versionNext(db), row.created_at],
  );
}

export async function programmeUpsert(db: Db, row: Omit<ProgrammeRow, 'version'>): Promise<void> {
  await db.query(
    `insert into programmes (tenant_id, id, name, settings, version, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, id) do update set name = excluded.name, settings = excluded.settings, version = excluded.version`,
    [row.tenant_id, row.id, row.name, JSON.stringify(row.settings), await versionNext(db), row.created_at],
  );
}

export async function profileUpsert(db: Db, row: Omit<ProfileRow, 'version'>): Promise<void> {
  await db.query(
    `insert into profiles (tenant_id, id, programme_id, name, kind, active, settings, version, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (tenant_id, id) do update set name = excluded.name, active = excluded.active, settings = excluded.settings, version = excluded.version`,
    [
      row.tenant_id,
      row.id,
      row.programme_id,
      row.name,
      row.kind,
      row.active,
      JSON.stringify(row.settings),
      await versionNext(db),
      row.created_at,
    ],
  );
}

export async function secretInsert(db: Db, row: SecretRow): Promise<void> {
  await versionNext(db);
  await db.query(
    `insert into tenant_secrets (tenant_id, id, label, secret_hash, created_at, expires_at, revoked_at, certificates, kind)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      row.tenant_id,
      row.id,
      row.label,
      row.secret_hash,
      row.created_at,
      row.expires_at,
      row.revoked_at,
      JSON.stringify(row.certificates),
      row.kind,
    ],
  );
}

/** Binds a valid secret to these certificates and no others; null when the tenant has none of that id that is still valid. */
export async function secretBind(
  db: Db,
  { tenant_id, id }: Pick<SecretRow, 'tenant_id' | 'id'>,
  certificates: readonly string[],
  now: Date,
): Promise<SecretRow | null> {
  await versionNext(db);
  const [row] = await db.query<SecretRow>(
    `update tenant_secrets set certificates = $3 where tenant_id = $1 and id = $2 and revoked_at is null
       and (expires_at is null or expires_at > $4) returning *`,
    [tenant_id, id, JSON.stringify(certificates), now],
  );
  return row ?? null;
}

/** Ends a secret, never later than it would have ended; false when the tenant has none of that id that is still valid. */
export async function secretEnd(db: Db, tenantId: bigint, id: bigint, at: Date, now: Date): Promise<boolean> {
  await versionNext(db);
  const rows = await db.query(
    `update tenant_secrets set expires_at = least(expires_at, $3) where tenant_id = $1 and id = $2 and revoked_at is null
       and (expires_at is null or expires_at > $4) returning id`,
    [tenantId, id, at, now],
  );
  return rows.length > 0;
}

export const tenantRows = (db: Db): Promise<TenantRow[]> => db.query<TenantRow>('select * from tenants order by name');
export const secretRows = (db: Db): Promise<SecretRow[]> =>
  db.query<SecretRow>('select * from tenant_secrets where revoked_at is null order by tenant_id, id');
export const programmeRows = (db: Db): Promise<ProgrammeRow[]> =>
  db.query<ProgrammeRow>('select * from programmes order by tenant_id, id');
export const profileRows = (db: Db): Promise<ProfileRow[]> =>
  db.query<ProfileRow>('select * from profiles order by tenant_id, id');
export const secretsOf = (db: Db, tenantId: bigint): Promise<SecretRow[]> =>
  db.query<SecretRow>('select * from tenant_secrets where tenant_id = $1 order by id', [tenantId]);

interface InstallationRow {
  readonly settings: Partial<InstallationSettings>;
  /** Of the last change of these settings. */
  readonly version: bigint;
}

export async function installationRow(db: Db): Promise<InstallationRow> {
  const [row] = await db.query<InstallationRow>('select settings, version from issuing_settings');
  assert(row, 'the row that a migration made');
  return row;
}
export const installationGet = async (db: Db): Promise<Partial<InstallationSettings>> =>
  (await installationRow(db)).settings;

/** The installation's limits of cards, locked: who lends places under them, or takes some back, holds the lock. */
export const limitsKind: Kind<'installation', InstallationLimits> = {
  name: 'card_limits',
  keyText: (key) => key,
  async load(db) {
    const rows = await db.query<InstallationRow>('select settings, version from issuing_settings for update');
    return new Map(
      rows.map(({ settings, version }) => [
        'installation',
        { cardLimits: filled(defaultInstallation, settings).cardLimits, version },
      ]),
    );
  },
  // No command changes it.
  follows: [],
};
export const needLimits: Need = { kind: limitsKind, key: 'installation' };

export async function installationPut(db: Db, settings: Partial<InstallationSettings>): Promise<void> {
  await db.query('update issuing_settings set settings = $1, version = $2', [
    JSON.stringify(settings),
    await versionNext(db),
  ]);
}

export interface CardRange {
  readonly name: string;
  readonly brand: Brand;
  /** What all its numbers begin with. */
  readonly prefix: string;
  readonly number_length: number;
  readonly size: bigint;
  /** How many numbers were lent to tenants, of the permutation's first. */
  readonly used: bigint;
}

const cardRanges = table<CardRange>(
  'card_ranges',
  { name: 'text', brand: 'text', prefix: 'text', number_length: 'int4', size: 'int8', used: 'int8' },
  ['name'],
);

/** Card ranges by name, locked: who lends numbers of one, or takes some back, holds the lock. */
export const rangeKind: Kind<string, CardRange> = {
  name: 'card_range',
  keyText: (name) => name,
  follows: [followRow(cardRanges, ({ name }) => name)],
  async load(db, names) {
    const rows = await db.query<CardRange>(
      'select * from card_ranges where name = any($1::text[]) order by name for update',
      [names],
    );
    return new Map(rows.map((row) => [row.name, row]));
  },
};
export const needRange = (name: string): Need => ({ kind: rangeKind, key: name });
export const rangeUpdate = (row: CardRange): Change => update(cardRanges, row);

export const rangesList = (db: Db): Promise<CardRange[]> =>
  db.query<CardRange>('select * from card_ranges order by name');

export async function rangeGet(db: Db, name: string): Promise<CardRange | null> {
  const rows = await db.query<CardRange>('select * from card_ranges where name = $1', [name]);
  return rows[0] ?? null;
}

/** False when a range of that name is there already: what numbers it has given out is history. */
export async function rangeInsert(db: Db, row: CardRange): Promise<boolean> {
  const rows = await db.query(
    `insert into card_ranges (name, brand, prefix, number_length, size, used) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing returning name`,
    [row.name, row.brand, row.prefix, row.number_length, row.size, row.used],
  );
  return rows.length > 0;
}
