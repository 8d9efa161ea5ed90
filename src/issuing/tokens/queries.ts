// wallet_tokens: a card on a device. Rule: a token follows its card: blocked suspends, destroyed deletes.
import { type Change, type Db, follow, insert, type Kind, type Need, table, update } from '../../store/index.ts';
import type { InstrumentState } from '../accounts/index.ts';
import type { CardKey } from '../cards/index.ts';

export interface WalletToken {
  readonly tenant_id: bigint;
  readonly card_id: bigint;
  readonly id: bigint;
  readonly device: string;
  readonly wallet: 'APPLE' | 'GOOGLE';
  readonly state: 'REQUESTED' | 'ACTIVE' | 'SUSPENDED' | 'DELETED';
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
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  ['tenant_id', 'card_id', 'id'],
);

export const walletTokenInsert = (row: WalletToken): Change => insert(walletTokens, row);
export const walletTokenUpdate = (row: WalletToken): Change => update(walletTokens, row);

const keyText = ({ tenantId, id }: CardKey): string => `${tenantId}/${id}`;

/** The tokens of cards, behind the lock of the cards themselves: named to be loaded after them. */
export const walletTokensKind: Kind<CardKey, readonly WalletToken[]> = {
  name: 'wallet_tokens',
  keyText,
  follows: [
    follow(
      walletTokens,
      ({ tenant_id, card_id }) => keyText({ tenantId: tenant_id, id: card_id }),
      (known, token) =>
        [...(known ?? []).filter(({ id }) => id !== token.id), token].sort((a, b) => (a.id < b.id ? -1 : 1)),
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

/** state of the token → what it is once the card has that state. */
const FOLLOWS: Readonly<
  Record<InstrumentState, Readonly<Partial<Record<WalletToken['state'], WalletToken['state']>>>>
> = {
  ACTIVE: { SUSPENDED: 'ACTIVE' },
  // One that was never taken into use waits on, so that unblocking the card doesn't do it.
  BLOCKED: { ACTIVE: 'SUSPENDED' },
  DESTROYED: { REQUESTED: 'DELETED', ACTIVE: 'DELETED', SUSPENDED: 'DELETED' },
};

export function walletTokenMoves(tokens: readonly WalletToken[], card: InstrumentState, at: Date): Change[] {
  return tokens.flatMap((token) => {
    const state = FOLLOWS[card][token.state];
    return state ? [walletTokenUpdate({ ...token, state, updated_at: at })] : [];
  });
}

/** Those that stand for the card now, by id: one that was suspended with it is in use. */
export const liveTokens = (tokens: readonly WalletToken[]): Readonly<Record<string, 'REQUESTED' | 'ACTIVE'>> =>
  Object.fromEntries(
    tokens.flatMap(({ id, state }) =>
      state === 'DELETED' ? [] : [[id.toString(), state === 'REQUESTED' ? 'REQUESTED' : 'ACTIVE']],
    ),
  );
