// secrets: number, CVV and PIN of a card, for its cardholder. Owns used_reveals.
// Rule: they leave as one-time tokens, or as themselves for a stepped-up session of a tenant in PCI scope.
export { clearValues, purgeReveals, secretsFor, tokensFor } from './reveal.ts';
export { secretEndpoints } from './routes.ts';
