// An order that ends before anything was sent for it: it was cancelled, its time is over, or its cardholder was not authenticated.
import type { Change, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { failureText } from './answers.ts';
import type { GatewayDeps } from './deps.ts';
import { eventOf } from './events.ts';
import { type FailureType, type OrderState, withDue } from './model.ts';
import { orderUpdate } from './queries/orders.ts';
import { rejectionRecord } from './rejection-record.ts';
import { type RejectionCode, rejections } from './rejections.ts';
import { type OrderTrigger, orderStates } from './states.ts';
import { withEvent } from './telling.ts';

const TRIGGERS: Readonly<Partial<Record<FailureType, OrderTrigger>>> = { fraud: 'fraud', declined: 'decline' };

/** Nobody said no: its time was over. */
const OVER_TIME: ReadonlySet<RejectionCode> = new Set(['session_expired', 'authentication_timeout']);

type ClosingDeps = Pick<GatewayDeps, 'events' | 'permutation' | 'vault'>;

/** An order that ends before anything was sent for it. */
export function closedOrder(
  deps: ClosingDeps,
  project: Project,
  state: OrderState,
  code: RejectionCode,
  told: Told,
  as: readonly [type: FailureType, message: string] = rejections[code],
): { state: OrderState; changes: Change[] } {
  const [type, message] = as;
  const order = withEvent(
    withDue(
      {
        ...state.order,
        status: orderStates.move(state.order.status, TRIGGERS[type] ?? 'reject'),
        failure_type: type,
        failure_message: message,
        updated_at: told.now,
      },
      { expire: null, ask: null },
    ),
  );
  const sealed = state.order.secure3d?.transaction_id !== undefined;
  const after = { ...state, order };
  return {
    state: after,
    changes: [
      orderUpdate(order),
      ...eventOf(
        deps,
        project,
        { before: state, after, ...(OVER_TIME.has(code) ? { type: 'order.expired' } : {}) },
        told,
      ),
      rejectionRecord(project, order.id, 'close', code, told),
      ...(sealed ? [deps.vault.dropCvv(order.project_id, order.id)] : []),
    ],
  };
}

/** A page that nobody pays by any more, because he went or its time is over: it ends as its last card was declined, if one was. */
export function lapsedOrder(
  deps: ClosingDeps,
  project: Project,
  state: OrderState,
  code: RejectionCode,
  told: Told,
): ReturnType<typeof closedOrder> {
  const last = state.operations.findLast(({ type, status }) => type === 'authorize' && status === 'failure');
  return closedOrder(deps, project, state, code, told, last ? ['declined', failureText(last)] : rejections[code]);
}
