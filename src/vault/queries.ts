// Every statement on vault_cards and vault_cvvs.
import { type Change, type Db, insert, remove, table } from '../store/index.ts';

export interface VaultCard {
  readonly project_id: bigint;
  readonly id: bigint;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly ciphertext: Buffer;
  readonly fingerprint: string;
  readonly created_at: Date;
}
const cards = table<VaultCard>(
  'vault_cards',
  { project_id: 'int8', id: 'int8', key_id: 'text', wrapped_key: 'bytea', ciphertext: 'bytea', fingerprint: 'text', created_at: 'timestamptz' },
  ['project_id', 'id'],
);

export interface VaultCvv {
  readonly project_id: bigint;
  readonly order_id: bigint;
  readonly key_id: string;
  readonly ciphertext: Buffer;
  readonly until_at: Date;
}
const cvvs = table<VaultCvv>(
  'vault_cvvs',
  { project_id: 'int8', order_id: 'int8', key_id: 'text', ciphertext: 'bytea', until_at: 'timestamptz' },
  ['project_id', 'order_id'],
);

export const cardInsert = (row: VaultCard): Change => insert(cards, row);
export const cvvInsert = (row: VaultCvv): Change => insert(cvvs, row);
export const cvvRemove = (owner: bigint, orderId: bigint): Change => remove(cvvs, { project_id: owner, order_id: orderId });

export async function cardGet(db: Db, owner: bigint, id: bigint): Promise<VaultCard | null> {
  const rows = await db.query<VaultCard>('select * from vault_cards where project_id = $1 and id = $2', [owner, id]);
  return rows[0] ?? null;
}

export async function cvvGet(db: Db, owner: bigint, orderId: bigint): Promise<VaultCvv | null> {
  const rows = await db.query<VaultCvv>('select * from vault_cvvs where project_id = $1 and order_id = $2', [owner, orderId]);
  return rows[0] ?? null;
}

export const cardsUnder = (db: Db, keyId: string, limit: number): Promise<VaultCard[]> =>
  db.query('select * from vault_cards where key_id = $1 limit $2', [keyId, limit]);

/** Compare and set: a row that was rewrapped meanwhile is left alone. */
export async function cardRewrap(db: Db, card: VaultCard, keyId: string, wrappedKey: Buffer): Promise<void> {
  await db.query('update vault_cards set key_id = $4, wrapped_key = $5 where project_id = $1 and id = $2 and key_id = $3', [
    card.project_id, card.id, card.key_id, keyId, wrappedKey,
  ]);
}

export async function cardsExist(db: Db): Promise<boolean> {
  return (await db.query('select 1 from vault_cards limit 1')).length > 0;
}

export const cvvsExpire = (db: Db, now: Date): Promise<{ key_id: string }[]> =>
  db.query('delete from vault_cvvs where until_at <= $1 returning key_id', [now]);

export async function cvvKeysInUse(db: Db): Promise<Set<string>> {
  return new Set((await db.query<{ key_id: string }>('select distinct key_id from vault_cvvs')).map((row) => row.key_id));
}
