// pay_links: the order behind each payment page, by the hash of the page's token. Rule: a row is never changed.
import { type Change, type Db, insert, type Kind, rowKind, table } from '../../store/index.ts';

interface PayLink {
  readonly project_id: bigint;
  readonly token_hash: string;
  readonly order_id: bigint;
  readonly created_at: Date;
}
const payLinks = table<PayLink>(
  'pay_links',
  { project_id: 'int8', token_hash: 'text', order_id: 'int8', created_at: 'timestamptz' },
  ['project_id', 'token_hash'],
);
export const payLinkInsert = (row: PayLink): Change => insert(payLinks, row);

/** The order of a page, where one may be made for it. */
export const payLinkKind: Kind<{ owner: bigint; tokenHash: string }, PayLink> = rowKind(payLinks, {
  name: 'pay_link',
  keyOf: ({ owner, tokenHash }) => ({ project_id: owner, token_hash: tokenHash }),
  locked: false,
});

export async function payLinkOrder(db: Db, owner: bigint, tokenHash: string): Promise<bigint | null> {
  const rows = await db.query<{ order_id: bigint }>(
    'select order_id from pay_links where project_id = $1 and token_hash = $2',
    [owner, tokenHash],
  );
  return rows[0]?.order_id ?? null;
}
