// A message that asks for money: decided and held in one commit under the locks of card and funds; the tenant, if it wants to be asked,
// is asked after that commit (forwarded.ts). Rule: a repeated reference is answered as before and changes nothing.
import { type NetworkAnswer, type NetworkRequest, rrnOf } from '../../network/index.ts';
import type { Change, Command, Loaded, Told } from '../../store/index.ts';
import { accountKind, fundsKind, needAccount, needFunds } from '../accounts/index.ts';
import { type Card, cardKind, cardWritten, fundsLoaded, needCard } from '../cards/index.ts';
import {
  type Demand,
  decide,
  MOST_WRONG_PINS,
  REASONS,
  type Reason,
  type State,
  type Step,
  type Verdict,
} from '../decision/index.ts';
import {
  type Authorization,
  answerOf,
  type Booked,
  giveMoney,
  hold,
  messageKind,
  messageWritten,
  needMessage,
  needUsedCavv,
  storedAnswer,
  usedCavvInsert,
  usedCavvKind,
  written,
} from '../payments/index.ts';
import { type Identity, identityKind, needIdentity } from '../people/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { counterKind, needCounter, type Windows } from '../rules/index.ts';
import { needWalletTokens } from '../tokens/index.ts';
import { answerWith, DAY_MS, emptyRow, type Wire } from './beginning.ts';
import { demandOf, deviceOf } from './demand.ts';
import { type CardPlace, levelsOf, type Surroundings } from './find.ts';

/** What was answered, and the authorization that stands for it; null: there is none. */
export interface Outcome {
  readonly answer: NetworkAnswer;
  readonly row: Authorization | null;
  readonly reason: Reason | null;
  readonly explanation: readonly Step[];
}

/** The answer waits for the tenant: the hold is committed. */
export interface Waiting {
  readonly pending: bigint;
  /** It is this message that made it wait, not an earlier one of the same reference. */
  readonly mine: boolean;
}

export interface AskOptions {
  /** Answers the same question and changes nothing. */
  readonly dryRun: boolean;
  /** Keyed hash of the authentication value that proved the cardholder; null: none did. */
  readonly cavvHash: string | null;
  readonly sca: Demand['sca'];
  /** The device that stands for the card; null: the message names none. */
  readonly walletTokenId: bigint | null;
}

/** The card with its wrong tries as this decision leaves them; null: they stay. */
function triedCard(card: Card, { approved, wrongCvv, wrongPin }: Verdict, demand: Demand, now: Date): Card | null {
  const { details } = card;
  const wrongCvvs = wrongCvv ? details.wrongCvvs + 1 : approved && demand.cvv === 'right' ? 0 : details.wrongCvvs;
  const { physical } = details;
  const wrongPins = wrongPin
    ? (physical?.wrongPins ?? 0) + 1
    : approved && demand.pin === 'right'
      ? 0
      : (physical?.wrongPins ?? 0);
  if (wrongCvvs === details.wrongCvvs && wrongPins === (physical?.wrongPins ?? wrongPins)) return null;
  return {
    ...card,
    details: {
      ...details,
      wrongCvvs,
      physical: physical && { ...physical, wrongPins, pinBlocked: physical.pinBlocked || wrongPins >= MOST_WRONG_PINS },
    },
    updated_at: now,
  };
}

export const forwardingOn = ({ tenant, programme, profile }: Surroundings): boolean =>
  tenant.settings.forwarding !== null && programme.settings.authForwarding && profile.settings.authForwarding;

/** What of the surroundings a decision needs, beside what is locked. */
export const judging = (
  { programme, profile, levels }: Surroundings,
  identity: Identity,
  card: Card,
): Pick<State, 'kyc' | 'levels' | 'excludedCountries'> => ({
  kyc: { level: identity.kyc_level, rules: programme.settings.kyc[identity.kyc_level].rules },
  levels: levelsOf({ levels }, identity, card),
  excludedCountries: [...(programme.settings.countries.excluded ?? []), ...(profile.settings.countries.excluded ?? [])],
});

const CVV_RESULTS = { absent: null, right: 'M', wrong: 'N' } as const;

/** What the decision is made with: neither clock nor database, for it is told what it needs. */
type DecisionDeps = Pick<IssuingDeps, 'events' | 'permutation' | 'vault'>;

