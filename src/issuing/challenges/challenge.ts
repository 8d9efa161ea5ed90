// 3-D Secure of cards that are issued here (docs/contract/issuing.md#3-d-secure-of-issued-cards): whether a cardholder is asked, by which
// channel, and what became of it. Rule: a code is good for one payment: its amount and merchant stand in the challenge that it belongs to.
import { timingSafeEqual } from 'node:crypto';
import { addMs, formatAmount, type Money, type Pan } from '../../base/index.ts';
import { messageWrite, oneTimeCode } from '../access/index.ts';
import { type Card, cardGet, cardOfFingerprint, expiryMoment } from '../cards/index.ts';
import { factorsOf, type User, userGet } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import type { AuthChannel } from '../tenants/index.ts';
import {
  type ChallengeRow,
  challengeGet,
  challengeOwner,
  challengesOverdue,
  challengesPurge,
  challengeTry,
} from './queries.ts';
import { challengeEnded, challengeMade, challengeSent, type TellingDeps } from './write.ts';

const VALID_MS = 5 * 60_000;
const RESEND_MS = 15_000;
const MOST_TRIES = 3;
const MOST_SENDS = 4;

export interface Payment {
  readonly pan: Pan;
  readonly amount: Money;
  readonly merchantName: string;
  /** The merchant wants the cardholder asked. */
  readonly forced: boolean;
}

/** A challenge as 3-D Secure names it: whose it is, and its id as shown outside. */
export interface ChallengeName {
  readonly owner: string;
  readonly id: string;
}

export interface ShownChallenge extends ChallengeName {
  readonly channel: AuthChannel;
  /** Masked; null: nothing was sent. */
  readonly sentTo: string | null;
  readonly fallback: 'OTP_SMS' | null;
}

export type Enrolment =
  | { readonly kind: 'not_enrolled' | 'refused' | 'frictionless' }
  | { readonly kind: 'challenge'; readonly challenge: ShownChallenge };

/** How the cardholder can be asked: the channels in their order, and where an SMS goes. */
export interface Ways {
  readonly channels: readonly AuthChannel[];
  readonly mobile: string | null;
}

/** Pure. `linked`: the authorised user of threeDSecureAuthConfig with his factors; null: none is named, or he is gone. */
export function waysOf(
  card: Pick<Card, 'mobile' | 'details'>,
  linked: { readonly user: User; readonly factors: readonly AuthChannel[] } | null,
): Ways {
  const { threeDs } = card.details;
  if (!threeDs) return { channels: card.mobile === null ? [] : ['OTP_SMS'], mobile: card.mobile };
  const mobile = linked?.user.active ? linked.user.mobile : null;
  const wanted: readonly AuthChannel[] = threeDs.fallbackChannel
    ? [threeDs.primaryChannel, threeDs.fallbackChannel]
    : [threeDs.primaryChannel];
  const usable = (channel: AuthChannel): boolean =>
    channel === 'OTP_SMS' ? mobile !== null : linked?.user.active === true && linked.factors.includes(channel);
  return { channels: wanted.filter(usable), mobile };
}

const maskedMobile = (mobile: string): string =>
  `${mobile.slice(0, 4)}${'*'.repeat(Math.max(0, mobile.length - 7))}${mobile.slice(-3)}`;

const hashOf = (deps: Pick<IssuingDeps, 'vault'>, row: Pick<ChallengeRow, 'tenant_id' | 'id'>, code: string): string =>
  deps.vault.keyed('card.challenge', `${row.tenant_id}/${row.id}/${code}`).toString('hex');

const shown = (deps: Pick<IssuingDeps, 'permutation'>, row: ChallengeRow, fallback: boolean): ShownChallenge => ({
  owner: row.tenant_id.toString(),
  id: deps.permutation.outward(row.id),
  channel: row.channel,
  sentTo: row.channel === 'OTP_SMS' && row.mobile !== null ? maskedMobile(row.mobile) : null,
  fallback: fallback ? 'OTP_SMS' : null,
});

const textFor = (row: Pick<ChallengeRow, 'amount' | 'currency' | 'merchant'>, code: string): string =>
  `${code} confirms your payment of ${formatAmount(row.amount, row.currency)} ${row.currency} at ${row.merchant}. Never tell it to anyone.`;

