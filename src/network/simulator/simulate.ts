// How the simulated acquirer keeps its books: what a message does, given what the acquirer knows of the order.
// Rule: pure, and it imports nothing of the gateway, so that its books are a second opinion on ours.
import { isApproved } from '../iso-codes.ts';
import type { NetworkAnswer, NetworkOperation, NetworkRequest } from '../message.ts';
import type { AnswerFields, Entry } from '../queries.ts';

/** What may be approved for a message: a code, and how much of a reverse undoes charges. */
interface Ruling {
  readonly code: string;
  readonly voided?: bigint;
}

interface Tally {
  readonly authorization: Entry;
  /** What the message names: the authorization, or a charge of it. */
  readonly named: Entry;
  /** Authorized and neither released nor charged. */
  readonly held: bigint;
  /** Charged and neither voided nor refunded. */
  readonly kept: bigint;
}

/** The approved authorization that a message belongs to, directly or through a charge, and what is left of it; null: there is none. */
function tallyOf(book: readonly Entry[], reference: string | null): Tally | null {
  const approved = (wanted: string | null): Entry | undefined =>
    book.find((entry) => entry.reference === wanted && entry.effect);
  const named = approved(reference);
  const authorization = named?.operation === 'charge' ? approved(named.original_reference) : named;
  if (!named || authorization?.operation !== 'authorize') return null;
  const ofAuthorization = book.filter((entry) => entry.effect && entry.original_reference === authorization.reference);
  const charges = ofAuthorization.filter((entry) => entry.operation === 'charge');
  const names = new Set(charges.map((entry) => entry.reference));
  const voids = book.filter(
    (entry) => entry.effect && entry.original_reference !== null && names.has(entry.original_reference),
  );
  const sum = (entries: readonly Entry[]): bigint => entries.reduce((total, entry) => total + entry.amount, 0n);
  const released = ofAuthorization.filter((entry) => entry.operation === 'reverse');
  const refunds = ofAuthorization.filter((entry) => entry.operation === 'refund');
  return {
    authorization,
    named,
    held: authorization.amount - sum(released) - sum(charges),
    kept: sum(charges) - sum(voids) - sum(refunds),
  };
}

type Rule = (request: NetworkRequest, book: readonly Entry[]) => Ruling;

const NO_ORIGINAL: Ruling = { code: '25' };
const INVALID: Ruling = { code: '12' };
const INVALID_AMOUNT: Ruling = { code: '13' };
const APPROVED: Ruling = { code: '00' };

/** A rule on the approved authorization that the message names, in its currency. */
const onOriginal =
  (rule: (amount: bigint, tally: Tally) => Ruling): Rule =>
  ({ original, amount }, book) => {
    const tally = tallyOf(book, original);
    if (!tally) return NO_ORIGINAL;
    return tally.authorization.currency === amount.currency ? rule(amount.minor, tally) : INVALID;
  };

const RULES: Readonly<Record<NetworkOperation, Rule>> = {
  /** A reversal that came before its authorization was remembered: the late one must not hold anything. Zero: a card verification. */
  authorize: ({ reference, amount }, book) => {
    if (book.some((entry) => entry.operation === 'reverse' && entry.original_reference === reference)) return INVALID;
    return amount.minor === 0n ? { code: '85' } : APPROVED;
  },
  /** Merchants of this acquirer don't raise what they have authorized. */
  increment: () => INVALID,
  charge: onOriginal((amount, { held }) => (amount <= held ? APPROVED : INVALID_AMOUNT)),
  /**
   * Naming the authorization it releases what is held; naming a charge it undoes what its authorization has charged.
   * Nothing left is as good as no original: either way there is nothing to give back.
   */
  reverse: onOriginal((amount, { named, held, kept }) => {
    const isVoid = named.operation === 'charge';
    const left = isVoid ? kept : held;
    if (left === 0n && amount > 0n) return NO_ORIGINAL;
    return amount <= left ? { code: '00', voided: isVoid ? amount : 0n } : INVALID_AMOUNT;
  }),
  refund: onOriginal((amount, { kept }) => (amount <= kept ? APPROVED : INVALID_AMOUNT)),
  credit: () => APPROVED,
};

