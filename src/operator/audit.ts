// Who did what to which part of the installation, from where, with what result (PCI DSS 10.2, 10.3).
// Rule: each owner has a chain of its own, in which a row covers the hash of the row before it, so that none can be changed or taken out of
// the middle unnoticed (proof.ts; ends of chains: anchors.ts).
import { assert } from '../base/index.ts';
import type { Command, Committer, Transaction } from '../store/index.ts';
import { type AuditEnd, type AuditRow, auditAdd, auditEnd, auditEndKind, auditInsert } from './queries.ts';

/** HMAC-SHA-256 under a key of the vault that serves this purpose only. */
export type Keyed = (purpose: string, data: string) => Buffer;

/** What is done, before it is known how it ends. No field may hold a secret. */
export interface Action {
  /** In whose chain: a project's or tenant's; null or left out: the installation's. */
  readonly owner?: bigint | null;
  readonly actor: string;
  /** The address that the request came from. */
  readonly origin: string;
  /** `terminal.put` */
  readonly action: string;
  /** `sandbox/1` */
  readonly target: string;
}

/** Whose chain it is that belongs to no project and no tenant. */
export const INSTALLATION = 0n;

/** Appends to the owner's chain; commits with the change that it tells of. `result`: `done`, or why it was not. */
export async function auditAppend(
  db: Transaction,
  keyed: Keyed,
  action: Action,
  result: string,
  at: Date,
): Promise<void> {
  const end = await auditEnd(db, action.owner ?? INSTALLATION);
  await auditAdd(db, rowBehind(end, keyed, action, result, at));
}

function rowBehind(
  { head, id }: AuditEnd,
  keyed: Keyed,
  { actor, origin, action, target }: Action,
  result: string,
  at: Date,
): AuditRow {
  const sequence = head.sequence + 1n;
  const row = { owner_id: head.owner_id, sequence, id, at, actor, origin, action, target, result };
  return { ...row, hash: hashOf(keyed, row, head.sequence === 0n ? null : head.hash) };
}

/** What a decision rejects is a value with this member, whatever it wrote to remember the rejection. */
const isRejected = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'rejected' in value && Boolean(value.rejected);

export interface AuditingCommitter extends Committer {
  /** Whether a command has told of the action. */
  readonly audited: boolean;
}

/** A committer whose first command that does something commits the row `done` of the action with it, in the chain of its owner. */
export function auditingCommitter(committer: Committer, keyed: Keyed, action: Action) {
  let audited = false;
  function telling<Value>(command: Command<Value>): Command<readonly [Value, boolean]> {
    const owner = command.owner ?? INSTALLATION;
    return {
      ...command,
      needs: [...command.needs, { kind: auditEndKind, key: owner }],
      decide(loaded, told) {
        const { value, changes } = command.decide(loaded, told);
        if (changes.length === 0 || isRejected(value)) return { value: [value, false], changes };
        const end = loaded.get(auditEndKind, owner);
        assert(end, 'the end of a chain is there as soon as it is needed');
        return {
          value: [value, true],
          changes: [...changes, ...auditInsert(rowBehind(end, keyed, action, 'done', told.now))],
        };
      },
    };
  }
  const auditing: AuditingCommitter = {
    ...committer,
    get audited() {
      return audited;
    },
    async submit(command) {
      if (audited || command.prepares) return committer.submit(command);
      const [value, tells] = await committer.submit(telling(command));
      audited ||= tells;
      return value;
    },
  };
  return auditing;
}

/** What a row's hash must be behind the hash `before`; null: it is the first of its chain. */
export function hashOf(keyed: Keyed, row: Omit<AuditRow, 'hash'>, before: Buffer | null): Buffer {
  const { owner_id, sequence, id, at, actor, origin, action, target, result } = row;
  return keyed(
    'operator_audit',
    JSON.stringify([
      before?.toString('hex') ?? null,
      owner_id.toString(),
      sequence.toString(),
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
