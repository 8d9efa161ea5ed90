// Statements on authorizations, authorization_messages and used_cavvs.
// Rule: all three are read behind the lock on the card's row: the names of their kinds sort behind its kind's name.
import {
  type Change,
  type Db,
  type DueColumns,
  dueTries,
  dueWaits,
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
import { tenantOf } from '../tenants/index.ts';
import type { Authorization, Message } from './model.ts';

const authorizations = table<Authorization>(
  'authorizations',
  {
    tenant_id: 'int8',
    id: 'int8',
    card_id: 'int8',
    instrument_id: 'int8',
    state: 'text',
    kind: 'text',
    channel: 'text',
    merchant: 'jsonb',
    reference: 'text',
    amount: 'int8',
    currency: 'text',
    asked: 'jsonb',
    billing_currency: 'text',
    authorized: 'int8',
    open: 'int8',
    held: 'int8',
    cleared: 'int8',
    refunded: 'int8',
    fees: 'int8',
    rate: 'jsonb',
    parts: 'jsonb',
    response_code: 'text',
    reason: 'text',
    explanation: 'jsonb',
    details: 'jsonb',
    events: 'int4',
    expires_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id', 'card_id', 'instrument_id'] },
);

const messages = table<Message>(
  'authorization_messages',
  {
    tenant_id: 'int8',
    reference: 'text',
    operation: 'text',
    original: 'text',
    authorization_id: 'int8',
    amount: 'int8',
    answer: 'jsonb',
    created_at: 'timestamptz',
  },
  ['tenant_id', 'reference'],
);

interface UsedCavv {
  readonly tenant_id: bigint;
  readonly cavv_hash: string;
  readonly authorization_id: bigint;
  readonly created_at: Date;
}
const usedCavvs = table<UsedCavv>(
  'used_cavvs',
  { tenant_id: 'int8', cavv_hash: 'text', authorization_id: 'int8', created_at: 'timestamptz' },
  ['tenant_id', 'cavv_hash'],
);

interface IdKey {
  readonly tenantId: bigint;
  readonly id: bigint;
}

export const authorizationKind: Kind<IdKey, Authorization> = rowKind(authorizations, {
  name: 'card_authorization',
  keyOf: ({ tenantId, id }) => ({ tenant_id: tenantId, id }),
  locked: true,
});
export const needAuthorization = (tenantId: bigint, id: bigint): Need => ({
  kind: authorizationKind,
  key: { tenantId, id },
});

interface ReferenceKey {
  readonly tenantId: bigint;
  readonly reference: string;
}

/** What is known of a reference: its message, and whether a reversal of it came before it. */
export interface Heard {
  readonly message: Message | null;
  readonly reversed: boolean;
}
const referenceText = ({ tenantId, reference }: ReferenceKey): string => `${tenantId}/${reference}`;

/** A reversal whose request has not come yet. */
const isEarly = (row: Message): boolean =>
  row.operation === 'reverse' && row.original !== null && row.authorization_id === null;

const BY_REFERENCE = lookup(messages, { by: ['reference'] });
const EARLY_REVERSALS = lookup(messages, {
  by: ['original'],
  only: `t.operation = 'reverse' and t.authorization_id is null`,
});

export const messageKind: Kind<ReferenceKey, Heard> = {
  name: 'card_message',
  keyText: referenceText,
  follows: [
    follow(
      messages,
      (row) => referenceText({ tenantId: row.tenant_id, reference: row.reference }),
      (heard, message) => ({ message, reversed: heard?.reversed ?? false }),
    ),
    follow(
      messages,
      (row) => (isEarly(row) ? referenceText({ tenantId: row.tenant_id, reference: row.original as string }) : null),
      (heard) => ({ message: heard?.message ?? null, reversed: true }),
    ),
  ],
  async load(db, keys) {
    const tenantId = oneOwner(keys.map((key) => key.tenantId));
    const values = [keys.map(({ reference }) => reference), tenantId];
    const [heard, early] = await Promise.all([
      db.query<Message>(BY_REFERENCE, values),
      db.query<Message>(EARLY_REVERSALS, values),
    ]);
    const found = new Map(heard.map((message) => [message.reference, message]));
    const reversed = new Set(early.map(({ original }) => original));
    return new Map(
      keys.map((key) => [
        referenceText(key),
        { message: found.get(key.reference) ?? null, reversed: reversed.has(key.reference) },
      ]),
    );
  },
};
export const needMessage = (tenantId: bigint, reference: string): Need => ({
  kind: messageKind,
  key: { tenantId, reference },
});

interface CavvKey {
  readonly tenantId: bigint;
  readonly hash: string;
}
export const usedCavvKind: Kind<CavvKey, UsedCavv> = rowKind(usedCavvs, {
  name: 'card_used_cavv',
  keyOf: ({ tenantId, hash }) => ({ tenant_id: tenantId, cavv_hash: hash }),
  locked: false,
});
export const needUsedCavv = (tenantId: bigint, hash: string): Need => ({ kind: usedCavvKind, key: { tenantId, hash } });

export const authorizationInsert = (row: Authorization): Change => insert(authorizations, row);
export const authorizationUpdate = (row: Authorization): Change => update(authorizations, row);
export const messageInsert = (row: Message): Change => insert(messages, row);
export const messageUpdate = (row: Message): Change => update(messages, row);
export const usedCavvInsert = (row: UsedCavv): Change => insert(usedCavvs, row);

export async function authorizationGet(db: Db, tenantId: bigint, id: bigint): Promise<Authorization | null> {
  const rows = await db.query<Authorization>('select * from authorizations where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rows[0] ?? null;
}

/** Whoever's it is: for the simulator, which names no tenant. */
export async function authorizationAnywhere(db: Db, id: bigint): Promise<Authorization | null> {
  const tenantId = await tenantOf(db, authorizations, id);
  return tenantId === null ? null : authorizationGet(db, tenantId, id);
}

export async function messageGet(db: Db, tenantId: bigint, reference: string): Promise<Message | null> {
  const rows = await db.query<Message>('select * from authorization_messages where tenant_id = $1 and reference = $2', [
    tenantId,
    reference,
  ]);
  return rows[0] ?? null;
}

export interface AuthorizationDue {
  readonly owner: bigint;
  readonly id: bigint;
  readonly kind: string;
  readonly at: Date;
  readonly tries: number;
}

const dueOf = (kind: 'expire' | 'pending'): DueColumns => ({
  about: 'authorization',
  owner: 'a.tenant_id',
  id: 'a.id',
  kind: `'${kind}'`,
});

/** Holds whose time is over, the earliest first. */
export const authorizationsExpired = (
  db: Db,
  now: Date,
  limit: number,
  except: readonly bigint[],
): Promise<AuthorizationDue[]> =>
  db.query<AuthorizationDue>(
    `select a.tenant_id as owner, a.id, 'expire' as kind, a.expires_at as at, ${dueTries(dueOf('expire'))} as tries from authorizations a
     where a.state = 'OPEN' and a.expires_at <= $1 and a.tenant_id <> all($3) and not ${dueWaits(dueOf('expire'), '$1')}
     order by a.expires_at limit $2`,
    [now, limit, except],
  );

/** Those that were asked for before a moment and have no answer yet. */
export const authorizationsPending = (
  db: Db,
  { now, before }: { readonly now: Date; readonly before: Date },
  limit: number,
  except: readonly bigint[],
): Promise<AuthorizationDue[]> =>
  db.query<AuthorizationDue>(
    `select a.tenant_id as owner, a.id, 'pending' as kind, a.created_at as at, ${dueTries(dueOf('pending'))} as tries from authorizations a
     where a.state = 'PENDING' and a.created_at <= $1 and a.tenant_id <> all($3) and not ${dueWaits(dueOf('pending'), '$4')}
     order by a.created_at limit $2`,
    [before, limit, except, now],
  );

/** When the next hold ends behind `after`. */
export async function nextExpiryAt(db: Db, after: Date): Promise<Date | null> {
  const rows = await db.query<{ at: Date | null }>(
    `select min(expires_at) as at from authorizations where state = 'OPEN' and expires_at > $1`,
    [after],
  );
  return rows[0]?.at ?? null;
}

/** A card's payments, the newest first; `before`: the id of the last one that is known. */
export const authorizationsOfCard = (
  db: Db,
  tenantId: bigint,
  cardId: bigint,
  before: bigint | null,
  limit: number,
): Promise<Authorization[]> =>
  db.query<Authorization>(
    `select * from authorizations where tenant_id = $1 and card_id = $2 and ($3::int8 is null or id < $3) order by id desc limit $4`,
    [tenantId, cardId, before, limit],
  );

/** The payments that messages with these references began or belong to, each once. */
export const authorizationsOfReferences = (
  db: Db,
  tenantIds: readonly bigint[],
  references: readonly string[],
): Promise<Authorization[]> =>
  db.query<Authorization>(
    `select * from authorizations where (tenant_id, id) in (
       select tenant_id, authorization_id from authorization_messages
       where tenant_id = any($1::int8[]) and reference = any($2::text[])) order by id`,
    [tenantIds, references],
  );
