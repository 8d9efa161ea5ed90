// Statements on cards and card_numbers that the rooms around need; more of them beside this file, in <what>-queries.ts.
// Rule: a card is changed by who holds the lock on its row.
import {
  type Change,
  type Db,
  insert,
  type Kind,
  type Need,
  type ReadRow,
  rowBy,
  rowKind,
  table,
  update,
} from '../../store/index.ts';
import { tenantOf } from '../tenants/index.ts';
import type { Card } from './model.ts';

export const cards = table<Card>(
  'cards',
  {
    tenant_id: 'int8',
    id: 'int8',
    identity_id: 'int8',
    programme_id: 'int8',
    profile_id: 'int8',
    mode: 'text',
    currency: 'text',
    parent_account_id: 'int8',
    state: 'text',
    blocks: 'jsonb',
    destroyed_reason: 'text',
    type: 'text',
    brand: 'text',
    classification: 'text',
    first_six: 'text',
    last_four: 'text',
    starts: 'text',
    expires: 'text',
    renewal: 'text',
    friendly_name: 'text',
    name_on_card: 'text',
    tag: 'text',
    mobile: 'text',
    details: 'jsonb',
    due_at: 'timestamptz',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

export interface CardKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}

/** Cards, locked. */
export const cardKind: Kind<CardKey, Card> = rowKind(cards, {
  name: 'card',
  keyOf: ({ tenantId, id }) => ({ tenant_id: tenantId, id }),
  locked: true,
});
export const needCard = (tenantId: bigint, id: bigint): Need => ({ kind: cardKind, key: { tenantId, id } });

export const cardInsert = (card: Card): Change => insert(cards, card);
export const cardUpdate = (card: Card): Change => update(cards, card);

export async function cardGet(db: Db, tenantId: bigint, id: bigint): Promise<Card | null> {
  const rows = await db.query<Card>('select * from cards where tenant_id = $1 and id = $2', [tenantId, id]);
  return rows[0] ?? null;
}

const CARD_BY_ID = rowBy(cards, 'id');
export const cardRead = (read: ReadRow, tenantId: bigint, id: bigint): Promise<Card | null> =>
  read(CARD_BY_ID, tenantId, id);

interface CardNumber {
  readonly tenant_id: bigint;
  readonly fingerprint: string;
  readonly card_id: bigint;
}
const cardNumbers = table<CardNumber>('card_numbers', { tenant_id: 'int8', fingerprint: 'text', card_id: 'int8' }, [
  'tenant_id',
  'fingerprint',
]);
export const cardNumberInsert = (row: CardNumber): Change => insert(cardNumbers, row);

/** The card of a number, whoever's it is; null: no number of ours. */
export async function cardOfFingerprint(
  db: Db,
  fingerprint: string,
): Promise<{ readonly tenantId: bigint; readonly id: bigint } | null> {
  const rows = await db.query<CardNumber>('select * from card_numbers where fingerprint = $1', [fingerprint]);
  return rows[0] ? { tenantId: rows[0].tenant_id, id: rows[0].card_id } : null;
}

/** Whoever's it is: for the operator and the simulator, who name no tenant. */
export async function cardAnywhere(db: Db, id: bigint): Promise<Card | null> {
  const tenantId = await tenantOf(db, cards, id);
  return tenantId === null ? null : cardGet(db, tenantId, id);
}
