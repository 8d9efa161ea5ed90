// The shape of the gateway's failures (payment-gateway-api.md, "Errors"): failure_type, failure_message, order_id.
// Rule: nothing here knows an order: failures that belong to one are answered by the use case that has it.
import { type Envelope, type FailureKind, failureHeaders, rateFields } from '../http/index.ts';

/** Of the contract's failure types those that can arise before a use case. */
type FailureType = 'rejected' | 'validation' | 'error';

const rejected = 'rejected';

/** What each failure before a use case is to the client: type, text, and the status where the standard's own doesn't fit. */
const FAILURES: Readonly<Record<FailureKind, readonly [type: FailureType, message: string, status: number]>> = {
  bad_request: [rejected, 'Malformed request', 400],
  unauthenticated: [rejected, 'Login or password is wrong', 401],
  forbidden: [rejected, 'Not allowed for this login', 403],
  not_found: [rejected, 'Not found', 404],
  method_not_allowed: [rejected, 'Method not allowed', 405],
  not_acceptable: [rejected, 'Only application/json can be answered', 406],
  timeout: [rejected, 'The request took too long to arrive', 408],
  conflict: [rejected, 'A request with the same idempotency key is being processed', 409],
  gone: [rejected, 'No longer available', 410],
  too_large: [rejected, 'Request body is too large', 413],
  unsupported_media_type: [rejected, 'Content type must be application/json', 415],
  validation: ['validation', 'Validation failed', 422],
  locked: [rejected, 'Locked', 423],
  rate_limited: [rejected, 'Too many requests', 429],
  headers_too_large: [rejected, 'Request header is too large', 431],
  internal: ['error', 'Temporary failure', 500],
  unavailable: ['error', 'Temporary failure', 503],
};

export const gatewayEnvelope: Envelope = {
  failure(kind, detail) {
    const [failure_type, message, status] = FAILURES[kind];
    const headers = failureHeaders(detail);
    if (kind === 'unauthenticated') headers['www-authenticate'] = 'Basic realm="gateway", charset="UTF-8"';
    const body = { failure_type, failure_message: detail.message ?? message, order_id: null };
    return { status, headers, body: kind === 'validation' ? { ...body, errors: detail.errors ?? [] } : body };
  },
  rate: rateFields,
  schema: {
    title: 'Failure',
    type: 'object',
    required: ['failure_type', 'failure_message', 'order_id'],
    properties: {
      failure_type: { enum: ['declined', 'fraud', 'rejected', 'error', 'validation'] },
      failure_message: { type: 'string' },
      order_id: { type: ['string', 'null'], description: 'The order that the request was about, if it came so far.' },
      errors: {
        type: 'array',
        description: 'Only for validation failures.',
        items: {
          type: 'object',
          required: ['message', 'uri'],
          properties: {
            message: { type: 'string', examples: ['Required', 'Unknown property'] },
            uri: { type: 'string', description: 'JSON pointer to the field.', examples: ['#/card/cvv'] },
            attribute: { type: 'string', description: 'Name of the broken rule.', examples: ['required'] },
            details: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    },
  },
};
