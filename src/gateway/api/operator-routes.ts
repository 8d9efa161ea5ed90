// The whole way of an order, for operators. Rule: card numbers are masked.
import { jsonText, type Permutation, refuserOf } from '../../base/index.ts';
import { type OperatorEndpoint, operatorEndpoint, Shape, Text } from '../../http/index.ts';
import { traceSchema } from './trace-schema.ts';

const refuse = refuserOf({ order_unknown: ['not_found', 'No such order'] });

export interface TraceDesk {
  readonly permutation: Permutation;
  /** Everything that is known of an order: operations, network messages, the issuer's decision, ledger entries. null: no such order. */
  readonly trace: (orderId: bigint) => Promise<object | null>;
}

export function traceOperatorEndpoints({ permutation, trace }: TraceDesk): OperatorEndpoint[] {
  return [
    operatorEndpoint({
      method: 'GET',
      path: '/orders/:id/trace',
      operation: 'orderTrace',
      summary: 'Shows the whole way of an order',
      description:
        "The merchant's operations, the network messages, the issuer's decision, every ledger entry. Card numbers are masked.",
      right: null,
      params: Shape({ id: Text({ max: 20 }) }),
      answers: { 200: { description: 'The trace', schema: traceSchema }, 404: { description: 'No such order' } },
      async handler({ params }) {
        const id = permutation.inward(params.id);
        const found = id === null ? null : await trace(id);
        if (!found) throw refuse('order_unknown');
        return { status: 200, body: jsonText(found) };
      },
    }),
  ];
}
