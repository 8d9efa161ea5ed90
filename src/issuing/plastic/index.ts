// plastic: the physical card: ordered, made by the bureau, activated, replaced; and what time does to a card: renewal and expiry.
// Owns no table. Rule: plastic changes on the locked card, and a card that waits for something has it in due_at.
export { activateCard } from './activate.ts';
export { manufactured } from './bureau.ts';
export { cardTimeline } from './due.ts';
export { activationHash, orderedPlastic } from './order.ts';
export { replaceCard } from './replace.ts';
export { plasticEndpoints } from './routes.ts';
export { upgradeCard } from './upgrade.ts';
