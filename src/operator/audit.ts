// Who did what to which part of the installation, from where, with what result (PCI DSS 10.2, 10.3).
// Rule: a row covers the hash of the row before it, so that none can be changed or taken out of the middle unnoticed.
import type { Command, Committer, Db, Transaction } from '../store/index.ts';
import { type AuditRow, auditAdd, auditAfter, auditInsert, auditLast, auditLastKind } from './queries.ts';

/** HMAC-SHA-256 under a key of the vault that serves this purpose only. */
export type Keyed = (purpose: string, data: string) => Buffer;

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
export async function auditAppend(
  db: Transaction,
  keyed: Keyed,
  action: Action,
  result: string,
  at: Date,
): Promise<void> {
  await auditAdd(db, rowBehind(await auditLast(db), keyed, action, result, at));
}

function rowBehind(last: AuditRow | null, keyed: Keyed, action: Action, result: string, at: Date): AuditRow {
  const row = { id: (last?.id ?? 0n) + 1n, at, ...action, result };
  return { ...row, hash: hashOf(keyed, row, last?.hash ?? null) };
}

/** What a decision refuses is a value with this member, whatever it wrote to remember the refusal. */
const isRefused = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'refused' in value && Boolean(value.refused);

export interface AuditingCommitter extends Committer {
  /** Whether a command has told of the action. */
  readonly audited: boolean;
}

/** A committer whose first command that does something commits the row `done` of the action with it. */
export function auditingCommitter(committer: Committer, keyed: Keyed, action: Action) {
  let audited = false;
  const telling = <Value>(command: Command<Value>): Command<readonly [Value, boolean]> => ({
    ...command,
    needs: [...command.needs, { kind: auditLastKind, key: null }],
    decide(loaded, told) {
      const { value, changes } = command.decide(loaded, told);
      if (changes.length === 0 || isRefused(value)) return { value: [value, false], changes };
      const row = rowBehind(loaded.get(auditLastKind, null) ?? null, keyed, action, 'done', told.now);
      return { value: [value, true], changes: [...changes, auditInsert(row)] };
    },
  });
  const auditing: AuditingCommitter = {
    ...committer,
    get audited() {
      return audited;
    },
    async submit(command) {
      if (audited) return committer.submit(command);
      const [value, tells] = await committer.submit(telling(command));
      audited ||= tells;
      return value;
    },
  };
  return auditing;
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
