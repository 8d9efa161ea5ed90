// A refusal as it is kept: its record, and the answer of a request that is refused before there is an order.
import type { Change, Decision, Loaded, Once, StoredAnswer, Told } from '../../store/index.ts';
import type { Project } from '../projects/index.ts';
import { refusalAnswer } from './answers.ts';
import type { Gateway } from './gateway.ts';
import { orderRefusalInsert } from './queries/orders.ts';
import type { RefusalCode } from './refusals.ts';

export const refusalRecord = (
  project: Project,
  orderId: bigint | null,
  action: string,
  code: RefusalCode,
  told: Told,
): Change =>
  orderRefusalInsert({
    project_id: project.id,
    id: told.ids.next(),
    order_id: orderId,
    action,
    code,
    created_at: told.now,
  });

/** Answers a refusal that concerns no order, and keeps it for the idempotency key. */
export function refuseWithout(
  gateway: Gateway,
  project: Project,
  once: Once | null,
  action: string,
  code: RefusalCode,
): Promise<StoredAnswer> {
  return gateway.committer.submit({
    name: `${action}.refused`,
    owner: project.id,
    needs: once ? [once.need] : [],
    decide(loaded: Loaded, told): Decision<StoredAnswer> {
      const begin = once?.begin(loaded, told.now);
      const answer = refusalAnswer(code, null);
      if (begin && 'replay' in begin) return { value: begin.replay, changes: [] };
      const changes = [
        refusalRecord(project, null, action, code, told),
        ...(begin && 'changes' in begin ? begin.changes : []),
        ...(once?.finish(answer, told.now) ?? []),
      ];
      return { value: answer, changes };
    },
  });
}
