// A transfer as the API shows it.
import type { Permutation } from '../../base/index.ts';
import type { Transfer } from './queries.ts';

export const transferView = ({ outward }: Pick<Permutation, 'outward'>, row: Transfer): object => ({
  id: outward(row.id),
  source: { type: row.source_type, id: outward(row.source_id) },
  destination: { type: row.destination_type, id: outward(row.destination_id) },
  destinationAmount: { currency: row.currency, amount: Number(row.amount) },
  ...(row.tag === null ? {} : { tag: row.tag }),
  ...(row.description === null ? {} : { description: row.description }),
  state: row.state,
  creationTimestamp: row.created_at.getTime(),
});
