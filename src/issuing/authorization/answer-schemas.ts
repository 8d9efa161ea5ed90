// What is answered of payments with issued cards: each with the explanation of its decision.
import Type, { type TSchema } from 'typebox';
import { Choice, Matching, Nullable, Optional, Shape } from '../../http/index.ts';
import { REASONS } from '../decision/index.ts';
import { milliseconds, minorUnits, money, shownId, shownText, textOrNull } from '../requests/index.ts';
import { LEVELS } from '../rules/index.ts';

const flag = Type.Boolean();
const digits = Matching('^-?\\d+$', { description: 'Minor units as text.' });
const responseCode = Matching('^[0-9A-Z]{2}$', { description: 'ISO 8583, field 39.' });
const reason = Choice(Object.keys(REASONS));
const channel = Choice(['ecommerce', 'chip', 'contactless', 'atm', 'cashback', 'credit']);
const map = (values: TSchema): TSchema => Type.Unsafe({ type: 'object', additionalProperties: values });

/** One check of a decision. */
export const step = Shape(
  {
    check: Matching('^[A-Z_]+$'),
    result: Choice(['PASSED', 'FAILED', 'NOTED', 'SKIPPED']),
    note: Optional(shownText),
    level: Optional(Choice([...LEVELS, 'KYC_LEVEL_1', 'KYC_LEVEL_2'])),
    rule: Optional(shownText),
    interval: Optional(shownText),
    remained: Optional(Type.Union([digits, map(digits)])),
  },
  { title: 'DecisionStep' },
);

const merchant = Shape({ id: shownText, mcc: Matching('^\\d{4}$'), name: shownText, country: Optional(textOrNull) });

export const cardPayment = Shape(
  {
    id: shownId,
    cardId: shownId,
    state: Choice(['PENDING', 'OPEN', 'CLOSED', 'DECLINED']),
    type: Choice(['purchase', 'credit', 'forced', 'refund']),
    channel,
    walletTokenId: Optional(shownId),
    merchant,
    transactionAmount: money,
    cardAmount: money,
    held: minorUnits,
    cleared: minorUnits,
    refunded: minorUnits,
    fees: minorUnits,
    rate: Optional(Shape({ micro: digits, day: shownText, source: shownText })),
    approved: flag,
    responseCode,
    reason: Optional(reason),
    explanation: Type.Array(step),
    forwarding: Optional(shownText),
    forced: Optional(flag),
    expiryTimestamp: Optional(milliseconds),
    creationTimestamp: milliseconds,
  },
  { title: 'CardPayment' },
);
export const payments = Shape({
  payments: Type.Array(cardPayment),
  responseCount: Type.Integer({ minimum: 0 }),
});

/** What the simulator's merchant was answered. */
export const decision = Shape(
  {
    approved: flag,
    responseCode,
    reason: Nullable(reason),
    explanation: Type.Array(step),
    authorizationId: Nullable(shownId),
    authCode: Optional(shownText),
    cvvResult: Optional(shownText),
    state: Optional(Choice(['PENDING', 'OPEN', 'CLOSED', 'DECLINED'])),
  },
  { title: 'SimulatedDecision' },
);
