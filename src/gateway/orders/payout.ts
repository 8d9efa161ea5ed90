// Payouts: money to a card, as an order of its own that ends credited. Linked to an order's card, or (where the project allows it) to a number.
import { maskPansIn } from '../../base/index.ts';
import { lookupBin } from '../../network/index.ts';
import type { Once, StoredAnswer } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { refuseWithout } from './authorize.ts';
import { type Draft, newOrder } from './draft.ts';
import { OrderNotFound } from './errors.ts';
import { type Gateway, terminalFor } from './gateway.ts';
import type { Order } from './model.ts';
import { type Begun, cardOf, carry, startOperation } from './operate.ts';
import { APPROVED } from './parent.ts';
import { orderGet, orderInsert } from './queries.ts';
import { unresolvedAnswer } from './unresolved.ts';
import type { CardData } from './wire.ts';

export interface PayoutRequest {
  readonly project: Project;
  readonly draft: Draft;
  /** The order whose card is paid; null with a card of its own. */
  readonly parentOrderId: bigint | null;
  readonly card: CardData | null;
  readonly once: Once | null;
}

export async function payout(gateway: Gateway, request: PayoutRequest): Promise<StoredAnswer> {
  const { project, draft, once, parentOrderId } = request;
  if (parentOrderId === null && !project.settings.unlinked_credit)
    return refuseWithout(gateway, project, once, 'credit', 'unlinked_credit_disabled');
  const parent = parentOrderId === null ? null : await orderGet(gateway.db, project.id, parentOrderId);
  if (parentOrderId !== null && !parent) throw new OrderNotFound();
  // Else an order that was refused would do what payouts to a card number need the project's leave for.
  if (parent && !APPROVED.has(parent.order.status))
    return refuseWithout(gateway, project, once, 'credit', 'parent_not_usable');
  const card = parent ? await cardOf(gateway, parent.order) : request.card;
  if (!card) return refuseWithout(gateway, project, once, 'credit', 'card_unknown');
  const terminal = terminalFor(project, draft.terminal, draft.currency);
  if (!terminal) return refuseWithout(gateway, project, once, 'credit', 'currency_not_accepted');
  const at = gateway.clock.now();
  if (
    draft.currency !== project.accounting_currency &&
    !gateway.rate(draft.currency, project.accounting_currency, at)
  ) {
    return refuseWithout(gateway, project, once, 'credit', 'no_rate');
  }
  const id = gateway.ids.next();
  const cardId = parent?.order.card_id ?? id;
  const sealed = parent
    ? []
    : [
        gateway.vault.seal(project.id, cardId, { pan: card.pan, expiry: card.expiry ?? '', holder: card.holder })
          .change,
      ];
  const bin = lookupBin(card.pan);
  const begun = await gateway.committer.submit<Begun | { unresolved: bigint | null }>({
    name: 'credit.intent',
    needs: once ? [once.need] : [],
    decide(loaded) {
      const now = gateway.clock.now();
      const begin = once?.begin(loaded, now, id);
      if (begin && 'replay' in begin) return { value: { answer: begin.replay }, changes: [] };
      if (begin && 'unresolved' in begin) return { value: begin, changes: [] };
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
        card_id: cardId,
        parent_order_id: parentOrderId,
        options: { ...draft.options, payout: true },
        events: 0,
      };
      const started = startOperation(
        gateway,
        { order, operations: [] },
        { type: 'credit', amount: draft.amount },
        { onceKey: once?.key ?? null, now },
      );
      const [operation] = started.changes;
      return {
        value: started,
        changes: [
          orderInsert(started.state.order),
          ...(operation ? [operation] : []),
          ...sealed,
          ...(begin?.changes ?? []),
        ],
        next: once?.next() ?? [],
      };
    },
  });
  if ('unresolved' in begun) return unresolvedAnswer(gateway, project, begun.unresolved);
  if ('answer' in begun) return begun.answer;
  return (await carry(gateway, project, begun.state, begun.operation, card)).answer;
}
