// The intent: an operation as it is committed before anything is sent.
import { addMs } from '../../base/index.ts';
import type { Change, StoredAnswer, Told } from '../../store/index.ts';
import {
  type Operation,
  type OperationDetails,
  type OperationType,
  type OrderState,
  operationInsert,
  orderUpdate,
  withDue,
} from '../orders/index.ts';

export interface Intent {
  readonly type: OperationType;
  readonly amount: bigint;
  readonly details?: OperationDetails;
  /** Where it is fixed when the operation begins. */
  readonly rate?: Operation['rate'];
}

/** What an intent's commit led to: an answer at once, or an operation to send. */
export type Intended =
  | { readonly answer: StoredAnswer }
  | { readonly state: OrderState; readonly operation: Operation };

interface Origin {
  /** Reference of the authorization that it belongs to. */
  readonly original: string | null;
  readonly onceKey: string | null;
  /** Drawn before the decision; where nothing begins the number is skipped. */
  readonly stan: string;
  readonly system?: boolean;
}

/**
 * The operation as sent, behind those that the order has: its id is our own reference on the wire, unique for ever and the same in every
 * repeat, and operations stand in the order of their ids.
 */
export function newOperation({ order, operations }: OrderState, intent: Intent, origin: Origin, told: Told): Operation {
  const last = operations.at(-1);
  const id = last ? told.ids.after(last.id) : told.ids.next();
  return {
    project_id: order.project_id,
    id,
    order_id: order.id,
    type: intent.type,
    status: 'sent',
    system: origin.system ?? false,
    amount: intent.amount,
    currency: order.currency,
    reference: id.toString(),
    original: origin.original,
    auth_code: '',
    iso_response_code: '',
    iso_message: '',
    details: { ...intent.details, stan: origin.stan, terminal: order.terminal },
    arn: null,
    rate: intent.rate ?? null,
    tries: 1,
    process: told.process,
    once_key: origin.onceKey,
    created_at: told.now,
    resolved_at: null,
    cleared_at: null,
  };
}

/** The intent as rows: the operation as sent, the order with it in flight. */
export function startOperation(
  state: OrderState,
  plan: Intent,
  origin: Pick<Origin, 'onceKey' | 'stan'>,
  told: Told,
): { state: OrderState; operation: Operation; changes: Change[] } {
  const original = originalOf(state, plan.details?.void === true);
  const operation = newOperation(state, plan, { ...origin, original }, told);
  const order = withDue({ ...state.order, in_flight: operation.id }, { recover: addMs(told.now, SENT_LIMIT_MS) });
  return {
    state: { order, operations: [...state.operations, operation] },
    operation,
    changes: [operationInsert(operation), orderUpdate(order)],
  };
}

/** The reference that an operation belongs to: the approved authorization; for a void the charge. */
function originalOf({ operations }: OrderState, isVoid: boolean): string | null {
  const type = isVoid ? 'charge' : 'authorize';
  return operations.find((operation) => operation.type === type && operation.status === 'success')?.reference ?? null;
}

/** A process that sent an operation and still lives after this long has lost it: its recovery is due. */
export const SENT_LIMIT_MS = 60_000;
