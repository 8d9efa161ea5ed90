// A rejection as it is kept: its record, and the answer of a request that is rejected before there is an order.
import type { Change, Decision, Loaded, Once, StoredAnswer, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { rejectionAnswer } from './answers.ts';
import type { GatewayDeps } from './deps.ts';
import { orderRejectionInsert } from './queries/orders.ts';
import type { RejectionCode } from './rejections.ts';

export const rejectionRecord = (
  project: Project,
  orderId: bigint | null,
  action: string,
  code: RejectionCode,
  told: Told,
): Change =>
  orderRejectionInsert({
    project_id: project.id,
    id: told.ids.next(),
    order_id: orderId,
    action,
    code,
    created_at: told.now,
  });

/** Answers a rejection that concerns no order, and keeps it for the idempotency key. */
export function rejectWithout(
  deps: Pick<GatewayDeps, 'committer'>,
  project: Project,
  once: Once | null,
  action: string,
  code: RejectionCode,
): Promise<StoredAnswer> {
  return deps.committer.submit({
    name: `${action}.rejected`,
    owner: project.id,
    needs: once ? [once.need] : [],
    decide(loaded: Loaded, told): Decision<StoredAnswer> {
      const begin = once?.begin(loaded, told.now);
      const answer = rejectionAnswer(code, null);
      if (begin && 'replay' in begin) return { value: begin.replay, changes: [] };
      const changes = [
        rejectionRecord(project, null, action, code, told),
        ...(begin && 'changes' in begin ? begin.changes : []),
        ...(once?.finish(answer, told.now) ?? []),
      ];
      return { value: answer, changes };
    },
  });
}
