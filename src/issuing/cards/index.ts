// cards: cards and their life. Owns cards, card_numbers, card_counts, card_mobiles, used_reveals and wallet_tokens.
export { cardAsked, cardsOf } from './asked.ts';
export { attachedCards } from './attached-queries.ts';
export { type Asker, type CardMove, changeCard, type OpenHolds } from './change.ts';
export { createCard } from './create.ts';
export { expiryMoment, mmyy } from './dates.ts';
export { cardTimeline } from './due.ts';
export { cardsList, EVERY_CARD } from './list-queries.ts';
export * from './model.ts';
export { activateCard, manufactured, upgradeCard } from './plastic.ts';
export { type CardKey, cardAnywhere, cardGet, cardKind, cardOfFingerprint, cardUpdate, needCard } from './queries.ts';
export { replaceCard } from './replace.ts';
export { clearValues, purgeReveals } from './reveal.ts';
export { cardEndpoints, type LimitsPort, requestCard } from './routes-cards.ts';
export { lifeEndpoints } from './routes-life.ts';
export { walletDeviceEndpoints, walletEndpoints } from './routes-wallets.ts';
export { CardRequest } from './schemas.ts';
export { needWalletTokens, walletTokensKind, walletTokensOf } from './wallet-queries.ts';
export { moveToken, requestToken } from './wallets.ts';
