// The order behind a page: found by the page's token or by the ticket of who comes back from the bank; behind a static link one for each payer.
// Rule: a session whose time is over ends before anybody looks at it, whether a worker came by or not.

import { causedBy } from '../../store/index.ts';
import { lapse } from '../authorization/index.ts';
import type { Draft } from '../intake/index.ts';
import { type GatewayDeps, OPEN, type Order, type OrderState } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { createOrder } from './create.ts';
import { orderOfTicket } from './landing.ts';
import { ownPageToken, pageTokenHash, pageTokenOwner, type TokenDeps } from './page-token.ts';
import { payLinkOrder } from './queries.ts';

export interface FoundPage {
  readonly token: string;
  readonly project: Project;
  readonly state: OrderState;
}

/** The static link that led here, also where its payer has a page of his own by now. */
export const linkOf = ({ state: { order } }: FoundPage): string | null =>
  order.options.static_link ? order.id.toString() : (order.visit?.link ?? null);

export const draftOf = (order: Order): Draft => ({
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

type FindingDeps = TokenDeps & Pick<GatewayDeps, 'db' | 'orderOf' | 'project'>;

/** A page is found by its token, or by the ticket of who comes back from the bank: of the token only a hash is kept. */
async function whoseOf(deps: FindingDeps, token: string): Promise<{ owner: bigint; orderId: bigint } | null> {
  const owner = pageTokenOwner(deps, token);
  if (owner === null) return orderOfTicket(deps, token);
  const orderId = await payLinkOrder(deps.db, owner, pageTokenHash(deps, token));
  return orderId === null ? null : { owner, orderId };
}

async function pageRead(deps: FindingDeps, token: string): Promise<FoundPage | null> {
  const whose = await whoseOf(deps, token);
  if (!whose) return null;
  const { owner, orderId } = whose;
  const [project, state] = await Promise.all([deps.project(owner), deps.orderOf(owner, orderId)]);
  return project && state ? { token, project, state } : null;
}

/** The page behind a token or ticket as it is now; null: there is none. */
export async function findPage(deps: GatewayDeps, token: string): Promise<FoundPage | null> {
  const found = await pageRead(deps, token);
  const { expire } = found?.state.order.due ?? {};
  const waits = found && OPEN.has(found.state.order.status);
  if (!found || !waits || !expire || new Date(expire) > deps.clock.now()) return found;
  // Its time has come, whoever looks first.
  await causedBy('schedule', () => lapse(deps, found.project, found.state));
  return pageRead(deps, token);
}

/** The order that this payer pays, with its page: a static link makes one for each form. null: it can't be made. */
export async function ownOrder(
  deps: GatewayDeps,
  found: FoundPage,
  minor: bigint | null,
  form: string,
): Promise<{ order: Order; token: string } | null> {
  const { project, state } = found;
  if (!state.order.options.static_link) return { order: state.order, token: found.token };
  const { static_link: _, ...options } = state.order.options;
  const draft = { ...draftOf(state.order), amount: minor ?? state.order.amount, options };
  const token = ownPageToken(deps, project.id, found.token, form);
  await createOrder(deps, { project, draft, once: null, ownPage: token });
  const made = await pageRead(deps, token);
  return made && { order: made.state.order, token: made.token };
}
