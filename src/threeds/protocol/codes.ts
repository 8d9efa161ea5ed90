// The sandbox's one-time codes: what the cardholder types decides how the challenge ends.
import type { Letter } from './eci.ts';

/** How a challenge ended: what the access control server reports (RReq). */
export interface Report {
  readonly letter: Letter;
  readonly reasonCode: string | null;
  readonly cancelCode: string | null;
}

/** transStatusReason of EMV 3-D Secure, as far as we report them. */
export const reasons = {
  authenticationFailed: '01',
  suspectedFraud: '11',
  timedOut: '14',
  tooManyTries: '19',
  technicalIssue: '22',
} as const;

/** challengeCancel of EMV 3-D Secure. */
export const cancels = { cardholder: '01', timedOut: '04' } as const;

export const MAX_TRIES = 3;
export const MAX_RESENDS = 3;
export const RESEND_AFTER_MS = 15_000;
export const CHALLENGE_MS = 10 * 60_000;

const report = (letter: Report['letter'], reasonCode: string | null, cancelCode: string | null = null): Report => ({
  letter,
  reasonCode,
  cancelCode,
});

const CODES: Readonly<Record<string, Report>> = {
  '1234': report('Y', null),
  '1111': report('N', reasons.authenticationFailed),
  '2222': report('R', reasons.suspectedFraud),
  '3333': report('U', reasons.technicalIssue),
  '7777': report('A', null),
};

/** How the challenge ends with this code; null: the code is wrong. `00nn` fails with reason nn. */
export function judge(code: string): Report | null {
  if (Object.hasOwn(CODES, code)) return CODES[code] as Report;
  return /^00\d\d$/.test(code) ? report('N', code.slice(2)) : null;
}

export const passed = report('Y', null);
export const cancelled = report('N', reasons.authenticationFailed, cancels.cardholder);
export const timedOut = report('N', reasons.timedOut, cancels.timedOut);
export const triesUsedUp = report('N', reasons.tooManyTries);
