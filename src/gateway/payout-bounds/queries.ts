// payout_sums: what a project has paid out, by day, and by card and day. Rule: a row is locked by whoever counts in it.
import { add, type Change, follow, type Kind, lookup, type Need, oneOwner, table } from '../../store/index.ts';

interface PayoutSum {
  readonly project_id: bigint;
  /** The card's fingerprint; empty: of the whole project. */
  readonly card: string;
  readonly day: string;
  /** Minor units of the accounting currency. */
  readonly amount: bigint;
}

const payoutSums = table<PayoutSum>('payout_sums', { project_id: 'int8', card: 'text', day: 'date', amount: 'int8' }, [
  'project_id',
  'card',
  'day',
]);

export type PayoutKey = Omit<PayoutSum, 'amount'>;

const keyText = ({ project_id, card, day }: PayoutKey): string => `${project_id}/${card}/${day}`;

const BY_KEY = lookup(payoutSums, { by: ['card', 'day'], locked: true });

/** Sums, locked; a row is made when it is missing, so that there is something to lock. */
export const payoutKind: Kind<PayoutKey, bigint> = {
  name: 'payout_sum',
  keyText,
  follows: [follow(payoutSums, keyText, (sum, { amount }) => (sum ?? 0n) + amount)],
  async load(db, keys) {
    const owner = oneOwner(keys.map((key) => key.project_id));
    const values = [owner, keys.map((key) => key.card), keys.map((key) => key.day)];
    const KEYS = 'unnest($2::text[], $3::date[]) as k(card, day)';
    const [, rows] = await Promise.all([
      db.query(
        `insert into payout_sums (project_id, card, day, amount) select $1::int8, card, day, 0 from ${KEYS} order by 1, 2, 3 on conflict do nothing`,
        values,
      ),
      db.query<PayoutSum>(BY_KEY, [...values.slice(1), owner]),
    ]);
    return new Map(rows.map((row) => [keyText(row), row.amount]));
  },
};

export const needPayouts = (key: PayoutKey): Need => ({ kind: payoutKind, key });
export const payoutsAdd = (key: PayoutKey, amount: bigint): Change => add(payoutSums, { ...key, amount });
