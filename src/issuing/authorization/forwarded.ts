// The tenant is asked about a payment that is held already; what it says, or the default decision, ends the waiting.
// Rule: the first ending counts: a late answer finds the authorization no longer PENDING and changes nothing.
import { fundsKind, needFunds } from '../accounts/index.ts';
import { cardGet, needCard } from '../cards/index.ts';
import { REASONS, type Reason } from '../decision/index.ts';
import {
  type Authorization,
  answerOf,
  authorizationGet,
  authorizationKind,
  messageKind,
  messageWritten,
  needAuthorization,
  needMessage,
  release,
  storedAnswer,
  written,
} from '../payments/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { counterKind, needCounter } from '../rules/index.ts';
import type { Outcome } from './authorize.ts';
import { answerWith } from './beginning.ts';
import { type CardPlace, placeOf, type Surroundings, surroundingsOf } from './find.ts';
import type { Forward, Forwarded } from './ports.ts';

/** What ends the waiting: the tenant's word, or the default that stands for it. */
interface Ending {
  readonly approve: boolean;
  readonly reason: Reason;
  readonly note: string;
}

function endingOf({ decision, cause }: Forwarded, fallback: 'APPROVE' | 'DECLINE'): Ending {
  if (decision) return { approve: decision === 'APPROVE', reason: 'FORWARDING_DECLINED', note: cause };
  return {
    approve: fallback === 'APPROVE',
    reason: 'FORWARDING_UNANSWERED',
    note: `${cause}; ${fallback} by default`,
  };
}

/** The card's default decision, else the profile's. */
async function fallbackOf(
  deps: Pick<IssuingDeps, 'db'>,
  place: CardPlace,
  { profile }: Surroundings,
): Promise<'APPROVE' | 'DECLINE'> {
  const card = await cardGet(deps.db, place.tenantId, place.cardId);
  return card?.details.timeoutDecision ?? profile.settings.forwardingDefault;
}

function conclude(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  row: Authorization,
  { approve, reason, note }: Ending,
): Promise<Outcome> {
  const { tenant_id: tenantId, id, card_id: cardId, instrument_id: instrumentId, reference } = row;
  return deps.committer.submit<Outcome>({
    name: 'card.forwarded',
    owner: tenantId,
    needs: [
      needCard(tenantId, cardId),
      needAuthorization(tenantId, id),
      needMessage(tenantId, reference),
      needCounter(tenantId, cardId),
      needFunds(tenantId, instrumentId),
    ],
    decide(loaded, told) {
      const found = loaded.get(authorizationKind, { tenantId, id }) ?? row;
      const message = loaded.get(messageKind, { tenantId, reference })?.message ?? null;
      if (found.state !== 'PENDING' || !message) {
        const answer = message?.answer
          ? answerOf(message.answer)
          : answerWith(found.details.answer, REASONS[reason], null);
        return { value: { answer, row: found, reason: found.reason, explanation: found.explanation }, changes: [] };
      }
      const counter = loaded.get(counterKind, { tenantId, id: cardId });
      const windows = counter?.windows ?? {};
      const explanation = found.explanation.map((step) =>
        step.check === 'FORWARDING' ? ({ ...step, result: approve ? 'PASSED' : 'FAILED', note } as const) : step,
      );
      const code = approve ? found.response_code : REASONS[reason];
      const heard: Authorization = {
        ...found,
        explanation,
        response_code: code,
        reason: approve ? null : reason,
        details: { ...found.details, forwarding: note },
      };
      const booked = approve
        ? { row: { ...heard, state: 'OPEN' as const }, windows, movements: [] }
        : release({ ...heard, state: 'DECLINED' }, windows, 'all', told.now, 'AUTHORISATION_REVERSAL');
      const answer = answerWith(found.details.answer, code, approve ? message.amount : null, cvvOf(found));
      return {
        value: { answer, row: booked.row, reason: booked.row.reason, explanation },
        changes: [
          ...written(deps, told, {
            before: found,
            booked,
            counter,
            funds: loaded.get(fundsKind, { tenantId, id: instrumentId }),
            event: approve ? 'authorization.approved' : 'authorization.declined',
          }),
          messageWritten({ ...message, answer: storedAnswer(answer) }, message),
        ],
      };
    },
  });
}

/** The CVV was right, or none came: a wrong one is never forwarded. */
const cvvOf = ({ explanation }: Authorization): string | null =>
  explanation.some(({ check, result }) => check === 'CVV' && result === 'PASSED') ? 'M' : null;

const questionOf = (deps: Pick<IssuingDeps, 'permutation'>, row: Authorization): Readonly<Record<string, unknown>> => ({
  type: 'authorization.request',
  timestamp: row.created_at.toISOString(),
  data: {
    authorizationId: deps.permutation.outward(row.id),
    cardId: deps.permutation.outward(row.card_id),
    channel: row.channel,
    merchant: row.merchant,
    amount: { currency: row.currency, amount: Number(row.amount) },
    cardAmount: { currency: row.billing_currency, amount: Number(row.authorized) },
    hold: Number(row.held),
  },
});

/** Asks the tenant and commits what it says. */
export async function askTenant(
  deps: Pick<IssuingDeps, 'committer' | 'db' | 'events' | 'log' | 'permutation'>,
  forward: Forward,
  place: CardPlace,
  around: Surroundings,
  id: bigint,
): Promise<Outcome> {
  const row = await authorizationGet(deps.db, place.tenantId, id);
  const to = around.tenant.settings.forwarding;
  if (!row) throw new Error('a pending authorization has no row');
  const heard: Forwarded = to
    ? await forward({
        ...to,
        id: deps.permutation.outward(row.id),
        body: questionOf(deps, row),
      }).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'forwarding failed');
        return { decision: null, cause: 'failed' };
      })
    : { decision: null, cause: 'switched off meanwhile' };
  return conclude(deps, row, endingOf(heard, await fallbackOf(deps, place, around)));
}

/** Whoever was to ask is gone, or another process is at it: the default decision ends the waiting. */
export async function concludeByDefault(
  deps: Pick<IssuingDeps, 'committer' | 'db' | 'events' | 'permutation' | 'rates' | 'tenants'>,
  tenantId: bigint,
  id: bigint,
): Promise<Outcome | null> {
  const row = await authorizationGet(deps.db, tenantId, id);
  const card = row && (await cardGet(deps.db, tenantId, row.card_id));
  const around = card && (await surroundingsOf(deps, placeOf(card)));
  if (!row || !card || !around) return null;
  const fallback = await fallbackOf(deps, placeOf(card), around);
  return conclude(deps, row, endingOf({ decision: null, cause: 'nobody answered' }, fallback));
}
