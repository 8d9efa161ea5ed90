// Is a card's payment approved? The checks as a table in their fixed order (docs/contract/issuing.md#authorization). Pure.
// Rule: every check that was made stands in the explanation, with its level, its rule and what remained; the first that fails ends it.
import { countryOf } from '../../base/index.ts';
import { availableOf, type Funds, type InstrumentState } from '../accounts/index.ts';
import { type Card, expiryMoment, isCvvBlocked } from '../cards/index.ts';
import { checkRules, type RuleLevel, type SpendChannel, usedOf, type Windows } from '../rules/index.ts';
import type { KycLevel } from '../tenants/index.ts';
import { REASONS, type Reason } from './reasons.ts';

/** What a secret that came with the message was worth; absent: none came. */
export type Secret = 'absent' | 'right' | 'wrong';

/** A wallet token that stands for the card; none: the message names no device. */
export type Device = 'none' | 'unknown' | 'inactive' | 'active';

export interface Demand {
  /** What the merchant asks for, minor units of its currency; 0 verifies the card. */
  readonly amount: bigint;
  readonly currency: string;
  /** In the card's currency; null: there is no rate. */
  readonly billed: bigint | null;
  /** What an increment belongs to, with it, in the card's currency: the bounds of an amount are about the whole payment. */
  readonly total: bigint | null;
  /** What would be held: with fees. */
  readonly hold: bigint;
  readonly channel: SpendChannel;
  readonly device: Device;
  readonly mcc: string;
  readonly merchantId: string;
  /** Alpha-3 or alpha-2; null: the network doesn't say. */
  readonly country: string | null;
  /** YYMM; null: not given. */
  readonly expiry: string | null;
  readonly cvv: Secret;
  readonly pin: Secret;
  /** `missing` where an e-commerce payment has neither authentication nor exemption. */
  readonly sca: 'not_needed' | 'authenticated' | 'exempt' | 'missing';
}

export interface State {
  /** undefined: no card of ours has this number. */
  readonly card: Card | undefined;
  /** Of the card, or of its parent account. */
  readonly funds: Funds | undefined;
  /** The parent account's; null: a prepaid card. */
  readonly account: InstrumentState | null;
  readonly windows: Windows;
  readonly kyc: { readonly level: KycLevel; readonly rules: RuleLevel['rules'] };
  /** Platform, identity, profile, card. */
  readonly levels: readonly RuleLevel[];
  /** Alpha-2 codes in which this card is of no use. */
  readonly excludedCountries: readonly string[];
  readonly forwarded: boolean;
  readonly now: Date;
}

export interface Step {
  readonly check: Check;
  readonly result: 'PASSED' | 'FAILED' | 'NOTED' | 'SKIPPED';
  readonly note?: string;
  readonly level?: string;
  readonly rule?: string;
  readonly interval?: string;
  /** Minor units of the card's currency. */
  readonly remained?: string | Readonly<Record<string, string>>;
}

export interface Verdict {
  readonly approved: boolean;
  readonly responseCode: string;
  readonly reason: Reason | null;
  readonly explanation: readonly Step[];
  /** What the decision counts on the card, whatever it says. */
  readonly wrongCvv: boolean;
  readonly wrongPin: boolean;
}

export const MOST_WRONG_PINS = 3;

type Found = Omit<Step, 'check'> & { readonly reason?: Reason };
type Present = State & { readonly card: Card };
type CheckOf = (demand: Demand, state: Present) => Found;

const PASSED: Found = { result: 'PASSED' };
const skipped = (note: string): Found => ({ result: 'SKIPPED', note });
const failed = (reason: Reason, more: Omit<Found, 'result' | 'reason'> = {}): Found => ({
  result: 'FAILED',
  reason,
  ...more,
});

/** Lost and stolen have codes of their own, whichever state the card is in. */
const checkState: CheckOf = (_, { card }) => {
  if (card.details.lostStolen === 'STOLEN' || card.destroyed_reason === 'STOLEN') return failed('CARD_STOLEN');
  if (card.details.lostStolen === 'LOST' || card.blocks.includes('LOST')) return failed('CARD_LOST');
  if (card.state === 'DESTROYED')
    return failed(card.destroyed_reason === 'EXPIRED' ? 'CARD_EXPIRED' : 'CARD_DESTROYED');
  return card.state === 'BLOCKED' ? failed('CARD_BLOCKED') : PASSED;
};

const checkExpiry: CheckOf = ({ expiry }, { card, now }) => {
  if (expiryMoment(card.expires) <= now) return failed('CARD_EXPIRED');
  return expiry !== null && expiry !== card.expires ? failed('EXPIRY_WRONG') : PASSED;
};

const checkCvv: CheckOf = ({ cvv }, { card }) => {
  if (cvv === 'absent') return skipped('none given');
  if (isCvvBlocked(card)) return failed('CVV_TRIES_EXCEEDED');
  return cvv === 'wrong' ? failed('CVV_WRONG') : PASSED;
};

const PLASTIC: ReadonlySet<SpendChannel> = new Set(['chip', 'atm', 'cashback']);

