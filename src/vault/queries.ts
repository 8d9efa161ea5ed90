// Every statement on vault_cards, vault_cvvs and vault_keys.
// Rule: nothing readable goes in here: ciphertexts, keyed hashes and check values only.
import { arrayLiteral, type Change, type Db, insert, remove, table, together } from '../store/index.ts';

export interface CardRow {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly sealed: Buffer;
  readonly fingerprint: string;
  readonly created_at: Date;
}

const vaultCards = table<CardRow>(
  'vault_cards',
  {
    owner_id: 'int8',
    id: 'int8',
    key_id: 'text',
    wrapped_key: 'bytea',
    sealed: 'bytea',
    fingerprint: 'text',
    created_at: 'timestamptz',
  },
  ['owner_id', 'id'],
);

export const cardInsert = (row: CardRow): Change => insert(vaultCards, row);

/** One card; null: the owner has no such. Those that are asked for together are read together. */
export const cardReader = (db: Db): ((owner: bigint, id: bigint) => Promise<CardRow | null>) =>
  together(async (owner, ids: readonly bigint[]) => {
    const rows = await db.query<CardRow>('select * from vault_cards where owner_id = $1 and id = any($2::int8[])', [
      owner,
      ids,
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });

export type WrappedRow = Pick<CardRow, 'owner_id' | 'id' | 'key_id' | 'wrapped_key'>;

/** Cards behind `after` in key order whose data key is wrapped by another key than `active`. */
export const cardsToRewrap = (
  db: Db,
  active: string,
  after: Pick<CardRow, 'owner_id' | 'id'>,
  limit: number,
): Promise<WrappedRow[]> =>
  db.query(
    `select owner_id, id, key_id, wrapped_key from vault_cards
     where (owner_id, id) > ($1, $2) and key_id <> $3 order by owner_id, id limit $4`,
    [after.owner_id, after.id, active, limit],
  );

export interface Rewrapped extends WrappedRow {
  readonly next: Buffer;
}

/** Row by row only where nobody changed it meanwhile; answers how many. */
export async function cardsRewrap(db: Db, active: string, rows: readonly Rewrapped[]): Promise<number> {
  const written = await db.query(
    `update vault_cards t set key_id = $1, wrapped_key = v.next
     from unnest($2::int8[], $3::int8[], $4::bytea[], $5::bytea[]) as v(owner_id, id, wrapped_key, next)
     where t.owner_id = v.owner_id and t.id = v.id and t.wrapped_key = v.wrapped_key returning t.id`,
    [
      active,
      arrayLiteral(
        rows.map((row) => row.owner_id),
        'int8',
      ),
      arrayLiteral(
        rows.map((row) => row.id),
        'int8',
      ),
      arrayLiteral(
        rows.map((row) => row.wrapped_key),
        'bytea',
      ),
      arrayLiteral(
        rows.map((row) => row.next),
        'bytea',
      ),
    ],
  );
  return written.length;
}

/** Reads the table once: retiring a key is rare, and an index on key_id would cost every order. */
export async function cardsUseKey(db: Db, keyId: string): Promise<boolean> {
  const rows = await db.query<{ used: boolean }>('select exists (select from vault_cards where key_id = $1) as used', [
    keyId,
  ]);
  return rows[0]?.used ?? true;
}

export interface CvvRow {
  readonly owner_id: bigint;
  readonly id: bigint;
  readonly key_id: string;
  readonly sealed: Buffer;
  readonly until: Date;
}

const vaultCvvs = table<CvvRow>(
  'vault_cvvs',
  { owner_id: 'int8', id: 'int8', key_id: 'text', sealed: 'bytea', until: 'timestamptz' },
  ['owner_id', 'id'],
);

export const cvvInsert = (row: CvvRow): Change => insert(vaultCvvs, row);
export const cvvRemove = (owner: bigint, id: bigint): Change => remove(vaultCvvs, { owner_id: owner, id });

export async function cvvGet(db: Db, owner: bigint, id: bigint): Promise<CvvRow | null> {
  const rows = await db.query<CvvRow>('select * from vault_cvvs where owner_id = $1 and id = $2', [owner, id]);
  return rows[0] ?? null;
}

/** Of all owners: a job's statement. */
export const cvvsDeleteUntil = (db: Db, now: Date): Promise<object[]> =>
  db.query('delete from vault_cvvs where until <= $1', [now]);

export async function cvvsOverdue(db: Db, now: Date): Promise<bigint> {
  const rows = await db.query<{ count: bigint }>('select count(*) as count from vault_cvvs where until <= $1', [now]);
  return rows[0]?.count ?? 0n;
}

export interface KeyRow {
  readonly id: string;
  readonly check_value: string;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}

export const keysSelect = (db: Db): Promise<KeyRow[]> => db.query('select * from vault_keys order by id');

/** A key that is known already stays as it is. */
export const keyRegister = (db: Db, id: string, checkValue: string, now: Date): Promise<object[]> =>
  db.query('insert into vault_keys (id, check_value, created_at) values ($1, $2, $3) on conflict do nothing', [
    id,
    checkValue,
    now,
  ]);

export const keyRetire = (db: Db, id: string, now: Date): Promise<object[]> =>
  db.query('update vault_keys set retired_at = $2 where id = $1', [id, now]);

/** Where the server keeps its files; null when it does not tell (a role without pg_read_all_settings). */
export async function databaseFolder(db: Db): Promise<string | null> {
  const rows = await db.query<{ setting: string }>(`select setting from pg_settings where name = 'data_directory'`);
  return rows[0]?.setting ?? null;
}
