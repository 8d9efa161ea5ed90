// What the simulator answers, as schemas.
import Type from 'typebox';
import { Choice, Id, Instant, Matching, Shape } from '../http/index.ts';
import { dueFailure } from '../operator/index.ts';

const text = Type.String();
const digits = Matching('^\\d+$', { description: 'Minor units.' });
const clockFields = { now: Instant(), frozen: Type.Boolean() };
export const shownClock = Shape(clockFields, { title: 'Clock' });
export const movedClock = Shape(
  { ...clockFields, not_run: Type.Array(dueFailure, { description: 'It is tried again; at most a hundred.' }) },
  { title: 'MovedClock' },
);
export const faultPlan = Shape(
  {
    seed: Type.Integer(),
    rate: Type.Number({ minimum: 0, maximum: 1 }),
    schedule: Type.Array(
      Shape({
        operation: text,
        ordinal: Type.Integer({ minimum: 1 }),
        outcome: Type.Union([Shape({ code: text }), Shape({ fault: text })]),
      }),
    ),
  },
  { title: 'FaultPlan' },
);
export const scenarioList = Shape({
  scenarios: Type.Array(
    Shape(
      {
        id: text,
        api: Choice(['gateway', 'issuing']),
        summary: text,
        request: Shape({
          method: text,
          path: text,
          headers: Type.Unsafe({ type: 'object', additionalProperties: { type: 'string' } }),
          body: Type.Unsafe({
            type: ['object', 'string', 'null'],
            additionalProperties: true,
            description: 'null: none. Text: sent as it is, as it is no JSON.',
          }),
        }),
        expect: Type.Unsafe({
          type: 'object',
          required: ['status'],
          properties: { status: { type: 'integer' } },
          additionalProperties: true,
          description: 'Status, and what the body says of the error.',
        }),
      },
      { title: 'Scenario' },
    ),
  ),
});
export const acquirerBooks = Shape({
  books: Type.Array(
    Shape(
      {
        order_id: Id(),
        currency: Matching('^[A-Z]{3}$'),
        authorized: digits,
        reversed: digits,
        charged: digits,
        voided: digits,
        refunded: digits,
        credited: digits,
      },
      { title: 'AcquirerBook' },
    ),
  ),
});
