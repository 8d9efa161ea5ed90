// The audit log of operators; no other file names its table. Rows are only ever added: the table refuses anything else.
import type { Db } from '../../store/index.ts';

export interface AuditRow {
  /** 1, 2, 3 … without gaps. */
  readonly id: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly origin: string;
  readonly action: string;
  readonly target: string;
  readonly result: string;
  readonly hash: Buffer;
}

/** Held until commit by whoever appends: the row behind it needs its hash. */
const AUDIT_LOCK = 4_850_217_330_071n;

/** The last row, which nobody else can append to before this transaction ends; null: there is none. */
export async function auditLast(db: Db): Promise<AuditRow | null> {
  await db.query('select pg_advisory_xact_lock($1)', [AUDIT_LOCK]);
  const [row] = await db.query<AuditRow>('select * from operator_audit order by id desc limit 1');
  return row ?? null;
}

export async function auditInsert(db: Db, row: AuditRow): Promise<void> {
  await db.query(
    'insert into operator_audit (id, at, actor, origin, action, target, result, hash) values ($1, $2, $3, $4, $5, $6, $7, $8)',
    [row.id, row.at, row.actor, row.origin, row.action, row.target, row.result, row.hash],
  );
}

/** The latest first, those before `before`. */
export const auditBefore = (db: Db, before: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where id < $1 order by id desc limit $2', [before, limit]);

/** In order, those after `after`. */
export const auditAfter = (db: Db, after: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where id > $1 order by id limit $2', [after, limit]);
