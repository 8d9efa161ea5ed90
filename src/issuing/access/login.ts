// Login with e-mail and password. Rule: nothing of the answer or its time tells whether an e-mail address is known here: an unknown one
// costs the same work and is locked after the same number of wrong tries.

import { addMs } from '../../base/index.ts';
import { refuse } from '../fields/index.ts';
import { identityHeld, loginOf, loginTried, type User, userGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { type Tenant, tenantOpen } from '../tenants/index.ts';
import { sessionCreate } from './sessions.ts';

const MOST_FAILURES = 5;
const LOCKED_MS = 30 * 60_000;
/** Unknown addresses that are remembered; a larger number forgets the oldest. */
const MOST_UNKNOWN = 10_000;

export interface LoggedIn {
  readonly token: string;
  readonly user: User;
  readonly identityType: 'consumer' | 'corporate';
}

interface Failures {
  readonly count: number;
  readonly lockedUntil: Date | null;
}

/** One a server: it remembers the wrong tries with addresses that nobody has. */
export function createLogin(deps: IssuingDeps): (tenant: Tenant, email: string, password: string) => Promise<LoggedIn> {
  const unknown = new Map<string, Failures>();

  function failUnknown(tenant: Tenant, email: string): void {
    const key = `${tenant.id}/${email}`;
    const now = deps.clock.now();
    const before = unknown.get(key);
    if (before?.lockedUntil && before.lockedUntil > now) throw refuse('LOGIN_LOCKED');
    const count = (before && !before.lockedUntil ? before.count : 0) + 1;
    unknown.delete(key);
    if (unknown.size >= MOST_UNKNOWN) unknown.delete(unknown.keys().next().value as string);
    unknown.set(key, { count, lockedUntil: count >= MOST_FAILURES ? addMs(now, LOCKED_MS) : null });
  }

  return async function login(tenant, email, password) {
    const found = await loginOf(deps.db, tenant.id, email.trim().toLowerCase());
    const right = await deps.passwords.matches(tenant.id, found?.password ?? null, password);
    const now = deps.clock.now();
    if (!found) {
      failUnknown(tenant, email.trim().toLowerCase());
      throw refuse('UNAUTHORIZED');
    }
    const key = { tenantId: tenant.id, id: found.id };
    const trying = { right, now, most: MOST_FAILURES, until: addMs(now, LOCKED_MS) };
    if (!right) {
      const counted = await deps.db.transaction((db) => loginTried(db, deps, key, trying));
      throw refuse(counted ? 'UNAUTHORIZED' : 'LOGIN_LOCKED');
    }
    // One with the try that it follows from, and with what lets the user in: who sets another password, deactivates user or identity, or
    // closes the tenant meanwhile ends what begins here too, or it never begins.
    const begun = await deps.db.transaction(async (db): Promise<LoggedIn | 'deactivated' | null> => {
      if (!(await tenantOpen(db, tenant.id))) return null;
      const identity = await identityHeld(db, tenant.id, found.identity_id);
      if (!(await loginTried(db, deps, key, { ...trying, against: found.password }))) return null;
      const user = await userGet(db, tenant.id, found.id);
      if (!user?.active || !identity?.active) return 'deactivated';
      return { token: await sessionCreate(deps, user, 0, db), user, identityType: identity.type };
    });
    if (begun === null) {
      const { locked_until } = (await loginOf(deps.db, tenant.id, email.trim().toLowerCase())) ?? found;
      throw refuse(locked_until && locked_until > now ? 'LOGIN_LOCKED' : 'UNAUTHORIZED');
    }
    if (begun === 'deactivated') throw refuse('USER_DEACTIVATED');
    return begun;
  };
}
