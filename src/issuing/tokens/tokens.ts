// A card on a device: asked for by its cardholder, taken into use by the device, given up by either. One object a card and device
// (docs/contract/issuing.md#wallet-tokens). Rule: under the card's lock, so that no token outlives the card that it stands for.

import type { Once, Told } from '../../store/index.ts';
import { type Asker, type Card, commitOnCard } from '../cards/index.ts';
import { refuse } from '../fields/index.ts';
import type { CommittedAnswer, Ending, IssuingDeps } from '../requests/index.ts';
import { walletTokenView } from './present.ts';
import { type WalletToken, walletTokensKind } from './queries.ts';
import { tokenMoved, tokenRequested } from './write.ts';

interface Held {
  readonly card: Card;
  readonly tokens: readonly WalletToken[];
  readonly told: Told;
}

function onTokens(
  deps: Pick<IssuingDeps, 'committer'>,
  asker: Asker,
  cardId: bigint,
  name: string,
  once: Once | null,
  decide: (held: Held) => Ending,
): Promise<CommittedAnswer> {
  const key = { tenantId: asker.tenantId, id: cardId };
  return commitOnCard(deps, once, {
    name,
    asker,
    id: cardId,
    needs: [{ kind: walletTokensKind, key }],
    decide: (card, loaded, told) => decide({ card, tokens: loaded.get(walletTokensKind, key) ?? [], told }),
  });
}

const isLive = ({ state }: WalletToken): boolean => state !== 'DELETED';

/** 200 with the token, which waits for its device. A repeat for the same device answers the same token. */
export function requestToken(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'ids' | 'permutation'>,
  asker: Asker,
  cardId: bigint,
  { wallet, device }: Pick<WalletToken, 'wallet' | 'device'>,
  once: Once | null,
): Promise<CommittedAnswer> {
  const id = deps.ids.next();
  return onTokens(deps, asker, cardId, 'card.wallet.request', once, ({ card, tokens, told }) => {
    const { digitalWallets } = card.details;
    if (card.state === 'DESTROYED') throw refuse('INSTRUMENT_DESTROYED');
    if (card.state === 'BLOCKED') throw refuse('INSTRUMENT_BLOCKED');
    if (!digitalWallets?.walletsEnabled) throw refuse('WALLETS_NOT_ENABLED');
    if (!digitalWallets.pushProvisioningEnabled) throw refuse('PUSHPROVISIONING_NOT_ENABLED');
    const known = tokens.find((token) => isLive(token) && token.device === device && token.wallet === wallet);
    const token: WalletToken = known ?? {
      tenant_id: asker.tenantId,
      card_id: cardId,
      id,
      device,
      wallet,
      state: 'REQUESTED',
      events: 1,
      created_at: told.now,
      updated_at: told.now,
    };
    return {
      status: 200,
      body: walletTokenView(deps.permutation, token),
      changes: known ? [] : tokenRequested(deps, told, token),
    };
  });
}

/** What becomes of a token, by what happens to it; a state that isn't listed is refused with STATE_INVALID. */
const MOVES = {
  activate: { REQUESTED: 'ACTIVE' },
  decline: { REQUESTED: 'DELETED' },
  remove: { REQUESTED: 'DELETED', ACTIVE: 'DELETED', SUSPENDED: 'DELETED' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<WalletToken['state'], WalletToken['state']>>>>>;
export type TokenMove = keyof typeof MOVES;

/** 204. A blocked card's token is not taken into use. */
export function moveToken(
  deps: Pick<IssuingDeps, 'committer' | 'events' | 'permutation'>,
  asker: Asker,
  cardId: bigint,
  tokenId: bigint,
  move: TokenMove,
  once: Once | null,
): Promise<CommittedAnswer> {
  return onTokens(deps, asker, cardId, `card.wallet.${move}`, once, ({ card, tokens, told }) => {
    const token = tokens.find(({ id }) => id === tokenId);
    if (!token) throw refuse('RESOURCE_NOT_FOUND');
    if (move === 'activate' && card.state === 'BLOCKED') throw refuse('INSTRUMENT_BLOCKED');
    const moves: Readonly<Partial<Record<WalletToken['state'], WalletToken['state']>>> = MOVES[move];
    const state = moves[token.state];
    if (!state) throw refuse('STATE_INVALID');
    return { status: 204, body: null, changes: tokenMoved(deps, told, token, state) };
  });
}
