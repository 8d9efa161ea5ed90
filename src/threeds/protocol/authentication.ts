// What is asked of a directory, and what an authentication proves. Types only.
import type { Money, Pan } from '../../base/index.ts';
import type { BrowserDetails } from './browser.ts';
import type { Letter } from './eci.ts';

export interface AuthenticationRequest {
  readonly owner: bigint;
  readonly orderId: bigint;
  /** A new one for each start, also for the one after the device-data step. */
  readonly transactionId: bigint;
  readonly pan: Pan;
  /** YYMM. */
  readonly expiry: string;
  readonly holder: string | null;
  /** Lowercase name of the BIN table. */
  readonly brand: string;
  readonly amount: Money;
  /** DE 42: what the proof is bound to besides the amount. */
  readonly merchantId: string;
  /** What the cardholder reads on the challenge page. */
  readonly merchantName: string;
  /** The merchant demands it: challenge wish 04 (mandated). */
  readonly forced: boolean;
  readonly browser: BrowserDetails | null;
  /** The device-data step is behind us. */
  readonly methodDone: boolean;
  readonly at: Date;
}

export type Scenario =
  | 'frictionless'
  | 'challenge'
  | 'attempt'
  | 'not_enrolled'
  | 'unable_to_verify'
  | 'external'
  | 'exempt';

export interface Authentication {
  readonly letter: Letter;
  readonly scenario: Scenario;
  readonly eci: string | null;
  /** Base64 of 20 bytes. */
  readonly cavv: string | null;
  readonly dsTransId: string | null;
  readonly version: string | null;
  /** transStatusReason, two digits. */
  readonly reasonCode: string | null;
}
