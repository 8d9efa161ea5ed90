// cards: cards and their life. Owns cards, card_numbers, card_counts, card_mobiles, used_reveals and wallet_tokens.
export * from './model.ts';
export { type CardKey, cardGet, cardKind, cardOfFingerprint, cardUpdate, needCard } from './queries.ts';
