// How a wallet token becomes changes of one commit: its row and the event that tells of it (docs/contract/events.md#wallet-tokens).
// Rule: the only way in which a token reaches its table, so that none changes untold. One id is one row, whatever card it stands for.
import { assert } from '../../base/index.ts';
import type { EventType } from '../../events/index.ts';
import type { Change, Told } from '../../store/index.ts';
import type { InstrumentState } from '../accounts/index.ts';
import type { IssuingDeps } from '../requests/index.ts';
import { walletTokenView } from './present.ts';
import { type WalletToken, walletTokenInsert, walletTokenRemove, walletTokenUpdate } from './queries.ts';

export type TokenEventDeps = Pick<IssuingDeps, 'events' | 'permutation'>;
type ToldOfToken = Pick<Told, 'now' | 'ids' | 'cause'>;
type State = WalletToken['state'];

/** State before → state behind → what has happened; what isn't listed doesn't. */
export const MOVED: Readonly<Record<State, Readonly<Partial<Record<State, EventType<'wallet_token'>>>>>> = {
  REQUESTED: { ACTIVE: 'wallet_token.activated', DELETED: 'wallet_token.deleted' },
  ACTIVE: { SUSPENDED: 'wallet_token.suspended', DELETED: 'wallet_token.deleted' },
  SUSPENDED: { ACTIVE: 'wallet_token.resumed', DELETED: 'wallet_token.deleted' },
  DELETED: {},
};

function written(
  { events, permutation }: TokenEventDeps,
  told: ToldOfToken,
  type: EventType<'wallet_token'>,
  before: WalletToken | null,
  wanted: WalletToken,
): Change[] {
  const token: WalletToken = { ...wanted, events: (before?.events ?? 0) + 1, updated_at: told.now };
  const isPointed = before !== null && before.card_id !== token.card_id;
  return [
    // Who knows the tokens of the card before hears that this one is gone.
    ...(isPointed ? [walletTokenRemove(before)] : []),
    before && !isPointed ? walletTokenUpdate(token) : walletTokenInsert(token),
    ...events.of(told, {
      owner: token.tenant_id,
      type,
      resource: { type: 'wallet_token', id: token.id, sequence: token.events },
      object: walletTokenView(permutation, token),
      before: before && walletTokenView(permutation, before),
    }),
  ];
}

/** A card was put on a device, which hasn't taken it into use yet. */
export const tokenRequested = (deps: TokenEventDeps, told: ToldOfToken, token: WalletToken): Change[] =>
  written(deps, told, 'wallet_token.requested', null, token);

/** The token in another state. */
export function tokenMoved(deps: TokenEventDeps, told: ToldOfToken, token: WalletToken, state: State): Change[] {
  const type = MOVED[token.state][state];
  assert(type, `a token that becomes ${state}`);
  return written(deps, told, type, token, { ...token, state });
}

/** The token of a card that was replaced stands for the new one. */
export const tokenRepointed = (
  deps: TokenEventDeps,
  told: ToldOfToken,
  token: WalletToken,
  to: Pick<WalletToken, 'card_id' | 'state'>,
): Change[] => written(deps, told, 'wallet_token.repointed', token, { ...token, ...to });

/** State of a token → what it is once its card has that state. */
const FOLLOWS: Readonly<Record<InstrumentState, Readonly<Partial<Record<State, State>>>>> = {
  ACTIVE: { SUSPENDED: 'ACTIVE' },
  // One that was never taken into use waits on, so that unblocking the card doesn't do it.
  BLOCKED: { ACTIVE: 'SUSPENDED' },
  DESTROYED: { REQUESTED: 'DELETED', ACTIVE: 'DELETED', SUSPENDED: 'DELETED' },
};

/** What a card in this state makes of a token. */
export const followed = (state: State, card: InstrumentState): State => FOLLOWS[card][state] ?? state;

/** What becomes of a card's tokens with the card. */
export const walletTokenMoves = (
  deps: TokenEventDeps,
  told: ToldOfToken,
  tokens: readonly WalletToken[],
  card: InstrumentState,
): Change[] =>
  tokens.flatMap((token) => {
    const state = followed(token.state, card);
    return state === token.state ? [] : tokenMoved(deps, told, token, state);
  });
