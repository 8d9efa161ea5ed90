// The message between gateway and acquirer link, field by field as ISO 8583:1987 names it (DE numbers in the comments).
// Rule: a message carries a whole card number, so it is never logged, stored or printed; only a link's codec opens it.
import type { Money, Pan } from '../base/index.ts';

export type NetworkOperation = 'authorize' | 'increment' | 'charge' | 'reverse' | 'refund' | 'credit';

/** How the card meets the merchant: DE 22 (entry mode), DE 3 (cash, cashback) and DE 25 (condition) taken together. */
export type Channel = 'ecommerce' | 'chip' | 'contactless' | 'atm' | 'cashback' | 'credit';

export interface NetworkRequest {
  /** Gives the MTI and DE 3: see MESSAGES. */
  readonly operation: NetworkOperation;
  /** Ours, for traces; not on the wire. */
  readonly owner: bigint;
  readonly orderId: bigint;
  /** Our own reference of this operation: digits, unique for ever, the same in every repeat. Private field beside DE 37. */
  readonly reference: string;
  /** 1 the first time a reference is sent, more for its repeats (last digit of the MTI). */
  readonly attempt: number;
  /** Reference of the authorize that a charge, reverse or refund belongs to, or of the charge that a reverse voids (DE 90); else null. */
  readonly original: string | null;
  /** DE 2. */
  readonly pan: Pan;
  /** DE 14, YYMM. */
  readonly expiry: string | null;
  /** DE 48 tag 08; on authorize only, and never in anything that is stored or sent again. */
  readonly cvv: string | null;
  /** Not on the wire of every link; the simulator's rule 4 reads it. */
  readonly holder: string | null;
  /** DE 4 and 49. On a reverse: the amount released. Zero on authorize is a card verification. */
  readonly amount: Money;
  /** DE 11, six digits. */
  readonly stan: string;
  /** DE 7, UTC. */
  readonly transmittedAt: Date;
  readonly terminal: {
    /** DE 41. */
    readonly id: string;
    /** DE 42. */
    readonly merchantId: string;
    /** DE 18, ISO 18245. */
    readonly mcc: string;
    /** DE 43. */
    readonly descriptor: string;
    /** DE 43, last part: ISO 3166-1 alpha-3; null when the acquirer doesn't say. */
    readonly country: string | null;
    /** A wrong CVV is answered 82 instead of an approval with a note. */
    readonly cvvMustMatch: boolean;
  };
  /** DE 22: 81x or 10x. A payment whose card comes from an earlier order is `credential_on_file`, one whose card came now is not. */
  readonly entryMode: 'ecommerce' | 'credential_on_file';
  readonly channel: Channel;
  /** False: a pre-authorization, whose amount may still change (DE 61 of the schemes). */
  readonly final: boolean;
  /** DE 52 in clear, as only a simulator may have it; null: no PIN was asked for. */
  readonly pin: string | null;
  /** DE 48 tag 04. */
  readonly initiator: 'customer' | 'merchant';
  /** DE 48 tag 05: recurring, instalment, unscheduled, customer present. */
  readonly indicator: 'R' | 'I' | 'U' | 'C' | null;
  /** DE 48 tag 06: the network transaction id of the payment that began the series. */
  readonly originalTraceId: string | null;
  /** DE 48 tag 07. */
  readonly exemption: 'mit' | null;
  /** Result of 3-D Secure; null when none was tried. `letter` is the transStatus (Y, A, U, …). */
  readonly authentication: {
    readonly letter: string;
    /** DE 48 tag 01. */
    readonly eci: string | null;
    /** DE 48 tag 02, base64 of 20 bytes. */
    readonly cavv: string | null;
    /** DE 48 tag 03. */
    readonly dsTransId: string | null;
    /** DE 48 tag 12. */
    readonly version: string | null;
    readonly forced: boolean;
  } | null;
}

export interface NetworkAnswer {
  /** DE 39 in our own codes (iso-codes.json): `00` approved, `A1` soft decline. */
  readonly responseCode: string;
  /** DE 38, six characters; only when approved. */
  readonly authCode: string | null;
  /** DE 37, given at the authorization and kept over the life of the payment. */
  readonly rrn: string;
  /** DE 48 tag 10: the scheme's id of the payment, stored for later merchant-initiated ones. */
  readonly networkTransactionId: string | null;
  /** DE 48 tag 09: M match, N no match; null without a CVV. */
  readonly cvvResult: string | null;
  readonly avsResult: string | null;
  /** What was approved, minor units; null when declined. */
  readonly approvedMinor: bigint | null;
}

/** A way to an acquirer. */
export interface Link {
  readonly name: string;
  /** The acquirer's answer, or NoAnswer. Sending a reference again never has a second effect. */
  send(request: NetworkRequest): Promise<NetworkAnswer>;
  /** What the acquirer recorded for our reference; null: it never arrived. NoAnswer when nobody can be asked now. */
  inquire(owner: bigint, reference: string): Promise<NetworkAnswer | null>;
}

/** The outcome of what was sent is unknown: it may or may not have had its effect. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly reason: 'timeout' | 'reset' | 'malformed';

  constructor(reason: 'timeout' | 'reset' | 'malformed', options?: ErrorOptions) {
    super(`no answer: ${reason}`, options);
    this.reason = reason;
  }
}

/** Port: the issuing side as the network sees it. It must answer a repeated reference as before, without a second effect. */
export interface IssuerHost {
  handle(request: NetworkRequest): Promise<NetworkAnswer>;
}

interface MessageForm {
  /** MTI of the request; a repeat ends in 1. */
  readonly request: string;
  readonly answer: string;
  /** DE 3, n6. */
  readonly processingCode: string;
}

/** ISO 8583 message class and processing code of each operation. The first 0200 with 20 gives back to a card, 26 pays out to one. */
export const MESSAGES: Readonly<Record<NetworkOperation, MessageForm>> = {
  authorize: { request: '0100', answer: '0110', processingCode: '000000' },
  increment: { request: '0100', answer: '0110', processingCode: '000000' },
  charge: { request: '0220', answer: '0230', processingCode: '000000' },
  reverse: { request: '0400', answer: '0410', processingCode: '000000' },
  refund: { request: '0200', answer: '0210', processingCode: '200000' },
  credit: { request: '0200', answer: '0210', processingCode: '260000' },
};

/** DE 0 of a request: its operation's, with last digit 1 when it is a repeat. */
export const mtiOf = (operation: NetworkOperation, attempt: number): string =>
  attempt > 1 ? `${MESSAGES[operation].request.slice(0, 3)}1` : MESSAGES[operation].request;

/** A payment that the merchant starts with the card of an earlier order. */
export const isRebill = (request: Pick<NetworkRequest, 'operation' | 'initiator' | 'entryMode'>): boolean =>
  request.operation === 'authorize' && request.initiator === 'merchant' && request.entryMode === 'credential_on_file';
