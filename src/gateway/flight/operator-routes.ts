// What the acquirer was asked for in vain: what waits for somebody, and settling it as the acquirer told by telephone.
import Type from 'typebox';
import type { Permutation } from '../../base/index.ts';
import {
  type Changes,
  Choice,
  Digits,
  Id,
  Instant,
  Integer,
  listOf,
  Matching,
  Nullable,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
} from '../../http/index.ts';
import type { Committer } from '../../store/index.ts';
import type { Heard, Resolved, StuckOperation } from './stuck.ts';

const text = Type.String();
/** An operation of which the acquirer has to be asked by telephone, and what it is once that was done. */
const operationFields = {
  id: Matching('^\\d+$', { description: 'Our own reference, by which the acquirer knows it.' }),
  order_id: Id(),
  project: Nullable(text),
  type: Choice(['authorize', 'charge', 'reverse', 'refund', 'credit', 'chargeback', 'representment']),
};
const stuckOperation = Shape(
  {
    ...operationFields,
    owed: Type.Boolean({ description: 'A reversal of an authorization that got no answer.' }),
    amount: Matching('^\\d+\\.\\d{2}$'),
    currency: Matching('^[A-Z]{3}$', { description: 'ISO 4217.' }),
    since: Instant(),
    tries: Type.Integer({ minimum: 0 }),
    why: Choice(['not_bookable', 'given_up', 'no_answer']),
    answer: Type.Union([Shape({ response_code: text, auth_code: text, problem: text }), Type.Null()]),
    next_try: Nullable(Instant()),
  },
  { title: 'StuckOperation' },
);
const resolvedOperation = Shape(
  {
    ...operationFields,
    status: Choice(['success', 'failure', 'error', 'done']),
    iso_response_code: text,
    auth_code: text,
  },
  { title: 'ResolvedOperation' },
);

const Code = (length: number, description: string): ReturnType<typeof Type.Unsafe<string>> =>
  Type.Unsafe<string>({ type: 'string', pattern: `^[A-Za-z0-9]{${length}}$`, description });

const Resolution = Shape(
  {
    outcome: Choice(['approved', 'declined', 'never_arrived'] as const, {
      description: 'What became of it at the acquirer.',
    }),
    response_code: Optional(Code(2, 'ISO 8583 response code; 00 or 05 when it was not told.')),
    auth_code: Optional(Code(6, 'Of an approval.')),
    reason: Text({ min: 1, max: 500, description: 'Who at the acquirer said so, and when. Kept with the operation.' }),
  },
  { title: 'Resolution' },
);

/** What an operator's requests about stuck operations are served with. */
export interface StuckDesk {
  readonly permutation: Permutation;
  readonly changes: Changes;
  /** Operations that the acquirer was asked for in vain, behind the one with this id. */
  readonly stuckOperations: (after: bigint, limit: number) => Promise<readonly StuckOperation[]>;
  /** Settles the one with this reference as the acquirer told. */
  readonly resolveOperation: (committer: Committer, reference: string, heard: Heard) => Promise<Resolved>;
}

export function stuckOperatorEndpoints({
  permutation,
  changes,
  stuckOperations,
  resolveOperation,
}: StuckDesk): OperatorEndpoint[] {
  return [
    operatorEndpoint({
      method: 'GET',
      path: '/operations/stuck',
      operation: 'operationsStuck',
      summary:
        'Lists operations that the acquirer was asked for in vain, or whose answer could not be booked; the eldest first',
      description:
        '`why`: `no_answer` (six tries or more; it is still asked for), `given_up` (it is asked for no more), `not_bookable` (the acquirer has answered, `answer` says what is in the way).',
      right: null,
      query: Shape({
        after: Optional(Digits({ max: 18, description: 'Id of the last one of the page before.' })),
        per_page: Optional(Integer(1, 1000)),
      }),
      answers: {
        200: {
          description: 'Operations; `id` is our reference, by which the acquirer knows it',
          schema: listOf('operations', stuckOperation),
        },
      },
      async handler({ query: { after = '0', per_page = 100 } }) {
        return { status: 200, body: { operations: await stuckOperations(BigInt(after), per_page) } };
      },
    }),
    operatorEndpoint({
      method: 'POST',
      path: '/operations/:id/resolve',
      operation: 'operationResolve',
      summary: 'Settles a stuck operation as the acquirer told by telephone',
      description:
        'Order, books, event and the answer kept for its idempotency key become what they would be had the acquirer answered by the link.',
      right: null,
      params: Shape({ id: Digits({ max: 18, description: 'Id of the operation.' }) }),
      body: Resolution,
      example: { outcome: 'approved', auth_code: '047956', reason: 'J. Doe, acquirer support, 2026-11-21 14:05' },
      answers: {
        200: { description: 'The operation as it is settled', schema: resolvedOperation },
        409: {
          description: 'Not in flight (any more), not stuck, being asked for right now, or a reversal still owed',
        },
        422: { description: 'Wrong fields, or a code that says something else than the outcome' },
      },
      async handler(input) {
        const { id } = input.params;
        const target = `${id}/${input.body.outcome}`;
        const { operation, login } = await changes.byCommands(
          input,
          // Whose operation it is shows when it is found: the row of its commit stands in that chain.
          { owner: null, action: 'operation.resolve', target },
          (committer) => resolveOperation(committer, id, input.body),
        );
        return {
          status: 200,
          body: {
            id: operation.reference,
            order_id: permutation.outward(operation.order_id),
            project: login,
            type: operation.type,
            status: operation.status,
            iso_response_code: operation.iso_response_code,
            auth_code: operation.auth_code,
          },
        };
      },
    }),
  ];
}
