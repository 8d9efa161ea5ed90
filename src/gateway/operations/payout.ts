// Payouts: money to a card, as an order of its own that ends credited. Linked to an order's card, or (where the project allows it) to a number.
import { dayOf, maskPansIn } from '../../base/index.ts';
import { convert } from '../../ledger/index.ts';
import { lookupBin } from '../../network/index.ts';
import type { Change, Command, Once, StoredAnswer, Subject } from '../../store/index.ts';
import {
  type CardData,
  cardOf,
  carry,
  type Intended,
  type Intent,
  rateFor,
  rateJson,
  startOperation,
  unresolvedAnswer,
} from '../flight/index.ts';
import { type Draft, making, newOrder } from '../intake/index.ts';
import {
  APPROVED,
  asSubject,
  type Counted,
  type GatewayDeps,
  type Order,
  operationInsert,
  orderInsert,
  type RejectionCode,
  refuse,
  rejectionAnswer,
  rejectionRecord,
  rejectWithout,
  terminalFor,
} from '../orders/index.ts';
import { payoutBegins, payoutNeeds, payoutRejection, settledNeed } from '../payout-bounds/index.ts';
import type { Project } from '../projects/index.ts';

export interface PayoutRequest {
  readonly project: Project;
  readonly draft: Draft;
  /** The order whose card is paid; null with a card of its own. */
  readonly parentOrderId: bigint | null;
  readonly card: CardData | null;
  readonly once: Once | null;
}

export async function payout(deps: GatewayDeps, request: PayoutRequest): Promise<StoredAnswer> {
  const { project, draft, once, parentOrderId } = request;
  const rejected = (code: RejectionCode): Promise<StoredAnswer> => rejectWithout(deps, project, once, 'credit', code);
  if (parentOrderId === null && !project.settings.unlinked_credit) return rejected('unlinked_credit_disabled');
  const parent = parentOrderId === null ? null : await deps.orderOf(project.id, parentOrderId);
  if (parentOrderId !== null && !parent) throw refuse('not_found');
  // Else an order that was never approved would do what payouts to a card number need the project's leave for.
  if (parent && !APPROVED.has(parent.order.status)) return rejected('parent_not_usable');
  const card = parent ? await cardOf(deps, parent.order) : request.card;
  if (!card) return rejected('card_unknown');
  const terminal = terminalFor(project, draft.terminal, draft.currency);
  if (!terminal) return rejected('currency_not_accepted');
  const now = deps.clock.now();
  const accounting = project.accounting_currency;
  const rate = rateFor(deps, project, draft.currency);
  if (draft.currency !== accounting && !rate) return rejected('no_rate');
  const counts = {
    card: deps.vault.fingerprint(card.pan),
    amount: convert({ minor: draft.amount, currency: draft.currency }, accounting, rate).toString(),
  };
  const id = deps.ids.next();
  const bin = lookupBin(card.pan);
  const order: Order = {
    ...newOrder(project.id, draft, terminal, id, now),
    pan: card.pan.masked(),
    card: {
      holder: card.holder && maskPansIn(card.holder),
      type: bin.type,
      subtype: bin.subtype,
      expiry: card.expiry ?? '',
    },
    issuer: { bin: bin.bin, country: bin.country, title: bin.title },
    card_id: parent?.order.card_id ?? id,
    parent_order_id: parentOrderId,
    options: { ...draft.options, payout: true },
  };
  const plan: Intent = { type: 'credit', amount: draft.amount, rate: rateJson(rate) };
  const sealed = { pan: card.pan, expiry: card.expiry ?? '', holder: card.holder };
  const vaulted = parent ? [] : [deps.vault.seal(project.id, id, sealed).change];
  const intended = await beginOnItsDay(deps, project, { order, plan, counts, vaulted, once });
  if ('unresolved' in intended) return unresolvedAnswer(deps, project, intended.unresolved, { isNew: true, once });
  if ('answer' in intended) return intended.answer;
  return (await carry(deps, project, intended.state, intended.operation, card)).answer;
}

interface Wanted {
  readonly order: Order;
  readonly plan: Intent;
  readonly counts: Omit<Counted, 'day'>;
  /** The card, where it is not in the vault yet. */
  readonly vaulted: readonly Change[];
  readonly once: Once | null;
}

type Begun = Intended | { readonly unresolved: Subject | null };

/** The day is locked before the decision is told what day it is: what is decided on another one, behind midnight, is asked for again. */
async function beginOnItsDay(
  deps: Pick<GatewayDeps, 'clock' | 'committer' | 'permutation' | 'rates' | 'sandbox' | 'stans'>,
  project: Project,
  wanted: Wanted,
): Promise<Begun> {
  for (let day = dayOf(deps.clock.now()); ; ) {
    const begun = await making(deps, wanted.order.id, intent(deps, project, wanted, day));
    if (!('day' in begun)) return begun;
    day = begun.day;
  }
}

/** The first phase: the bounds are asked under their locks, and the order is made with its payout on the way. */
function intent(
  deps: Pick<GatewayDeps, 'rates' | 'sandbox' | 'stans'>,
  project: Project,
  { order, plan, counts, vaulted, once }: Wanted,
  day: string,
): Command<Begun | { readonly day: string }> {
  const counted: Counted = { ...counts, day };
  const stan = deps.stans.next();
  const standing = { sandbox: deps.sandbox, rate: deps.rates() };
  return {
    name: 'credit.intent',
    owner: project.id,
    needs: [
      ...(once ? [once.need] : []),
      ...payoutNeeds(project.id, counted),
      ...(deps.sandbox ? [] : [settledNeed(project.id)]),
    ],
    decide(loaded, told) {
      const { now } = told;
      const begin = once?.begin(loaded, now, asSubject(order.id));
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
      if (dayOf(now) !== day) return { value: { day: dayOf(now) }, changes: [] };
      const reject = payoutRejection(standing, project, loaded, counted);
      if (reject) {
        const answer = rejectionAnswer(reject, null);
        return {
          value: { answer },
          changes: [
            rejectionRecord(project, null, 'credit', reject, told),
            ...(begin?.changes ?? []),
            ...(once?.finish(answer, now) ?? []),
          ],
        };
      }
      const origin = { onceKey: once?.key ?? null, stan };
      const started = startOperation({ order, operations: [] }, { ...plan, details: { counted } }, origin, told);
      return {
        value: started,
        changes: [
          orderInsert(started.state.order),
          operationInsert(started.operation),
          ...vaulted,
          ...payoutBegins(project.id, counted),
          ...(begin?.changes ?? []),
        ],
      };
    },
  };
}
