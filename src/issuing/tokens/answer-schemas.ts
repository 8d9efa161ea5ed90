// What is answered of tokens.
import Type from 'typebox';
import { Choice, Shape } from '../../http/index.ts';
import { milliseconds, shownId, shownText } from '../requests/index.ts';

export const walletToken = Shape(
  {
    id: shownId,
    cardId: shownId,
    wallet: Choice(['APPLE', 'GOOGLE']),
    device: shownText,
    state: Choice(['REQUESTED', 'ACTIVE', 'SUSPENDED', 'DELETED']),
    creationTimestamp: milliseconds,
  },
  { title: 'WalletToken' },
);
export const walletTokens = Shape({ tokens: Type.Array(walletToken) });
