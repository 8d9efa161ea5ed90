// The API description (OpenAPI 3.1), made from the same declarations that are served. Rule: nothing is described by hand.
import { type AnyEndpoint, isWrite, NOTHING } from '../api/index.ts';
import type { JsonSchema } from '../fields/index.ts';
import { type AnyApi, type Examples, responsesOf } from './openapi-answers.ts';
import { Components, type Json } from './openapi-components.ts';

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** Where the APIs are reached; by default where the description was read. */
  readonly url?: string;
  readonly examples?: Examples;
}

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
          [method.toLowerCase()]: operationOf(api, endpoint, method, operation, components, info.examples ?? {}),
        };
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, ...(info.description ? { description: info.description } : {}) },
    servers: [{ url: info.url ?? '/' }],
    tags: tagsOf(apis),
    paths,
    components: components.all,
  };
}

/** Of an API, or of the part of one that an endpoint names. */
const tagOf = (api: AnyApi, { tag }: AnyEndpoint<unknown>): string => (tag ? `${api.name}: ${tag}` : api.name);

/** Those that operations carry, in the order of the APIs. An API's description stands with its first; it may be declared in parts. */
function tagsOf(apis: readonly AnyApi[]): Json[] {
  const tags = new Map<string, Json>();
  const described = new Set<string>();
  for (const api of apis)
    for (const endpoint of api.endpoints) {
      const name = tagOf(api, endpoint);
      if (tags.has(name)) continue;
      const first = !described.has(api.name) && api.description;
      tags.set(name, { name, ...(first ? { description: api.description } : {}) });
      if (first) described.add(api.name);
    }
  return [...tags.values()];
}

function operationOf(
  api: AnyApi,
  endpoint: AnyEndpoint<unknown>,
  method: string,
  operationId: string,
  components: Components,
  examples: Examples,
): Json {
  const { summary, description, right } = endpoint;
  const known = examples[endpoint.operation];
  const body = (endpoint.body ?? NOTHING) as JsonSchema;
  const writes = isWrite(api, method);
  const hasBody =
    writes && (Object.keys(body.properties ?? {}).length > 0 || typeof body.additionalProperties === 'object');
  return {
    operationId,
    tags: [tagOf(api, endpoint)],
    summary,
    ...(description || right
      ? { description: [description, right ? `Needs the right \`${right}\`.` : ''].filter(Boolean).join('\n\n') }
      : {}),
    security: [Object.fromEntries(Object.keys(api.authentication.schemes).map((name) => [name, []]))],
    parameters: parametersOf(api, endpoint, writes, components),
    ...(hasBody ? { requestBody: requestBodyOf(api, body, endpoint.example ?? known?.request, components) } : {}),
    responses: responsesOf(api, endpoint, writes, components, examples),
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
