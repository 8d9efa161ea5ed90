// New operations: the intent that is committed before anything is sent.
import type { Gateway } from './gateway.ts';
import type { Operation, OperationDetails, OperationType, Order } from './model.ts';

export interface Intent {
  readonly type: OperationType;
  readonly amount: bigint;
  readonly details?: OperationDetails;
  /** Where it is fixed when the operation begins. */
  readonly rate?: Operation['rate'];
}

interface Origin {
  /** Reference of the authorization that it belongs to. */
  readonly original: string | null;
  readonly onceKey: string | null;
  readonly now: Date;
  readonly system?: boolean;
}

/** The operation as sent: its id is our own reference on the wire, unique for ever and the same in every repeat. */
export function newOperation(gateway: Gateway, order: Order, intent: Intent, origin: Origin): Operation {
  const id = gateway.ids.next();
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
    details: { ...intent.details, stan: gateway.stans.next(), terminal: order.terminal },
    arn: null,
    rate: intent.rate ?? null,
    tries: 1,
    process: gateway.lease.process(),
    once_key: origin.onceKey,
    created_at: origin.now,
    resolved_at: null,
    cleared_at: null,
  };
}
