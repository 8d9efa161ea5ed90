// The rolling reserve: what is kept of each charge, and given to the merchant when its time is over.
import { assert } from '../../base/index.ts';
import { postingsOf, postReserveRelease } from '../../ledger/index.ts';
import { asSubject, type DueHandler, decideDue, orderUpdate, withDue } from '../orders/index.ts';

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
  await decideDue(deps, state, 'reserve', ({ order, operations }, { now, ids }) => {
    // Named by the last charge that it follows: the key of postings takes no second one.
    const charge = operations.findLast(({ type, status }) => type === 'charge' && status === 'success');
    assert(charge, 'a reserve of a charge');
    const origin = { owner: project.id, subject: asSubject(order.id), operationId: charge.id, at: now };
    return {
      changes: [
        orderUpdate(withDue(order, { reserve: null })),
        ...postReserveRelease(origin, ids.next(), reserved).changes,
      ],
    };
  });
};
