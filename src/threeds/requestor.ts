// The requestor: asks the directory about a payment and, when the cardholder is needed, makes the form and the row behind it.
// Rule: start writes nothing itself; its changes are committed together with the order's move to prepared, or not at all.
import { addMs, type Log, type Permutation } from '../base/index.ts';
import type { Change } from '../store/index.ts';
import type { Directory, DirectoryAnswer } from './directory.ts';
import { type Form3d, formHtml } from './form.ts';
import {
  type Authentication,
  type AuthenticationRequest,
  CHALLENGE_MS,
  eciOf,
  encodeRequest,
  hashMd,
  type Keys,
  makeMd,
  type Scenario,
  type WindowSize,
  windowSizeOf,
} from './protocol/index.ts';
import { type Found, type Transaction, transactionInsert } from './queries.ts';

export type Started =
  | { readonly kind: 'final'; readonly authentication: Authentication }
  | {
      readonly kind: 'form';
      readonly step: 'method' | 'challenge';
      readonly form: Form3d;
      /** `form3d_html`. */
      readonly html: string;
      readonly scenario: Scenario;
      readonly expiresAt: Date;
      readonly changes: Change[];
    };

export interface RequestorOptions {
  readonly directory: Directory;
  readonly ids: Permutation;
  readonly keys: Keys;
  readonly log: Log;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

export const termUrl = (publicUrl: string): string => `${publicUrl}/threeds/term`;

/** Nothing is known and nothing was proven: the project's settings decide what becomes of the payment. */
export const unableToVerify = (brand: string): Authentication => ({
  letter: 'U',
  scenario: 'unable_to_verify',
  eci: eciOf(brand, 'U'),
  cavv: null,
  dsTransId: null,
  version: null,
  reasonCode: null,
});

async function ask(
  options: RequestorOptions,
  request: AuthenticationRequest,
  window: WindowSize,
): Promise<DirectoryAnswer> {
  try {
    return await options.directory.authenticate(request, window);
  } catch (error) {
    options.log.warn({ err: error }, 'directory call failed');
    return { kind: 'final', authentication: unableToVerify(request.brand) };
  }
}

/** Asks the directory. Call it with no transaction open. A directory that fails is letter U, never an exception. */
export async function start(options: RequestorOptions, request: AuthenticationRequest): Promise<Started> {
  const window = windowSizeOf(request.browser);
  const answer = await ask(options, request, window);
  if (answer.kind === 'final') return answer;

  const expiresAt = addMs(request.at, CHALLENGE_MS);
  const md = makeMd(options.ids, options.keys, request);
  const row: Transaction = {
    project_id: request.owner,
    id: request.transactionId,
    order_id: request.orderId,
    md_hash: hashMd(md),
    step: answer.step,
    state: 'open',
    letter: null,
    reason_code: null,
    cancel_code: null,
    version: answer.version,
    server_trans_id: answer.serverTransId,
    acs_trans_id: answer.acsTransId,
    ds_trans_id: answer.dsTransId,
    stalled: answer.stalled,
    tries: 0,
    resends: 0,
    sent_at: request.at,
    amount: request.amount.minor,
    currency: request.amount.currency,
    merchant_name: request.merchantName,
    masked_pan: request.pan.masked(),
    brand: request.brand,
    cavv_seed: answer.cavvSeed,
    browser: request.browser,
    challenge: answer.challenge,
    created_at: request.at,
    expires_at: expiresAt,
  };
  const form = formOf(options, row, md);
  return {
    kind: 'form',
    step: answer.step,
    form,
    html: formHtml(form),
    scenario: 'challenge',
    expiresAt,
    changes: [transactionInsert(row)],
  };
}

const ADDRESSES: Readonly<Record<Transaction['step'], string>> = { method: '/acs/method', challenge: '/acs' };

function formOf({ publicUrl }: Pick<RequestorOptions, 'publicUrl'>, row: Transaction, md: string): Form3d {
  return {
    MD: md,
    PaReq: encodeRequest({
      messageType: row.step === 'method' ? 'Method' : 'CReq',
      messageVersion: row.version,
      threeDSServerTransID: row.server_trans_id,
      acsTransID: row.acs_trans_id,
      challengeWindowSize: windowSizeOf(row.browser),
    }),
    TermUrl: termUrl(publicUrl),
    action: `${publicUrl}${ADDRESSES[row.step]}`,
    method: 'POST',
  };
}

/** The form of a transaction that waits for its browser, for a payer who reloads or comes back: the same as the first time. */
export function formAgain(
  options: Pick<RequestorOptions, 'ids' | 'keys' | 'publicUrl'>,
  row: Found,
): { readonly form: Form3d; readonly html: string } {
  const whose = { owner: row.project_id, orderId: row.order_id, transactionId: row.id };
  const form = formOf(options, row, makeMd(options.ids, options.keys, whose));
  return { form, html: formHtml(form) };
}
