// An authorization as it begins, and what the network keeps of its answers. Rule: drawn once, with the first message; later messages
// of the same payment answer with the same codes.
import { type NetworkAnswer, type NetworkRequest, networkTransactionId, rrnOf } from '../../network/index.ts';
import type { Told } from '../../store/index.ts';
import type { Card } from '../cards/index.ts';
import type { Authorization, KeptAnswer } from '../payments/index.ts';
import { tariffOf } from './demand.ts';
import type { CardPlace, Surroundings } from './find.ts';

/** A message without its card number: enough for all but the first one of a payment. */
export type Wire = Pick<
  NetworkRequest,
  'operation' | 'reference' | 'original' | 'amount' | 'stan' | 'transmittedAt' | 'terminal' | 'channel' | 'final'
>;

export const freshAnswer = (
  { chance }: Pick<Told, 'chance'>,
  card: Pick<Card, 'brand'>,
  request: Wire,
): KeptAnswer => ({
  authCode: String(chance.int(1_000_000)).padStart(6, '0'),
  rrn: rrnOf(request.transmittedAt, request.stan),
  networkTransactionId: networkTransactionId(card.brand.toLowerCase(), request.transmittedAt, chance),
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

export function holdDaysOf({ profile }: Surroundings, mcc: string, final: boolean): number {
  const { categories, ...days } = profile.settings.holdDays;
  return categories[mcc] ?? (final ? days.final : days.preAuthorization);
}

export const DAY_MS = 86_400_000;

/** An authorization before anything was booked on it. */
export function emptyRow(
  told: Told,
  place: CardPlace,
  around: Surroundings,
  card: Card,
  request: Wire,
  fields: Pick<Authorization, 'kind' | 'state'>,
): Authorization {
  const { terminal } = request;
  const rate = request.amount.currency === card.currency ? null : around.rate(request.amount.currency, card.currency);
  return {
    tenant_id: place.tenantId,
    id: told.ids.next(),
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
      answer: freshAnswer(told, card, request),
      refunds: {},
      forwarding: null,
      walletTokenId: null,
      forced: false,
    },
    events: 0,
    expires_at: null,
    created_at: told.now,
    updated_at: told.now,
  };
}
