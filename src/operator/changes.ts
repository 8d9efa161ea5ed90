// How anything is changed for an operator: together with the row of the audit log that tells of it, or not at all.
// Rule: in a transaction of its own the row is the last that is written, and the lock on the owner's chain the last that is taken; a command
// takes the lock with all its others, in their order.
import { type Clock, type Log, Refusal } from '../base/index.ts';
import { type AuditEntry, type Changes, Failure, type OperatorAsks } from '../http/index.ts';
import { type Committer, OutcomeUnknown, type Transaction } from '../store/index.ts';
import { type Action, auditAppend, auditingCommitter, type Keyed } from './audit.ts';

export interface ChangesOptions {
  readonly database: { transaction<Value>(work: (db: Transaction) => Promise<Value>): Promise<Value> };
  readonly committer: Committer;
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly log: Log;
}

async function actionOf(
  { principal, remoteAddress }: OperatorAsks,
  { owner, action, target }: AuditEntry,
): Promise<Action> {
  const whose = typeof owner === 'function' ? await owner().catch(() => null) : owner;
  return { owner: whose, actor: principal.name, origin: remoteAddress, action, target };
}

export function createChanges({ database, committer, keyed, clock, log }: ChangesOptions): Changes {
  const append = (action: Action, result: string): Promise<void> =>
    database.transaction((db) => auditAppend(db, keyed, action, result, clock.now()));

  function resultOf(error: unknown): string {
    if (error instanceof Refusal) return error.code;
    if (error instanceof Failure) return error.detail.code ?? error.kind;
    // There may be a row `done` beside this one: then it was done.
    return error instanceof OutcomeUnknown ? 'unknown' : 'failed';
  }

  /** What `work` refuses, or fails in, is told in a row of its own. */
  async function telling<Value>(action: Action, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      const result = resultOf(error);
      await append(action, result).catch((cause: unknown) =>
        log.error({ err: cause, action: action.action, result }, 'an operator action could not be audited'),
      );
      throw error;
    }
  }

  return {
    async inTransaction(asks, entry, work, refresh) {
      const action = await actionOf(asks, entry);
      return telling(action, async () => {
        try {
          return await database.transaction(async (db) => {
            const value = await work(db);
            await auditAppend(db, keyed, action, 'done', clock.now());
            return value;
          });
        } finally {
          // Also after a failure: a COMMIT without answer may have taken effect.
          await refresh?.().catch((cause: unknown) =>
            log.error({ err: cause, action: action.action }, 'what is kept in memory could not be renewed'),
          );
        }
      });
    },
    async byCommands(asks, entry, work) {
      const action = await actionOf(asks, entry);
      return telling(action, async () => {
        const auditing = auditingCommitter(committer, keyed, action);
        const value = await work(auditing);
        // Nothing had to be changed: there is no commit that the row could be a part of.
        if (!auditing.audited) await append(action, 'done');
        return value;
      });
    },
  };
}
