// What a use case answers: status, body, Location. One lookup from outcome to envelope, so that a stored answer and a fresh one
// are the same bytes.
import { isoCode } from '../../network/index.ts';
import type { StoredAnswer } from '../../store/index.ts';
import type { FailureType, Operation, OrderState } from './model.ts';
import { type Cashflows, ORDER_EXPANDS, orderWhole, type View } from './present.ts';
import { type RejectionCode, rejections } from './rejections.ts';

const STATUS: Readonly<Record<FailureType, number>> = {
  declined: 402,
  fraud: 402,
  rejected: 402,
  error: 500,
  validation: 422,
};
/** Every expand but the one that reads the ledger. */
export const WHOLE = ORDER_EXPANDS.filter((name) => name !== 'operations.cashflow');
export const NO_CASHFLOWS: Cashflows = new Map();

/** The form that a challenge or device-data step needs. */
export interface Form {
  readonly form: Readonly<Record<'MD' | 'PaReq' | 'TermUrl' | 'action' | 'method', string>>;
  readonly html: string;
}

export function orderAnswer(
  view: View,
  state: OrderState,
  options: { status?: number; location?: string; form?: Form; cashflows?: Cashflows } = {},
): StoredAnswer {
  const order = orderWhole(view, state, WHOLE, options.cashflows ?? NO_CASHFLOWS);
  if (options.form) {
    order.form3d_html = options.form.html;
    order.form3d = options.form.form;
  }
  return {
    status: options.status ?? 200,
    body: JSON.stringify({ orders: [order] }),
    location: options.location ?? null,
  };
}

/** `orderId`: of an order that this request made, else null. */
export function failureAnswer(type: FailureType, message: string, orderId: string | null): StoredAnswer {
  return {
    status: STATUS[type],
    body: JSON.stringify({ failure_type: type, failure_message: message, order_id: orderId }),
    location: null,
  };
}

/** What is said while nobody knows what became of the request. */
export const OUTCOME_UNKNOWN = 'Temporary failure, the outcome is being resolved';

export const unknownAnswer = (orderId: string | null): StoredAnswer => failureAnswer('error', OUTCOME_UNKNOWN, orderId);

export function rejectionAnswer(code: RejectionCode, orderId: string | null): StoredAnswer {
  const [type, message] = rejections[code];
  return failureAnswer(type, message, orderId);
}

/**
 * The answer that an order's own state implies: a failed order is its failure, any other is the order. `isNew`: this request made the order,
 * so its failure names it.
 */
export function stateAnswer(view: View, state: OrderState, { isNew }: { isNew: boolean }): StoredAnswer {
  const { order } = state;
  if (order.failure_type)
    return failureAnswer(order.failure_type, order.failure_message ?? '', isNew ? view.outward(order.id) : null);
  return orderAnswer(view, state);
}

/** What the merchant reads of a decline; without a code it is a malfunction. */
export const failureText = ({ iso_response_code: code }: Operation): string => isoCode(code || '96').failureMessage;
