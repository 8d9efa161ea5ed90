// The API description (OpenAPI 3.1), made from the same declarations that are served. Rule: nothing is described by hand.
import { STATUS_CODES } from 'node:http';
import { NOTHING } from './api.ts';
import type { AnyEndpoint, Api } from './endpoint.ts';
import { type FailureKind, failureTitle } from './failure.ts';
import { fieldKinds } from './fields.ts';
import type { JsonSchema } from './schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: a description covers APIs of every kind of principal
export type AnyApi = Api<any>;

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** Where the APIs are reached; by default where the description was read. */
  readonly url?: string;
}

type Json = Record<string, unknown>;

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The description of several APIs in one document. A schema with a title becomes a component under that name. */
export function openapiOf(apis: readonly AnyApi[], info: ApiInfo): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const api of apis) {
    for (const [name, scheme] of Object.entries(api.authentication.schemes))
      components.add('securitySchemes', name, scheme as Json);
    for (const endpoint of api.endpoints) {
      const path = (api.prefix + endpoint.path).replace(/:([A-Za-z_]+)/g, '{$1}');
      const methods = [endpoint.method].flat();
      for (const method of methods) {
        const operation = methods.length === 1 ? endpoint.operation : `${endpoint.operation}_${method.toLowerCase()}`;
        paths[path] = {
          ...paths[path],
          [method.toLowerCase()]: operationOf(api, endpoint, method, operation, components),
        };
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, ...(info.description ? { description: info.description } : {}) },
    servers: [{ url: info.url ?? '/' }],
    // An API may be declared in parts, by what they ask of the caller.
    tags: [
      ...new Map(
        apis.map(({ name, description }) => [name, { name, ...(description ? { description } : {}) }]),
      ).values(),
    ],
    paths,
    components: components.all,
  };
}

/** Components by kind and name. One name for two different things gets a number. */
class Components {
  readonly all: Record<string, Record<string, Json>> = { schemas: {}, responses: {}, securitySchemes: {} };

  add(kind: string, name: string, value: Json): string {
    const known = (this.all[kind] ??= {});
    let unique = name;
    for (let i = 2; known[unique] && JSON.stringify(known[unique]) !== JSON.stringify(value); i++)
      unique = `${name}_${i}`;
    known[unique] = value;
    return `#/components/${kind}/${unique}`;
  }

  schema(schema: JsonSchema): Json {
    const described = describe(schema, this);
    const title = schema.title;
    if (typeof title !== 'string') return described;
    return { $ref: this.add('schemas', title.replace(/\W/g, ''), described) };
  }
}

/** The schema as clients see it: our own keywords replaced by what they mean. */
function describe(schema: JsonSchema, components: Components): Json {
  const { 'x-kind': kind, 'x-range': range, 'x-list': list, format, enum: values, type, ...rest } = schema;
  const out: Json = { ...(kind ? fieldKinds[kind].document : { type, format, enum: values }), ...rest };
  if (kind && !out.description) out.description = fieldKinds[kind].says;
  if (Array.isArray(range)) [out.minimum, out.maximum] = range;
  if (Array.isArray(list) && list.length > 0)
    out.description = [schema.description, `Of: ${list.join(', ')}.`].filter(Boolean).join(' ');
  for (const name of ['items', 'additionalProperties'] as const) {
    const child = schema[name];
    if (typeof child === 'object') out[name] = components.schema(child);
  }
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, components.schema(child)]),
    );
  }
  for (const name of ['anyOf', 'oneOf', 'allOf'] as const) {
    const children = schema[name];
    if (Array.isArray(children)) out[name] = children.map((child) => components.schema(child as JsonSchema));
  }
  for (const name of Object.keys(out)) if (out[name] === undefined) delete out[name];
  return out;
}

function operationOf(
  api: AnyApi,
  endpoint: AnyEndpoint<unknown>,
  method: string,
  operationId: string,
  components: Components,
): Json {
  const { summary, description, right } = endpoint;
  const body = (endpoint.body ?? NOTHING) as JsonSchema;
  const writes = WRITES.has(method);
  const hasBody =
    writes && (Object.keys(body.properties ?? {}).length > 0 || typeof body.additionalProperties === 'object');
  return {
    operationId,
    tags: [endpoint.tag ?? api.name],
    summary,
    ...(description || right
      ? { description: [description, right ? `Needs the right \`${right}\`.` : ''].filter(Boolean).join('\n\n') }
      : {}),
    security: [Object.fromEntries(Object.keys(api.authentication.schemes).map((name) => [name, []]))],
    parameters: parametersOf(api, endpoint, writes, components),
    ...(hasBody ? { requestBody: requestBodyOf(api, body, endpoint.example, components) } : {}),
    responses: { ...failuresOf(api, endpoint, writes, components), ...answersOf(api, endpoint, components) },
  };
}

