// A wallet token as the list of a card's tokens shows it, and as its events tell of it.
import type { Permutation } from '../../base/index.ts';
import type { WalletToken } from './queries.ts';

export const walletTokenView = ({ outward }: Pick<Permutation, 'outward'>, token: WalletToken): object => ({
  id: outward(token.id),
  cardId: outward(token.card_id),
  wallet: token.wallet,
  device: token.device,
  state: token.state,
  creationTimestamp: token.created_at.getTime(),
});
