// The shape of the gateway's failures (docs/contract/gateway.md#errors): failure_type, failure_message, order_id.
// Rule: nothing here knows an order: failures that belong to one are answered by the use case that has it.
import Type, { type TSchema } from 'typebox';
import {
  Choice,
  type Envelope,
  failureHeaders,
  fieldErrorSchema,
  rateFields,
  Shape,
  STATUS,
} from '../../http/index.ts';
import { refusals } from '../orders/index.ts';

const message = Type.String({ minLength: 1, description: 'Text for people: programs go by failure_type.' });
const ofNoOrder = Type.Null({ description: 'The request made no order.' });
const ofOrder = Type.Unsafe({
  type: ['string', 'null'],
  pattern: '^\\d+$',
  description: 'Id of the order that this request made, else null.',
});

/** Of the failures with an order behind them: the issuer's, the gateway's, and those whose outcome is unknown. */
const failure = Shape(
  { failure_type: Choice(['declined', 'fraud', 'rejected']), failure_message: message, order_id: ofOrder },
  { title: 'Failure' },
);
const unknown = Shape(
  { failure_type: Choice(['error']), failure_message: message, order_id: ofOrder },
  { title: 'FailureError' },
);
const refused = Shape(
  { failure_type: Choice(['rejected']), failure_message: message, order_id: ofNoOrder },
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

/** No refusal: nobody knows. */
const MALFUNCTION = ['error', 'Temporary failure'] as const;

/** Of the statuses whose failures are not simply refused. */
const SCHEMAS: Readonly<Record<number, TSchema>> = { 402: failure, 422: wrongFields, 500: unknown, 503: unknown };

export const gatewayEnvelope: Envelope = {
  failure(kind, detail) {
    const [failure_type, message] = kind === 'internal' ? MALFUNCTION : refusals[kind];
    const headers = failureHeaders(detail);
    if (kind === 'unauthenticated') headers['www-authenticate'] = 'Basic realm="gateway", charset="UTF-8"';
    const body = { failure_type, failure_message: detail.message ?? message, order_id: detail.made ?? null };
    return {
      status: STATUS[kind],
      headers,
      body: kind === 'validation' ? { ...body, errors: detail.errors ?? [] } : body,
    };
  },
  rate: rateFields,
  schema: (status) => SCHEMAS[status] ?? refused,
};
