// The requestor: asks the directory about a payment and, when the cardholder is needed, makes the form and the row behind it.
// Rule: start writes nothing itself; its changes are committed together with the order's move to prepared, or not at all.
import type { Log, Permutation, Random } from '../base/index.ts';
import { addMs } from '../base/index.ts';
import type { Change } from '../store/index.ts';
import type { Authentication, AuthenticationRequest, Scenario } from './authentication.ts';
import { windowSizeOf } from './browser.ts';
import { encodeRequest, hashMd, makeMd, type WindowSize } from './carrier.ts';
import { CHALLENGE_MS } from './codes.ts';
import type { Directory, DirectoryAnswer } from './directory.ts';
import { eciOf } from './eci.ts';
import { type Form3d, formHtml } from './form.ts';
import { transactionInsert } from './queries.ts';

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
  readonly random: Random;
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

  const md = makeMd(options.ids, options.random, request);
  const expiresAt = addMs(request.at, CHALLENGE_MS);
  const form: Form3d = {
    MD: md,
    PaReq: encodeRequest({
      messageType: answer.step === 'method' ? 'Method' : 'CReq',
      messageVersion: answer.version,
      threeDSServerTransID: answer.serverTransId,
      acsTransID: answer.acsTransId,
      challengeWindowSize: window,
    }),
    TermUrl: termUrl(options.publicUrl),
    action: `${options.publicUrl}${answer.path}`,
    method: 'POST',
  };
  const row = transactionInsert({
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
  });
  return {
    kind: 'form',
    step: answer.step,
    form,
    html: formHtml(form),
    scenario: 'challenge',
    expiresAt,
    changes: [row],
  };
}
