// wallet_tokens: a card on a device. Rule: one id is one row; it is found by the card that it stands for now.
import {
  type Change,
  type Db,
  follow,
  insert,
  type Kind,
  type Need,
  remove,
  table,
  update,
} from '../../store/index.ts';
import type { CardKey } from '../cards/index.ts';

export interface WalletToken {
  readonly tenant_id: bigint;
  readonly card_id: bigint;
  readonly id: bigint;
  readonly device: string;
  readonly wallet: 'APPLE' | 'GOOGLE';
  readonly state: 'REQUESTED' | 'ACTIVE' | 'SUSPENDED' | 'DELETED';
  /** How many events have told of it. */
  readonly events: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const walletTokens = table<WalletToken>(
  'wallet_tokens',
  {
    tenant_id: 'int8',
    card_id: 'int8',
    id: 'int8',
    device: 'text',
    wallet: 'text',
    state: 'text',
    events: 'int4',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'id'],
  { subjects: ['id'] },
);

export const walletTokenInsert = (row: WalletToken): Change => insert(walletTokens, row);
export const walletTokenUpdate = (row: WalletToken): Change => update(walletTokens, row);
/** Names its card besides its key, for who follows the tokens of a card. */
export const walletTokenRemove = ({ tenant_id, card_id, id }: WalletToken): Change =>
  remove(walletTokens, { tenant_id, card_id, id });

const keyText = ({ tenantId, id }: CardKey): string => `${tenantId}/${id}`;

/** The tokens of cards, behind the lock of the cards themselves: named to be loaded after them. */
export const walletTokensKind: Kind<CardKey, readonly WalletToken[]> = {
  name: 'wallet_tokens',
  keyText,
  follows: [
    follow(
      walletTokens,
      ({ tenant_id, card_id }) => keyText({ tenantId: tenant_id, id: card_id }),
      (known = [], token, op) => {
        const others = known.filter(({ id }) => id !== token.id);
        return op === 'remove' ? others : [...others, token].sort((a, b) => (a.id < b.id ? -1 : 1));
      },
    ),
  ],
  async load(db, keys) {
    const rows = await walletTokensOf(db, keys);
    const states = new Map<string, WalletToken[]>();
    for (const row of rows) {
      const key = keyText({ tenantId: row.tenant_id, id: row.card_id });
      states.set(key, [...(states.get(key) ?? []), row]);
    }
    return states;
  },
};

export const needWalletTokens = (tenantId: bigint, id: bigint): Need => ({
  kind: walletTokensKind,
  key: { tenantId, id },
});

export const walletTokensOf = (db: Db, keys: readonly CardKey[]): Promise<WalletToken[]> =>
  db.query<WalletToken>(
    `select t.* from unnest($1::int8[], $2::int8[]) as k(tenant_id, card_id)
     join wallet_tokens t on t.tenant_id = k.tenant_id and t.card_id = k.card_id order by t.id`,
    [keys.map(({ tenantId }) => tenantId), keys.map(({ id }) => id)],
  );

/** Those that stand for the card now, by id: one that was suspended with it is in use. */
export const liveTokens = (tokens: readonly WalletToken[]): Readonly<Record<string, 'REQUESTED' | 'ACTIVE'>> =>
  Object.fromEntries(
    tokens.flatMap(({ id, state }) =>
      state === 'DELETED' ? [] : [[id.toString(), state === 'REQUESTED' ? 'REQUESTED' : 'ACTIVE']],
    ),
  );
