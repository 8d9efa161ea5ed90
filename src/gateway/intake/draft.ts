// A request for an order as typed input, and the order that it begins as. Pure, but for the new id.
import { addMs, countryOf, maskPansIn, parseDuration } from '../../base/index.ts';
import { type Client, type Location, type Order, type OrderOptions, withDue } from '../orders/index.ts';
import type { Terminal } from '../projects/index.ts';

/** What create, authorize, rebill and credit have in common. */
export interface Draft {
  readonly amount: bigint;
  readonly currency: string;
  readonly merchantOrderId: string | null;
  readonly segment: string;
  readonly description: string | null;
  readonly client: Client | null;
  readonly location: Location | null;
  readonly customFields: Readonly<Record<string, string>> | null;
  readonly extraFields: { readonly merchant?: string; readonly city?: string; readonly country?: string } | null;
  readonly terminal?: string;
  readonly options: OrderOptions;
}

const DEFAULT_SESSION_MS = 3_600_000;

/** How long an order waits for its payer. */
const sessionMs = (options: OrderOptions): number =>
  (options.expiration_timeout ? parseDuration(options.expiration_timeout) : null) ?? DEFAULT_SESSION_MS;

/** When an order that nobody has paid is over. */
export const sessionEnd = ({ created_at, options }: Pick<Order, 'created_at' | 'options'>): Date =>
  addMs(created_at, sessionMs(options));

/** Card numbers that stand in free text are masked before anything is stored. */
const masked = <T extends object>(fields: T | null): T | null =>
  fields &&
  (Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      maskPansIn(name),
      typeof value === 'string' ? maskPansIn(value) : value,
    ]),
  ) as T);

/** DE 43: the terminal's descriptor, with the merchant's own words where the request brings them. */
function descriptorOf(terminal: Terminal, extra: Draft['extraFields']): string {
  if (!extra?.merchant) return terminal.descriptor;
  const country = extra.country ? (countryOf(extra.country)?.alpha2 ?? extra.country) : undefined;
  return maskPansIn([extra.merchant, extra.city, country].filter(Boolean).join(' ')).slice(0, 40);
}

/** The order as it begins: status new, nothing sent, nothing told. */
export function newOrder(projectId: bigint, draft: Draft, terminal: Terminal, id: bigint, now: Date): Order {
  return withDue(
    {
      project_id: projectId,
      id,
      merchant_order_id: draft.merchantOrderId,
      status: 'new',
      amount: draft.amount,
      currency: draft.currency,
      amount_charged: 0n,
      amount_refunded: 0n,
      amount_charged_back: 0n,
      held: 0n,
      description: draft.description === null ? null : maskPansIn(draft.description),
      segment: maskPansIn(draft.segment),
      terminal: terminal.id,
      descriptor: descriptorOf(terminal, draft.extraFields),
      auth_code: '',
      pan: '',
      card: null,
      issuer: null,
      client: masked(draft.client),
      location: masked(draft.location),
      visit: null,
      custom_fields: masked(draft.customFields),
      secure3d: null,
      as_told: null,
      options: draft.options,
      card_id: null,
      parent_order_id: null,
      initiator: 'customer',
      network_transaction_id: null,
      in_flight: null,
      due: {},
      next_at: null,
      failure_type: null,
      failure_message: null,
      attempts: 0,
      events: 0,
      created_at: now,
      updated_at: now,
    },
    { expire: sessionEnd({ created_at: now, options: draft.options }) },
  );
}
