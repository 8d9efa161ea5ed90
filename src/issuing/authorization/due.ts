// Holds that end by themselves. Rule: a hold is released once, whoever finds it due first.
import type { Db } from '../../store/index.ts';
import type { Issuer } from '../issuer/index.ts';
import { expire } from './life.ts';
import { authorizationsExpired, nextExpiryAt } from './queries.ts';

const BATCH = 500;

/** Releases what is due by now; how many. */
export async function expiryDue(issuer: Issuer, now: Date): Promise<number> {
  let released = 0;
  for (;;) {
    const rows = await authorizationsExpired(issuer.db, now, BATCH);
    const done = await Promise.all(rows.map(({ tenant_id, id }) => expire(issuer, tenant_id, id, 'due')));
    const moved = done.filter(Boolean).length;
    released += moved;
    if (moved === 0) return released;
  }
}

export const nextAuthorizationDueAt = (db: Db): Promise<Date | null> => nextExpiryAt(db);
