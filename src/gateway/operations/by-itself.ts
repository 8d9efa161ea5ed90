// Operations that the gateway itself begins: the charge that follows by itself, and the release of a hold whose time is over.
import { addMs } from '../../base/index.ts';
import { CLOSED_WAIT_MS, carry, type Intent, startOperation } from '../flight/index.ts';
import {
  type DueHandler,
  type DueKind,
  decideDue,
  eventOf,
  type GatewayDeps,
  isOver,
  needOrder,
  type Operation,
  type Order,
  type OrderState,
  orderKind,
  orderUpdate,
  withDue,
  withEvent,
} from '../orders/index.ts';
import type { Project } from '../projects/index.ts';

/** An operation that the gateway itself begins: committed as sent, then carried like any other. */
async function begin(
  deps: GatewayDeps,
  project: Project,
  state: OrderState,
  kind: DueKind,
  plan: (state: OrderState) => Intent | null,
): Promise<void> {
  const need = needOrder(project.id, state.order.id);
  const stan = deps.stans.next();
  const intended = await deps.committer.submit<{ state: OrderState; operation: Operation } | null>({
    name: `due.${kind}`,
    owner: project.id,
    needs: [need],
    decide(loaded, told) {
      const current = loaded.get(orderKind, need.key);
      const still = current && current.order.due[kind] === state.order.due[kind] && current.order.in_flight === null;
      const wanted = still ? plan(current) : null;
      if (!current || !wanted)
        return {
          value: null,
          changes: still && current ? [orderUpdate(withDue(current.order, { [kind]: null }))] : [],
        };
      const cleared = { ...current, order: withDue(current.order, { [kind]: null }) };
      const started = startOperation(cleared, wanted, { onceKey: null, stan }, told);
      return { value: started, changes: started.changes };
    },
  });
  if (intended) await carry(deps, project, intended.state, intended.operation);
}

export const capture: DueHandler = async (deps, project, state) => {
  if (!project.active) {
    await decideDue(deps, state, 'capture', (current, { now }) => {
      const order = withDue(current.order, { capture: addMs(now, CLOSED_WAIT_MS) });
      return { changes: [orderUpdate(order)] };
    });
    return;
  }
  await begin(deps, project, state, 'capture', ({ order }) =>
    order.status === 'authorized' && order.held > 0n
      ? {
          type: 'charge',
          amount: order.held,
          details: { by: order.options.auto_charge ? 'auto_charge' : 'capture_delay' },
        }
      : null,
  );
};

export const release: DueHandler = (deps, project, state) =>
  begin(deps, project, state, 'release', ({ order }) =>
    order.status === 'authorized' || order.held > 0n
      ? {
          type: 'reverse',
          amount: order.held,
          details: { by: whyReleased(order) },
        }
      : null,
  );

const whyReleased = ({ status, options }: Order): Operation['details']['by'] => {
  if (isOver(status)) return 'order_over';
  return options.capture_tries ? 'retries_used_up' : 'expiry';
};

/** An event a day before the issuer lets the hold go. */
export const warn: DueHandler = async (deps, project, state) => {
  await decideDue(deps, state, 'warn', (before, told) => {
    const after = { ...before, order: withEvent(withDue(before.order, { warn: null })) };
    return {
      changes: [
        orderUpdate(after.order),
        ...eventOf(deps, project, { before, after, type: 'order.authorization_expiring' }, told),
      ],
    };
  });
};
