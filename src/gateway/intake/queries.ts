// merchant_order_ids: which order has which merchant_order_id, in projects where it is unique. Rule: a row is never changed.
import { type Change, followRow, insert, type Kind, table } from '../../store/index.ts';

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

/** Who uses a merchant_order_id (projects with unique_merchant_order_id). Two processes that insert at once: the key decides. */
export const merchantOrderIdKind: Kind<{ owner: bigint; merchantOrderId: string }, MerchantOrderId> = {
  name: 'merchant_order_id',
  keyText: ({ owner, merchantOrderId }) => `${owner}/${merchantOrderId}`,
  follows: [followRow(merchantOrderIds, (row) => `${row.project_id}/${row.merchant_order_id}`)],
  async load(db, keys) {
    const rows = await db.query<MerchantOrderId>(
      `select m.* from unnest($1::int8[], $2::text[]) as k(project_id, merchant_order_id) join merchant_order_ids m using (project_id, merchant_order_id)`,
      [keys.map((key) => key.owner), keys.map((key) => key.merchantOrderId)],
    );
    return new Map(rows.map((row) => [`${row.project_id}/${row.merchant_order_id}`, row]));
  },
};
