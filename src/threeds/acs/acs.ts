// The access control server: the far side, where the cardholder proves who they are. Decides what a post does and which page answers it.
// Rule: strict about what it is sent. A post needs the MD's secret and the ids that belong to it, may name no TermUrl but ours, and does
// its work at most once: double clicks, reloads and the back button meet what is already decided.
import { addMs } from '../../base/index.ts';
import { type Cardholders, type ChallengeState, reportOf } from '../cardholders.ts';
import { type FinishOptions, factsOf, findByMd, oneOf, resultOf } from '../finish.ts';
import {
  type BrowserDetails,
  browserOf,
  type ChallengeRequest,
  cancelled,
  decodeRequest,
  encodeCres,
  encodePaRes,
  judge,
  MAX_RESENDS,
  MAX_TRIES,
  RESEND_AFTER_MS,
  type Report,
  triesUsedUp,
  type Visit,
} from '../protocol/index.ts';
import {
  browserStore,
  challengeStore,
  codeResend,
  type Found,
  resultReport,
  transactionGet,
  trySpend,
} from '../queries.ts';
import { termUrl } from '../requestor.ts';

/** A form body as it was parsed: any names, any values. */
export type Body = Readonly<Record<string, unknown>>;

export interface AcsOptions extends FinishOptions {
  readonly publicUrl: string;
  readonly cardholders: Cardholders;
}

export type Notice = 'wrong' | 'again' | 'sent' | 'too_early' | 'no_more_codes' | 'waiting';

interface Held {
  readonly row: Found;
  readonly md: string;
  readonly request: ChallengeRequest;
}

export type View =
  | (Held & { readonly kind: 'challenge'; readonly notice: Notice | null; readonly now: Date })
  | (Held & { readonly kind: 'method' })
  /** Back to TermUrl with these fields. */
  | { readonly kind: 'return'; readonly fields: readonly (readonly [string, string])[] }
  /** `reason` is for the log, not for the page. */
  | { readonly kind: 'refused'; readonly reason: string };

const refused = (reason: string): View => ({ kind: 'refused', reason });

/** The transaction that a post speaks of, in either spelling, or why it speaks of none. */
async function hold(options: AcsOptions, body: Body): Promise<Held | string> {
  const md = oneOf(body.MD, body.threeDSSessionData);
  const carrier = oneOf(body.PaReq, body.creq);
  if (!md || !carrier) return 'fields missing or twice';
  if (body.TermUrl !== undefined && body.TermUrl !== termUrl(options.publicUrl)) return 'foreign TermUrl';
  const request = decodeRequest(carrier);
  if (!request) return 'malformed request';
  const row = await findByMd(options, md);
  if (!row) return 'unknown MD';
  const same =
    request.messageType === (row.step === 'method' ? 'Method' : 'CReq') &&
    request.messageVersion === row.version &&
    request.threeDSServerTransID === row.server_trans_id &&
    request.acsTransID === row.acs_trans_id;
  return same ? { row, md, request } : 'ids of another transaction';
}

function backWith(options: AcsOptions, { row, md }: Held, report: Report): View {
  const facts = factsOf(row, report);
  return {
    kind: 'return',
    fields: [
      ['MD', md],
      ['PaRes', encodePaRes(options.keys, facts)],
      ['cres', encodeCres(facts)],
      ['threeDSSessionData', md],
    ],
  };
}

const backWithoutResult = (md: string): View => ({
  kind: 'return',
  fields: [
    ['MD', md],
    ['threeDSSessionData', md],
  ],
});

/** The page for a transaction as it stands now. */
async function show(options: AcsOptions, held: Held, notice: Notice | null): Promise<View> {
  const now = options.clock.now();
  if (held.row.step === 'method') {
    const over = held.row.state === 'done' || held.row.closed !== null || now >= held.row.expires_at;
    return over ? backWithoutResult(held.md) : { kind: 'method', ...held };
  }
  const report = await resultOf(options.db, held.row, now);
  return report ? backWith(options, held, report) : { kind: 'challenge', ...held, notice, now };
}

/** What an update left, or, when it came too late, what somebody else's left. */
async function showAfter(options: AcsOptions, held: Held, updated: Found | null, notice: Notice | null): Promise<View> {
  const row = updated ?? (await transactionGet(options.db, held.row.project_id, held.row.id)) ?? held.row;
  return show(options, { ...held, row }, updated ? notice : 'again');
}

