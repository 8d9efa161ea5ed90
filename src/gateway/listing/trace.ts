// Everything that is known of one order, for the operator: its operations, what the fraud rules found, the network's messages, the
// issuer's decisions where the card is issued here, every ledger entry.
import { postingsOf } from '../../ledger/index.ts';
import { traceOf } from '../../network/index.ts';
import { type GatewayDeps, operationShown, orderBase, orderOwner, viewOf } from '../orders/index.ts';

/** What our own issuer decided on messages with these references, and why; empty for cards of others. app.ts supplies it. */
export type IssuerDecisions = (references: readonly string[]) => Promise<readonly object[]>;

export async function orderTrace(
  deps: Pick<GatewayDeps, 'db' | 'orderOf' | 'permutation' | 'project' | 'risk'>,
  id: bigint,
  decisions: IssuerDecisions,
): Promise<object | null> {
  const owner = await orderOwner(deps.db, id);
  const [state, project] =
    owner === null ? [null, null] : await Promise.all([deps.orderOf(owner, id), deps.project(owner)]);
  if (!state || !project || owner === null) return null;
  const view = viewOf(deps, project);
  const [messages, postings, findings, issuer] = await Promise.all([
    traceOf(deps.db, owner, id),
    postingsOf(deps.db, owner, [id]),
    deps.risk.findings(project, id),
    decisions(state.operations.map(({ reference }) => reference)),
  ]);
  return {
    project: project.login,
    order: {
      ...orderBase(view, state.order),
      due: state.order.due,
      in_flight: state.order.in_flight?.toString() ?? null,
    },
    operations: state.operations.map((operation) => ({
      ...operationShown(view, operation),
      system: operation.system,
      reference: operation.reference,
      tries: operation.tries,
      rrn: operation.details.rrn ?? null,
      resolution: operation.details.resolution ?? null,
      resolved_at: operation.resolved_at?.toISOString() ?? null,
    })),
    findings: findings.map(({ rule_id, class: of, action, dry_run, created_at }) => ({
      rule: rule_id,
      class: of,
      action,
      dry_run,
      at: created_at.toISOString(),
    })),
    messages,
    issuer,
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
