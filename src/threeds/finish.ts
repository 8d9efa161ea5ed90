// The way back: what is known of a transaction when a browser (TermUrl) or the merchant (complete) says that it is over.
// Rule: the result is what the access control server reported. What a browser brings may only agree with it; if it doesn't, the whole
// post counts as unknown and changes nothing.
import type { Clock, Money, Permutation } from '../base/index.ts';
import type { Db } from '../store/index.ts';
import {
  type Authentication,
  type BrowserDetails,
  carriesCavv,
  cavvFrom,
  eciOf,
  hashMd,
  type Keys,
  type Letter,
  matchesCres,
  matchesPaRes,
  type Owner,
  type Report,
  type ResponseFacts,
  readMd,
  timedOut,
} from './protocol/index.ts';
import {
  type Closing,
  type Found,
  resultReport,
  transactionByMd,
  transactionGet,
  transactionOfOrder,
} from './queries.ts';

/** What a browser or merchant brings. Fields as they came: any type, any content. */
export interface Returned {
  readonly MD?: unknown;
  readonly PaRes?: unknown;
  readonly cres?: unknown;
  readonly threeDSSessionData?: unknown;
}

interface Whose extends Owner {
  readonly transactionId: bigint;
}

export type Finished =
  /** How it ended. `closed` tells that the order has moved on already: show what became of it. */
  | (Whose & {
      readonly kind: 'finished';
      readonly authentication: Authentication;
      /** challengeCancel: 01 the cardholder cancelled, 04 timed out. */
      readonly cancelCode: string | null;
      /** What the cardholder agreed to: must be the order's. */
      readonly amount: Money;
      readonly closed: Closing | null;
    })
  /** The device-data step is over: start again with methodDone. */
  | (Whose & { readonly kind: 'method'; readonly browser: BrowserDetails | null; readonly closed: Closing | null })
  /** The cardholder is still at it, or his browser was not at the device-data page yet. */
  | (Whose & { readonly kind: 'pending'; readonly expiresAt: Date })
  /** No such transaction, or a post that doesn't agree with it. */
  | { readonly kind: 'unknown' };

export interface FinishOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly ids: Permutation;
}

const UNKNOWN: Finished = { kind: 'unknown' };

/** One text of two spellings of a field; null when neither is there, undefined when they are no texts or differ. */
export function oneOf(a: unknown, b: unknown): string | null | undefined {
  const given = [a, b].filter((value) => value !== undefined && value !== '');
  if (given.length === 0) return null;
  return given.every((value) => typeof value === 'string' && value === given[0]) ? (given[0] as string) : undefined;
}

/** The transaction behind an MD, or null: for TermUrl and for the access control server alike. */
export async function findByMd(options: Pick<FinishOptions, 'db' | 'ids'>, md: string): Promise<Found | null> {
  const whose = readMd(options.ids, md);
  return whose && transactionByMd(options.db, whose.owner, whose.orderId, hashMd(md));
}

async function findReturned(options: FinishOptions, input: Returned): Promise<Found | null> {
  const md = oneOf(input.MD, input.threeDSSessionData);
  return md ? findByMd(options, md) : null;
}

/** The result of a challenge, made final when its time is over; null while it is open. */
export async function resultOf(db: Db, row: Found, now: Date): Promise<Report | null> {
  if (row.state === 'open' && now >= row.expires_at) {
    const reported = await resultReport(db, row, timedOut, false);
    // Somebody was faster: at the very end of the time another result came in.
    const current = reported ?? (await transactionGet(db, row.project_id, row.id));
    return current?.letter ? reportOf(current, current.letter) : timedOut;
  }
  if (row.letter) return reportOf(row, row.letter);
  return row.closed ? timedOut : null;
}

const reportOf = (row: Found, letter: Letter): Report => ({
  letter,
  reasonCode: row.reason_code,
  cancelCode: row.cancel_code,
});

export const factsOf = (row: Found, report: Report): ResponseFacts => ({
  version: row.version,
  serverTransId: row.server_trans_id,
  acsTransId: row.acs_trans_id,
  dsTransId: row.ds_trans_id,
  letter: report.letter,
});

/**
 * What became of the transaction that a browser brings back (by its MD), or of the newest of an order whose merchant, known by its
 * credentials, finishes it itself (`merchant`; never taken from a body). Reads only, except that a challenge whose time is over ends.
 * Asked twice it answers the same twice; use is recorded by `close`, in the commit that moves the order.
 */
export async function finish(
  options: FinishOptions,
  input: Returned,
  merchant: Owner | null = null,
): Promise<Finished> {
  const row = merchant
    ? await transactionOfOrder(options.db, merchant.owner, merchant.orderId)
    : await findReturned(options, input);
  if (!row) return UNKNOWN;
  const whose: Whose = { owner: row.project_id, orderId: row.order_id, transactionId: row.id };
  if (row.step === 'method') {
    const waits = row.state === 'open' && row.closed === null && options.clock.now() < row.expires_at;
    return waits
      ? { kind: 'pending', ...whose, expiresAt: row.expires_at }
      : { kind: 'method', ...whose, browser: row.browser, closed: row.closed };
  }
  const report = await resultOf(options.db, row, options.clock.now());
  if (!report) return { kind: 'pending', ...whose, expiresAt: row.expires_at };

  const facts = factsOf(row, report);
  const agrees = (value: unknown, matches: (text: string) => boolean): boolean =>
    value === undefined || (typeof value === 'string' && matches(value));
  if (!agrees(input.PaRes, (text) => matchesPaRes(options.keys, text, facts))) return UNKNOWN;
  if (!agrees(input.cres, (text) => matchesCres(text, facts))) return UNKNOWN;

  const eci = eciOf(row.brand, report.letter);
  return {
    kind: 'finished',
    ...whose,
    authentication: {
      letter: report.letter,
      scenario: 'challenge',
      eci,
      cavv: eci && carriesCavv(report.letter) ? cavvFrom(options.keys, row.cavv_seed, eci) : null,
      dsTransId: row.ds_trans_id,
      version: row.version,
      reasonCode: report.reasonCode,
    },
    cancelCode: report.cancelCode,
    amount: { minor: row.amount, currency: row.currency },
    closed: row.closed,
  };
}
