// card_counts: live cards of a tenant by level and currency. Rule: counted by the commit that makes or destroys the card.
import { add, type Change, follow, type Kind, type Need, oneOwner, table } from '../../store/index.ts';

export const COUNT_LEVELS = ['IDENTITY', 'PROGRAMME', 'TENANT'] as const;
export type CountLevel = (typeof COUNT_LEVELS)[number];

interface CardCount {
  readonly tenant_id: bigint;
  readonly level: CountLevel;
  /** 0: the tenant itself. */
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

/** What of a card says where it is counted. */
export interface Counted {
  readonly tenant_id: bigint;
  readonly identity_id: bigint;
  readonly programme_id: bigint;
  readonly currency: string;
}

/** The counts that a card stands in. */
export function countKeysOf(card: Counted, level: CountLevel): readonly [all: CountKey, ofCurrency: CountKey] {
  const ids: Readonly<Record<CountLevel, bigint>> = {
    IDENTITY: card.identity_id,
    PROGRAMME: card.programme_id,
    TENANT: 0n,
  };
  const key = { tenant_id: card.tenant_id, level, level_id: ids[level] };
  return [
    { ...key, currency: '' },
    { ...key, currency: card.currency },
  ];
}

/**
 * The counts to be locked where these have to be: all that come before them, too. Whoever only adds to the counts of a card takes them in this
 * order at his commit, and two who took them in different ones would wait for each other.
 */
export function countsUpTo(card: Counted, wanted: readonly CountKey[]): CountKey[] {
  const texts = new Set(wanted.map(keyText));
  const all = COUNT_LEVELS.flatMap((level) => countKeysOf(card, level));
  return all.slice(0, all.findLastIndex((key) => texts.has(keyText(key))) + 1);
}

/** One more or one fewer live card, at every level. */
export const liveChanges = (card: Counted, delta: 1n | -1n): Change[] =>
  COUNT_LEVELS.flatMap((level) => countKeysOf(card, level).map((key) => add(cardCounts, { ...key, live: delta })));

/** Live cards at a level, locked; the row is made when it is missing, so that there is something to lock. */
export const countKind: Kind<CountKey, bigint> = {
  // The last that a group loads, behind the end of its audit log: whoever waits for a count holds nothing that its holder still has to lock.
  name: '~~card_count',
  keyText,
  follows: [follow(cardCounts, keyText, (live, row) => (live ?? 0n) + row.live)],
  async load(db, keys) {
    const owner = oneOwner(keys.map((key) => key.tenant_id));
    const values = [keys.map((key) => key.level), keys.map((key) => key.level_id), keys.map((key) => key.currency)];
    const KEYS = 'unnest($1::text[], $2::int8[], $3::text[]) as k(level, level_id, currency)';
    const [, rows] = await Promise.all([
      db.query(
        `insert into card_counts (tenant_id, level, level_id, currency, live)
         select $4::int8, level, level_id, currency, 0 from ${KEYS} order by 2, 3, 4 on conflict do nothing`,
        [...values, owner],
      ),
      db.query<CardCount>(
        `select c.* from ${KEYS} join card_counts c using (level, level_id, currency) where c.tenant_id = $4
         order by c.level, c.level_id, c.currency for update of c`,
        [...values, owner],
      ),
    ]);
    return new Map(rows.map((row) => [keyText(row), row.live]));
  },
};

export const needCount = (key: CountKey): Need => ({ kind: countKind, key });

/** The live cards of each tenant that has some, or had. */
export type LiveByTenant = ReadonlyMap<bigint, bigint>;

/** By currency, over all tenants: what the installation's limit is compared with. */
export const liveKind: Kind<string, LiveByTenant> = {
  // Behind `card_limits`, under whose lock it is read.
  name: 'card_limits_live',
  keyText: (currency) => currency,
  async load(db, currencies) {
    const rows = await db.query<CardCount>(
      `select tenant_id, currency, live from card_counts where level = 'TENANT' and currency = any($1::text[])`,
      [currencies],
    );
    const found = Map.groupBy(rows, ({ currency }) => currency);
    return new Map([...found].map(([currency, of]) => [currency, new Map(of.map((row) => [row.tenant_id, row.live]))]));
  },
  follows: [follow(cardCounts, ({ level, currency }) => (level === 'TENANT' ? currency : null))],
};
export const needLive = (currency: string): Need => ({ kind: liveKind, key: currency });
