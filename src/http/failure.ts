// Everything a request can fail with before or instead of its use case, and the port by which an API gives it its own shape.
// Rule: a failure carries names, rules and numbers; never a value that the client sent.
import { Busy, maskPansIn, type RefusalKind } from '../base/index.ts';

/** One wrong field: a JSON pointer in fragment form (RFC 6901, section 6), the rule it broke, what the rule asks for. */
export interface FieldError {
  readonly message: string;
  readonly uri: string;
  readonly attribute?: string;
  readonly details?: readonly string[];
}

/** A refusal, or a malfunction. */
export type FailureKind = RefusalKind | 'internal';

/** The HTTP status of each kind (RFC 9110, section 15; 429 and 431: RFC 6585; 508: RFC 5842). An envelope may choose another. */
export const STATUS = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  validation: 422,
  locked: 423,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  loop: 508,
} as const satisfies Readonly<Record<FailureKind, number>>;

/** Where a token bucket stands: `limit` tokens at most, `remaining` now, full again after `resetSeconds`. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}

export interface FailureDetail {
  /** Closed text for people; null: the envelope's own. */
  readonly message?: string | null;
  /** The contract's own word for it, where it has one. */
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  readonly allow?: string;
  readonly retryAfterSeconds?: number;
  readonly rate?: RateState;
  /** The id of what the request made, or may have made: the outcome isn't known. */
  readonly made?: string;
}

/** Thrown on the way in, and by handlers through everything below them; the API's envelope makes the answer of it. */
export class Failure extends Error {
  override name = 'Failure';
  readonly kind: FailureKind;
  readonly detail: FailureDetail;

  constructor(kind: FailureKind, detail: FailureDetail = {}) {
    super(detail.message ?? kind);
    this.kind = kind;
    this.detail = detail;
  }
}

/** 422 with the given wrong fields: for rules that a schema can't say. */
export const invalid = (...errors: FieldError[]): Failure => new Failure('validation', { errors });

export interface FailureAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The shape that an API gives to its failures. */
export interface Envelope {
  failure(kind: FailureKind, detail: FailureDetail): FailureAnswer;
  /** Header fields that tell a client where its rate limit stands, for every answer while a limit is set. */
  rate(state: RateState): Readonly<Record<string, string>>;
  /** Another header field that tells the request's id, besides x-request-id. */
  readonly requestIdHeader?: string;
  /** JSON schema of the failure body with this status, for the API description. The same object for the same shape. */
  schema(status: number): object;
  /** What its examples are about, where a kind's own are not of this API. */
  readonly examples?: Readonly<Partial<Record<FailureKind, FailureDetail>>>;
}

/** Header fields that each kind of failure needs by the standard, whatever the body looks like. */
export function failureHeaders({ allow, retryAfterSeconds, rate }: FailureDetail): Record<string, string> {
  const headers: Record<string, string> = {};
  if (allow !== undefined) headers.allow = allow;
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  return rate ? Object.assign(headers, rateFields(rate)) : headers;
}

/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers). */
export const rateFields = ({ limit, remaining, windowSeconds, resetSeconds }: RateState): Record<string, string> => ({
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
  'ratelimit-policy': `"default";q=${limit};w=${windowSeconds}`,
});

const TITLES: Readonly<Record<FailureKind, string>> = {
  bad_request: 'Malformed request',
  unauthenticated: 'Credentials are missing or wrong',
  forbidden: 'Not allowed',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  not_acceptable: 'Only application/json can be answered',
  timeout: 'The request took too long to arrive',
  conflict: 'A request with the same idempotency key is being processed',
  gone: 'No longer available',
  too_large: 'Request body is too large',
  unsupported_media_type: 'Content type must be application/json',
  validation: 'Validation failed',
  locked: 'Locked',
  rate_limited: 'Too many requests',
  headers_too_large: 'Request header is too large',
  internal: 'Internal error',
  unavailable: 'Temporarily unavailable',
  loop: 'This server has sent the request itself',
};

/** What a failure says when its API has nothing more precise. */
export const failureTitle = (kind: FailureKind): string => TITLES[kind];

const problemFields = {
  type: { const: 'about:blank' },
  title: { type: 'string', description: 'What the status means here.' },
  status: { type: 'integer' },
  detail: { type: 'string', description: 'What is wrong with this request.' },
} as const;

const closed = (title: string, properties: object, ...optional: string[]): object => ({
  title,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** A wrong field (FieldError). */
export const fieldErrorSchema = closed(
  'FieldError',
  {
    message: { type: 'string', examples: ['Required', 'Unknown property'] },
    uri: { type: 'string', pattern: '^#/', description: 'JSON pointer to the field.', examples: ['#/card/cvv'] },
    attribute: { type: 'string', description: 'Name of the broken rule.', examples: ['required'] },
    details: { type: 'array', items: { type: 'string' }, description: 'What the rule asks for.' },
  },
  'attribute',
  'details',
);

const problem = closed('Problem', problemFields, 'detail');
const validationProblem = closed(
  'ValidationProblem',
  { ...problemFields, errors: { type: 'array', items: fieldErrorSchema } },
  'detail',
);

/** Problem details (RFC 9457): the shape outside of the APIs, and of APIs that have none of their own. */
export const problemEnvelope: Envelope = {
  failure(kind, detail) {
    const status = STATUS[kind];
    return {
      status,
      headers: { ...failureHeaders(detail), 'content-type': 'application/problem+json' },
      body: {
        type: 'about:blank',
        title: TITLES[kind],
        status,
        ...(detail.message ? { detail: detail.message } : {}),
        ...(detail.errors ? { errors: detail.errors } : {}),
      },
    };
  },
  rate: rateFields,
  schema: (status) => (status === STATUS.validation ? validationProblem : problem),
};

/** Errors of the framework and of node, by their code; any other error with a 4xx status is a malformed request. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

/** Any error as a failure; what isn't the client's fault is `internal`, with the id of what may have been made. */
export function failureFrom(error: unknown, made: string | null = null): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof Busy) {
    const { most: limit, retryAfterSeconds } = error;
    const rate = { limit, remaining: 0, windowSeconds: retryAfterSeconds, resetSeconds: retryAfterSeconds };
    return new Failure('rate_limited', { retryAfterSeconds, rate });
  }
  const { code = '', statusCode = 500 } = (error ?? {}) as { code?: string; statusCode?: number };
  const kind = KINDS[code] ?? (statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'internal');
  return new Failure(kind, kind === 'internal' && made !== null ? { made } : {});
}

/** The parts of an error that may be logged: a database's error also carries values of rows. */
export function describeError(error: unknown): { type: string; code?: string; message: string; stack?: string } {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: maskPansIn(error.message),
    ...(error.stack ? { stack: maskPansIn(error.stack) } : {}),
  };
}

/** What every answer of an API carries. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
