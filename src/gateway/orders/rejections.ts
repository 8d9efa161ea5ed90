// Every rejection of the gateway, as one closed table: code → failure_type and text; the status is 402.
// Rule: a rejection is a value that a decision returns. It is kept: its row, and the answer for the idempotency key. Nothing is sent.
import type { FailureType } from './model.ts';

export const rejections = {
  not_authorized: ['rejected', 'Order is not authorized'],
  not_charged: ['rejected', 'Order is not charged'],
  not_prepared: ['rejected', 'Order is not waiting for authentication'],
  not_new: ['rejected', 'Order is not open for payment'],
  already_charged: ['rejected', 'Order is already charged'],
  amount_over_authorized: ['rejected', 'Amount is more than the authorized amount'],
  amount_over_charged: ['rejected', 'Amount is more than what is left to refund'],
  amount_zero: ['rejected', 'Nothing to do for a zero amount'],
  amount_partial_reversal: ['rejected', 'An authorization is reversed as a whole'],
  operation_in_progress: ['rejected', 'Another operation on the order is in progress'],
  authorization_expired: ['rejected', 'Authorization has expired'],
  currency_not_accepted: ['rejected', 'No terminal accepts the currency'],
  card_expired: ['rejected', 'Card has expired'],
  authentication_pending: ['rejected', 'The cardholder has not finished the authentication yet'],
  authentication_mismatch: ['rejected', 'PaRes does not belong to this authentication'],
  authentication_failed: ['rejected', 'Cardholder authentication failed'],
  authentication_unavailable: ['rejected', 'Cardholder authentication was not possible'],
  authentication_timeout: ['rejected', 'Cardholder authentication timed out'],
  authentication_reused: ['rejected', 'Authentication value was used before'],
  session_expired: ['rejected', 'Payment session has expired'],
  cancelled: ['rejected', 'Payment was cancelled'],
  merchant_order_id_used: ['rejected', 'merchant_order_id was used for another order'],
  unlinked_credit_disabled: ['rejected', 'Payouts to a card number are not enabled'],
  payout_over_limit: ['rejected', 'Amount is more than a payout may be'],
  payout_over_card_day: ['rejected', 'Payouts to the card have reached what is allowed a day'],
  payout_over_project_day: ['rejected', 'Payouts have reached what is allowed a day'],
  payout_over_settled: ['rejected', 'Amount is more than what is settled'],
  static_links_disabled: ['rejected', 'Static links are not enabled'],
  agreement_unknown: ['rejected', 'No agreement with the cardholder is known for this exemption'],
  parent_not_usable: ['rejected', 'Parent order cannot be used for this payment'],
  card_unknown: ['rejected', 'Order has no card'],
  project_closed: ['rejected', 'Merchant takes no payments'],
  no_rate: ['rejected', 'No exchange rate for the currency'],
  fraud: ['fraud', 'Refused by fraud rules: other'],
} as const satisfies Readonly<Record<string, readonly [type: FailureType, message: string]>>;

export type RejectionCode = keyof typeof rejections;

/** The class of the rule, never its detail. */
export const fraudMessage = (of: string): string => `Refused by fraud rules: ${of}`;
