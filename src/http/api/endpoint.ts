// What an API is made of: endpoints as data. Types only; api.ts serves them, description/ describes them.
// Rule: an endpoint says everything about itself here, so that what is served and what is documented can't differ.
import type { Static, TSchema } from 'typebox';
import type { Log, Refusal, Steps, Turns } from '../../base/index.ts';
import type { Cause, Once } from '../../store/index.ts';
import type { Envelope, Failure, FailureKind } from '../failure.ts';
import type { Violation } from '../fields/index.ts';
import type { MediaType, Wire } from '../listener/index.ts';
import type { Rate, RateLimiter } from '../rates/index.ts';
import type { Authentication, RequestHead } from './authenticate.ts';
import type { OnceLookup, OnceOptions } from './idempotency.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  readonly status: number;
  /** A string or a buffer is JSON text, or of the endpoint's media type, and goes out as it is; null: no body. */
  readonly body: string | Buffer | object | null;
  readonly location?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Link field (RFC 8288), see pageLinks. */
  readonly link?: string | null;
  /** A repeat of an earlier answer under the same idempotency key. */
  readonly replayed?: boolean;
  /** It goes on: written behind its head, as long as this runs. `body` is null, and the endpoint's media is not JSON. */
  readonly live?: (wire: LiveWire) => Promise<void>;
}

export interface LiveWire extends Wire {
  /** The principal, asked for again: null when these credentials don't open this any more. */
  again(): Promise<unknown>;
}

export interface Input<Principal, Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  /** On POST, PUT and PATCH the query string is merged into it. */
  readonly body: Body;
  /** null when the request has no idempotency key. */
  readonly once: Once | null;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Only with `orCsv`: the client's Accept asks for CSV. */
  readonly csv: boolean;
  /** The field Last-Event-ID: where a stream that ended was. null: there is none. */
  readonly lastEventId: string | null;
  /** Carries the request id. */
  readonly log: Log;
  /** Does a client still wait for the answer of a server that goes on? For handlers that wait themselves. */
  isAwaited(): boolean;
}

export interface DocumentedAnswer {
  readonly description: string;
  /** Absent: an answer without body; of a failure, the envelope's. */
  readonly schema?: TSchema;
  /** What each header field says that the answer always has, and those that it may have. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly mayHave?: Readonly<Record<string, string>>;
  readonly example?: unknown;
  /** A failure that a repeat with the same key may get again. */
  readonly kept?: boolean;
}

export interface Endpoint<Principal, Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly method: Method | readonly Method[];
  /** `/orders/:id/charge`, below the API's prefix; served with and without trailing slash. */
  readonly path: string;
  /** Unique name of the operation in the API description. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag?: string;
  /** What the credential must be allowed; null: any credential. */
  readonly right: string | null;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * Further wrong fields of a body, or of a GET's query, by rules that its schema can't say: told together with the schema's own. Any
   * field may be missing or of any type. Not with an API that has a reader.
   */
  readonly wrongIn?: (
    given: Readonly<Record<string, unknown>>,
    principal: Principal,
  ) => readonly Violation[] | Promise<readonly Violation[]>;
  readonly example?: unknown;
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Of its answers below 400, which then bring their own content-type; JSON when absent. Failures are always the envelope's. */
  readonly media?: MediaType;
  /** May be answered as text/csv too, with a content-type of its own. */
  readonly orCsv?: true;
  /**
   * May read much: how many rows, times what each carries. Such a request waits for its owner's turn, and its handler may pause between
   * steps. Absent, or 0: it is answered at once, and not in steps.
   */
  readonly cost?: (query: Static<Query>) => number;
  handler(
    input: Input<Principal, Static<Params>, Static<Query>, Static<Body>>,
  ): Answer | Promise<Answer> | Steps<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: an API's list holds endpoints of every shape
export type AnyEndpoint<Principal> = Endpoint<Principal, any, any, any>;

/** Declares an endpoint so that its handler's input has the types of its schemas: `const endpoint = endpointOf<Credential>()`. */
export const endpointOf =
  <Principal>() =>
  <Params extends TSchema, Query extends TSchema, Body extends TSchema>(
    endpoint: Endpoint<Principal, Params, Query, Body>,
  ): AnyEndpoint<Principal> =>
    endpoint;

/** What a request was sent with. */
export interface Given {
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Its bytes, none when there was no body; null: none is taken. */
  readonly body: Buffer | null;
}

/**
 * How an API reads what was sent, when its contract isn't the closed schemas of this room: every part checked against the endpoint's
 * schemas, and the values that the handler gets. Throws one Failure for all that is wrong.
 */
export type Reader<Principal> = (
  schemas: Readonly<Record<keyof Given, TSchema>>,
  given: Given,
  principal: Principal,
) => Record<keyof Given, object>;

export interface Api<Principal> {
  /** `/gateway` */
  readonly prefix: string;
  readonly name: string;
  readonly description?: string;
  readonly envelope: Envelope;
  readonly authentication: Authentication<Principal>;
  readonly endpoints: readonly AnyEndpoint<Principal>[];
  /** By whose doing its requests change something; `api` unless told. */
  readonly cause?: Cause;
  /** May this principal do this from this address? Asked after the credentials and before anything is read; false is 403. */
  readonly allows?: (principal: Principal, right: string | null, head: RequestHead) => boolean;
  /** An unknown name in a GET's query is an error instead of being ignored. */
  readonly strictQuery?: (principal: Principal) => boolean;
  /** Its clients are taken for what they mean (fields/json.ts, Tolerance). */
  readonly tolerant?: true;
  /** Card data in a query is a wrong field, but for these names: their values are ids, and may look like a card number. */
  readonly cardDataRefused?: { readonly ids: readonly string[] };
  /** null from `rateOf`: no limit. The key is the credential. */
  readonly limits?: {
    readonly limiter: RateLimiter;
    readonly rateOf: (principal: Principal) => { readonly key: string; readonly rate: Rate } | null;
  };
  /** Its work may take minutes, and its clients wait. Otherwise who has no answer in time is told that the outcome is unknown. */
  readonly patient?: true;
  /** For endpoints that have a cost; they need it. */
  readonly turns?: {
    readonly turns: Turns;
    /** Whose reads wait for each other. */
    readonly ownerOf: (principal: Principal) => string;
  };
  readonly idempotency?: OnceOptions & {
    /** Absent: a repeat is found by the commit that begins. */
    readonly lookup?: OnceLookup;
    /** Whose records the keys of this principal are, and which credential. */
    readonly scopeOf: (principal: Principal) => { readonly owner: bigint; readonly credential: string };
  };
  /** Absent: the schemas are closed, and every wrong field is a pointer in a 422 (fields/schema.ts). */
  readonly reader?: Reader<Principal>;
  /** How a refusal is told, where that is not by its kind, code and text. */
  readonly failureOf?: (refusal: Refusal) => Failure;
  /** What any request may fail with besides what this declaration shows. Documentation only. */
  readonly failures?: readonly FailureKind[];
}
