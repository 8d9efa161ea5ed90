// Who did what to which part of the installation, from where, with what result (PCI DSS 10.2, 10.3).
// Rule: a row covers the hash of the row before it, so that none can be changed or taken out of the middle unnoticed.
import type { Db } from '../../store/index.ts';
import type { Keyed } from '../projects/index.ts';
import { type AuditRow, auditAfter, auditInsert, auditLast } from './queries.ts';

/** What is done, before it is known how it ends. No field may hold a secret. */
export interface Action {
  readonly actor: string;
  /** The address that the request came from. */
  readonly origin: string;
  /** `terminal.put` */
  readonly action: string;
  /** `sandbox/1` */
  readonly target: string;
}

/** Appends to the chain; commits with the change that it tells of. `result`: `done`, or why it was not. */
export async function auditAppend(db: Db, keyed: Keyed, action: Action, result: string, at: Date): Promise<void> {
  const last = await auditLast(db);
  const row = { id: (last?.id ?? 0n) + 1n, at, ...action, result };
  await auditInsert(db, { ...row, hash: hashOf(keyed, row, last?.hash ?? null) });
}

function hashOf(keyed: Keyed, row: Omit<AuditRow, 'hash'>, before: Buffer | null): Buffer {
  const { id, at, actor, origin, action, target, result } = row;
  return keyed(
    'operator_audit',
    JSON.stringify([
      before?.toString('hex') ?? null,
      id.toString(),
      at.toISOString(),
      actor,
      origin,
      action,
      target,
      result,
    ]),
  );
}

const PAGE = 1000;

/** Ids of rows that don't follow from the row before them: changed, put in, or behind one that is missing. */
export async function auditViolations(db: Db, keyed: Keyed): Promise<bigint[]> {
  const violations: bigint[] = [];
  let before: AuditRow | null = null;
  for (;;) {
    const rows: AuditRow[] = await auditAfter(db, before?.id ?? 0n, PAGE);
    for (const row of rows) {
      const follows = row.id === (before?.id ?? 0n) + 1n && row.hash.equals(hashOf(keyed, row, before?.hash ?? null));
      if (!follows) violations.push(row.id);
      before = row;
    }
    if (rows.length < PAGE) return violations;
  }
}
