// tokens: a card on its cardholder's devices. Owns wallet_tokens.
// Rule: a token follows its card and is changed under the card's lock, so that none outlives the card that it stands for; each change is told.
export { liveTokens, needWalletTokens, type WalletToken, walletTokensKind, walletTokensOf } from './queries.ts';
export { walletDeviceEndpoints, walletEndpoints } from './routes.ts';
export { moveToken, requestToken } from './tokens.ts';
export { followed, tokenRepointed, walletTokenMoves } from './write.ts';
