// card_counts: live cards by level and currency. Rule: counted by the commit that makes or destroys the card.
import { add, type Change, follow, type Kind, table } from '../../store/index.ts';
import type { Card } from './model.ts';

export const COUNT_LEVELS = ['IDENTITY', 'PROGRAMME', 'TENANT', 'INSTALLATION'] as const;
export type CountLevel = (typeof COUNT_LEVELS)[number];

interface CardCount {
  /** 0: the installation. */
  readonly tenant_id: bigint;
  readonly level: CountLevel;
  readonly level_id: bigint;
  /** '' counts all of them. */
  readonly currency: string;
  readonly live: bigint;
}

const cardCounts = table<CardCount>(
  'card_counts',
  { tenant_id: 'int8', level: 'text', level_id: 'int8', currency: 'text', live: 'int8' },
  ['tenant_id', 'level', 'level_id', 'currency'],
);

export type CountKey = Omit<CardCount, 'live'>;

const keyText = ({ tenant_id, level, level_id, currency }: CountKey): string =>
  `${tenant_id}/${level}/${level_id}/${currency}`;

/** The counts that a card stands in. */
export function countKeysOf(
  card: Pick<Card, 'tenant_id' | 'identity_id' | 'programme_id' | 'currency'>,
  level: CountLevel,
): readonly [all: CountKey, ofCurrency: CountKey] {
  const ids: Readonly<Record<CountLevel, readonly [tenant: bigint, id: bigint]>> = {
    IDENTITY: [card.tenant_id, card.identity_id],
    PROGRAMME: [card.tenant_id, card.programme_id],
    TENANT: [card.tenant_id, 0n],
    INSTALLATION: [0n, 0n],
  };
  const [tenant_id, level_id] = ids[level];
  const key = { tenant_id, level, level_id };
  return [
    { ...key, currency: '' },
    { ...key, currency: card.currency },
  ];
}

/** One more or one fewer live card, at every level. */
export const liveChanges = (
  card: Pick<Card, 'tenant_id' | 'identity_id' | 'programme_id' | 'currency'>,
  delta: 1n | -1n,
): Change[] =>
  COUNT_LEVELS.flatMap((level) => countKeysOf(card, level).map((key) => add(cardCounts, { ...key, live: delta })));

/** Live cards at a level, locked; the row is made when it is missing, so that there is something to lock. */
export const countKind: Kind<CountKey, bigint> = {
  name: 'card_count',
  keyText,
  follows: [follow(cardCounts, keyText, (live, row) => (live ?? 0n) + row.live)],
  async load(db, keys) {
    const values = [
      keys.map((key) => key.tenant_id),
      keys.map((key) => key.level),
      keys.map((key) => key.level_id),
      keys.map((key) => key.currency),
    ];
    const KEYS = 'unnest($1::int8[], $2::text[], $3::int8[], $4::text[]) as k(tenant_id, level, level_id, currency)';
    const [, rows] = await Promise.all([
      db.query(
        `insert into card_counts (tenant_id, level, level_id, currency, live)
         select tenant_id, level, level_id, currency, 0 from ${KEYS} order by 1, 2, 3, 4 on conflict do nothing`,
        values,
      ),
      db.query<CardCount>(
        `select c.* from ${KEYS} join card_counts c using (tenant_id, level, level_id, currency)
         order by c.tenant_id, c.level, c.level_id, c.currency for update of c`,
        values,
      ),
    ]);
    return new Map(rows.map((row) => [keyText(row), row.live]));
  },
};

export const needCount = (key: CountKey) => ({ kind: countKind, key });
