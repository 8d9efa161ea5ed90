// merchant_order_ids: which order has which merchant_order_id, in projects where it is unique. Rule: a row is never changed.
import { type Change, insert, type Kind, rowKind, table } from '../../store/index.ts';

interface MerchantOrderId {
  readonly project_id: bigint;
  readonly merchant_order_id: string;
  readonly order_id: bigint;
  readonly fingerprint: string;
}
const merchantOrderIds = table<MerchantOrderId>(
  'merchant_order_ids',
  { project_id: 'int8', merchant_order_id: 'text', order_id: 'int8', fingerprint: 'text' },
  ['project_id', 'merchant_order_id'],
);
export const merchantOrderIdInsert = (row: MerchantOrderId): Change => insert(merchantOrderIds, row);

/** Who uses a merchant_order_id (projects with unique_merchant_order_id). */
export const merchantOrderIdKind: Kind<{ owner: bigint; merchantOrderId: string }, MerchantOrderId> = rowKind(
  merchantOrderIds,
  {
    name: 'merchant_order_id',
    keyOf: ({ owner, merchantOrderId }) => ({ project_id: owner, merchant_order_id: merchantOrderId }),
    locked: false,
  },
);
