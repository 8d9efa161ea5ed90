// Holds every answer that a server of the tests sends against the API description: status, header fields, and every member of the body.
// Rule: what is found names endpoint, status and place in the body, never a value. The run fails at its end with what was found
// anywhere, in children that were killed too.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type AnyApi, openapiOf, type Server } from '../../src/http/index.ts';

export interface Sent {
  readonly method: string;
  /** The route's template, with or without trailing slash. */
  readonly route: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Described {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

/** Of header fields, those that a client goes by: none of them comes undocumented. */
const TOLD = ['location', 'link', 'x-total-count', 'retry-after', 'idempotent-replay', 'www-authenticate'];

export interface Checker {
  /** `GET /gateway/orders/{id} 200`: every answer that the description has. */
  readonly declared: readonly string[];
  /** What is wrong with an answer, and which of the declared ones it was; null: no operation's. */
  check(sent: Sent): { readonly name: string | null; readonly problems: readonly string[] };
}

export function answerChecker(apis: readonly AnyApi[]): Checker {
  const document: Json = openapiOf(apis, { title: 'Tests', version: '0' });
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });
  ajv.addSchema(document, 'api', false, false);
  const compiled = new Map<string, ValidateFunction>();
  const compile = (key: string, schema: () => object): ValidateFunction => {
    const known = compiled.get(key) ?? ajv.compile(schema());
    compiled.set(key, known);
    return known;
  };

  const operations = new Map<string, { readonly path: string; readonly responses: Record<string, Described> }>();
  for (const [at, item] of Object.entries<Json>(document.paths))
    for (const [method, { responses }] of Object.entries<Json>(item))
      operations.set(`${method} ${at.replace(/\/$/, '')}`, { path: at, responses });

  function bodyProblems(at: string, { content }: Described, { headers, body }: Sent): string[] {
    const type = typeOf(headers);
    if (!content) return body === '' ? [] : ['a body where none is documented'];
    const described = content[type];
    if (!described) return [`content type ${type} is not documented`];
    if (!type.endsWith('json')) return [];
    const place = `${at}/content/${escaped(type)}/schema`;
    const validate = compile(place, () => ({ $ref: `api${place}` }));
    return validate(JSON.parse(body)) ? [] : (validate.errors ?? []).map(told);
  }

  /** A response and where it stands in the document. */
  const resolved = (response: (Described & { $ref?: string }) | undefined, at: string) =>
    response?.$ref === undefined
      ? { response, at }
      : {
          response: document.components.responses[response.$ref.split('/').at(-1) as string] as Described,
          at: response.$ref,
        };

  function check(sent: Sent): { name: string | null; problems: string[] } {
    const method = sent.method === 'HEAD' ? 'get' : sent.method.toLowerCase();
    const route = sent.route.replace(/:([A-Za-z_]+)/g, '{$1}').replace(/\/$/, '');
    const operation = operations.get(`${method} ${route}`);
    // 405 is of a path that is named as it stands, where the router first found another one's parameter; 508 of what this server has sent.
    if (!operation || sent.status === 405 || sent.status === 508)
      return { name: null, problems: strangeProblems(sent) };
    const name = `${method.toUpperCase()} ${operation.path} ${sent.status}`;
    const place = `#/paths/${escaped(operation.path)}/${method}/responses/${sent.status}`;
    const { response, at } = resolved(operation.responses[sent.status], place);
    if (!response) return { name: null, problems: [`${name} is not documented`] };
    const headers = headerProblems(response, sent.headers);
    const problems = sent.method === 'HEAD' ? headers : [...headers, ...bodyProblems(at, response, sent)];
    return { name, problems: problems.map((problem) => `${name}: ${problem}`) };
  }

  /** Below an API's prefix, but none of its operations: the envelope's own failures. */
  function strangeProblems({ method, route, status, headers, body }: Sent): string[] {
    const api = apis.find(({ prefix }) => route === prefix || route.startsWith(`${prefix}/`));
    if (!api || method === 'HEAD' || method === 'OPTIONS') return [];
    const name = `${api.prefix} ${status}`;
    const validate = compile(name, () => api.envelope.schema(status));
    if (status >= 400 && body !== '' && validate(JSON.parse(body))) return [];
    return [
      `${name} to a request that is no operation's: ${typeOf(headers)}, ${(validate.errors ?? []).map(told).join(', ')}`,
    ];
  }

