// What a payer sees of an order: read only. The page makes it into words and shapes.
// Rule: nothing here that a stranger with the link may not know: no whole card number, no contact, no rejection's detail.
import type { Permutation } from '../../base/index.ts';
import { isoCode, type RetryCategory } from '../../network/index.ts';
import {
  closedTo,
  fraudMessage,
  type GatewayDeps,
  isBusy,
  type Order,
  type OrderState,
  terminalOf,
  type Wallet,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { type PageTemplate, templateOf } from '../templates/index.ts';
import { type Stage, stageOf } from './page-states.ts';
import { walletsOf } from './wallets.ts';

/** What a payer may know. */
export interface PageView {
  readonly stage: Stage;
  readonly status: Order['status'];
  readonly merchant: string;
  readonly description: string | null;
  /** Minor units; null: the payer says how much. */
  readonly minor: bigint | null;
  readonly currency: string;
  readonly orderId: string;
  readonly attempts: number;
  readonly attemptsLeft: number;
  /** How a payer may go on after the last decline of a card; null: none was declined, or nothing is known. */
  readonly retry: RetryCategory | null;
  readonly expiresAt: Date | null;
  readonly now: Date;
  readonly returnUrl: string | null;
  readonly cvvRequired: boolean;
  readonly holderRequired: boolean;
  /** As the merchant asked; null: as the browser prefers. */
  readonly language: string | null;
  readonly mobile: boolean;
  readonly template: PageTemplate;
  readonly wallets: readonly Wallet[];
  readonly maskedPan: string;
  readonly brand: string;
  readonly authCode: string;
  readonly updatedAt: Date;
  readonly timeZone: string;
  readonly sandbox: boolean;
  /** The sandbox's card-testing defence rejected the card: whoever tries the page is told so. */
  readonly heldBack: boolean;
  /** Who may show the page in a frame. */
  readonly frameOrigins: readonly string[];
  /** The form that leads to the bank, in stage `bank`. */
  readonly bankForm: string | null;
}

/** `return_url` with the order's id appended and its own query kept. */
export function returnTo(url: string, orderId: string): string {
  const target = new URL(url);
  target.searchParams.set('order_id', orderId);
  return target.toString();
}

export const returnUrlOf = ({ options, id }: Order, { outward }: Permutation): string | null =>
  options.return_url ? returnTo(options.return_url, outward(id)) : null;

/** A static link without an amount: each payer enters his own. */
const isAmountOpen = ({ options, amount }: Order): boolean => options.static_link === true && amount === 0n;

export async function pageView(deps: GatewayDeps, project: Project, state: OrderState): Promise<PageView> {
  const { order } = state;
  const [challenge, template] = await Promise.all([
    order.status === 'prepared' ? deps.threeds.unfinished(project.id, order.id) : null,
    templateOf(deps.db, project.id, order.options.template),
  ]);
  const declined = state.operations.findLast(({ type, status }) => type === 'authorize' && status === 'failure');
  return {
    stage: stageOf({
      status: order.status,
      inFlight: isBusy(order),
      challenge: challenge?.kind ?? null,
      closed: closedTo(project, terminalOf(project, order.terminal), order.currency) !== null,
    }),
    status: order.status,
    merchant: project.name,
    description: order.description,
    minor: isAmountOpen(order) ? null : order.amount,
    currency: order.currency,
    orderId: deps.permutation.outward(order.id),
    attempts: order.attempts,
    attemptsLeft: Math.max(0, project.settings.page_attempts - order.attempts),
    retry: declined ? isoCode(declined.iso_response_code).retry : null,
    expiresAt: order.due.expire ? new Date(order.due.expire) : null,
    now: deps.clock.now(),
    returnUrl: returnUrlOf(order, deps.permutation),
    cvvRequired: project.settings.cvv_required,
    holderRequired: project.settings.holder_required,
    language: order.options.language ?? null,
    mobile: order.options.mobile ?? false,
    template,
    wallets: walletsOf(deps.wallets, project, order.options),
    maskedPan: order.pan,
    brand: order.card?.type ?? '',
    authCode: order.auth_code,
    updatedAt: order.updated_at,
    timeZone: project.settings.time_zone,
    sandbox: deps.sandbox,
    heldBack:
      deps.sandbox &&
      order.status === 'fraud' &&
      (order.failure_message ?? '').startsWith(fraudMessage('card_testing')),
    frameOrigins: project.settings.frame_origins,
    bankForm: challenge?.kind === 'form' ? challenge.html : null,
  };
}
