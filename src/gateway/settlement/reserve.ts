// The rolling reserve: what is kept of each charge, and given to the merchant when its time is over.
import { assert, formatAmount, formatDateTime } from '../../base/index.ts';
import { postingsOf, postReserveRelease } from '../../ledger/index.ts';
import type { Change, Told } from '../../store/index.ts';
import { asSubject, type DueHandler, decideDue, type GatewayDeps, orderUpdate, withDue } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

/** The rolling reserve of an order's charges goes to the merchant. */
export const reserve: DueHandler = async (deps, project, state) => {
  const postings = await postingsOf(deps.db, project.id, [state.order.id]);
  const sums = new Map<string, (typeof postings)[number]>();
  for (const posting of postings.filter(({ account }) => account.startsWith('merchant_reserve'))) {
    const key = `${posting.account} ${posting.currency}`;
    const known = sums.get(key);
    sums.set(key, known ? { ...known, amount: known.amount + posting.amount } : posting);
  }
  const reserved = [...sums.values()].filter(({ amount }) => amount !== 0n);
  await decideDue(deps, state, 'reserve', ({ order, operations }, told) => {
    const free = orderUpdate(withDue(order, { reserve: null }));
    if (reserved.length === 0) return { changes: [free] };
    // Named by the last charge that it follows: the key of postings takes no second one.
    const charge = operations.findLast(({ type, status }) => type === 'charge' && status === 'success');
    assert(charge, 'a reserve of a charge');
    const origin = { owner: project.id, subject: asSubject(order.id), operationId: charge.id, at: told.now };
    const id = told.ids.next();
    const kept = reserved.reduce((sum, { amount }) => sum - amount, 0n);
    return {
      changes: [
        free,
        ...postReserveRelease(origin, id, reserved).changes,
        ...released(deps, project, { id, orderId: order.id, kept }, told),
      ],
    };
  });
};

interface Released {
  /** Of its entry in the ledger. */
  readonly id: bigint;
  readonly orderId: bigint;
  /** In the accounting currency. */
  readonly kept: bigint;
}

/** A release is an entry of its own, made once and never changed: its one event. */
function released(
  { events, permutation: { outward } }: Pick<GatewayDeps, 'events' | 'permutation'>,
  project: Project,
  { id, orderId, kept }: Released,
  told: Told,
): Change[] {
  const { accounting_currency: currency, settings } = project;
  return events.of(told, {
    owner: project.id,
    type: 'reserve.released',
    resource: { type: 'reserve', id, sequence: 1 },
    object: {
      id: outward(id),
      order_id: outward(orderId),
      amount: formatAmount(kept, currency),
      currency,
      created: formatDateTime(told.now, settings.time_zone),
    },
    before: null,
  });
}
