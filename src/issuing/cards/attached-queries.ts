// Live cards that spend a managed account.
import { follow } from '../../store/index.ts';
import type { AttachedCards } from '../accounts/index.ts';
import { cards } from './queries.ts';

/** Named to be loaded behind the account's own lock, which every new card of it takes. */
export const attachedCards: AttachedCards = {
  name: 'managed_account_cards',
  keyText: ({ tenantId, id }) => `${tenantId}/${id}`,
  // Whether a changed card counted before, its new row doesn't tell: the count is loaded again.
  follows: [
    follow(cards, (card) => (card.parent_account_id === null ? null : `${card.tenant_id}/${card.parent_account_id}`)),
  ],
  async load(db, keys) {
    const rows = await db.query<{ tenant_id: bigint; parent_account_id: bigint; count: bigint }>(
      `select c.tenant_id, c.parent_account_id, count(*) as count
       from unnest($1::int8[], $2::int8[]) as k(tenant_id, id)
       join cards c on c.tenant_id = k.tenant_id and c.parent_account_id = k.id and c.state <> 'DESTROYED'
       group by c.tenant_id, c.parent_account_id`,
      [keys.map(({ tenantId }) => tenantId), keys.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [`${row.tenant_id}/${row.parent_account_id}`, Number(row.count)]));
  },
};
