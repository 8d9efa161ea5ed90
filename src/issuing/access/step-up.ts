// Step-up: a one-time code by SMS makes a session good again, and allows it more (docs/contract/issuing.md#authentication).
// Rule: a wrong try is counted by the commit that rejects it; the code itself is kept as a keyed hash only.

import { timingSafeEqual } from 'node:crypto';
import { addMs } from '../../base/index.ts';
import { type RefusalCode, type RejectionCode, refuse } from '../fields/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { messageWrite, oneTimeCode } from './messages.ts';
import type { Challenge, Session } from './model.ts';
import { challengePut, sessionLock, sessionSteppedUp } from './queries.ts';
import { isIdle } from './sessions.ts';

const VALID_MS = 5 * 60_000;
const RESEND_MS = 15_000;
const MOST_TRIES = 3;
/** Codes of one session within an hour. */
const MOST_SENDS = 5;
const SENDS_MS = 3_600_000;

const hashOf = (deps: Pick<IssuingDeps, 'vault'>, session: Session, code: string): string =>
  deps.vault.keyed('step_up.code', `${session.tokenHash}/${code}`).toString('hex');

/** Why no further code may be sent now; null: it may. */
export function sendRefusal(challenge: Challenge | null, now: Date): RefusalCode | null {
  if (!challenge) return null;
  if (addMs(new Date(challenge.sentAt), RESEND_MS) > now) return 'RETRY_IN_15SEC';
  return recentSends(challenge, now).length >= MOST_SENDS ? 'CHALLENGE_LIMIT_EXCEEDED' : null;
}

const recentSends = (challenge: Challenge | null, now: Date): string[] =>
  (challenge?.sends ?? []).filter((at) => addMs(new Date(at), SENDS_MS) > now);

/** Sends a code to the user's mobile. */
export async function sendCode(deps: IssuingDeps, session: Session, channel: string): Promise<void> {
  if (channel !== 'SMS' || !deps.sandbox) throw refuse('CHANNEL_NOT_SUPPORTED');
  const { mobile } = session.user;
  if (mobile === null) throw refuse('CHANNEL_NOT_REGISTERED');
  const now = deps.clock.now();
  await deps.db.transaction(async (db) => {
    const row = await sessionLock(db, session.tenant.id, session.tokenHash);
    const refused = sendRefusal(row?.challenge ?? null, now);
    if (!row || refused) throw refuse(refused ?? 'ACCESS_TOKEN_REQUIRED');
    const code = oneTimeCode(deps, deps.random);
    const sentAt = now.toISOString();
    await challengePut(db, row.tenant_id, row.token_hash, {
      codeHash: hashOf(deps, session, code),
      sentAt,
      tries: 0,
      sends: [...recentSends(row.challenge, now), sentAt],
    });
    const text = `${code} is your code for ${session.tenant.name}. It is valid for 5 minutes.`;
    await messageWrite(deps, db, { tenantId: session.tenant.id, channel: 'SMS', recipient: mobile, text });
  });
}

/** What a code does to a session that waits for one. */
export function codeRefusal(challenge: Challenge | null, steppedUp: boolean, now: Date): RefusalCode | null {
  if (!challenge) return steppedUp ? 'ALREADY_VERIFIED' : 'STATE_INVALID';
  if (challenge.tries >= MOST_TRIES) return 'CHALLENGE_LIMIT_EXCEEDED';
  return addMs(new Date(challenge.sentAt), VALID_MS) <= now ? 'VERIFICATION_CODE_EXPIRED' : null;
}

/** Checks a code; with the right one, null: the session is stepped up and its idle clock starts anew. */
export async function verifyCode(
  deps: Pick<IssuingDeps, 'clock' | 'db' | 'vault'>,
  session: Session,
  code: string,
): Promise<RejectionCode | null> {
  const now = deps.clock.now();
  return deps.db.transaction(async (db): Promise<RejectionCode | null> => {
    const row = await sessionLock(db, session.tenant.id, session.tokenHash);
    if (!row) throw refuse('ACCESS_TOKEN_REQUIRED');
    const { challenge } = row;
    const standing = codeRefusal(challenge, row.stepped_up_at !== null && !isIdle(row, now), now);
    if (standing || !challenge) throw refuse(standing ?? 'STATE_INVALID');
    const given = Buffer.from(hashOf(deps, session, code), 'hex');
    if (!timingSafeEqual(given, Buffer.from(challenge.codeHash, 'hex'))) {
      await challengePut(db, row.tenant_id, row.token_hash, { ...challenge, tries: challenge.tries + 1 });
      return 'VERIFICATION_CODE_INVALID';
    }
    await sessionSteppedUp(db, row.tenant_id, row.token_hash, now);
    return null;
  });
}
