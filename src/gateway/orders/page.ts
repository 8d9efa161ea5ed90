// What the payment page does with an order: find it by its token, pay with a card, cancel. The page itself (HTML) is another room's.
import { formatAmount, Pan } from '../../base/index.ts';
import type { Project } from '../projects/index.ts';
import { authorize } from './authorize.ts';
import { create, pageTokenHash, pageTokenOwner } from './create.ts';
import type { Draft } from './draft.ts';
import type { Gateway } from './gateway.ts';
import type { Order, OrderState } from './model.ts';
import { cancel } from './operate.ts';
import { orderGet, payLinkOrder } from './queries.ts';

/** What a payer may see and do. */
export interface PageView {
  readonly status: Order['status'];
  readonly merchant: string;
  readonly description: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly orderId: string;
  readonly open: boolean;
  readonly attemptsLeft: number;
  readonly attempts: number;
  readonly expiresAt: Date | null;
  readonly returnUrl: string | null;
  readonly holderRequired: boolean;
  readonly cvvRequired: boolean;
  readonly language: string;
  readonly maskedPan: string;
  readonly sandbox: boolean;
}

export interface PageCard {
  readonly number: string;
  readonly month: string;
  readonly year: string;
  readonly cvv: string;
  readonly holder: string;
}

/** What a payer's step led to: the page again, a form for the bank, or the end. */
export type PageStep =
  | { readonly kind: 'view'; readonly view: PageView }
  | { readonly kind: 'form'; readonly html: string }
  | { readonly kind: 'invalid'; readonly fields: readonly (keyof PageCard)[]; readonly view: PageView };

export interface CheckoutDoor {
  view(token: string): Promise<PageView | null>;
  pay(token: string, card: PageCard, ip: string): Promise<PageStep | null>;
  cancel(token: string): Promise<PageView | null>;
}

/** `return_url` with the order's id appended and its own query kept. */
export function returnTo(url: string, orderId: string): string {
  const target = new URL(url);
  target.searchParams.set('order_id', orderId);
  return target.toString();
}

const draftOf = (order: Order): Draft => ({
  amount: order.amount,
  currency: order.currency,
  merchantOrderId: order.merchant_order_id,
  segment: order.segment,
  description: order.description,
  client: order.client,
  location: order.location,
  customFields: order.custom_fields,
  extraFields: null,
  terminal: order.terminal,
  options: order.options,
});

export function checkoutDoor(gateway: Gateway): CheckoutDoor {
  const find = async (token: string): Promise<{ project: Project; state: OrderState } | null> => {
    const owner = pageTokenOwner(gateway, token);
    if (owner === null) return null;
    const id = await payLinkOrder(gateway.db, owner, pageTokenHash(gateway, token));
    const [project, state] =
      id === null ? [null, null] : await Promise.all([gateway.project(owner), orderGet(gateway.db, owner, id)]);
    return project && state ? { project, state } : null;
  };
  const viewOf = ({ project, state: { order } }: { project: Project; state: OrderState }): PageView => {
    const orderId = gateway.permutation.outward(order.id);
    const expires = order.due.expire ? new Date(order.due.expire) : null;
    return {
      status: order.status,
      merchant: project.name,
      description: order.description,
      amount: formatAmount(order.amount, order.currency),
      currency: order.currency,
      orderId,
      open: order.status === 'new' && order.in_flight === null && (expires === null || expires > gateway.clock.now()),
      attempts: order.attempts,
      attemptsLeft: Math.max(0, project.settings.page_attempts - order.attempts),
      expiresAt: expires,
      returnUrl: order.options.return_url ? returnTo(order.options.return_url, orderId) : null,
      holderRequired: project.settings.holder_required,
      cvvRequired: project.settings.cvv_required,
      language: order.options.language ?? 'en',
      maskedPan: order.pan,
      sandbox: gateway.sandbox,
    };
  };
  return {
    async view(token) {
      const found = await find(token);
      return found && viewOf(found);
    },
    async pay(token, card, ip) {
      const found = await find(token);
      if (!found) return null;
      const view = viewOf(found);
      if (!view.open) return { kind: 'view', view };
      const pan = Pan.parse(card.number);
      const month = /^(0?[1-9]|1[0-2])$/.test(card.month) ? card.month.padStart(2, '0') : null;
      const year = /^(20)?\d{2}$/.test(card.year) ? card.year.slice(-2) : null;
      const wrong: (keyof PageCard)[] = [];
      if (!pan) wrong.push('number');
      if (!month) wrong.push('month');
      if (!year) wrong.push('year');
      if (view.cvvRequired ? !/^\d{3,4}$/.test(card.cvv) : !/^(\d{3,4})?$/.test(card.cvv)) wrong.push('cvv');
      if (view.holderRequired && (card.holder.length < 2 || card.holder.length > 40)) wrong.push('holder');
      if (!pan || !month || !year || wrong.length > 0) return { kind: 'invalid', fields: wrong, view };
      const { project, state } = found;
      const order = state.order.options.static_link ? await ownOrder(gateway, project, state.order) : state.order;
      if (!order) return { kind: 'view', view };
      const draft = draftOf(order);
      const answer = await authorize(gateway, {
        project,
        draft: { ...draft, location: draft.location?.ip ? draft.location : { ...draft.location, ip } },
        card: { pan, expiry: `${year}${month}`, cvv: card.cvv || null, holder: card.holder || null },
        external: null,
        browser: null,
        initiator: 'customer',
        parentOrderId: null,
        cardId: null,
        refuse: null,
        pageOrder: order,
        once: null,
      });
      if (answer.status === 201) {
        const html = (JSON.parse(answer.body) as { orders: [{ form3d_html: string }] }).orders[0].form3d_html;
        return { kind: 'form', html };
      }
      const after = await orderGet(gateway.db, project.id, order.id);
      return { kind: 'view', view: viewOf({ project, state: after ?? state }) };
    },
    async cancel(token) {
      const found = await find(token);
      if (!found) return null;
      await cancel(gateway, { project: found.project, orderId: found.state.order.id, amount: null, once: null });
      const after = await find(token);
      return after && viewOf(after);
    },
  };
}

/** A static link serves many payers: each gets an order of its own. */
async function ownOrder(gateway: Gateway, project: Project, template: Order): Promise<Order | null> {
  const { static_link: _, ...options } = template.options;
  const answer = await create(gateway, { project, draft: { ...draftOf(template), options }, once: null });
  const id =
    answer.status === 201
      ? gateway.permutation.inward((JSON.parse(answer.body) as { orders: [{ id: string }] }).orders[0].id)
      : null;
  return id === null ? null : ((await orderGet(gateway.db, project.id, id))?.order ?? null);
}
