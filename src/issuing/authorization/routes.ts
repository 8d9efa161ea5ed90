// GET /cards/payments/{cardId}: what a card was asked to pay, what was decided and why.
import { type AnyEndpoint, endpointOf } from '../../http/index.ts';
import type { Session } from '../access/index.ts';
import { cardAsked } from '../cards/index.ts';
import { digits, pathId, queryInteger, shape } from '../fields/index.ts';
import { paymentView } from '../payments/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { payments as paymentsShown } from './answer-schemas.ts';
import { paymentsOf } from './read.ts';

const endpoint = endpointOf<Session>();
const MOST = 100;

export const paymentEndpoints = (deps: IssuingDeps): AnyEndpoint<Session>[] => [
  endpoint({
    method: 'GET',
    path: '/cards/payments/:cardId',
    operation: 'listCardPayments',
    cost: ({ limit = MOST }) => limit,
    summary: 'Payments of a card with the explanation of each decision, the newest first',
    description:
      'Each payment tells every check that was made, in order: its result, the level and rule that decided, and what remained. `before` is the id of the last payment of the page before.',
    tag: 'Cards',
    right: null,
    params: shape({ cardId: pathId('The card.') }),
    query: shape({ limit: queryInteger({ min: 1, max: MOST }), before: digits({}) }),
    answers: { 200: { description: 'A page of payments', schema: paymentsShown } },
    async handler({ principal, params, query }) {
      const card = await cardAsked(deps, principal, params.cardId);
      const before = query.before === undefined ? null : (deps.permutation.inward(query.before) ?? 0n);
      const rows = await paymentsOf(deps, card, { before, limit: query.limit ?? MOST });
      const payments = rows.map((row) => paymentView(deps.permutation, row));
      return { status: 200, body: { payments, responseCount: payments.length } };
    },
  }),
];
