// What the order endpoints answer, as schemas. Rule: closed: a member that is not written down here is in no answer.
import Type, { type TSchema } from 'typebox';
import { Choice, type DocumentedAnswer, Id, Matching, Nullable, Optional, paged, Shape } from '../../http/index.ts';
import { OPERATION_TYPES, ORDER_STATUSES } from '../orders/index.ts';

const text = Type.String();
const amount = Matching('^\\d+\\.\\d{2}$', { description: 'Decimal with two places.' });
const signed = Matching('^-?\\d+\\.\\d{2}$', { description: 'Decimal with two places; may be negative.' });
const currency = Matching('^[A-Z]{3}$', { description: 'ISO 4217.' });
const country = Matching('^[A-Z]{3}$', { description: 'ISO 3166-1 alpha-3.' });
const id = Id();
/** Lower case, as the networks' products are called. */
const name = Matching('^[a-z0-9][a-z0-9 _-]*$');
const dateTime = Matching('^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', {
  description: "UTC, or the project's time zone.",
});

const cashflow = Shape(
  {
    currency,
    amount: signed,
    fee: amount,
    incoming: signed,
    receivable: signed,
    reserve: amount,
  },
  {
    title: 'Cashflow',
    description:
      "In the project's accounting currency. receivable may be below zero; so may the amount of what gives back the last of a converted charge, by the rest of a rounding.",
  },
);

export const operationFields = {
  type: Choice(OPERATION_TYPES),
  status: Choice(['success', 'failure', 'error'], {
    description: 'failure: the issuer said no; error: technical, or no answer.',
  }),
  amount,
  currency,
  auth_code: text,
  iso_message: text,
  iso_response_code: Matching('^([0-9A-Z]{2})?$', { description: 'A1 marks a soft decline.' }),
  created: dateTime,
  arn: Optional(Matching('^\\d{23}$', { description: 'Acquirer reference number, once cleared.' })),
  trace_id: Optional(Type.String({ description: 'Only when the project has it on.' })),
  cashflow: Optional(cashflow),
};
const operation = Shape(operationFields, { title: 'Operation' });

const extra = Shape(
  {
    rrn: Nullable(text),
    stan: Nullable(text),
    network: Nullable(text),
    network_transaction_id: Nullable(text),
    eci: Nullable(text),
    cvv_result: Nullable(text),
    avs_result: Nullable(text),
    authentication: Type.Union([
      Shape(
        { letter: text, version: Nullable(text), exemption: Nullable(text) },
        { title: 'CardholderAuthentication' },
      ),
      Type.Null(),
    ]),
    decline_category: Nullable(Choice(['never', 'later', 'correct_data', 'generic'])),
    terminal: Nullable(text),
    authorization_expires: Nullable(dateTime),
  },
  { title: 'OperationExtra' },
);

export const baseFields = {
  id,
  merchant_order_id: Nullable(text),
  status: Choice(ORDER_STATUSES),
  amount,
  amount_charged: amount,
  amount_refunded: amount,
  currency,
  description: Nullable(text),
  descriptor: text,
  auth_code: text,
  pan: Matching('^(\\d{6}\\*+\\d{4})?$', {
    description: 'First six digits, stars, last four digits; empty until a card is known.',
  }),
  segment: text,
  created: dateTime,
  updated: dateTime,
  failure_type: Optional(Choice(['declined', 'fraud', 'rejected', 'error'])),
  failure_message: Optional(text),
};

const expandable = {
  card: Shape(
    { holder: Optional(text), subtype: Optional(name), type: Optional(name) },
    { description: 'Empty until a card is known.' },
  ),
  client: Shape(
    Object.fromEntries(
      ['address', 'city', 'country', 'email', 'name', 'phone', 'state', 'zip', 'login'].map((one) => [
        one,
        Optional(text),
      ]),
    ),
  ),
  location: Shape({ ip: Optional(text), country: Optional(text), city: Optional(text), region: Optional(text) }),
  custom_fields: Type.Unsafe({ type: 'object', maxProperties: 10, additionalProperties: text }),
  issuer: Shape(
    { bin: Optional(Matching('^\\d{6,8}$')), country: Optional(country), title: Optional(text) },
    { description: 'Empty for an unknown card.' },
  ),
  secure3d: Shape(
    {
      reason: Optional(Choice(['forced', 'soft_decline', 'risk', 'terminal', 'mandate'])),
      scenario: Optional(
        Choice(['frictionless', 'challenge', 'attempt', 'not_enrolled', 'unable_to_verify', 'external', 'exempt']),
      ),
      authorization_status: Optional(Choice(['Y', 'A', 'N', 'R', 'U', 'I'])),
    },
    { description: 'Empty without 3-D Secure.' },
  ),
};
const onlyExpanded = Object.fromEntries(Object.entries(expandable).map(([key, schema]) => [key, Optional(schema)]));

const operations = Type.Array(operation);
const form3d = Shape(
  {
    MD: text,
    PaReq: text,
    TermUrl: Type.String({ format: 'uri', description: 'Where the transaction is finalized.' }),
    action: Type.String({ format: 'uri', description: "The issuer's access control server." }),
    method: text,
  },
  { title: 'Form3d' },
);
const form3d_html = Type.String({ description: 'The same as an HTML form with id form3d, ready to submit.' });

const order = Shape({ ...baseFields, ...expandable, operations }, { title: 'Order' });
const prepared = Shape({ ...baseFields, ...expandable, operations, form3d_html, form3d }, { title: 'PreparedOrder' });
const expanded = Shape({ ...baseFields, ...onlyExpanded, operations }, { title: 'ExpandableOrder' });
const row = Shape({ ...baseFields, ...onlyExpanded, operations: Optional(operations) }, { title: 'OrderRow' });
const operationRow = Shape({ ...operationFields, order_id: id, extra: Optional(extra) }, { title: 'OperationRow' });

const listOf = (key: string, schema: TSchema): TSchema => Shape({ [key]: Type.Array(schema) });
const one = (schema: TSchema): TSchema => Shape({ orders: Type.Array(schema, { minItems: 1, maxItems: 1 }) });

type Answers = Readonly<Record<number, DocumentedAnswer>>;

const failed = { 402: { description: 'Declined or rejected' } };
const lost = { 500: { description: 'Outcome unknown, being resolved' } };
export const answered: Answers = { 200: { description: 'The order', schema: one(order) }, ...failed, ...lost };
export const formOrOrder: Answers = {
  ...answered,
  201: { description: 'The order waits for the cardholder: submit form3d', schema: one(prepared) },
};
export const created: Answers = {
  200: {
    description: 'With the setting unique_merchant_order_id: the order that an earlier request made',
    schema: one(order),
  },
  201: {
    description: 'New order; Location is its payment page',
    schema: one(order),
    headers: { Location: 'Payment page' },
  },
  ...failed,
};
export const shown: Answers = { 200: { description: 'The order', schema: one(expanded) } };
export const listedOrders: Answers = {
  200: { description: 'A page of orders', schema: listOf('orders', row), ...paged },
};
export const listedOperations: Answers = {
  200: { description: 'A page of operations', schema: listOf('operations', operationRow), ...paged },
};