/** The browser arrives: with the shop's form, or by a reload. Changes nothing but a time that is over. */
export async function openPage(options: AcsOptions, body: Body): Promise<View> {
  const held = await hold(options, body);
  return typeof held === 'string' ? refused(held) : show(options, held, null);
}

/** The cardholder pressed one of the challenge page's buttons. */
export async function answerChallenge(options: AcsOptions, body: Body): Promise<View> {
  const held = await hold(options, body);
  if (typeof held === 'string') return refused(held);
  const { row } = held;
  if (row.step !== 'challenge') return refused('not a challenge');
  const action =
    typeof body.do === 'string' && Object.hasOwn(ACTIONS, body.do) ? ACTIONS[body.do as keyof typeof ACTIONS] : null;
  if (!action) return refused('unknown action');
  // A page that is no longer the present one decides nothing: its code is not even looked at, or tries could be multiplied.
  const present = body.tries === String(row.tries) && body.resends === String(row.resends);
  if ((await resultOf(options.db, row, options.clock.now())) || !present) return show(options, held, 'again');
  return row.stalled ? show(options, held, 'waiting') : action(options, held, body);
}

/** The issuing side's word on a challenge of its own. */
async function decided(options: AcsOptions, held: Held, state: ChallengeState, byCode: boolean): Promise<View> {
  const { row } = held;
  const verdict = reportOf(state);
  if (verdict) return showAfter(options, held, await resultReport(options.db, row, verdict, byCode), null);
  if (!byCode) return show(options, held, 'waiting');
  return showAfter(options, held, await trySpend(options.db, row), 'wrong');
}

const ACTIONS = {
  async submit(options: AcsOptions, held: Held, body: Body): Promise<View> {
    const { row } = held;
    const code = typeof body.code === 'string' ? body.code.trim() : '';
    if (code === '') return show(options, held, null);
    if (row.challenge) return decided(options, held, await options.cardholders.check(row.challenge, code), true);
    const verdict = judge(code) ?? (row.tries + 1 >= MAX_TRIES ? triesUsedUp : null);
    const updated = verdict ? await resultReport(options.db, row, verdict, true) : await trySpend(options.db, row);
    return showAfter(options, held, updated, 'wrong');
  },
  async resend(options: AcsOptions, held: Held): Promise<View> {
    const { row } = held;
    const now = options.clock.now();
    if (row.challenge) {
      const sent = await options.cardholders.resend(row.challenge);
      if (sent !== 'sent') return show(options, held, sent === 'too_early' ? 'too_early' : 'no_more_codes');
      return showAfter(options, held, await codeResend(options.db, row, now), 'sent');
    }
    if (row.resends >= MAX_RESENDS) return show(options, held, 'no_more_codes');
    if (now < addMs(row.sent_at, RESEND_AFTER_MS)) return show(options, held, 'too_early');
    return showAfter(options, held, await codeResend(options.db, row, now), 'sent');
  },
  /** The cardholder has confirmed on a device, or says so. */
  async proceed(options: AcsOptions, held: Held): Promise<View> {
    const { challenge } = held.row;
    if (!challenge) return show(options, held, null);
    return decided(options, held, await options.cardholders.state(challenge), false);
  },
  async fallback(options: AcsOptions, held: Held): Promise<View> {
    const { row } = held;
    const next = row.challenge?.fallback ? await options.cardholders.fallBack(row.challenge) : null;
    return next
      ? showAfter(options, held, await challengeStore(options.db, row, next), 'sent')
      : show(options, held, 'no_more_codes');
  },
  async cancel(options: AcsOptions, held: Held): Promise<View> {
    return showAfter(options, held, await resultReport(options.db, held.row, cancelled, false), null);
  },
};

/** The device-data page's form comes back: what it tells is kept the first time, and the browser goes on in any case. */
export async function collectDevice(options: AcsOptions, body: Body, visit: Visit): Promise<View> {
  const held = await hold(options, body);
  if (typeof held === 'string') return refused(held);
  if (held.row.step !== 'method') return refused('not a device-data step');
  const browser: BrowserDetails = { ...held.row.browser, ...browserOf(body, visit) };
  await browserStore(options.db, held.row, browser);
  return backWithoutResult(held.md);
}