/** null: no card of ours. A challenge that is begun here is sent before this resolves. */
export async function enrol(deps: IssuingDeps, payment: Payment): Promise<Enrolment | null> {
  const place = await cardOfFingerprint(deps.db, deps.vault.fingerprint(payment.pan));
  const card = place && (await cardGet(deps.db, place.tenantId, place.id));
  if (!card) return null;
  const now = deps.clock.now();
  if (card.state !== 'ACTIVE' || expiryMoment(card.expires) <= now) return { kind: 'refused' };
  const profile = await deps.tenants.profile(card.tenant_id, card.profile_id);
  const { channels, mobile } = waysOf(card, await linkedOf(deps, card));
  const [channel] = channels;
  if (!channel) return { kind: 'not_enrolled' };
  const below = profile?.settings.threeDs.frictionlessBelow ?? 0;
  if (!payment.forced && payment.amount.currency === card.currency && payment.amount.minor < BigInt(below))
    return { kind: 'frictionless' };
  const bare: ChallengeRow = {
    tenant_id: card.tenant_id,
    id: deps.ids.next(),
    card_id: card.id,
    channel,
    state: 'PENDING',
    mobile,
    amount: payment.amount.minor,
    currency: payment.amount.currency,
    merchant: payment.merchantName.slice(0, 60),
    code_hash: null,
    tries: 0,
    sends: 0,
    events: 1,
    sent_at: now,
    expires_at: addMs(now, VALID_MS),
    created_at: now,
    updated_at: now,
  };
  const fallback = channels.length > 1;
  if (channel !== 'OTP_SMS' || mobile === null) {
    await deps.db.transaction((db) => challengeMade(db, deps, bare));
    return { kind: 'challenge', challenge: shown(deps, bare, fallback) };
  }
  const code = oneTimeCode(deps, deps.random);
  const row: ChallengeRow = { ...bare, code_hash: hashOf(deps, bare, code), sends: 1 };
  await deps.db.transaction(async (db) => {
    await challengeMade(db, deps, row);
    await messageWrite(deps, db, {
      tenantId: row.tenant_id,
      channel: 'SMS',
      recipient: mobile,
      text: textFor(row, code),
    });
  });
  return { kind: 'challenge', challenge: shown(deps, row, fallback) };
}

async function linkedOf(
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  card: Card,
): Promise<Parameters<typeof waysOf>[1]> {
  const id = card.details.threeDs && deps.permutation.inward(card.details.threeDs.linkedUserId);
  const user = id === null ? null : await userGet(deps.db, card.tenant_id, id);
  return user && { user, factors: await factorsOf(deps.db, user.tenant_id, user.id) };
}

const rowOf = async (
  deps: Pick<IssuingDeps, 'db' | 'permutation'>,
  { owner, id: shownId }: ChallengeName,
): Promise<ChallengeRow | null> => {
  const id = deps.permutation.inward(shownId);
  return id === null ? null : challengeGet(deps.db, { tenantId: BigInt(owner), id });
};

/** As it stands now, of one that was read before. */
const again = (deps: Pick<IssuingDeps, 'db'>, { tenant_id, id }: ChallengeRow): Promise<ChallengeRow | null> =>
  challengeGet(deps.db, { tenantId: tenant_id, id });

/** Where a challenge stands; one whose time is over, or whose user was deactivated, ends here. An unknown one has failed. */
export async function stateOf(deps: TellingDeps, name: ChallengeName): Promise<ChallengeRow['state']> {
  const row = await rowOf(deps, name);
  return row ? current(deps, row) : 'FAILED';
}

async function current(deps: TellingDeps, row: ChallengeRow): Promise<ChallengeRow['state']> {
  const now = deps.clock.now();
  if (row.state !== 'PENDING') return row.state;
  const ended = row.expires_at <= now ? 'EXPIRED' : (await isForbidden(deps, row)) ? 'FAILED' : null;
  if (ended === null) return 'PENDING';
  if (await challengeEnded(deps, row, ended, now)) return ended;
  return (await again(deps, row))?.state ?? ended;
}

/** The user who is asked in the cardholder's place may not answer any more. */
async function isForbidden(deps: Pick<IssuingDeps, 'db' | 'permutation'>, row: ChallengeRow): Promise<boolean> {
  const card = await cardGet(deps.db, row.tenant_id, row.card_id);
  return !card || (card.details.threeDs !== null && !(await linkedOf(deps, card))?.user.active);
}

