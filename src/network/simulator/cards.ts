// What the sandbox's cards do: fixed cards, the scheme 499999 + operation + outcome + 0000 + Luhn digit, holder `SIM <operation> <outcome>`.
// Rule: pure, and the first rule that speaks about the operation wins; whatever no rule names is approved.
import type { Pan } from '../../base/index.ts';
import { lookupBin } from '../bins.ts';
import { isoCodes } from '../iso-codes.ts';
import { isRebill, type NetworkOperation, type NetworkRequest } from '../message.ts';

/** What can happen to a message on its way: see PLAYS in simulator.ts. */
export type Fault = 'lost_before' | 'lost_after' | 'slow' | 'twice' | 'malformed' | 'reset' | 'late';

/** What the 3-D Secure directory and the cardholder do. */
export type ThreedsOutcome =
  | 'not_enrolled'
  | 'unable_to_verify'
  | 'challenge'
  | 'frictionless_Y'
  | 'attempt_A'
  | 'N'
  | 'R'
  | 'U'
  | 'directory_error'
  | 'abandoned'
  | 'method';

export type Chargeback = 'fraud' | 'not_received';

export type Outcome = { readonly code: string } | { readonly fault: Fault };
type Meaning = Outcome | { readonly threeds: ThreedsOutcome } | { readonly chargeback: Chargeback };

/** What an outcome may be attached to: the operations, the rebill (an authorization of its own kind), and life after settlement. */
export type Moment = NetworkOperation | 'rebill' | 'settlement';

const MOMENTS: Readonly<Record<string, Moment>> = {
  '10': 'authorize',
  '20': 'charge',
  '30': 'reverse',
  '40': 'refund',
  '50': 'credit',
  '60': 'rebill',
  '70': 'settlement',
};

const SPECIAL: Readonly<Record<string, Meaning>> = {
  '901': { code: 'A1' },
  '910': { fault: 'lost_before' },
  '911': { fault: 'lost_after' },
  '912': { fault: 'slow' },
  '913': { fault: 'twice' },
  '914': { fault: 'malformed' },
  '915': { fault: 'reset' },
  '916': { fault: 'late' },
  '920': { threeds: 'challenge' },
  '921': { threeds: 'frictionless_Y' },
  '922': { threeds: 'attempt_A' },
  '923': { threeds: 'N' },
  '924': { threeds: 'R' },
  '925': { threeds: 'U' },
  '926': { threeds: 'directory_error' },
  '927': { threeds: 'abandoned' },
  // Ours beyond the list: the device-data step first, then a challenge.
  '928': { threeds: 'method' },
  '930': { chargeback: 'fraud' },
  '931': { chargeback: 'not_received' },
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...Object.entries(SPECIAL),
  ...isoCodes.map(({ code }) => [code.padStart(3, '0'), { code }] as const),
]);

/** `051`, `51`, `A1`, `911` or a fault's name, as an outcome of a message; null when it is none. */
export function outcomeFrom(text: string): Outcome | null {
  const meaning = MEANINGS.get(text.toUpperCase().padStart(3, '0')) ?? faultsByName.get(text.toLowerCase());
  return meaning && ('code' in meaning || 'fault' in meaning) ? meaning : null;
}
const faultsByName: ReadonlyMap<string, Outcome> = new Map(
  Object.values(SPECIAL).flatMap((meaning) => ('fault' in meaning ? [[meaning.fault, meaning] as const] : [])),
);

/** `10` or `authorize`; null when it is no moment. */
export function momentFrom(text: string): Moment | null {
  const name = text.toLowerCase();
  return MOMENTS[name] ?? Object.values(MOMENTS).find((moment) => moment === name) ?? null;
}

export const momentOf = (request: Pick<NetworkRequest, 'operation' | 'initiator' | 'entryMode'>): Moment =>
  isRebill(request) ? 'rebill' : request.operation;

interface Told {
  readonly moment: Moment;
  readonly meaning: Meaning;
}

/** Rule 3: what the card number itself says. */
function toldByPan(pan: Pan): Told | null {
  if (pan.bin(6) !== '499999') return null;
  const match = /^499999(\d\d)(\d{3})0000\d$/.exec(pan.reveal());
  return match ? toldBy(match[1] as string, match[2] as string) : null;
}

/** Rule 4: what the holder's name says; any case, operation by number or name, code by two or three characters. */
function toldByHolder(holder: string | null): Told | null {
  if (holder === null || !/^sim /i.test(holder)) return null;
  const match = /^sim +([a-z]+|\d\d) +(\w{2,3})$/i.exec(holder.trim());
  return match ? toldBy(match[1] as string, match[2] as string) : null;
}