/** CVV 102 doesn't match, any other does; M and N as networks write them. */
const cvvResultOf = ({ cvv }: NetworkRequest): string | null => (cvv === null ? null : cvv === '102' ? 'N' : 'M');

/** The code that the request would get on its merits: the card's wish, then the CVV, then the books. */
function rulingOn(request: NetworkRequest, book: readonly Entry[], wish: string): Ruling {
  if (!isApproved(wish)) return { code: wish };
  if (cvvResultOf(request) === 'N' && request.terminal.cvvMustMatch) return { code: '82' };
  const ruling = RULES[request.operation](request, book);
  return ruling.code === '00' ? { ...ruling, code: wish } : ruling;
}

/** What an approval is given by the acquirer. A charge, reverse or refund keeps its authorization's. */
export type Fresh = Pick<AnswerFields, 'authCode' | 'rrn' | 'networkTransactionId'>;

/** The acquirer's entry for a message that it has not seen before. `wish` is the code that the card asks for. */
export function entryFor(
  request: NetworkRequest,
  book: readonly Entry[],
  wish: string,
  fresh: Fresh,
  now: Date,
): Entry {
  const { code, voided = 0n } = rulingOn(request, book, wish);
  const original = tallyOf(book, request.original)?.authorization.answer;
  const approved = isApproved(code);
  const keepsAuthCode = request.operation === 'charge' || request.operation === 'reverse';
  const cvvResult = code === '82' ? 'N' : cvvResultOf(request);
  return entryOf(request, code, voided, now, {
    authCode: approved ? ((keepsAuthCode ? original?.authCode : null) ?? fresh.authCode) : null,
    rrn: original?.rrn ?? fresh.rrn,
    networkTransactionId: original?.networkTransactionId ?? (approved ? fresh.networkTransactionId : null),
    cvvResult: request.operation === 'authorize' ? cvvResult : null,
    avsResult: null,
  });
}

/**
 * The entry for a message that an issuer has answered: its word is final, the acquirer only keeps the books. A hold that the issuer gives
 * back and the acquirer never heard of, because it died between the two, was never in these books.
 */
export function entryFromIssuer(
  request: NetworkRequest,
  book: readonly Entry[],
  answer: NetworkAnswer,
  now: Date,
): Entry {
  const approved = isApproved(answer.responseCode);
  const ruling = approved && request.operation === 'reverse' ? RULES.reverse(request, book) : APPROVED;
  const { authCode, rrn, networkTransactionId, cvvResult, avsResult } = answer;
  const entry = entryOf(request, answer.responseCode, ruling.voided ?? 0n, now, {
    authCode,
    rrn,
    networkTransactionId,
    cvvResult,
    avsResult,
  });
  return ruling === NO_ORIGINAL ? { ...entry, effect: false } : entry;
}

function entryOf(request: NetworkRequest, code: string, voided: bigint, now: Date, answer: AnswerFields): Entry {
  return {
    owner_id: request.owner,
    reference: request.reference,
    operation: request.operation,
    original_reference: request.original,
    subject_type: 'order',
    subject_id: request.orderId,
    attempt: request.attempt,
    amount: request.amount.minor,
    voided,
    currency: request.amount.currency,
    card: request.pan.masked(),
    stan: request.stan,
    response_code: code,
    effect: isApproved(code),
    answer,
    transmitted_at: request.transmittedAt,
    created_at: now,
  };
}

/** The answer that an entry stands for: the same one however often its reference comes. */
export const answerFrom = ({ response_code, effect, amount, answer }: Entry): NetworkAnswer => ({
  responseCode: response_code,
  authCode: answer.authCode,
  rrn: answer.rrn,
  networkTransactionId: answer.networkTransactionId,
  cvvResult: answer.cvvResult,
  avsResult: answer.avsResult,
  approvedMinor: effect ? amount : null,
});
