// A message that asks for money: decided and held in one commit under the locks of card and funds; the tenant, if it wants to be asked,
// is asked after that commit (forwarded.ts). Rule: a repeated reference is answered as before and changes nothing.
import { type NetworkAnswer, type NetworkRequest, networkTransactionId, rrnOf } from '../../network/index.ts';
import type { Command } from '../../store/index.ts';
import { accountKind, fundsKind, needAccount, needFunds } from '../accounts/index.ts';
import { type Card, cardKind, cardUpdate, needCard } from '../cards/index.ts';
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
  giveMoney,
  hold,
  type KeptAnswer,
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
import { counterKind, needCounter } from '../rules/index.ts';
import { needWalletTokens } from '../tokens/index.ts';
import { demandOf, deviceOf, tariffOf } from './demand.ts';
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

/** A message without its card number: enough for all but the first one of a payment. */
export type Wire = Pick<
  NetworkRequest,
  'operation' | 'reference' | 'original' | 'amount' | 'stan' | 'transmittedAt' | 'terminal' | 'channel' | 'final'
>;

export const freshAnswer = (deps: IssuingDeps, card: Pick<Card, 'brand'>, request: Wire): KeptAnswer => ({
  authCode: String(deps.random.int(1_000_000)).padStart(6, '0'),
  rrn: rrnOf(request.transmittedAt, request.stan),
  networkTransactionId: networkTransactionId(card.brand.toLowerCase(), request.transmittedAt, deps.random),
});

/** The answer to a message, with what the network keeps of its authorization. */
export const answerWith = (
  { authCode, rrn, networkTransactionId: id }: KeptAnswer,
  responseCode: string,
  approvedMinor: bigint | null,
  cvvResult: string | null = null,
): NetworkAnswer => ({
  responseCode,
  authCode: approvedMinor === null ? null : authCode,
  rrn,
  networkTransactionId: approvedMinor === null ? null : id,
  cvvResult,
  avsResult: null,
  approvedMinor,
});

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

export function holdDaysOf({ profile }: Surroundings, mcc: string, final: boolean): number {
  const { categories, ...days } = profile.settings.holdDays;
  return categories[mcc] ?? (final ? days.final : days.preAuthorization);
}

export const DAY_MS = 86_400_000;