/** One request for money under the locks of its card and funds. */
interface Case {
  readonly deps: DecisionDeps;
  readonly place: CardPlace;
  readonly around: Surroundings;
  readonly request: NetworkRequest;
  readonly options: AskOptions;
  readonly loaded: Loaded;
  readonly card: Card;
  readonly identity: Identity;
  readonly told: Told;
}

interface Judged {
  readonly demand: Demand;
  readonly verdict: Verdict;
  /** The tenant is asked before anything is answered, if it isn't declined already. */
  readonly forwarded: boolean;
}

/** The one command of an authorization or a credit. */
export function authorizeCommand(
  deps: DecisionDeps,
  place: CardPlace,
  around: Surroundings,
  request: NetworkRequest,
  options: AskOptions,
): Command<Outcome | Waiting> {
  const { tenantId, cardId, instrumentId, parentId, identityId } = place;
  const { dryRun, cavvHash, walletTokenId } = options;
  return {
    name: dryRun ? 'card.dry_run' : `card.${request.operation}`,
    owner: tenantId,
    needs: [
      needMessage(tenantId, request.reference),
      needCard(tenantId, cardId),
      needCounter(tenantId, cardId),
      needFunds(tenantId, instrumentId),
      needIdentity(tenantId, identityId),
      ...(parentId === null ? [] : [needAccount(tenantId, parentId)]),
      ...(cavvHash === null ? [] : [needUsedCavv(tenantId, cavvHash)]),
      ...(walletTokenId === null ? [] : [needWalletTokens(tenantId, cardId)]),
    ],
    decide(loaded, told) {
      const heard = loaded.get(messageKind, { tenantId, reference: request.reference });
      if (heard?.message) return { value: replayOf(heard.message), changes: [] };
      const card = loaded.get(cardKind, { tenantId, id: cardId });
      const identity = loaded.get(identityKind, { tenantId, id: identityId });
      if (!card || !identity) return { value: notFound(request), changes: [] };
      const asked: Case = { deps, place, around, request, options, loaded, card, identity, told };
      const judged = judgedOf(asked, heard?.reversed ?? false);
      const start = startOf(asked, judged);
      const { approved, reason, explanation } = judged.verdict;
      const answer = answerWith(
        start.details.answer,
        start.response_code,
        approved ? request.amount.minor : null,
        CVV_RESULTS[judged.demand.cvv],
      );
      if (dryRun) return { value: { answer, row: null, reason, explanation }, changes: [] };
      const { row, changes } = kept(asked, judged, start, answer);
      const waits = row.state === 'PENDING';
      return { value: waits ? { pending: row.id, mine: true } : { answer, row, reason, explanation }, changes };
    },
  };
}

/** What is asked of the card, and what its rules say. `reversed`: it was taken back before it came. */
function judgedOf(
  { deps, place, around, request, options, loaded, card, identity, told }: Case,
  reversed: boolean,
): Judged {
  const { tenantId, cardId, instrumentId, parentId } = place;
  const { cavvHash, sca, walletTokenId } = options;
  const cardKey = { tenantId, id: cardId };
  const used = cavvHash !== null && loaded.get(usedCavvKind, { tenantId, hash: cavvHash }) !== undefined;
  const demand = demandOf(deps, around, card, request, {
    sca: used ? 'missing' : sca,
    device: deviceOf(loaded, cardKey, walletTokenId),
  });
  const forwarded = forwardingOn(around) && demand.hold > 0n;
  if (reversed) return { demand, verdict: REVERSED, forwarded };
  const verdict = decide(demand, {
    card,
    funds: loaded.get(fundsKind, { tenantId, id: instrumentId }),
    account: parentId === null ? null : (loaded.get(accountKind, { tenantId, id: parentId })?.state ?? 'DESTROYED'),
    windows: loaded.get(counterKind, cardKey)?.windows ?? {},
    ...judging(around, identity, card),
    forwarded,
    now: told.now,
  });
  return { demand, verdict, forwarded };
}

/** The authorization as it begins, nothing booked on it. */
function startOf(
  { deps, place, around, request, options, card, told }: Case,
  { demand, verdict, forwarded }: Judged,
): Authorization {
  const row = emptyRow(told, place, around, card, request, {
    kind: demand.channel === 'credit' ? 'credit' : 'purchase',
    state: !verdict.approved ? 'DECLINED' : forwarded ? 'PENDING' : demand.hold > 0n ? 'OPEN' : 'CLOSED',
  });
  const { walletTokenId } = options;
  return {
    ...row,
    response_code: verdict.responseCode,
    reason: verdict.reason,
    explanation: verdict.explanation,
    details: { ...row.details, walletTokenId: walletTokenId === null ? null : deps.permutation.outward(walletTokenId) },
  };
}

