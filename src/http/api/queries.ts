// The table of idempotency records; no other file names it.
import {
  arrayLiteral,
  type Change,
  type Db,
  followRow,
  insert,
  type Kind,
  remove,
  table,
  update,
} from '../../store/index.ts';

export interface OnceRecord {
  /** The owner: a project, or a tenant. */
  readonly project_id: bigint;
  readonly key_hash: string;
  readonly fingerprint: string;
  readonly state: 'running' | 'unresolved' | 'done';
  readonly status: number | null;
  readonly body: string | null;
  readonly location: string | null;
  readonly order_id: bigint | null;
  readonly created_at: Date;
  readonly expires_at: Date;
}

const records = table<OnceRecord>(
  'idempotency_records',
  {
    project_id: 'int8',
    key_hash: 'text',
    fingerprint: 'text',
    state: 'text',
    status: 'int4',
    body: 'text',
    location: 'text',
    order_id: 'int8',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
  ['project_id', 'key_hash'],
);

export const recordInsert = (record: OnceRecord): Change => insert(records, record);
export const recordUpdate = (record: OnceRecord): Change => update(records, record);
export const recordRemove = ({ project_id, key_hash }: OnceKey): Change => remove(records, { project_id, key_hash });

export type OnceKey = Pick<OnceRecord, 'project_id' | 'key_hash'>;

/**
 * A record, locked. A key that is new has no row to lock, so the key itself is locked first: of two processes the second waits for
 * the first one's commit and then reads its record. Half a key's hash names the lock; a collision only makes two keys wait.
 */
export const onceKind: Kind<OnceKey, OnceRecord> = {
  name: 'idempotency',
  keyText: ({ project_id, key_hash }) => `${project_id}/${key_hash}`,
  follows: [followRow(records, ({ project_id, key_hash }) => `${project_id}/${key_hash}`)],
  async load(db, keys) {
    const hashes = keys.map((key) => key.key_hash);
    const locks = hashes
      .map((hash) => BigInt.asIntN(64, BigInt(`0x${hash.slice(0, 16)}`)))
      .sort((a, b) => (a < b ? -1 : 1));
    const locked = db.query('select pg_advisory_xact_lock(lock) from unnest($1::int8[]) as lock', [
      arrayLiteral(locks, 'int8'),
    ]);
    const [, rows] = await Promise.all([
      locked,
      db.query<OnceRecord>(
        `select r.* from idempotency_records r join unnest($1::int8[], $2::text[]) as k(project_id, key_hash)
         on r.project_id = k.project_id and r.key_hash = k.key_hash order by r.project_id, r.key_hash for update of r`,
        [
          arrayLiteral(
            keys.map((key) => key.project_id),
            'int8',
          ),
          arrayLiteral(hashes, 'text'),
        ],
      ),
    ]);
    return new Map(rows.map((row) => [onceKind.keyText(row), row]));
  },
};

/** Records as last committed, by `onceKind`'s key text. */
export async function recordsFind(db: Db, keys: readonly OnceKey[]): Promise<ReadonlyMap<string, OnceRecord>> {
  const rows = await db.query<OnceRecord>(
    `select r.* from unnest($1::int8[], $2::text[]) as k(project_id, key_hash) join idempotency_records r using (project_id, key_hash)`,
    [keys.map((key) => key.project_id), keys.map((key) => key.key_hash)],
  );
  return new Map(rows.map((row) => [onceKind.keyText(row), row]));
}

/** Deletes what has been kept long enough, at most `limit` records; how many. */
export async function purgeIdempotency(db: Db, now: Date, limit = 10_000): Promise<number> {
  const rows = await db.query(
    `delete from idempotency_records r using (select project_id, key_hash from idempotency_records where expires_at <= $1
     order by expires_at limit $2 for update skip locked) x where r.project_id = x.project_id and r.key_hash = x.key_hash returning r.key_hash`,
    [now, limit],
  );
  return rows.length;
}
