// The order that a recurring or merchant-initiated payment refers to: ours, approved, the same card, and its trace id when one is given.
import type { Pan } from '../../base/index.ts';
import { type CardData, cardOf } from '../flight/index.ts';
import { APPROVED, type GatewayDeps, type RejectionCode } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

export interface Recurring {
  readonly parent_order_id?: string;
  /** Alone it is allowed for customers who began elsewhere. */
  readonly trace_id?: string;
  readonly indicator?: 'R' | 'I' | 'U' | 'C';
}

export interface Parent {
  readonly orderId: bigint | null;
  readonly cardId: bigint | null;
  readonly card: CardData | null;
  readonly traceId: string | null;
  readonly reject: RejectionCode | null;
  /** No such order of this project. */
  readonly unknown: boolean;
}

/** `pan`: the card of the new payment; null: the parent's card is used. */
export async function parentFor(
  deps: Pick<GatewayDeps, 'orderOf' | 'permutation' | 'vault'>,
  project: Project,
  pan: Pan | null,
  recurring: Recurring | null,
): Promise<Parent> {
  const none: Parent = {
    orderId: null,
    cardId: null,
    card: null,
    traceId: recurring?.trace_id ?? null,
    reject: null,
    unknown: false,
  };
  if (recurring?.parent_order_id === undefined) return none;
  const id = deps.permutation.inward(recurring.parent_order_id);
  const state = id === null ? null : await deps.orderOf(project.id, id);
  if (!state) return { ...none, reject: 'parent_not_usable', unknown: true };
  const { order } = state;
  const card = await cardOf(deps, order);
  const same = card !== null && (pan === null || card.pan.equals(pan));
  const traced = recurring.trace_id === undefined || recurring.trace_id === order.network_transaction_id;
  return {
    orderId: order.id,
    cardId: order.card_id,
    card,
    traceId: order.network_transaction_id ?? null,
    reject: same && traced && APPROVED.has(order.status) ? null : 'parent_not_usable',
    unknown: false,
  };
}
