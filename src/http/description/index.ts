// description: an API told to those who use it: the OpenAPI document and the reference page. No tables of its own.
// Rule: made of the endpoints that are served, so that it can't tell of others.
export { documentation } from './documentation.ts';
export { type ApiInfo, openapiOf } from './openapi.ts';
export type { AnyApi, Examples } from './openapi-answers.ts';
