// An operation as a message to the network, and the network's answer as what is kept of it.
import type { Pan } from '../../base/index.ts';
import { isoCode, type NetworkAnswer, type NetworkRequest, NoAnswer } from '../../network/index.ts';
import type { Authentication, GatewayDeps, Operation, OperationType, Order } from '../orders/index.ts';
import type { Terminal } from '../projects/index.ts';

/** What only lives in memory while an authorization is sent. */
export interface CardData {
  readonly pan: Pan;
  /** YYMM. */
  readonly expiry: string | null;
  readonly cvv: string | null;
  readonly holder: string | null;
}

/** Operations that travel; chargebacks and representments arrive by themselves. */
const TRAVELS: Readonly<Partial<Record<OperationType, NetworkRequest['operation']>>> = {
  authorize: 'authorize',
  charge: 'charge',
  reverse: 'reverse',
  refund: 'refund',
  credit: 'credit',
};

function requestOf(
  order: Order,
  operation: Operation,
  terminal: Terminal,
  card: CardData,
  stan: string,
  sentAt: Date,
): NetworkRequest {
  const authentication: Authentication | null = order.secure3d?.authentication ?? null;
  return {
    operation: TRAVELS[operation.type] ?? 'authorize',
    owner: order.project_id,
    orderId: order.id,
    reference: operation.reference,
    attempt: operation.tries,
    original: operation.original,
    pan: card.pan,
    expiry: card.expiry,
    cvv: operation.type === 'authorize' ? card.cvv : null,
    holder: card.holder,
    amount: { minor: operation.amount, currency: operation.currency },
    stan,
    transmittedAt: sentAt,
    terminal: {
      id: terminal.id,
      merchantId: terminal.merchant_id,
      mcc: terminal.mcc,
      descriptor: order.descriptor,
      country: null,
      cvvMustMatch: terminal.cvv_must_match,
    },
    // A card that came in this request is no credential on file, whoever starts the payment.
    entryMode: order.initiator === 'merchant' && order.parent_order_id !== null ? 'credential_on_file' : 'ecommerce',
    channel: 'ecommerce',
    // Behind the first of several charges the rest stays held.
    final: operation.type !== 'charge' || !terminal.multicapture,
    pin: null,
    initiator: order.initiator,
    indicator: order.options.indicator ?? null,
    originalTraceId: order.options.trace_id ?? null,
    exemption: order.options.exemption_mit ? 'mit' : null,
    authentication: authentication && {
      letter: authentication.letter,
      eci: authentication.eci,
      cavv: authentication.cavv,
      dsTransId: authentication.dsTransId,
      version: authentication.version,
      forced: order.options.force3d === true,
    },
  };
}

/** Sends an operation. null: no answer, so the outcome is unknown. No transaction may be open. */
export async function send(
  deps: Pick<GatewayDeps, 'clock' | 'lease' | 'links' | 'log' | 'stans'>,
  order: Order,
  operation: Operation,
  terminal: Terminal,
  card: CardData,
): Promise<NetworkAnswer | null> {
  const link = deps.links.get(terminal.link);
  if (!link) {
    deps.log.error({ link: terminal.link }, 'terminal names a link that is not configured');
    return null;
  }
  // Somebody else may be finding out already what became of it.
  if (!(await deps.lease.keeps(operation.process))) return null;
  try {
    return await link.send(
      requestOf(order, operation, terminal, card, operation.details.stan ?? deps.stans.next(), deps.clock.now()),
    );
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    deps.log.error({ err: error, operation: operation.type }, 'link failed');
    return null;
  }
}

/** The operation with the network's answer on it. */
export function answered(operation: Operation, answer: NetworkAnswer, order: Order, now: Date): Operation {
  const authentication = operation.type === 'authorize' ? (order.secure3d?.authentication ?? null) : null;
  const code = isoCode(answer.responseCode);
  const status = code.class === 'approved' ? 'success' : code.class === 'declined' ? 'failure' : 'error';
  return {
    ...operation,
    status: operation.system ? 'done' : status,
    auth_code: answer.authCode ?? '',
    iso_response_code: answer.responseCode,
    iso_message: code.message,
    resolved_at: now,
    details: {
      ...operation.details,
      rrn: answer.rrn,
      ...(order.card ? { network: order.card.type } : {}),
      eci: authentication?.eci ?? null,
      authentication:
        authentication || order.options.exemption_mit
          ? {
              letter: authentication?.letter ?? '',
              version: authentication?.version ?? null,
              exemption: order.options.exemption_mit ? 'mit' : null,
            }
          : null,
      network_transaction_id: answer.networkTransactionId,
      cvv_result: answer.cvvResult,
      avs_result: answer.avsResult,
      decline_category: status === 'success' ? null : code.retry,
    },
  };
}

/** Operations without an answer for good: nothing came, nothing is claimed. */
export const unanswered = (operation: Operation, now: Date): Operation => ({
  ...operation,
  status: 'error',
  iso_message: 'No answer',
  resolved_at: now,
});
