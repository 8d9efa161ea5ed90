// merchant_order_id as a claim: in projects with unique_merchant_order_id there is one order for each.
// Rule: the same request again finds its order, another one under the same id is rejected.
import { jsonText } from '../../base/index.ts';
import type { Change, Need, Once } from '../../store/index.ts';
import type { GatewayDeps, RejectionCode } from '../orders/index.ts';
import type { Project } from '../projects/index.ts';
import type { Draft } from './draft.ts';
import { merchantOrderIdInsert, merchantOrderIdKind } from './queries.ts';

/** An earlier order under the same merchant_order_id (projects with unique_merchant_order_id), or how to claim the id. */
export interface UniqueId {
  readonly fingerprint: string;
  readonly needs: readonly Need[];
  check(loaded: Parameters<Once['begin']>[0]): { existing: bigint } | { reject: RejectionCode } | { claim: Change[] };
}

export function uniqueId(
  deps: Pick<GatewayDeps, 'vault'>,
  project: Project,
  draft: Draft,
  orderId: bigint,
  content: () => unknown,
): UniqueId {
  if (!project.settings.unique_merchant_order_id || !draft.merchantOrderId)
    return { fingerprint: '', needs: [], check: () => ({ claim: [] }) };
  const key = { owner: project.id, merchantOrderId: draft.merchantOrderId };
  const fingerprint = deps.vault.keyed('merchant-order-id', jsonText(content())).toString('hex');
  return {
    fingerprint,
    needs: [{ kind: merchantOrderIdKind, key }],
    check(loaded) {
      const known = loaded.get(merchantOrderIdKind, key);
      if (!known) {
        return {
          claim: [
            merchantOrderIdInsert({
              project_id: project.id,
              merchant_order_id: key.merchantOrderId,
              order_id: orderId,
              fingerprint,
            }),
          ],
        };
      }
      return known.fingerprint === fingerprint ? { existing: known.order_id } : { reject: 'merchant_order_id_used' };
    },
  };
}
