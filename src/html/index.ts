// html: HTML for every room that shows pages. Owns no page, knows no room.
// Rule: what is not said to be trusted is escaped.
export { hashOf } from './policy.ts';
export { type Html, html, trusted } from './template.ts';
