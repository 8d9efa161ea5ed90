// Settlement of a day: what was charged, refunded and paid out is cleared, booked, and gets its acquirer reference number.
import { addDays, dayOf, luhnDigit } from '../../base/index.ts';
import { postClearing } from '../../ledger/index.ts';
import type { Change, Told } from '../../store/index.ts';
import { cardOf } from '../flight/index.ts';
import {
  asSubject,
  type DueHandler,
  decideDue,
  eventOf,
  type GatewayDeps,
  type Operation,
  type OrderState,
  operationUpdate,
  orderUpdate,
  refundable,
  terminalOf,
  withDue,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import { arnItems, settlementAdd } from './queries.ts';

/** DE 31: use code, acquirer BIN, year digit and day of year, item number, Luhn digit; 23 digits. */
function arnOf(at: Date, item: bigint): string {
  const start = Date.UTC(at.getUTCFullYear(), 0, 0);
  const day = Math.floor((Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) - start) / 86_400_000);
  const payload = `7${ACQUIRER_BIN}${at.getUTCFullYear() % 10}${String(day).padStart(3, '0')}${item.toString().padStart(11, '0')}`;
  return payload + luhnDigit(payload);
}

const ACQUIRER_BIN = '499990';

const isClearable = (operation: Operation, { order }: OrderState): boolean =>
  operation.status === 'success' &&
  operation.cleared_at === null &&
  (operation.type === 'refund' ||
    operation.type === 'credit' ||
    (operation.type === 'charge' && order.status !== 'reversed'));

/** Settlement of a day: the day's charges, refunds and payouts are cleared and get their acquirer reference numbers. */
export const clear: DueHandler = async (deps, project, state) => {
  const items = await arnItems(deps.db, state.operations.length + 1);
  const card = await cardOf(deps, state.order);
  const link = terminalOf(project, state.order.terminal)?.link ?? 'unknown';
  await decideDue(deps, state, 'clear', (current, told) => {
    const { now } = told;
    const cleared = current.operations.map((operation, i): Operation => {
      const item = items[i];
      return item !== undefined && isClearable(operation, current)
        ? { ...operation, cleared_at: now, arn: arnOf(addDays(now, -1), item) }
        : operation;
    });
    const fresh = cleared.filter((operation, i) => operation !== current.operations[i]);
    const charged = fresh.some(({ type }) => type === 'charge');
    const dispute =
      charged && card && link === 'simulator'
        ? deps.simulatedIssuer?.chargebackAfterSettlement(card.pan, card.holder)
        : null;
    const order = withDue(fresh.length > 0 ? withEvent(current.order) : current.order, {
      // What came between the reading and the lock has no number yet: it stays due.
      ...(cleared.some((operation) => isClearable(operation, current)) ? {} : { clear: null }),
      chargeback: dispute && refundable(current.order) > 0n ? now : null,
    });
    const changes: Change[] = fresh.flatMap((operation) => clearing(project, operation, link, told));
    if (fresh.length > 0) changes.push(...settled(deps, project, current, { order, operations: cleared }, fresh, told));
    return { changes: [orderUpdate(order), ...changes] };
  });
};

/** One event for all that was cleared at once: it names the operation where there is one alone. */
function settled(
  deps: Pick<GatewayDeps, 'events' | 'permutation'>,
  project: Project,
  before: OrderState,
  after: OrderState,
  fresh: readonly Operation[],
  told: Told,
): Change[] {
  const operation = fresh.length === 1 ? fresh[0] : null;
  return eventOf(deps, project, { before, after, operation: operation ?? null, type: 'order.settled' }, told);
}

function clearing(project: Project, operation: Operation, link: string, { now, ids }: Told): Change[] {
  const isCharge = operation.type === 'charge';
  const money = { minor: operation.amount, currency: operation.currency };
  const origin = { owner: project.id, subject: asSubject(operation.order_id), operationId: operation.id, at: now };
  return [
    operationUpdate(operation),
    ...postClearing(origin, ids.next(), isCharge ? 'charge' : 'refund', money, link).changes,
    settlementAdd({
      project_id: project.id,
      day: dayOf(addDays(now, -1)),
      link,
      currency: operation.currency,
      charges: isCharge ? 1n : 0n,
      charged: isCharge ? operation.amount : 0n,
      refunds: isCharge ? 0n : 1n,
      refunded: isCharge ? 0n : operation.amount,
    }),
  ];
}