function toldBy(operation: string, outcome: string): Told | null {
  const moment = momentFrom(operation);
  const meaning = MEANINGS.get(outcome.toUpperCase().padStart(3, '0'));
  return moment && meaning ? { moment, meaning } : null;
}

const WITH_AUTHENTICATION_ONLY = '4276990011343663';
const BROKEN = '5555555555555599';
const NOT_ENROLLED = '4276838748917319';
const FRAUD = '4000000000000002';
const ALWAYS_APPROVED = ['4111111111111111', '2222400060000007', NOT_ENROLLED];

const approved: Outcome = { code: '00' };

/** Rule 2. Only authorizations may go wrong: what comes after one that was approved is approved too. */
const FIXED: ReadonlyMap<string, (request: NetworkRequest) => Outcome> = new Map([
  ...ALWAYS_APPROVED.map((digits) => [digits, () => approved] as const),
  [
    WITH_AUTHENTICATION_ONLY,
    ({ operation, initiator, authentication }: NetworkRequest) =>
      operation === 'authorize' && initiator === 'customer' && authentication === null ? { code: '05' } : approved,
  ],
  [
    BROKEN,
    ({ operation }: NetworkRequest) =>
      operation === 'authorize' || operation === 'credit' ? { code: '96' } : approved,
  ],
  [
    FRAUD,
    ({ operation }: NetworkRequest) =>
      operation === 'authorize' || operation === 'credit' ? { code: '59' } : approved,
  ],
]);

/**
 * What the acquirer answers, or what goes wrong on the way, by rules 1 (without an issuer: 15) to 4. A fault hits only the first
 * sending of a reference, so that a worker which repeats comes to an end. The CVV and the acquirer's own state come on top.
 */
export function outcomeOf(request: NetworkRequest): Outcome {
  const { pan } = request;
  if (lookupBin(pan).own) return { code: '15' };
  const fixed = FIXED.get(pan.reveal());
  if (fixed) return fixed(request);
  const moment = momentOf(request);
  const told = [toldByPan(pan), toldByHolder(request.holder)].find((rule) => rule?.moment === moment);
  return told ? outcomeMeant(told.meaning, request) : approved;
}

function outcomeMeant(meaning: Meaning, { attempt, authentication }: NetworkRequest): Outcome {
  if ('fault' in meaning) return attempt === 1 ? meaning : approved;
  if (!('code' in meaning)) return approved;
  const authenticated = authentication?.letter === 'Y' || authentication?.letter === 'A';
  return meaning.code === 'A1' && authenticated ? approved : meaning;
}

/** Rule 1 before 2 before 3 before 4, for what isn't decided by a message: nobody speaks for a cardholder of our own issuer. */
function meaningAt(pan: Pan, holder: string | null, moments: readonly Moment[]): Meaning | null {
  if (lookupBin(pan).own || FIXED.has(pan.reveal())) return null;
  const told = [toldByPan(pan), toldByHolder(holder)].find((rule) => rule && moments.includes(rule.moment));
  return told?.meaning ?? null;
}

/** What 3-D Secure comes to for this card; null: the card has no opinion (enrolled, a challenge when 3-D Secure is asked for). */
export function threedsOutcome(pan: Pan, holder: string | null): ThreedsOutcome | null {
  const digits = pan.reveal();
  if (digits === NOT_ENROLLED) return 'not_enrolled';
  if (digits === WITH_AUTHENTICATION_ONLY) return 'unable_to_verify';
  const meaning = meaningAt(pan, holder, ['authorize']);
  return meaning && 'threeds' in meaning ? meaning.threeds : null;
}

/** Does the card's issuer demand 3-D Secure although the merchant didn't (outcomes 920 to 928)? */
export const demandsThreeds = (pan: Pan, holder: string | null): boolean => {
  const meaning = meaningAt(pan, holder, ['authorize']);
  return meaning !== null && 'threeds' in meaning;
};

/** The fixed card that the gateway's own fraud rules refuse; should it reach the acquirer all the same, the answer is 59. */
export const refusedAsFraud = (pan: Pan): boolean => pan.reveal() === FRAUD;

/** What the cardholder does once the money has moved: outcomes 930 and 931 of any operation. */
export function afterSettlement(pan: Pan, holder: string | null): { readonly chargeback: Chargeback } | null {
  const meaning = meaningAt(pan, holder, Object.values(MOMENTS));
  return meaning && 'chargeback' in meaning ? meaning : null;
}

/** What the sandbox's issuers do by themselves, as the gateway asks them. */
export const simulatedIssuer = {
  mandatesAuthentication: demandsThreeds,
  screensAsFraud: refusedAsFraud,
  chargebackAfterSettlement: (pan: Pan, holder: string | null): Chargeback | null =>
    afterSettlement(pan, holder)?.chargeback ?? null,
};
