// An order whose time is over before anything was sent for it: nobody paid, nobody confirmed, or who asked the directory is gone.
// Rule: nothing that was sent is given up here.
import {
  asTold,
  closedOrder,
  type DueHandler,
  decideDue,
  isPage,
  lapsedOrder,
  OPEN,
  orderUpdate,
  withDue,
} from '../orders/index.ts';

/** Who asked the directory is gone. Nothing was sent: a payer or merchant may go on, an order that waits for nobody ends. */
export const ask: DueHandler = async (deps, project, state) => {
  await decideDue(deps, state, 'ask', (current, told) => {
    const order = withDue(current.order, { ask: null });
    const free = { ...current, order };
    // Of an attempt for which nothing was sent nothing is left.
    if (order.status !== 'new' || isPage(order)) return { changes: [orderUpdate(asTold(order))] };
    const closed = lapsedOrder(deps, project, free, 'authentication_unavailable', told);
    return { changes: closed.changes };
  });
};

/** Nobody paid or confirmed in time. */
export const lapse: DueHandler = async (deps, project, state) => {
  await decideDue(deps, state, 'expire', (current, told) => {
    if (!OPEN.has(current.order.status)) return { changes: [orderUpdate(withDue(current.order, { expire: null }))] };
    const closed =
      current.order.status === 'prepared'
        ? closedOrder(deps, project, current, 'authentication_timeout', told)
        : lapsedOrder(deps, project, current, 'session_expired', told);
    const transaction = current.order.status === 'prepared' ? current.order.secure3d?.transaction_id : undefined;
    return {
      changes: [
        ...closed.changes,
        ...(transaction ? deps.threeds.close(project.id, BigInt(transaction), 'expired', told.now) : []),
      ],
    };
  });
};
