// An order's trace as operators are shown it, as a schema.
import Type from 'typebox';
import { Choice, Id, Instant, Matching, Nullable, Shape } from '../../http/index.ts';
import { baseFields, operationFields } from './answer-schemas.ts';

const text = Type.String();
const flag = Type.Boolean();

const order = Shape(
  {
    ...baseFields,
    due: Type.Unsafe({
      type: 'object',
      additionalProperties: Instant(),
      description: 'What becomes of the order by itself, and when.',
    }),
    in_flight: Nullable(Type.String({ description: 'The operation whose outcome is not known yet.' })),
  },
  { title: 'TracedOrder' },
);

const operation = Shape(
  {
    ...operationFields,
    status: Choice(['sent', 'success', 'failure', 'error', 'done']),
    system: Type.Boolean({ description: "The gateway's own, which merchants don't see." }),
    reference: text,
    tries: Type.Integer({ minimum: 0 }),
    rrn: Nullable(text),
    resolved_at: Nullable(Instant()),
    resolution: Type.Union([
      Shape(
        { outcome: text, reason: text, at: Instant() },
        { title: 'TracedResolution', description: 'As the acquirer told an operator.' },
      ),
      Type.Null(),
    ]),
  },
  { title: 'TracedOperation' },
);

const message = Shape(
  {
    at: Instant(),
    direction: Choice(['out', 'in']),
    mti: Matching('^\\d{4}$'),
    reference: text,
    fields: Type.Array(Shape({ de: Matching('^\\d+(\\.\\d+)?$'), name: text, value: text })),
  },
  { title: 'TracedMessage', description: 'ISO 8583, masked.' },
);

const finding = Shape(
  { rule: text, class: text, action: text, dry_run: flag, at: Instant() },
  { title: 'RiskFinding', description: 'What a fraud rule said.' },
);

const posting = Shape(
  {
    entry: Id(),
    kind: text,
    account: text,
    currency: Matching('^[A-Z]{3}$'),
    amount: Matching('^-?\\d+$', { description: 'Minor units.' }),
    at: Instant(),
  },
  { title: 'LedgerPosting' },
);

export const traceSchema = Shape(
  {
    project: text,
    order,
    operations: Type.Array(operation),
    findings: Type.Array(finding),
    messages: Type.Array(message),
    issuer: Type.Array(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        description: 'A decision of our own issuing side, as its cardholder is shown it.',
      }),
    ),
    postings: Type.Array(posting),
  },
  { title: 'OrderTrace' },
);