/** PENDING: the code was wrong, and another may be tried. The last wrong one ends the challenge. */
export async function checkCode(
  deps: TellingDeps & Pick<IssuingDeps, 'vault'>,
  name: ChallengeName,
  code: string,
): Promise<ChallengeRow['state']> {
  const row = await rowOf(deps, name);
  if (!row) return 'FAILED';
  const state = await current(deps, row);
  if (state !== 'PENDING' || row.code_hash === null) return state;
  const now = deps.clock.now();
  const right = timingSafeEqual(Buffer.from(hashOf(deps, row, code), 'hex'), Buffer.from(row.code_hash, 'hex'));
  if (right && row.tries < MOST_TRIES) {
    if (await challengeEnded(deps, row, 'PASSED', now)) return 'PASSED';
    return (await again(deps, row))?.state ?? 'FAILED';
  }
  const tries = await challengeTry(deps.db, row, now);
  if (tries !== null && tries < MOST_TRIES) return 'PENDING';
  await challengeEnded(deps, row, 'FAILED', now);
  return (await again(deps, row))?.state ?? 'FAILED';
}

async function sendCode(deps: IssuingDeps, row: ChallengeRow): Promise<ChallengeRow | null> {
  const { mobile } = row;
  if (mobile === null) return null;
  const now = deps.clock.now();
  const code = oneTimeCode(deps, deps.random);
  return deps.db.transaction(async (db) => {
    const sent = await challengeSent(db, deps, row, {
      codeHash: hashOf(deps, row, code),
      sentAt: now,
      expiresAt: addMs(now, VALID_MS),
    });
    if (sent)
      await messageWrite(deps, db, {
        tenantId: row.tenant_id,
        channel: 'SMS',
        recipient: mobile,
        text: textFor(row, code),
      });
    return sent;
  });
}

/** Another code; not within 15 seconds of the last, and not without end. */
export async function resend(deps: IssuingDeps, name: ChallengeName): Promise<'sent' | 'too_early' | 'no_more'> {
  const row = await rowOf(deps, name);
  if (row?.channel !== 'OTP_SMS' || row.sends >= MOST_SENDS || (await current(deps, row)) !== 'PENDING')
    return 'no_more';
  if (addMs(row.sent_at, RESEND_MS) > deps.clock.now()) return 'too_early';
  return (await sendCode(deps, row)) ? 'sent' : 'too_early';
}

/** From the first channel to a code by SMS; null when the challenge is over or there is no telephone. */
export async function fallBack(deps: IssuingDeps, name: ChallengeName): Promise<ShownChallenge | null> {
  const row = await rowOf(deps, name);
  if (!row || row.channel === 'OTP_SMS' || (await current(deps, row)) !== 'PENDING') return null;
  const sent = await sendCode(deps, row);
  return sent && shown(deps, sent, false);
}

/** The cardholder's device answers; false when the challenge waits for no device. */
export async function answerFromDevice(
  deps: TellingDeps,
  id: string,
  result: 'success' | 'invalid' | 'expired',
): Promise<boolean | null> {
  const inward = deps.permutation.inward(id);
  const tenantId = inward === null ? null : await challengeOwner(deps.db, inward);
  const row = inward === null || tenantId === null ? null : await challengeGet(deps.db, { tenantId, id: inward });
  if (!row) return null;
  if (row.channel === 'OTP_SMS' || (await current(deps, row)) !== 'PENDING') return false;
  const state = ({ success: 'PASSED', invalid: 'FAILED', expired: 'EXPIRED' } as const)[result];
  return challengeEnded(deps, row, state, deps.clock.now());
}

const KEPT_MS = 30 * 86_400_000;
const MOST_ENDED = 500;

/** Ends what nobody answered in time, so that it is told, and deletes what is long over. */
export async function endChallenges(deps: TellingDeps): Promise<void> {
  const now = deps.clock.now();
  for (const row of await challengesOverdue(deps.db, now, MOST_ENDED))
    await challengeEnded(deps, row, 'EXPIRED', now, true);
  await challengesPurge(deps.db, addMs(now, -KEPT_MS));
}