  const declared = [...operations].flatMap(([key, { path: at, responses }]) =>
    Object.keys(responses).map((status) => `${(key.split(' ')[0] as string).toUpperCase()} ${at} ${status}`),
  );
  return { declared, check };
}

/** One name of a JSON pointer in a URI's fragment. */
const escaped = (name: string): string => encodeURIComponent(name).replace(/~/g, '~0').replace(/%2F/g, '~1');

const typeOf = (headers: Sent['headers']): string => {
  const type = headers['content-type'];
  return typeof type === 'string' ? type.replace(/;.*/, '') : 'none';
};

function headerProblems({ headers = {} }: Described, sent: Sent['headers']): string[] {
  const documented = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
  const missing = [...documented].filter(([name, { required }]) => required && sent[name] === undefined);
  const strange = TOLD.filter((name) => sent[name] !== undefined && !documented.has(name));
  return [
    ...missing.map(([name]) => `header field ${name} is missing`),
    ...strange.map((name) => `header field ${name} is not documented`),
  ];
}

/** Where and why, without any value; the elements of an array are one place. */
function told({ instancePath, message = '', params }: ErrorObject): string {
  const more = (params as { additionalProperty?: string }).additionalProperty;
  return `${instancePath.replace(/\/\d+/g, '/*') || '/'} ${message}${more === undefined ? '' : ` (${more})`}`;
}

/** What of a run's answers was seen and found, over all its processes. */
const folder = process.env.FLORIN_TEST_ANSWERS ?? null;

function note(kind: 'seen' | 'wrong', lines: readonly string[]): void {
  if (folder !== null && lines.length > 0)
    appendFileSync(path.join(folder, `${kind}-${process.pid}`), lines.map((line) => `${line}\n`).join(''));
}

const checkers = new Map<string, Checker>();
const seen = new Set<string>();
const found = new Set<string>();

/** Says what was wrong with the answers of this process's servers, and turns its test file red. To be called when they have ended. */
export function tellWrongAnswers(): void {
  if (found.size === 0) return;
  process.stdout.write(`Answers that are not as /openapi.json describes them:\n${[...found].join('\n')}\n`);
  found.clear();
  process.exitCode = 1;
}

/** The APIs whose answers are described by now. */
/** The far side of a wire: it answers whatever its script says. */
const INBOX = '/simulator/inbox/:name';
export const DESCRIBED = /^\/(gateway|issuing|operator|simulator)\//;

/** For `startApp`: every answer of this server is checked as it goes out. */
export function watchAnswers(server: Server, apis: readonly AnyApi[]): void {
  const key = apis.map(({ prefix, endpoints }) => `${prefix} ${endpoints.length}`).join();
  server.app.addHook('onSend', (request, reply, payload, next) => {
    const checker = checkers.get(key) ?? answerChecker(apis);
    if (!checkers.has(key)) {
      checkers.set(key, checker);
      // One file for all servers with these APIs: one that has a half of them declares a half.
      if (folder !== null)
        writeFileSync(path.join(folder, `declared-${key.replace(/\W+/g, '-')}`), checker.declared.join('\n'));
    }
    const route = request.routeOptions.url ?? request.url.split('?', 1).join();
    if (!DESCRIBED.test(route) || (request.method === 'POST' && route === INBOX)) return next(null, payload);
    const { name, problems } = checker.check({
      method: request.method,
      route,
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : '',
    });
    if (name !== null && !seen.has(name)) note('seen', [name]);
    if (name !== null) seen.add(name);
    const fresh = problems.filter((problem) => !found.has(problem));
    for (const problem of fresh) found.add(problem);
    note('wrong', fresh);
    next(null, payload);
  });
}

/** Of a whole run: what was wrong anywhere, and which declared answers nobody saw. */
export function answersOfRun(at: string): { readonly wrong: readonly string[]; readonly unseen: readonly string[] } {
  mkdirSync(at, { recursive: true });
  const lines = (kind: string): string[] =>
    readdirSync(at)
      .filter((file) => file.startsWith(kind))
      .flatMap((file) => readFileSync(path.join(at, file), 'utf8').split('\n'))
      .filter((line) => line !== '');
  const known = new Set(lines('seen-'));
  return {
    wrong: [...new Set(lines('wrong-'))].sort(),
    unseen: [...new Set(lines('declared-'))].filter((name) => !known.has(name)),
  };
}
