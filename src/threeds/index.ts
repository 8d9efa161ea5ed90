// threeds: 3-D Secure. The requestor that asks, the sandbox's directory and access control server that answer, and the pages between.
// Owns threeds_transactions, threeds_closed and threeds_cavvs. A transaction is open, then done; closed once, by its order.
// Rule: knows no order and no operation: the gateway commits what start and close hand out together with its own changes.
import type { Clock, Log, Permutation } from '../base/index.ts';
import type { Change, Db } from '../store/index.ts';
import type { Directory } from './directory.ts';
import { type Finished, finish, type Returned } from './finish.ts';
import type { Form3d } from './form.ts';
import { type AuthenticationRequest, type Keys, type Owner, readMd } from './protocol/index.ts';
import { type Closing, closedInsert, transactionOfOrder } from './queries.ts';
import { formAgain, type Started, start } from './requestor.ts';

export * from './acs/index.ts';
export {
  type CardholderChallenge,
  type Cardholders,
  type ChallengeState,
  type Enrolment,
  noCardholders,
} from './cardholders.ts';
export {
  type Directory,
  type DirectoryAnswer,
  noDirectory,
  type SandboxOutcome,
  sandboxDirectory,
  withCardholders,
} from './directory.ts';
export { checkExternal, type ExternalError, type ExternalResult, externalAuthentication } from './external.ts';
export type { Finished, Returned } from './finish.ts';
export type { Form3d } from './form.ts';
export {
  type Authentication,
  type AuthenticationRequest,
  type BrowserDetails,
  browserOf,
  type CavvClaim,
  eciOf,
  type Keys,
  type Scenario,
  verifyCavv,
} from './protocol/index.ts';
export { type Closing, cavvInsert, cavvKind, isUsed, needCavv } from './queries.ts';
export type { Started } from './requestor.ts';

export interface ThreedsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The vault will do. */
  readonly keys: Keys;
  /** How ids look outside: of the same key as everywhere. */
  readonly ids: Permutation;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly directory: Directory;
}

export interface Threeds {
  /** Asks the directory; no transaction may be open. A form's changes belong into the commit that makes the order prepared. */
  start(request: AuthenticationRequest): Promise<Started>;
  /** What became of the transaction that a browser brings back, or of the newest one of a merchant's own order. */
  finish(returned: Returned, merchant?: Owner | null): Promise<Finished>;
  /**
   * Where the newest transaction of an order stands: `form` waits for the cardholder, with the form that goes on there; `answered` has a
   * result that nobody has fetched yet; null: there is none, or its story is over.
   */
  unfinished(
    owner: bigint,
    orderId: bigint,
  ): Promise<
    { readonly kind: 'form'; readonly form: Form3d; readonly html: string } | { readonly kind: 'answered' } | null
  >;
  /** The newest transaction of an order: another one's id is made behind it (`IdMaker.after`). null: there is none. */
  newest(owner: bigint, orderId: bigint): Promise<bigint | null>;
  /** Whose MD this claims to be, for errors and limits; proves nothing. */
  ownerOf(md: string): Owner | null;
  /** The order leaves the transaction: with its result (used) or without it (expired). Once; for the commit that moves the order. */
  close(owner: bigint, transactionId: bigint, how: Closing, at: Date): Change[];
}

export function createThreeds(options: ThreedsOptions): Threeds {
  return {
    start: (request) => start(options, request),
    finish: (returned, merchant = null) => finish(options, returned, merchant),
    async unfinished(owner, orderId) {
      const row = await transactionOfOrder(options.db, owner, orderId);
      if (!row || row.closed) return null;
      if (row.state === 'done' || options.clock.now() >= row.expires_at) return { kind: 'answered' };
      return { kind: 'form', ...formAgain(options, row) };
    },
    newest: async (owner, orderId) => (await transactionOfOrder(options.db, owner, orderId))?.id ?? null,
    ownerOf: (md) => readMd(options.ids, md),
    close: (owner, transactionId, how, at) => [
      closedInsert({ project_id: owner, id: transactionId, how, closed_at: at }),
    ],
  };
}
