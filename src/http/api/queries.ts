// The table of idempotency records; no other file names it.
import {
  arrayLiteral,
  type Change,
  type Db,
  followRow,
  hold,
  insert,
  type Kind,
  lookup,
  oneOwner,
  remove,
  type Subject,
  table,
  update,
} from '../../store/index.ts';

export interface OnceRecord {
  readonly owner_id: bigint;
  readonly key_hash: string;
  readonly fingerprint: string;
  readonly state: 'running' | 'unresolved' | 'done';
  readonly status: number | null;
  readonly body: string | null;
  readonly location: string | null;
  readonly subject_type: Subject['type'] | null;
  readonly subject_id: bigint | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const records = table<OnceRecord>(
  'idempotency_records',
  {
    owner_id: 'int8',
    key_hash: 'text',
    fingerprint: 'text',
    state: 'text',
    status: 'int4',
    body: 'text',
    location: 'text',
    subject_type: 'text',
    subject_id: 'int8',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
  ['owner_id', 'key_hash'],
);

export const recordInsert = (record: OnceRecord): Change => insert(records, record);
export const recordUpdate = (record: OnceRecord): Change => update(records, record);
export const recordRemove = ({ owner_id, key_hash }: OnceKey): Change => remove(records, { owner_id, key_hash });

export type OnceKey = Pick<OnceRecord, 'owner_id' | 'key_hash'>;

const BY_HASH = lookup(records, { by: ['key_hash'], locked: true });

/**
 * A record, locked. A key that is new has no row to lock, so the key itself is locked first: of two processes the second waits for
 * the first one's commit and then reads its record. Half a key's hash names the lock; a collision only makes two keys wait.
 */
export const onceKind: Kind<OnceKey, OnceRecord> = {
  name: 'idempotency',
  keyText: ({ owner_id, key_hash }) => `${owner_id}/${key_hash}`,
  follows: [followRow(records, ({ owner_id, key_hash }) => `${owner_id}/${key_hash}`)],
  async load(db, keys) {
    const hashes = keys.map((key) => key.key_hash);
    const [, rows] = await Promise.all([
      hold(
        db,
        hashes.map((hash) => BigInt.asIntN(64, BigInt(`0x${hash.slice(0, 16)}`))),
      ),
      db.query<OnceRecord>(BY_HASH, [arrayLiteral(hashes, 'text'), oneOwner(keys.map((key) => key.owner_id))]),
    ]);
    return new Map(rows.map((row) => [onceKind.keyText(row), row]));
  },
};

/** Records as last committed, by `onceKind`'s key text. */
export async function recordsFind(db: Db, keys: readonly OnceKey[]): Promise<ReadonlyMap<string, OnceRecord>> {
  const rows = await db.query<OnceRecord>(
    `select r.* from unnest($1::int8[], $2::text[]) as k(owner_id, key_hash) join idempotency_records r using (owner_id, key_hash)`,
    [keys.map((key) => key.owner_id), keys.map((key) => key.key_hash)],
  );
  return new Map(rows.map((row) => [onceKind.keyText(row), row]));
}

/** Deletes what has been kept long enough, at most `limit` records; how many. */
export async function purgeIdempotency(db: Db, now: Date, limit = 10_000): Promise<number> {
  const expired = await db.query<OnceKey>(
    'select owner_id, key_hash from idempotency_records where expires_at <= $1 order by expires_at limit $2',
    [now, limit],
  );
  let purged = 0;
  for (const [owner, keys] of Map.groupBy(expired, (key) => key.owner_id)) {
    const rows = await db.query(
      `delete from idempotency_records where owner_id = $1 and key_hash in (
         select key_hash from idempotency_records where owner_id = $1 and key_hash = any($2) and expires_at <= $3
         for update skip locked) returning key_hash`,
      [owner, keys.map((key) => key.key_hash), now],
    );
    purged += rows.length;
  }
  return purged;
}
