// Wrong credentials, as the audit log tells them.
// Rule: a flood of them is a handful of rows: what comes while a row is being written is counted, and becomes one row for each address.
import type { Clock, Log } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import type { Keyed } from '../projects/index.ts';
import { auditAppend } from './audit.ts';

/** More addresses than this at once are told of as one. */
const MAX_WAITING = 1000;

export interface RefusalsOptions {
  readonly database: { transaction<Value>(work: (db: Db) => Promise<Value>): Promise<Value> };
  readonly keyed: Keyed;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps the writing until shutdown. */
  readonly background: (work: Promise<unknown>) => void;
}

/**
 * Takes note of a refused login: from which address, and at which API. Never under which name: people mistake the field for the secret's.
 * Answers at once.
 */
export function auditRefusals({ database, keyed, clock, log, background }: RefusalsOptions) {
  const waiting = new Map<string, { readonly origin: string; readonly target: string; times: number }>();
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    try {
      while (waiting.size > 0) {
        const noted = [...waiting.values()];
        waiting.clear();
        const at = clock.now();
        await database.transaction(async (db) => {
          for (const { origin, target, times } of noted) {
            const result = times === 1 ? 'unauthenticated' : `unauthenticated, ${times} times`;
            await auditAppend(db, keyed, { actor: 'unknown', origin, action: 'login', target }, result, at);
          }
        });
      }
    } catch (error) {
      log.error({ err: error }, 'refused logins could not be audited');
    } finally {
      writing = false;
    }
  }

  return function refused(address: string, target: 'operator' | 'gateway' | 'issuing'): void {
    const origin = waiting.size < MAX_WAITING ? address : 'many';
    const key = `${target} ${origin}`;
    const known = waiting.get(key);
    if (known) known.times++;
    else waiting.set(key, { origin, target, times: 1 });
    if (!writing) background(write());
  };
}
