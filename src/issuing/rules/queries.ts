// Statements on spend_counters. Rule: read and written behind the lock on the card's row, so that all that spends a card is in one line.
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  lookup,
  type Need,
  oneOwner,
  rowKind,
  table,
  update,
} from '../../store/index.ts';
import type { Windows } from './counters.ts';

export interface SpendCounter {
  readonly tenant_id: bigint;
  readonly card_id: bigint;
  readonly windows: Windows;
  /** What is held for the card's open authorizations, on its own funds or its parent's; minor units. */
  readonly held: bigint;
}

const spendCounters = table<SpendCounter>(
  'spend_counters',
  { tenant_id: 'int8', card_id: 'int8', windows: 'jsonb', held: 'int8' },
  ['tenant_id', 'card_id'],
  { subjects: ['card_id'] },
);

interface CardKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}
const keyText = ({ tenantId, id }: CardKey): string => `${tenantId}/${id}`;
const keyOf = (row: SpendCounter): string => keyText({ tenantId: row.tenant_id, id: row.card_id });

const BY_CARD = lookup(spendCounters, { by: ['card_id'] });

/** Undefined: the card has not spent yet, and its row is to be inserted. The name sorts behind the card's, whose lock guards it. */
export const counterKind: Kind<CardKey, SpendCounter> = rowKind(spendCounters, {
  name: 'card_counter',
  keyOf: ({ tenantId, id }) => ({ tenant_id: tenantId, card_id: id }),
  locked: true,
});
export const needCounter = (tenantId: bigint, cardId: bigint): Need => ({
  kind: counterKind,
  key: { tenantId, id: cardId },
});

/** What is held for a card, for rooms that must know whether something is. */
export const openHolds: Kind<CardKey, bigint> = {
  name: 'card_holds',
  keyText,
  follows: [follow(spendCounters, keyOf, (_before, row) => row.held)],
  async load(db, keys) {
    const rows = await db.query<SpendCounter>(BY_CARD, [
      keys.map(({ id }) => id),
      oneOwner(keys.map(({ tenantId }) => tenantId)),
    ]);
    return new Map(rows.map((row) => [keyText({ tenantId: row.tenant_id, id: row.card_id }), row.held]));
  },
};

export const counterInsert = (row: SpendCounter): Change => insert(spendCounters, row);
export const counterUpdate = (row: SpendCounter): Change => update(spendCounters, row);

export async function counterGet(db: Db, tenantId: bigint, cardId: bigint): Promise<SpendCounter | null> {
  const rows = await db.query<SpendCounter>('select * from spend_counters where tenant_id = $1 and card_id = $2', [
    tenantId,
    cardId,
  ]);
  return rows[0] ?? null;
}
