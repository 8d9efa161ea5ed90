// html: HTML for every room that shows pages, escaped by default. Owns no page, knows no room.
export { hashOf } from './policy.ts';
export { type Html, html, trusted } from './template.ts';