function requestBodyOf(api: AnyApi, body: JsonSchema, example: unknown, components: Components): Json {
  return {
    required: (body.required?.length ?? 0) > 0,
    // An API with a reader of its own reads bodies alone.
    ...(api.reader
      ? {}
      : { description: 'Fields may also be given in the query string; dots lead into objects (`location.ip=…`).' }),
    content: { 'application/json': { schema: components.schema(body), ...(example === undefined ? {} : { example }) } },
  };
}

function parametersOf(api: AnyApi, endpoint: AnyEndpoint<unknown>, writes: boolean, components: Components): Json[] {
  const params = (endpoint.params ?? NOTHING) as JsonSchema;
  const query = (writes ? NOTHING : (endpoint.query ?? NOTHING)) as JsonSchema;
  const inPath = [...endpoint.path.matchAll(/:([A-Za-z_]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: components.schema(params.properties?.[name] ?? { type: 'string' }),
  }));
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) ?? false,
    ...(schema.description ? { description: schema.description } : {}),
    schema: components.schema(schema),
  }));
  const header = { type: 'string', minLength: 1, maxLength: 255 };
  const once = {
    name: api.idempotency?.header,
    in: 'header',
    required: false,
    description: 'A repeat with the same key and request gets the first answer again.',
    schema: header,
  };
  return [...inPath, ...inQuery, ...(writes && api.idempotency ? [once] : [])];
}

/** A documented failure without a schema of its own has the envelope's. */
function answersOf(api: AnyApi, { answers, media, orCsv }: AnyEndpoint<unknown>, components: Components): Json {
  const out: Json = {};
  for (const [status, { description, schema: own, headers, example }] of Object.entries(answers)) {
    const failed = Number(status) >= 400;
    const schema = own ?? (failed ? api.envelope.schema : media && { type: 'string' });
    const content = {
      ...(schema ? { schema: components.schema(schema as JsonSchema) } : {}),
      ...(example === undefined ? {} : { example }),
    };
    out[status] = {
      description,
      ...(headers
        ? { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, headerOf(text)])) }
        : {}),
      ...(Object.keys(content).length > 0 || (orCsv && !failed)
        ? {
            content: {
              [(!failed && media) || 'application/json']: content,
              ...(orCsv && !failed ? { 'text/csv': { schema: { type: 'string' } } } : {}),
            },
          }
        : {}),
    };
  }
  return out;
}

const headerOf = (description: string): Json => ({ description, schema: { type: 'string' } });

/** What may go wrong before the handler, in the API's own shape and with what it really answers as example. */
function failuresOf(api: AnyApi, endpoint: AnyEndpoint<unknown>, writes: boolean, components: Components): Json {
  const kinds: FailureKind[] = ['unauthenticated', 'forbidden', 'not_acceptable', 'internal'];
  if (endpoint.path.includes(':')) kinds.push('not_found');
  if (writes) kinds.push('too_large', 'unsupported_media_type');
  if (writes || endpoint.query) kinds.push('validation');
  if (writes && api.idempotency) kinds.push('bad_request', 'conflict');
  if (api.limits) kinds.push('rate_limited');
  const out: Json = {};
  for (const kind of kinds) {
    const { status, headers, body } = api.envelope.failure(kind, EXAMPLES[kind] ?? {});
    const type = headers['content-type'] ?? 'application/json';
    const response = {
      description: failureTitle(kind) || (STATUS_CODES[status] as string),
      content: { [type]: { schema: components.schema(api.envelope.schema as JsonSchema), example: body } },
    };
    out[status] = { $ref: components.add('responses', `${api.name.replace(/\W/g, '')}_${kind}`, response) };
  }
  return out;
}

const EXAMPLES: Partial<Record<FailureKind, Parameters<AnyApi['envelope']['failure']>[1]>> = {
  validation: {
    errors: [
      { message: 'Required', uri: '#/card/cvv', attribute: 'required', details: ['a value is required'] },
      { message: 'Unknown property', uri: '#/colour' },
    ],
  },
};
