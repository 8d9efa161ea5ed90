// api: an API given as data: its endpoints, who may ask and how often, a request that is repeated, and lists in pages.
// Owns idempotency_records.
// Rule: what an endpoint promises of itself is all that is done for it; a handler is called when everything else has been dealt with.
export { api, isWrite, NOTHING } from './api.ts';
export {
  type Authentication,
  type Authenticator,
  type BasicOptions,
  basicAuthentication,
  basicCredentials,
  networkOf,
  type RequestHead,
} from './authenticate.ts';
export {
  type Answer,
  type AnyEndpoint,
  type Api,
  type DocumentedAnswer,
  type Endpoint,
  endpointOf,
  type Given,
  type Input,
  type LiveWire,
  type Method,
  type Reader,
} from './endpoint.ts';
export {
  type Keyed,
  type OnceLookup,
  type OnceOptions,
  onceFor,
  onceForm,
  onceLookup,
  onceRecords,
} from './idempotency.ts';
export { type PageLinks, pageLinks } from './links.ts';
export { type Listing, listAnswer, type Paging, paged, paging, pagingOf } from './paging.ts';
export { purgeIdempotency } from './queries.ts';
