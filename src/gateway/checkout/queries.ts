// pay_links: the order behind each payment page, by the hash of the page's token. Rule: a row is never changed.
import { type Change, type Db, followRow, insert, type Kind, table } from '../../store/index.ts';

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

/** The order of a page, where one may be made for it: two processes that insert at once: the key decides. */
export const payLinkKind: Kind<{ owner: bigint; tokenHash: string }, PayLink> = {
  name: 'pay_link',
  keyText: ({ owner, tokenHash }) => `${owner}/${tokenHash}`,
  follows: [followRow(payLinks, (row) => `${row.project_id}/${row.token_hash}`)],
  async load(db, keys) {
    const rows = await db.query<PayLink>(
      `select l.* from unnest($1::int8[], $2::text[]) as k(project_id, token_hash) join pay_links l using (project_id, token_hash)`,
      [keys.map((key) => key.owner), keys.map((key) => key.tokenHash)],
    );
    return new Map(rows.map((row) => [`${row.project_id}/${row.token_hash}`, row]));
  },
};

export async function payLinkOrder(db: Db, owner: bigint, tokenHash: string): Promise<bigint | null> {
  const rows = await db.query<{ order_id: bigint }>(
    'select order_id from pay_links where project_id = $1 and token_hash = $2',
    [owner, tokenHash],
  );
  return rows[0]?.order_id ?? null;
}
