// Response codes (DE 39) as data: text, class, and whether trying again makes sense.
// Rule: everything above the network asks this table; no other file compares response codes, except with '00' it made itself.
import table from './iso-codes.json' with { type: 'json' };
import type { NetworkRequest } from './message.ts';

/** What the code says about the request: done, declined by the issuer, or not decided because something broke. */
export type CodeClass = 'approved' | 'declined' | 'error';
/** May the same payment be tried again: never, later unchanged, with corrected data, or at the merchant's judgement. */
export type RetryCategory = 'never' | 'later' | 'correct_data' | 'generic';

export interface IsoCode {
  readonly code: string;
  /** `iso_message` of the operation. */
  readonly message: string;
  readonly class: CodeClass;
  /** `decline_category`; null when approved. */
  readonly retry: RetryCategory | null;
  /** `failure_message`: the ISO message when declined, one closed text for every error, empty when approved. */
  readonly failureMessage: string;
}

const TEMPORARY_FAILURE = 'Temporary failure, try again later';

const FAILURE_MESSAGES: Readonly<Record<CodeClass, (message: string) => string>> = {
  approved: () => '',
  declined: (message) => message,
  error: () => TEMPORARY_FAILURE,
};

const isoCodeFrom = (code: string, message: string, of: CodeClass, retry: RetryCategory | null): IsoCode =>
  Object.freeze({ code, message, class: of, retry, failureMessage: FAILURE_MESSAGES[of](message) });

const codes: ReadonlyMap<string, IsoCode> = new Map(
  (table as [string, string, CodeClass, RetryCategory | null][]).map((row) => [row[0], isoCodeFrom(...row)] as const),
);

/** Every code that we know, for documents and tests. */
export const isoCodes: readonly IsoCode[] = [...codes.values()];

/** A code that stands in no row is an issuer's decline without a reason, shown as the code that came. */
export const isoCode = (code: string): IsoCode =>
  codes.get(code) ?? isoCodeFrom(code, 'Do not honor', 'declined', 'generic');

export const isApproved = (code: string): boolean => codes.get(code)?.class === 'approved';

/**
 * A scheme's DE 39 in our codes, for links to real acquirers. Visa's and Amex's 1A is A1; Mastercard says 65 for the same when a
 * cardholder's e-commerce payment came without authentication (otherwise 65 is the frequency limit).
 */
export function codeFromScheme(
  code: string,
  brand: string,
  request: Pick<NetworkRequest, 'operation' | 'initiator' | 'authentication'>,
): string {
  if (code === '1A') return 'A1';
  const wantsAuthentication =
    request.operation === 'authorize' && request.initiator === 'customer' && request.authentication === null;
  return code === '65' && brand === 'mastercard' && wantsAuthentication ? 'A1' : code;
}
