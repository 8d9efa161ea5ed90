// The shape of the issuing API's failures, and how it reads requests (docs/contract/issuing.md#errors, #field-errors).
// Rule: nothing that a client sent is repeated: a wrong field is named by the schema's own words and array positions.

import type { Static, TSchema } from 'typebox';
import type { RefusalKind } from '../../base/index.ts';
import {
  type Envelope,
  Failure,
  type FailureKind,
  type Given,
  pointerNames,
  pointerOf,
  type Reader,
  readPlainJson,
  STATUS,
} from '../../http/index.ts';
import { cleaned, type InvalidField, invalidFields } from './check.ts';
import { failureSchema } from './failure-schemas.ts';
import { type Aliases, type FieldErrorCode, NO_ALIASES, ruleOf } from './fields.ts';
import { type FailureCode, failures, type RefusalCode, refusals } from './refusals.ts';

/** The code of each kind, when nobody knew better. */
const CODES: Readonly<Record<RefusalKind, RefusalCode>> = {
  bad_request: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'ACCESS_TOKEN_REQUIRED',
  not_found: 'RESOURCE_NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_ALLOWED',
  not_acceptable: 'NOT_ACCEPTABLE',
  timeout: 'REQUEST_TIMEOUT',
  // Every request is one commit: a reference is never met while its first request runs.
  conflict: 'IDEMPOTENCY_REF_REUSED',
  gone: 'USER_DEACTIVATED',
  too_large: 'REQUEST_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  validation: 'INVALID_REQUEST',
  locked: 'LOGIN_LOCKED',
  rate_limited: 'TOO_MANY_REQUESTS',
  headers_too_large: 'REQUEST_HEADER_TOO_LARGE',
  unavailable: 'UNAVAILABLE',
  loop: 'LOOP_DETECTED',
};

/** No refusal: nobody knows. */
const MALFUNCTION = ['SERVER_ERROR', 'Server problem; try later'] as const;

const saidOf = (kind: FailureKind): readonly [code: string, message: string] =>
  kind === 'internal' ? MALFUNCTION : [CODES[kind], refusals[CODES[kind]][1]];

/** 403 and 409 carry `errorCode`, other failures `code`; 400 lists the wrong fields. */
const ERROR_CODE: ReadonlySet<FailureKind> = new Set(['forbidden', 'conflict']);
const INVALID: ReadonlySet<FailureKind> = new Set(['bad_request', 'validation']);

/** The document has one status for whatever is wrong with a request. */
const statusOfKind = (kind: FailureKind): number => (INVALID.has(kind) ? STATUS.bad_request : STATUS[kind]);

export const statusOf = (code: FailureCode): number => statusOfKind(failures[code][0]);

/** Rules of the HTTP room, for what is wrong with a header. */
const HTTP_CODES: Readonly<Record<string, FieldErrorCode>> = { maxLength: 'SIZE', format: 'REGEX' };

export const issuingEnvelope: Envelope = {
  requestIdHeader: 'request-ref',
  failure(kind, { message, code, errors = [], allow, retryAfterSeconds, rate }) {
    const [ownCode, ownMessage] = saidOf(kind);
    const status = statusOfKind(kind);
    const headers: Record<string, string> = {};
    if (allow !== undefined) headers.allow = allow;
    if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
    // Who is refused waits for one request, not for all of them.
    if (rate)
      Object.assign(headers, issuingEnvelope.rate({ ...rate, resetSeconds: retryAfterSeconds ?? rate.resetSeconds }));
    if (INVALID.has(kind)) {
      const invalidFields = errors.map(({ uri, attribute }) => {
        const path = pointerNames(decodeURIComponent(uri.slice(1)));
        return {
          params: path.slice(0, -1),
          fieldName: path.at(-1) ?? '',
          error: HTTP_CODES[attribute ?? 'format'] ?? attribute,
        };
      });
      return { status, headers, body: { message: ownMessage, syntaxErrors: { invalidFields } } };
    }
    const named = ERROR_CODE.has(kind) ? { errorCode: code ?? ownCode } : { code: code ?? ownCode };
    return { status, headers, body: { ...named, message: message ?? ownMessage } };
  },
  rate: ({ limit, resetSeconds }) => ({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-reset': String(resetSeconds),
  }),
  schema: failureSchema,
  examples: {
    validation: {
      errors: [
        { message: 'REQUIRED', uri: '#/data/billingAddress/city', attribute: 'REQUIRED' },
        { message: 'SIZE', uri: '#/data/tag', attribute: 'SIZE' },
      ],
    },
  },
};

/** A 400 with these wrong fields: for what only a handler can judge. */
export const failureOfFields = (fields: readonly InvalidField[]): Failure =>
  new Failure('validation', {
    errors: fields.map(({ path, error }) => ({ message: error, uri: pointerOf(path), attribute: error })),
  });

/** The value as a handler may see it; a failure with every wrong field. */
export function checked<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  aliases: Aliases = NO_ALIASES,
): Static<Schema> {
  const wrong = invalidFields(schema, value, aliases);
  if (wrong.length > 0) throw failureOfFields(wrong);
  return cleaned(schema, value) as Static<Schema>;
}

/** No body is an empty object; what is no JSON object, has a name twice or is nested too deep is a 400 without wrong fields. */
function objectIn(bytes: Buffer): object {
  try {
    return readPlainJson(bytes);
  } catch (error) {
    throw error instanceof Failure ? new Failure('bad_request') : error;
  }
}

/**
 * Every wrong field of path, query and body in one failure. Unknown fields are ignored; a name of the query with two different values is
 * SIZE: one is taken. `aliasesOf`: what else the asker may say in a body.
 */
export const issuingReader =
  <Principal>(aliasesOf: (principal: Principal) => Aliases): Reader<Principal> =>
  (schemas, given, principal) => {
    const pairs = given.query.filter(([, value]) => value !== '');
    const params = partOf(schemas.params, given.params);
    const query = partOf(schemas.query, Object.fromEntries(pairs), { twice: givenTwice(pairs) });
    const body = partOf(schemas.body, given.body === null ? {} : objectIn(given.body), {
      aliases: aliasesOf(principal),
    });
    const wrong = [...params.wrong, ...query.wrong, ...body.wrong];
    if (wrong.length > 0) throw failureOfFields(wrong);
    return { params: params.value(), query: query.value(), body: body.value() };
  };

const givenTwice = (pairs: Given['query']): ReadonlySet<string> => {
  const first = new Map([...pairs].reverse());
  return new Set(pairs.filter(([name, value]) => first.get(name) !== value).map(([name]) => name));
};

interface Part {
  readonly wrong: readonly InvalidField[];
  /** What a handler may see, once nothing is wrong. */
  value(): object;
}

/** An endpoint that declares no schema for a part takes nothing of it. */
function partOf(
  schema: TSchema,
  value: object,
  { aliases = NO_ALIASES, twice = NONE }: { readonly aliases?: Aliases; readonly twice?: ReadonlySet<string> } = {},
): Part {
  if ('additionalProperties' in schema) return { wrong: [], value: () => ({}) };
  const found = invalidFields(schema, value, aliases);
  const names = Object.keys(ruleOf(schema).properties ?? {});
  const wrong =
    twice.size === 0
      ? found
      : names.flatMap((name): readonly InvalidField[] =>
          twice.has(name) ? [{ path: [name], error: 'SIZE' }] : found.filter(({ path }) => path[0] === name),
        );
  return { wrong, value: () => cleaned(schema, value) as object };
}

const NONE: ReadonlySet<string> = new Set();
