// Port: the issuing side as the access control server asks it, about cards of its own. app.ts supplies it.
import { type AuthenticationRequest, passed, type Report, timedOut, triesUsedUp } from './protocol/index.ts';

export type CardholderChannel = 'OTP_SMS' | 'BIOMETRICS' | 'EXTERNAL_AUTHY';

/** Which challenge: the other side's own words, kept as they came. */
export interface ChallengeName {
  readonly owner: string;
  readonly id: string;
}

/** A challenge as its page needs it. */
export interface CardholderChallenge extends ChallengeName {
  readonly channel: CardholderChannel;
  /** Where the code went, masked; null: nowhere. */
  readonly sentTo: string | null;
  /** The other channel, for a cardholder who can't use the first. */
  readonly fallback: 'OTP_SMS' | null;
}

export type Enrolment =
  | { readonly kind: 'not_enrolled' }
  /** The card can't pay now, so nobody is asked. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'frictionless' }
  | { readonly kind: 'challenge'; readonly challenge: CardholderChallenge };

export type ChallengeState = 'PENDING' | 'PASSED' | 'FAILED' | 'EXPIRED';

export interface Cardholders {
  /** Begins a challenge where one is needed. null: no card of ours. */
  enrol(request: AuthenticationRequest): Promise<Enrolment | null>;
  /** Where a challenge stands after this code: PENDING means that it was wrong and may be tried again. */
  check(of: ChallengeName, code: string): Promise<ChallengeState>;
  state(of: ChallengeName): Promise<ChallengeState>;
  resend(of: ChallengeName): Promise<'sent' | 'too_early' | 'no_more'>;
  /** From now on by SMS; null when there is no such way. */
  fallBack(of: ChallengeName): Promise<CardholderChallenge | null>;
}

const noChallenge = (): Promise<never> => Promise.reject(new Error('no card is issued here'));

/** Where no cards are issued. */
export const noCardholders: Cardholders = {
  enrol: async () => null,
  check: noChallenge,
  state: noChallenge,
  resend: noChallenge,
  fallBack: noChallenge,
};

/** How a challenge that is no longer pending ends the authentication. */
export const reportOf = (state: ChallengeState): Report | null =>
  ({ PENDING: null, PASSED: passed, FAILED: triesUsedUp, EXPIRED: timedOut })[state];
