// Every statement on proofs and proof_reds: how far each owner's history is proved, and what was found wrong and not proved right since.
// Rule: a run moves on under the lock of its owner's row, so that several processes take one step once.
import type { Db, Transaction } from '../store/index.ts';
import type { Walk } from './invariant.ts';

export interface OwnerProof {
  readonly owner_id: bigint;
  readonly run: number;
  readonly cursor: bigint | null;
  readonly proved_run: number | null;
  readonly slices: number;
  readonly began_at: Date | null;
  readonly proved_at: Date | null;
}

export async function proofMeet(db: Db, owner: bigint): Promise<void> {
  await db.query(
    `insert into proofs (owner_id, run, cursor, proved_run, slices, began_at, proved_at) values ($1, 0, null, null, 0, null, null)
     on conflict (owner_id) do nothing`,
    [owner],
  );
}

/** A full proof from the first id on; one that is under way is given up. */
export async function proofBegin(db: Db, owner: bigint, at: Date): Promise<OwnerProof> {
  const [row] = await db.query<OwnerProof>(
    'update proofs set run = run + 1, cursor = -1, slices = 0, began_at = $2 where owner_id = $1 returning *',
    [owner, at],
  );
  return row as OwnerProof;
}

export async function proofOf(db: Db, owner: bigint): Promise<OwnerProof | null> {
  const [row] = await db.query<OwnerProof>('select * from proofs where owner_id = $1', [owner]);
  return row ?? null;
}

export async function proofLocked(db: Transaction, owner: bigint): Promise<OwnerProof | null> {
  const [row] = await db.query<OwnerProof>('select * from proofs where owner_id = $1 for update', [owner]);
  return row ?? null;
}

/** `through`: every id is looked at, and the run's sums are in force. */
export async function proofAdvance(
  db: Transaction,
  { owner_id, run }: OwnerProof,
  upto: bigint,
  through: boolean,
): Promise<void> {
  await db.query(
    `update proofs set cursor = $2, slices = slices + 1, proved_run = case when $3::bool then $4::int4 else proved_run end where owner_id = $1`,
    [owner_id, upto, through, run],
  );
}

export async function proofEnd(db: Db, { owner_id, run }: OwnerProof, at: Date): Promise<void> {
  await db.query(
    'update proofs set cursor = null, proved_at = $3 where owner_id = $1 and run = $2 and cursor is not null',
    [owner_id, run, at],
  );
}

/** Whose turn it is: who is under way, who has never been proved in full, whose last proof was before `before`. */
export async function proofDue(db: Db, before: Date): Promise<OwnerProof | null> {
  const [row] = await db.query<OwnerProof>(
    `select * from proofs where cursor is not null or proved_at is null or proved_at < $1
     order by cursor is null, proved_at nulls first, owner_id limit 1`,
    [before],
  );
  return row ?? null;
}

export interface Coverage {
  readonly owners: bigint;
  readonly proved: bigint;
  readonly oldest: Date | null;
  readonly under_way: bigint;
  readonly slices: bigint;
}

export async function proofCoverage(db: Db): Promise<Coverage> {
  const [row] = await db.query<Coverage>(
    `select count(*) as owners, count(proved_at) as proved, case when count(*) = count(proved_at) then min(proved_at) end as oldest,
       count(cursor) as under_way, coalesce(sum(slices) filter (where cursor is not null), 0)::int8 as slices from proofs`,
  );
  return row as Coverage;
}

/** The owner behind this one in any of the tables; null: it was the last. */
export async function ownerAfter(db: Db, walks: readonly Walk[], owner: bigint): Promise<bigint | null> {
  const each = walks.map(({ table, owner: column }) => `(select min(${column}) from ${table} where ${column} > $1)`);
  const [row] = await db.query<{ owner: bigint | null }>(`select least(${each.join(', ')}) as owner`, [owner]);
  return row?.owner ?? null;
}

/** Up to which id a slice goes that has at most so many rows of any table (but all of an id); null: to the end. */
export async function sliceEnd(
  db: Db,
  walks: readonly Walk[],
  { owner, after, rows }: { readonly owner: bigint; readonly after: bigint; readonly rows: number },
): Promise<bigint | null> {
  const each = walks.flatMap(({ table, owner: column, id }) =>
    id === null
      ? []
      : [`(select ${id} from ${table} where ${column} = $1 and ${id} > $2 order by ${id} offset $3 limit 1)`],
  );
  const [row] = await db.query<{ upto: bigint | null }>(`select least(${each.join(', ')}) as upto`, [
    owner,
    after,
    rows,
  ]);
  return row?.upto ?? null;
}

export interface Red {
  readonly owner_id: bigint;
  readonly invariant: string;
  readonly scope: string;
  readonly found_at: Date;
  /** How often it was found. */
  readonly times: number;
}

/** True: it was not known. */
export async function redPut(db: Db, { owner_id, invariant, scope, found_at }: Omit<Red, 'times'>): Promise<boolean> {
  const [row] = await db.query<{ times: number }>(
    `insert into proof_reds (owner_id, invariant, scope, found_at, times) values ($1, $2, $3, $4, 1)
     on conflict (owner_id, invariant, scope) do update set times = proof_reds.times + 1 returning times`,
    [owner_id, invariant, scope, found_at],
  );
  return row?.times === 1;
}

/** It was asked again and is right; unless somebody has found it wrong meanwhile. */
export async function redRemove(db: Db, { owner_id, invariant, scope, times }: Red): Promise<void> {
  await db.query('delete from proof_reds where owner_id = $1 and invariant = $2 and scope = $3 and times = $4', [
    owner_id,
    invariant,
    scope,
    times,
  ]);
}

/** The oldest first. */
export const redList = (db: Db, limit: number): Promise<Red[]> =>
  db.query<Red>('select * from proof_reds order by found_at, owner_id, invariant, scope limit $1', [limit]);

export async function redCount(db: Db): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>('select count(*) as count from proof_reds');
  return row?.count ?? 0n;
}
