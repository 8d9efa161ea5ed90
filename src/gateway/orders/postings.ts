// An operation's success as an entry of the ledger, and the cashflow that the answer shows.
import { cashflowOf, convert, type Entry, type Posting, postOperation, type Rate } from '../../ledger/index.ts';
import type { Change } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { type Gateway, terminalOf } from './gateway.ts';
import type { Operation, Order } from './model.ts';
import type { Cashflows } from './present.ts';

export interface Success {
  readonly before: Order;
  readonly after: Order;
  readonly operation: Operation;
  readonly operations: readonly Operation[];
  /** Of the order so far; needed for a void. */
  readonly postings: readonly Posting[];
}

/** A stored rate as JSON, and back. */
export const rateJson = (rate: Rate | null): Operation['rate'] =>
  rate && { micro: rate.micro.toString(), day: rate.day, source: rate.source };
const rateFrom = (json: Operation['rate']): Rate | null =>
  json && { micro: BigInt(String(json.micro)), day: String(json.day), source: String(json.source) };

/** The rate that an operation is booked with: its own day's; refunds and what follows a charge use the charge's. */
export function rateOf(
  gateway: Gateway,
  project: Project,
  order: Order,
  operation: Operation,
  operations: readonly Operation[],
): Rate | null {
  if (order.currency === project.accounting_currency) return null;
  const charge = operations.find(
    ({ type, status, rate }) => type === 'charge' && status === 'success' && rate !== null,
  );
  if (operation.type !== 'charge' && charge) return rateFrom(charge.rate);
  return gateway.rate(order.currency, project.accounting_currency, operation.created_at);
}

export function postingsFor(
  gateway: Gateway,
  project: Project,
  { before, after, operation, operations, postings }: Success,
): { changes: Change[]; cashflows: Cashflows; rate: Operation['rate'] } {
  const accounting = project.accounting_currency;
  const rate = rateOf(gateway, project, before, operation, operations);
  const entry: Entry = {
    projectId: before.project_id,
    orderId: before.id,
    operationId: operation.id,
    operation: operation.details.void ? 'void' : operation.type,
    amount: { minor: operation.amount, currency: operation.currency },
    hold: operation.type === 'authorize' ? operation.amount : before.held - after.held,
    accounting,
    rate,
    ...lastRefund(project, after, operation, operations, rate),
    plan: project.pricing,
    cardType: before.card?.type ?? null,
    country: before.issuer?.country ?? null,
    link: terminalOf(project, before.terminal)?.link ?? 'unknown',
    at: operation.resolved_at ?? operation.created_at,
    charge: postings.filter((posting) => posting.kind === 'charge'),
  };
  const posted = postOperation(entry);
  const amount = convert(entry.amount, accounting, rate);
  return {
    changes: posted.changes,
    cashflows: new Map([[operation.id, cashflowOf(posted.postings, accounting, amount)]]),
    rate: rateJson(rate),
  };
}

/** The refund that takes the rest of a converted charge takes the exact accounting rest too, so that the sums match to the cent. */
function lastRefund(
  project: Project,
  after: Order,
  operation: Operation,
  operations: readonly Operation[],
  rate: Rate | null,
): { accountingMinor?: bigint } {
  const isLast = rate !== null && operation.type === 'refund' && after.amount_refunded === after.amount_charged;
  if (!isLast) return {};
  const booked = (type: Operation['type']): bigint =>
    operations
      .filter((known) => known.type === type && known.status === 'success')
      .reduce(
        (sum, { amount, currency }) => sum + convert({ minor: amount, currency }, project.accounting_currency, rate),
        0n,
      );
  return { accountingMinor: booked('charge') - booked('refund') };
}