/** Plastic that was ordered works once it is activated. A card without plastic pays contactless as a device's token. */
const checkChannel: CheckOf = ({ channel, device, country }, { card: { details }, excludedCountries }) => {
  if (device === 'unknown') return failed('WALLET_TOKEN_NOT_FOUND');
  if (device === 'inactive') return failed('WALLET_TOKEN_NOT_ACTIVE');
  const { physical } = details;
  if (PLASTIC.has(channel) && !physical) return failed('CARD_NOT_PHYSICAL');
  const tapped = channel === 'contactless' && device === 'none';
  if ((PLASTIC.has(channel) || tapped) && physical?.pendingActivation) return failed('CARD_NOT_ACTIVATED');
  const alpha2 = country === null ? null : (countryOf(country)?.alpha2 ?? null);
  return alpha2 !== null && excludedCountries.includes(alpha2) ? failed('COUNTRY_EXCLUDED', { note: alpha2 }) : PASSED;
};

const checkPin: CheckOf = ({ pin }, { card: { details } }) => {
  if (pin === 'absent') return skipped('none asked for');
  if (details.physical?.pinBlocked) return failed('PIN_TRIES_EXCEEDED');
  return pin === 'wrong' ? failed('PIN_WRONG') : PASSED;
};

const checkSca: CheckOf = ({ sca, amount }) => {
  if (sca === 'not_needed') return skipped('not e-commerce');
  if (sca === 'missing') return amount === 0n ? skipped('a verification') : failed('SCA_REQUIRED');
  return { result: 'PASSED', note: sca };
};

function checkLevels(
  levels: readonly RuleLevel[],
  { billed: amount, total, ...demand }: Demand,
  state: Present,
): Found {
  const verdict = checkRules(levels, {
    amount,
    total,
    currency: state.card.currency,
    channel: demand.channel,
    mcc: demand.mcc,
    merchantId: demand.merchantId,
    used: (counter) => usedOf(state.windows, counter, state.now),
  });
  if ('passed' in verdict) {
    const remained = Object.entries(verdict.remained).map(([interval, left]) => [interval, left.toString()]);
    return { result: 'PASSED', ...(remained.length > 0 ? { remained: Object.fromEntries(remained) } : {}) };
  }
  const { level, rule, interval, remained, reason } = verdict;
  return failed(reason, {
    level,
    rule,
    ...(interval ? { interval } : {}),
    ...(remained === undefined ? {} : { remained: remained.toString() }),
  });
}

/** The same rules, by KYC level: their reasons are told apart from those that the cardholder set. */
const checkKyc: CheckOf = (demand, state) => {
  const found = checkLevels([{ level: state.kyc.level, rules: state.kyc.rules }], demand, state);
  return found.reason
    ? { ...found, reason: REASONS[found.reason] === '61' ? 'KYC_LIMIT_EXCEEDED' : 'KYC_RULE' }
    : found;
};

const checkFunds: CheckOf = ({ hold }, { funds, account }) => {
  if (account !== null && account !== 'ACTIVE') return failed('ACCOUNT_NOT_ACTIVE');
  if (hold === 0n) return skipped('nothing is taken');
  const available = funds ? availableOf(funds) : 0n;
  return available < hold
    ? failed('FUNDS_INSUFFICIENT', { remained: available.toString() })
    : { result: 'PASSED', remained: (available - hold).toString() };
};

const STEPS = [
  ['STATE', checkState],
  ['EXPIRY', checkExpiry],
  ['CVV', checkCvv],
  ['CHANNEL', checkChannel],
  ['PIN', checkPin],
  ['AVS', () => ({ result: 'NOTED', note: 'no address in this message' })],
  ['SCA', checkSca],
  ['KYC_LEVEL', checkKyc],
  ['SPEND_RULES', (demand, state) => checkLevels(state.levels, demand, state)],
  [
    'CONVERSION',
    ({ billed, currency }, { card }) => {
      if (billed === null) return failed('RATE_MISSING', { note: `${currency} to ${card.currency}` });
      return currency === card.currency
        ? skipped('same currency')
        : { result: 'PASSED', note: `${billed} ${card.currency}` };
    },
  ],
  ['FEES', ({ billed, hold }) => ({ result: 'NOTED', note: hold === 0n ? '0' : (hold - (billed ?? 0n)).toString() })],
  ['FUNDS', checkFunds],
  ['FORWARDING', (_, { forwarded }) => (forwarded ? { result: 'NOTED', note: 'asked' } : skipped('off'))],
] as const satisfies readonly (readonly [string, CheckOf])[];

/** MESSAGE: what is wrong with the message itself, before any check. */
export type Check = 'MESSAGE' | 'CARD' | (typeof STEPS)[number][0];

/** The checks in the order in which they are made. */
export const CHECKS: readonly Check[] = ['CARD', ...STEPS.map(([check]) => check)];

/** 85 is what an approved verification is called. */
const approvedCode = (amount: bigint): string => (amount === 0n ? '85' : '00');

export function decide(demand: Demand, state: State): Verdict {
  const nothing = { wrongCvv: false, wrongPin: false };
  const explanation: Step[] = [{ check: 'CARD', result: state.card ? 'PASSED' : 'FAILED' }];
  if (!state.card)
    return { approved: false, responseCode: REASONS.CARD_NOT_FOUND, reason: 'CARD_NOT_FOUND', explanation, ...nothing };
  for (const [check, find] of STEPS) {
    const { reason, ...found }: Found = find(demand, { ...state, card: state.card });
    explanation.push({ check, ...found });
    if (reason)
      return {
        approved: false,
        responseCode: REASONS[reason],
        reason,
        explanation,
        ...nothing,
        wrongCvv: reason === 'CVV_WRONG',
        wrongPin: reason === 'PIN_WRONG',
      };
  }
  return { approved: true, responseCode: approvedCode(demand.amount), reason: null, explanation, ...nothing };
}
