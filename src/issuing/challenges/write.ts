// How a challenge changes: each change with the event that tells of it, in the transaction that makes it.
// Rule: the only way in which one reaches its table. Of two answers at once one moves it, and only that one is told.
import type { Permutation } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Db, Transaction } from '../../store/index.ts';
import { type IssuingDeps, toldNow } from '../requests/index.ts';
import { type ChallengeRow, challengeEnd, challengeInsert, challengeSend } from './queries.ts';

export type TellingDeps = Pick<IssuingDeps, 'clock' | 'db' | 'events' | 'ids' | 'permutation' | 'random'>;

/** As the simulator's list of a card's challenges shows it. */
export const challengeView = ({ outward }: Pick<Permutation, 'outward'>, row: ChallengeRow): object => ({
  id: outward(row.id),
  cardId: outward(row.card_id),
  channel: row.channel,
  state: row.state,
  amount: Number(row.amount),
  currency: row.currency,
  merchant: row.merchant,
  expiresAt: row.expires_at.toISOString(),
});

const challengeTold = (
  inside: Db,
  deps: TellingDeps,
  type: EventType<'challenge'>,
  before: ChallengeRow | null,
  after: ChallengeRow,
): Promise<void> =>
  deps.events.write(inside, toldNow(deps), {
    owner: after.tenant_id,
    type,
    resource: { type: 'challenge', id: after.id, sequence: after.events },
    object: challengeView(deps.permutation, after),
    before: before && challengeView(deps.permutation, before),
  });

/** A new challenge. */
export async function challengeMade(inside: Transaction, deps: TellingDeps, row: ChallengeRow): Promise<void> {
  await challengeInsert(inside, row);
  await challengeTold(inside, deps, 'challenge.created', null, row);
}

const ENDS: Readonly<Record<Exclude<ChallengeRow['state'], 'PENDING'>, EventType<'challenge'>>> = {
  PASSED: 'challenge.passed',
  FAILED: 'challenge.failed',
  EXPIRED: 'challenge.expired',
};

/** Ends a challenge that is pending, with `overdue` one whose time is still over; false when it was not. */
export const challengeEnded = (
  deps: TellingDeps,
  row: ChallengeRow,
  state: Exclude<ChallengeRow['state'], 'PENDING'>,
  at: Date,
  overdue = false,
): Promise<boolean> =>
  deps.db.transaction(async (inside) => {
    const after = await challengeEnd(inside, row, { state, at, overdue });
    // What was read before may be older than what was ended: since then another code may have gone out.
    if (after) await challengeTold(inside, deps, ENDS[state], { ...after, state: 'PENDING' }, after);
    return after !== null;
  });

/** Another code, or the first after a change to SMS; null when somebody else has sent one since. */
export async function challengeSent(
  inside: Transaction,
  deps: TellingDeps,
  row: ChallengeRow,
  sending: Parameters<typeof challengeSend>[2],
): Promise<ChallengeRow | null> {
  const after = await challengeSend(inside, row, sending);
  const type = row.channel === 'OTP_SMS' ? 'challenge.resent' : 'challenge.fell_back';
  if (after) await challengeTold(inside, deps, type, row, after);
  return after;
}
