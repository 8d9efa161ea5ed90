// Everything that is known of one order, for the operator: its operations, the network's messages, every ledger entry.
import { postingsOfOrders } from '../../ledger/index.ts';
import { traceOf } from '../../network/index.ts';
import { type Gateway, viewOf } from './gateway.ts';
import { operationBase, orderBase } from './present.ts';
import { orderGet, orderOwner } from './queries.ts';

export async function orderTrace(gateway: Gateway, id: bigint): Promise<object | null> {
  const owner = await orderOwner(gateway.db, id);
  const [state, project] =
    owner === null ? [null, null] : await Promise.all([orderGet(gateway.db, owner, id), gateway.project(owner)]);
  if (!state || !project || owner === null) return null;
  const view = viewOf(gateway, project);
  const [messages, postings] = await Promise.all([
    traceOf(gateway.db, owner, id),
    postingsOfOrders(gateway.db, owner, [id]),
  ]);
  return {
    project: project.login,
    order: {
      ...orderBase(view, state.order),
      due: state.order.due,
      in_flight: state.order.in_flight?.toString() ?? null,
    },
    operations: state.operations.map((operation) => ({
      ...operationBase(view, operation),
      system: operation.system,
      reference: operation.reference,
      tries: operation.tries,
      rrn: operation.details.rrn ?? null,
      resolved_at: operation.resolved_at?.toISOString() ?? null,
    })),
    messages,
    postings: postings.map((posting) => ({
      entry: posting.entry_id.toString(),
      kind: posting.kind,
      account: posting.account,
      currency: posting.currency,
      amount: posting.amount.toString(),
      at: posting.created_at.toISOString(),
    })),
  };
}
