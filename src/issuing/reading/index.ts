// reading: cards as their cardholder sees them: a list, one card, its statement. Owns no table.
// Rule: an answer that is kept for the repeats of its request has tokens in place of number and CVV.
export { readingEndpoints } from './routes.ts';
export { type CardViewer, viewFor } from './view.ts';