/** The authorization with what is booked on it, the limits that it uses up, and the money it moves. */
function bookedOn(
  { request, told: { now } }: Case,
  { demand, verdict: { approved } }: Judged,
  start: Authorization,
  windows: Windows,
): Booked {
  if (!approved || demand.amount === 0n) return { row: { ...start, amount: demand.amount }, windows, movements: [] };
  const amount = { asked: demand.amount, billed: demand.billed ?? 0n };
  const expiring: Authorization =
    start.state === 'OPEN' || start.state === 'PENDING'
      ? { ...start, expires_at: new Date(now.getTime() + start.details.holdDays * DAY_MS) }
      : { ...start, amount: start.kind === 'credit' ? demand.amount : 0n };
  return start.kind === 'credit'
    ? giveMoney(expiring, windows, amount, request.reference, now)
    : hold(expiring, windows, amount, now, true);
}

/** All that is written of a request that was decided: the authorization, its message, the tries, the authentication that is used up. */
function kept(
  asked: Case,
  judged: Judged,
  start: Authorization,
  answer: NetworkAnswer,
): { readonly row: Authorization; readonly changes: readonly Change[] } {
  const { deps, place, request, options, loaded, card, told } = asked;
  const { now } = told;
  const { tenantId, cardId, instrumentId } = place;
  const { demand, verdict } = judged;
  const counter = loaded.get(counterKind, { tenantId, id: cardId });
  const booked = bookedOn(asked, judged, start, counter?.windows ?? {});
  const { row } = booked;
  const pending = row.state === 'PENDING';
  const tried = triedCard(card, verdict, demand, now);
  const proof = verdict.approved && demand.sca === 'authenticated' ? options.cavvHash : null;
  const changes = [
    ...written(deps, told, {
      before: null,
      booked,
      counter,
      funds: loaded.get(fundsKind, { tenantId, id: instrumentId }),
      event: pending ? 'authorization.pending' : verdict.approved ? 'authorization.approved' : 'authorization.declined',
    }),
    messageWritten(
      {
        tenant_id: tenantId,
        reference: request.reference,
        operation: request.operation,
        original: request.original,
        authorization_id: row.id,
        amount: request.amount.minor,
        answer: pending ? null : storedAnswer(answer),
        created_at: now,
      },
      null,
    ),
    ...(tried
      ? cardWritten(deps, told, {
          before: card,
          after: tried,
          event: 'card.pin_blocked',
          funds: fundsLoaded(loaded, card),
        })
      : []),
    ...(proof === null
      ? []
      : [usedCavvInsert({ tenant_id: tenantId, cavv_hash: proof, authorization_id: row.id, created_at: now })]),
  ];
  return { row, changes };
}

/** A known reference: its answer, or the authorization whose answer is still waited for. */
function replayOf(message: {
  authorization_id: bigint | null;
  answer: Parameters<typeof answerOf>[0] | null;
}): Outcome | Waiting {
  if (message.answer) return { answer: answerOf(message.answer), row: null, reason: null, explanation: [] };
  return { pending: message.authorization_id as bigint, mine: false };
}

const declined = (reason: Reason, step: Step): Verdict => ({
  approved: false,
  responseCode: REASONS[reason],
  reason,
  explanation: [step],
  wrongCvv: false,
  wrongPin: false,
});
const REVERSED = declined('REVERSED_BEFORE', { check: 'MESSAGE', result: 'FAILED', note: 'reversed before it came' });

/** No card of ours: nothing is kept, and the answer is the same however often it is asked. */
export const notFound = (request: Wire): Outcome => ({
  answer: {
    responseCode: REASONS.CARD_NOT_FOUND,
    authCode: null,
    rrn: rrnOf(request.transmittedAt, request.stan),
    networkTransactionId: null,
    cvvResult: null,
    avsResult: null,
    approvedMinor: null,
  },
  row: null,
  reason: 'CARD_NOT_FOUND',
  explanation: [{ check: 'CARD', result: 'FAILED' }],
});