/** An authorization before anything was booked on it. */
export function emptyRow(
  deps: IssuingDeps,
  place: CardPlace,
  around: Surroundings,
  card: Card,
  request: Wire,
  now: Date,
  fields: Pick<Authorization, 'kind' | 'state'>,
): Authorization {
  const { terminal } = request;
  const rate = request.amount.currency === card.currency ? null : deps.rate(request.amount.currency, card.currency);
  return {
    tenant_id: place.tenantId,
    id: deps.ids.next(),
    card_id: place.cardId,
    instrument_id: place.instrumentId,
    ...fields,
    channel: request.channel,
    merchant: { id: terminal.merchantId, mcc: terminal.mcc, name: terminal.descriptor, country: terminal.country },
    reference: request.reference,
    amount: 0n,
    currency: request.amount.currency,
    asked: { open: '0', cleared: '0', refunded: '0' },
    billing_currency: card.currency,
    authorized: 0n,
    open: 0n,
    held: 0n,
    cleared: 0n,
    refunded: 0n,
    fees: 0n,
    rate: rate && { micro: rate.micro.toString(), day: rate.day, source: rate.source },
    parts: [],
    response_code: '00',
    reason: null,
    explanation: [],
    details: {
      tariff: tariffOf(around, request, card.currency),
      holdDays: holdDaysOf(around, terminal.mcc, request.final),
      answer: freshAnswer(deps, card, request),
      refunds: {},
      forwarding: null,
      walletTokenId: null,
      forced: false,
      expired: false,
    },
    events: 0,
    expires_at: null,
    created_at: now,
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

/** The one command of an authorization or a credit. */
export function authorizeCommand(
  deps: IssuingDeps,
  place: CardPlace,
  around: Surroundings,
  request: NetworkRequest,
  { dryRun, cavvHash, sca, walletTokenId }: AskOptions,
): Command<Outcome | Waiting> {
  const { tenantId, cardId, instrumentId, parentId, identityId } = place;
  const cardKey = { tenantId, id: cardId };
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
    decide(loaded) {
      const heard = loaded.get(messageKind, { tenantId, reference: request.reference });
      if (heard?.message) return { value: replayOf(heard.message), changes: [] };
      const card = loaded.get(cardKind, cardKey);
      const now = deps.clock.now();
      const identity = loaded.get(identityKind, { tenantId, id: identityId });
      if (!card || !identity) return { value: notFound(request), changes: [] };
      const funds = loaded.get(fundsKind, { tenantId, id: instrumentId });
      const counter = loaded.get(counterKind, cardKey);
      const used = cavvHash !== null && loaded.get(usedCavvKind, { tenantId, hash: cavvHash }) !== undefined;
      const demand = demandOf(deps, around, card, request, {
        sca: used ? 'missing' : sca,
        device: deviceOf(loaded, cardKey, walletTokenId),
      });
      const forwarded = forwardingOn(around) && demand.hold > 0n;
      const decision = heard?.reversed
        ? REVERSED
        : decide(demand, {
            card,
            funds,
            account:
              parentId === null ? null : (loaded.get(accountKind, { tenantId, id: parentId })?.state ?? 'DESTROYED'),
            windows: counter?.windows ?? {},
            ...judging(around, identity, card),
            forwarded,
            now,
          });
      const { approved, responseCode, reason, explanation } = decision;
      const base = emptyRow(deps, place, around, card, request, now, {
        kind: demand.channel === 'credit' ? 'credit' : 'purchase',
        state: !approved ? 'DECLINED' : forwarded ? 'PENDING' : demand.hold > 0n ? 'OPEN' : 'CLOSED',
      });
      const device = walletTokenId === null ? null : deps.permutation.outward(walletTokenId);
      const start: Authorization = {
        ...base,
        response_code: responseCode,
        reason,
        explanation,
        details: { ...base.details, walletTokenId: device },
      };
      const answer = answerWith(
        start.details.answer,
        responseCode,
        approved ? request.amount.minor : null,
        CVV_RESULTS[demand.cvv],
      );
      const outcome: Outcome = { answer, row: dryRun ? null : start, reason, explanation };
      if (dryRun) return { value: outcome, changes: [] };

      const amount = { asked: demand.amount, billed: demand.billed ?? 0n };
      const windows = counter?.windows ?? {};
      const expiring: Authorization =
        start.state === 'OPEN' || start.state === 'PENDING'
          ? { ...start, expires_at: new Date(now.getTime() + start.details.holdDays * DAY_MS) }
          : { ...start, amount: start.kind === 'credit' && approved ? demand.amount : 0n };
      const booked =
        !approved || demand.amount === 0n
          ? { row: { ...start, amount: demand.amount }, windows, movements: [] }
          : start.kind === 'credit'
            ? giveMoney(expiring, windows, amount, request.reference, now)
            : hold(expiring, windows, amount, now, true);
      const pending = booked.row.state === 'PENDING';
      const tried = triedCard(card, decision, demand, now);
      const changes = [
        ...written(deps, {
          before: null,
          booked,
          counter,
          funds,
          event: pending ? 'authorization.pending' : approved ? 'authorization.approved' : 'authorization.declined',
          now,
        }),
        messageWritten(
          {
            tenant_id: tenantId,
            reference: request.reference,
            operation: request.operation,
            original: request.original,
            authorization_id: booked.row.id,
            amount: request.amount.minor,
            answer: pending ? null : storedAnswer(answer),
            created_at: now,
          },
          null,
        ),
        ...(tried ? [cardUpdate(tried)] : []),
        ...(approved && cavvHash !== null && demand.sca === 'authenticated'
          ? [
              usedCavvInsert({
                tenant_id: tenantId,
                cavv_hash: cavvHash,
                authorization_id: booked.row.id,
                created_at: now,
              }),
            ]
          : []),
      ];
      return {
        value: pending ? { pending: booked.row.id, mine: true } : { ...outcome, row: booked.row },
        changes,
      };
    },
  };
}

/** A known reference: its answer, or the authorization whose answer is still waited for. */
function replayOf(message: {
  authorization_id: bigint | null;
  answer: Parameters<typeof answerOf>[0] | null;
}): Outcome | Waiting {
  if (message.answer) return { answer: answerOf(message.answer), row: null, reason: null, explanation: [] };
  return { pending: message.authorization_id as bigint, mine: false };
}

const refused = (reason: Reason, step: Step): Verdict => ({
  approved: false,
  responseCode: REASONS[reason],
  reason,
  explanation: [step],
  wrongCvv: false,
  wrongPin: false,
});
const REVERSED = refused('REVERSED_BEFORE', { check: 'MESSAGE', result: 'FAILED', note: 'reversed before it came' });

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
