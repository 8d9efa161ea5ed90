// Sessions and their two clocks (docs/contract/issuing.md#authentication): idle 5 minutes, restarted by each call and revived by a step-up;
// absolute 24 hours. Rule: a token is 256 random bits behind its tenant's id, and only its keyed hash is stored.

import { addMs } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import { refuse } from '../fields/index.ts';
import { type Identity, identityRead, type User, userRead } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { Tenant } from '../tenants/index.ts';
import type { Session, SessionRow } from './model.ts';
import { sessionEnd, sessionInsert, sessionRead, sessionsPurge, sessionUsed } from './queries.ts';

const IDLE_MS = 5 * 60_000;
const ABSOLUTE_MS = 24 * 3_600_000;
/** Calls closer together than this don't restart the idle clock: one write a second a session is enough. */
const TOUCH_MS = 1000;

const hashOf = (deps: Pick<IssuingDeps, 'vault'>, token: string): string =>
  deps.vault.keyed('session.token', token).toString('hex');

/** `olderBy`: as if it were that old and never used since (the sandbox's list of scenarios shows what ended sessions answer). */
export async function sessionCreate(
  deps: Pick<IssuingDeps, 'clock' | 'db' | 'permutation' | 'random' | 'vault'>,
  user: Pick<User, 'tenant_id' | 'id' | 'identity_id'>,
  olderByMs = 0,
  db: Db = deps.db,
): Promise<string> {
  const bytes = Buffer.alloc(40);
  bytes.writeBigUInt64BE(BigInt(deps.permutation.outward(user.tenant_id)));
  deps.random.bytes(32).copy(bytes, 8);
  const token = bytes.toString('base64url');
  const at = addMs(deps.clock.now(), -olderByMs);
  await sessionInsert(db, {
    tenant_id: user.tenant_id,
    token_hash: hashOf(deps, token),
    user_id: user.id,
    identity_id: user.identity_id,
    created_at: at,
    used_at: at,
    stepped_up_at: null,
    ended_at: null,
    challenge: null,
  });
  return token;
}

/** The tenant that a token says it is of; null: no token in form. */
function ownerOf(deps: Pick<IssuingDeps, 'permutation'>, token: string): bigint | null {
  if (!/^[\w-]{54}$/.test(token)) return null;
  return deps.permutation.inward(Buffer.from(token, 'base64url').readBigUInt64BE().toString());
}

async function rowOf(
  deps: Pick<IssuingDeps, 'permutation' | 'readRow' | 'vault'>,
  tenant: Tenant,
  token: string,
): Promise<SessionRow> {
  const owner = ownerOf(deps, token);
  const row = owner === null ? null : await sessionRead(deps.readRow, owner, hashOf(deps, token));
  if (!row) throw refuse('ACCESS_TOKEN_REQUIRED');
  if (row.tenant_id !== tenant.id) throw refuse('UNAUTHORIZED');
  return row;
}

/** A revived session may be idle: only step-up and logout take one. */
export type Idle = 'refused' | 'allowed';

/** The session of a token. Refuses with UNAUTHORIZED (another tenant's), ACCESS_TOKEN_REQUIRED or STEP_UP_REQUIRED. */
export async function sessionOf(
  deps: Pick<IssuingDeps, 'clock' | 'db' | 'permutation' | 'readRow' | 'vault'>,
  tenant: Tenant,
  token: string,
  idle: Idle,
): Promise<Session> {
  const row = await rowOf(deps, tenant, token);
  const now = deps.clock.now();
  const [user, identity]: [User | null, Identity | null] = await Promise.all([
    userRead(deps.readRow, tenant.id, row.user_id),
    identityRead(deps.readRow, tenant.id, row.identity_id),
  ]);
  if (row.ended_at !== null || addMs(row.created_at, ABSOLUTE_MS) <= now || !user?.active || !identity?.active)
    throw refuse('ACCESS_TOKEN_REQUIRED');
  if (isIdle(row, now)) {
    if (idle === 'refused') throw refuse('STEP_UP_REQUIRED');
  } else if (now.getTime() - row.used_at.getTime() >= TOUCH_MS) {
    await sessionUsed(deps.db, tenant.id, row.token_hash, now);
  }
  return { tenant, identity, user, tokenHash: row.token_hash, steppedUp: row.stepped_up_at !== null };
}

export const isIdle = ({ used_at }: SessionRow, now: Date): boolean => addMs(used_at, IDLE_MS) <= now;

export const logout = (deps: Pick<IssuingDeps, 'clock' | 'db'>, session: Session): Promise<void> =>
  sessionEnd(deps.db, session.tenant.id, session.tokenHash, deps.clock.now());

export const purgeSessions = (deps: Pick<IssuingDeps, 'clock' | 'db'>): Promise<void> =>
  sessionsPurge(deps.db, addMs(deps.clock.now(), -2 * ABSOLUTE_MS));
