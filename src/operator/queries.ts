// The audit log of operators; no other file names its table. Rows are only ever added: the table refuses anything else.
import {
  type Change,
  type Db,
  followRow,
  insert,
  type Kind,
  statementsFor,
  type Transaction,
  table,
} from '../store/index.ts';

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

const operatorAudit = table<AuditRow>(
  'operator_audit',
  {
    id: 'int8',
    at: 'timestamptz',
    actor: 'text',
    origin: 'text',
    action: 'text',
    target: 'text',
    result: 'text',
    hash: 'bytea',
  },
  ['id'],
);

/** For a command whose commit the row belongs to. */
export const auditInsert = (row: AuditRow): Change => insert(operatorAudit, row);

/** Held until commit by whoever appends: the row behind it needs its hash. */
const AUDIT_LOCK = 4_850_217_330_071n;
const LOCK = 'select pg_advisory_xact_lock($1)';
const LAST = 'select * from operator_audit order by id desc limit 1';

/** The last row, which nobody else can append to before this transaction ends; null: there is none. */
export async function auditLast(db: Transaction): Promise<AuditRow | null> {
  await db.query(LOCK, [AUDIT_LOCK]);
  const [row] = await db.query<AuditRow>(LAST);
  return row ?? null;
}

/** The one chain that there is. */
const CHAIN = 'chain';

/** The same for commands. By its name the last that a group loads; behind it come only the locks of what the group writes. */
export const auditLastKind: Kind<null, AuditRow> = {
  name: '~operator_audit',
  keyText: () => CHAIN,
  async load(db) {
    // Two statements: what the first has waited for, the second sees.
    const [, [row]] = await Promise.all([db.query(LOCK, [AUDIT_LOCK]), db.query<AuditRow>(LAST)]);
    return new Map(row ? [[CHAIN, row]] : []);
  },
  follows: [followRow(operatorAudit, () => CHAIN)],
};

export async function auditAdd(db: Transaction, row: AuditRow): Promise<void> {
  for (const { text, values } of statementsFor([auditInsert(row)])) await db.query(text, values);
}

/** The latest first, those before `before`. */
export const auditBefore = (db: Db, before: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where id < $1 order by id desc limit $2', [before, limit]);

/** In order, those after `after`. */
export const auditAfter = (db: Db, after: bigint, limit: number): Promise<AuditRow[]> =>
  db.query<AuditRow>('select * from operator_audit where id > $1 order by id limit $2', [after, limit]);
