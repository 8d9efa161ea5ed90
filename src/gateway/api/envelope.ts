// The shape of the gateway's failures (docs/contract/gateway.md#errors): failure_type, failure_message, order_id.
// Rule: nothing here knows an order: failures that belong to one are answered by the use case that has it.
import Type, { type TSchema } from 'typebox';
import {
  Choice,
  type Envelope,
  type FailureKind,
  failureHeaders,
  fieldErrorSchema,
  rateFields,
  Shape,
} from '../../http/index.ts';

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

const message = Type.String({ minLength: 1, description: 'Text for people: programs go by failure_type.' });
const ofNoOrder = Type.Null({ description: 'The request made no order.' });
const ofOrder = Type.Unsafe({
  type: ['string', 'null'],
  pattern: '^\\d+$',
  description: 'Id of the order that this request made, else null.',
});

/** Of the failures with an order behind them: the issuer's, the gateway's, and those whose outcome is unknown. */
const failure = Shape(
  { failure_type: Choice(['declined', 'fraud', rejected]), failure_message: message, order_id: ofOrder },
  { title: 'Failure' },
);
const unknown = Shape(
  { failure_type: Choice(['error']), failure_message: message, order_id: ofOrder },
  { title: 'FailureError' },
);
const refused = Shape(
  { failure_type: Choice([rejected]), failure_message: message, order_id: ofNoOrder },
  { title: 'FailureRejected' },
);
const wrongFields = Shape(
  {
    failure_type: Choice(['validation']),
    failure_message: message,
    order_id: ofNoOrder,
    errors: Type.Array(Type.Unsafe(fieldErrorSchema), { minItems: 1, description: 'Every wrong field.' }),
  },
  { title: 'FailureValidation' },
);

/** Of the statuses whose failures are not simply refused. */
const SCHEMAS: Readonly<Record<number, TSchema>> = { 402: failure, 422: wrongFields, 500: unknown, 503: unknown };

export const gatewayEnvelope: Envelope = {
  failure(kind, detail) {
    const [failure_type, message, status] = FAILURES[kind];
    const headers = failureHeaders(detail);
    if (kind === 'unauthenticated') headers['www-authenticate'] = 'Basic realm="gateway", charset="UTF-8"';
    const body = { failure_type, failure_message: detail.message ?? message, order_id: detail.made ?? null };
    return { status, headers, body: kind === 'validation' ? { ...body, errors: detail.errors ?? [] } : body };
  },
  rate: rateFields,
  schema: (status) => SCHEMAS[status] ?? refused,
};
