// What an endpoint may answer, as the API description tells it: its own answers, and by what an API may refuse any request.
// Rule: a status that both can answer has either body; the example of a failure is what the envelope really makes of it.
import { STATUS_CODES } from 'node:http';
import type { AnyEndpoint, Api, DocumentedAnswer } from '../api/index.ts';
import { type FailureKind, failureTitle } from '../failure.ts';
import type { JsonSchema } from '../fields/index.ts';
import type { Components, Json } from './openapi-components.ts';

// biome-ignore lint/suspicious/noExplicitAny: a description covers APIs of every kind of principal
export type AnyApi = Api<any>;

/** Bodies that the server really answered, by operation and status; `request`: one that it was asked with. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Of what a failure brings with it, whatever the endpoint. */
interface CommonFailure {
  readonly kind: FailureKind;
  readonly type: string;
  readonly schema: JsonSchema;
  readonly response: Json;
}

export function responsesOf(
  api: AnyApi,
  endpoint: AnyEndpoint<unknown>,
  writes: boolean,
  components: Components,
  examples: Examples,
): Json {
  const common = failuresOf(api, endpoint, writes, components);
  const out: Json = {};
  for (const [status, { kind, response }] of common)
    out[status] = { $ref: components.add('responses', `${api.name.replace(/\W/g, '')}_${kind}`, response) };
  for (const [text, answer] of Object.entries(endpoint.answers)) {
    const status = Number(text);
    const example = examples[endpoint.operation]?.[text] ?? answer.example;
    const replayable = writes && api.idempotency && (status < 400 || status === 402 || status === 500 || answer.kept);
    const headers = headersOf(answer, replayable ? REPLAY : {});
    const content =
      status < 400
        ? contentOf(endpoint, answer, example, components)
        : failureContentOf(api, status, answer, common.get(status), example, components);
    out[text] = {
      description: answer.description,
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(content ? { content } : {}),
    };
  }
  return out;
}

/** An answer without schema has no body, unless its media type says what it is. */
function contentOf(
  { media = 'application/json', orCsv }: AnyEndpoint<unknown>,
  { schema }: DocumentedAnswer,
  example: unknown,
  components: Components,
): Json | null {
  const shown = schema ?? (media === 'application/json' ? null : { type: 'string' });
  if (!shown) return null;
  return {
    [media]: { schema: components.schema(shown as JsonSchema), ...(example === undefined ? {} : { example }) },
    ...(orCsv ? { 'text/csv': { schema: { type: 'string' } } } : {}),
  };
}

/** A documented failure without a schema of its own has the envelope's. */
function failureContentOf(
  { envelope }: AnyApi,
  status: number,
  { schema }: DocumentedAnswer,
  common: CommonFailure | undefined,
  example: unknown,
  components: Components,
): Json {
  const own = (schema ?? envelope.schema(status)) as JsonSchema;
  const shown = common && common.schema !== own && schema ? { anyOf: [own, common.schema] } : own;
  const like = example ?? (schema ? undefined : exampleIn(common));
  return {
    [common?.type ?? typeOf(envelope.failure('internal', {}).headers)]: {
      schema: components.schema(shown),
      ...(like === undefined ? {} : { example: like }),
    },
  };
}

const exampleIn = (common: CommonFailure | undefined): unknown => {
  if (!common) return undefined;
  const content = common.response.content as Record<string, { example: unknown }>;
  return content[common.type]?.example;
};

const typeOf = (headers: Readonly<Record<string, string>>): string => headers['content-type'] ?? 'application/json';

const REPLAY = { 'Idempotent-Replay': '`true` when an earlier request with the same key was answered so.' };

function headersOf({ headers = {}, mayHave = {} }: DocumentedAnswer, more: Readonly<Record<string, string>>): Json {
  const always = Object.entries(headers).map(([name, text]) => [name, { ...headerOf(text), required: true }]);
  const perhaps = Object.entries({ ...mayHave, ...more }).map(([name, text]) => [name, headerOf(text)]);
  return Object.fromEntries([...always, ...perhaps]);
}

const headerOf = (description: string): Json => ({ description, schema: { type: 'string' } });

/** What may go wrong before the handler, in the API's own shape. */
function failuresOf(
  api: AnyApi,
  endpoint: AnyEndpoint<unknown>,
  writes: boolean,
  components: Components,
): Map<number, CommonFailure> {
  const kinds: FailureKind[] = [
    'bad_request',
    'unauthenticated',
    'not_acceptable',
    'internal',
    ...(api.failures ?? []),
    ...(api.allows ? (['forbidden'] as const) : []),
    ...(endpoint.path.includes(':') ? (['not_found'] as const) : []),
    ...(writes ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...(writes || endpoint.params || endpoint.query || api.strictQuery ? (['validation'] as const) : []),
    ...(writes && api.idempotency ? (['conflict'] as const) : []),
    ...(api.limits ? (['rate_limited'] as const) : []),
  ];
  const out = new Map<number, CommonFailure>();
  for (const kind of kinds) {
    const { status, headers, body } = api.envelope.failure(kind, api.envelope.examples?.[kind] ?? DETAILS[kind] ?? {});
    const type = typeOf(headers);
    const schema = api.envelope.schema(status) as JsonSchema;
    const told = Object.entries(headers).filter(([name]) => name !== 'content-type');
    const response = {
      description: failureTitle(kind) || (STATUS_CODES[status] as string),
      ...(told.length === 0
        ? {}
        : {
            headers: Object.fromEntries(
              told.map(([name, example]) => [
                name,
                { schema: { type: 'string' }, example, ...(kind === 'conflict' ? {} : { required: true }) },
              ]),
            ),
          }),
      content: { [type]: { schema: components.schema(schema), example: body } },
    };
    out.set(status, { kind, type, schema, response });
  }
  return out;
}

/** What each failure of an example is about. */
const DETAILS: Partial<Record<FailureKind, Parameters<AnyApi['envelope']['failure']>[1]>> = {
  validation: {
    errors: [
      { message: 'Required', uri: '#/card/cvv', attribute: 'required', details: ['a value is required'] },
      { message: 'Unknown property', uri: '#/colour' },
    ],
  },
  conflict: { retryAfterSeconds: 1 },
  rate_limited: {
    retryAfterSeconds: 1,
    rate: { limit: 200, remaining: 0, windowSeconds: 2, resetSeconds: 2 },
  },
};
