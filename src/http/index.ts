// http: the mechanics of HTTP. Owns idempotency_records. An API is given as data (endpoint.ts) and served by api.ts; its failures get their
// shape from its envelope. Imports base and store only. Rule: nothing of the domain.
export { api } from './api.ts';
export {
  type Authentication,
  type Authenticator,
  type BasicOptions,
  basicAuthentication,
  basicCredentials,
  networkOf,
  type RequestHead,
} from './authenticate.ts';
export { documentation } from './documentation.ts';
export {
  type Answer,
  type AnyEndpoint,
  type Api,
  type DocumentedAnswer,
  type Endpoint,
  endpointOf,
  type Input,
  type Method,
  type Reader,
} from './endpoint.ts';
export {
  type Envelope,
  Failure,
  type FailureAnswer,
  type FailureDetail,
  type FailureKind,
  type FieldError,
  failureHeaders,
  fieldErrorSchema,
  invalid,
  problemEnvelope,
  type RateState,
  rateFields,
} from './failure.ts';
export * from './fields.ts';
export { formBodies } from './form.ts';
export {
  type Keyed,
  type OnceLookup,
  type OnceOptions,
  onceFor,
  onceForm,
  onceLookup,
  onceRecords,
} from './idempotency.ts';
export { readPlainJson } from './json.ts';
export { type PageLinks, pageLinks } from './links.ts';
export { longReads } from './long-reads.ts';
export { fetchOwn, type Served } from './loopback.ts';
export { type ApiInfo, openapiOf } from './openapi.ts';
export type { AnyApi, Examples } from './openapi-answers.ts';
export { createMetrics, type Metrics, operations, type Readiness } from './operations.ts';
export * from './operator.ts';
export { type Listing, listAnswer, type Paging, paged, paging, pagingOf } from './paging.ts';
export { pointerNames, pointerOf } from './pointer.ts';
export { purgeIdempotency } from './queries.ts';
export { type Rate, type RateLimiter, rateLimiter, type Taken, tooMany } from './rates.ts';
export type { Violation } from './schema.ts';
export { createServer, type Server, type ServerOptions, type Timeouts } from './server.ts';
export * from './shown.ts';
