// The examples of the API reference are requests to and answers of a real server. src/examples.json is written by this file, and is
// stale when a fresh one has other members. `FLORIN_TEST_UPDATE=1 npm test -- test/http/description/examples.test.ts` writes it anew.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import type { AnyApi, AnyEndpoint, Examples, Server } from '../../../src/http/index.ts';
import { watchAnswers } from '../../support/answers.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { exampleOf, membersOf } from './example-form.ts';
import { walkEvents } from './walk-events.ts';
import { walkGateway } from './walk-gateway.ts';
import { walkIssuing } from './walk-issuing.ts';
import { walkOperator } from './walk-operator.ts';

const FILE = path.resolve(import.meta.dirname, '../../../src/examples.json');

const fresh: Record<string, Record<string, unknown>> = {};

/** Keeps the first answer of each operation and status that the operation itself describes, and of what was asked what says the most. */
function keepExamples(server: Server, apis: readonly AnyApi[]): void {
  watchAnswers(server, apis);
  const endpoints = new Map<string, AnyEndpoint<unknown>>(
    apis.flatMap(({ prefix, endpoints: all }) =>
      all.flatMap((one) =>
        [one.method].flat().map((method) => [`${method} ${prefix}${one.path.replace(/\/$/, '')}`, one] as const),
      ),
    ),
  );
  const asked = new WeakMap<object, Buffer[]>();
  server.app.addHook('onRequest', ({ raw }, _reply, next) => {
    const chunks: Buffer[] = [];
    asked.set(raw, chunks);
    const emit = raw.emit.bind(raw);
    raw.emit = (name: string | symbol, ...values: unknown[]) => {
      if (name === 'data') chunks.push(values[0] as Buffer);
      return emit(name, ...values);
    };
    next();
  });
  server.app.addHook('onSend', (request, reply, payload, next) => {
    const endpoint = endpoints.get(`${request.method} ${request.routeOptions.url}`);
    const { statusCode } = reply;
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    const host = request.headers.host ?? '';
    const sent = Buffer.concat(asked.get(request.raw) ?? []).toString();
    if (endpoint && !endpoint.example && statusCode < 300 && sent !== '') {
      const known = (fresh[endpoint.operation] ??= {});
      const shown = exampleOf(JSON.parse(sent), host);
      if (!known.request || membersOf(shown).length > membersOf(known.request).length) known.request = shown;
    }
    const text = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : '';
    if (endpoint && statusCode in endpoint.answers && isJson && text !== '') {
      const { operation } = endpoint;
      const known = (fresh[operation] ??= {});
      known[statusCode] ??= exampleOf(JSON.parse(text), host);
    }
    next(null, payload);
  });
}

let florin: TestApp;
before(async () => {
  florin = await testApp({}, { watch: keepExamples });
  await florin.operator('PUT', '/simulator/clock', { now: '2027-01-14T09:30:00.000Z', frozen: true });
  await walkGateway(florin);
  await walkIssuing(florin);
  await walkOperator(florin);
  await walkEvents(florin);
  if (process.env.FLORIN_TEST_UPDATE) writeFileSync(FILE, textOf(sorted(fresh)));
});

const sorted = (examples: Examples): Examples =>
  Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
/** An answer a line: a change shows where it is. */
const textOf = (examples: Examples): string => {
  const operations = Object.entries(examples).map(([operation, answers]) => {
    const lines = Object.entries(answers).map(([status, body]) => `    "${status}": ${JSON.stringify(body)}`);
    return `  "${operation}": {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${operations.join(',\n')}\n}\n`;
};

const kept = (): Examples => {
  assert.ok(existsSync(FILE), 'there are no examples yet');
  return JSON.parse(readFileSync(FILE, 'utf8')) as Examples;
};

test('the examples have the members of what the server answers now', () => {
  assert.deepEqual(membersOf(kept()), membersOf(sorted(fresh)));
});

test('every operation that answers with a body has an example, and every 402 of the gateway', async () => {
  const document = (await florin.operator('GET', '/openapi.json')).body;
  const bare: string[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
  for (const [at, item] of Object.entries<any>(document.paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
    for (const [method, { responses }] of Object.entries<any>(item)) {
      const wanted = Object.keys(responses).filter((status) => status < '300' || status === '402');
      const json = wanted.flatMap((status) => {
        const content = responses[status].content?.['application/json'];
        return content ? [{ status, shown: content.example !== undefined }] : [];
      });
      const done = json.filter(({ status }) => status < '300');
      if (done.length > 0 && !done.some(({ shown }) => shown)) bare.push(`${method.toUpperCase()} ${at}`);
      if (json.some(({ status, shown }) => status === '402' && !shown)) bare.push(`${method.toUpperCase()} ${at} 402`);
    }
  }
  assert.deepEqual(bare, []);
});

test('every operation that takes a body shows one', async () => {
  const document = (await florin.operator('GET', '/openapi.json')).body;
  const bare: string[] = [];
  type Asked = Record<
    string,
    { readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> } }
  >;
  for (const [at, item] of Object.entries<Asked>(document.paths))
    for (const [method, { requestBody }] of Object.entries(item))
      if (requestBody && requestBody.content['application/json']?.example === undefined)
        bare.push(`${method.toUpperCase()} ${at}`);
  assert.deepEqual(bare, []);
});

test('clients in any language can be made of the description: enumerations of one type, patterns of no dialect, arrays of something', async () => {
  const document = (await florin.operator('GET', '/openapi.json')).body;
  const found: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { enum: values, pattern, type, items } = value as Readonly<Record<string, unknown>>;
    const types = Array.isArray(values) ? new Set(values.filter((one) => one !== null).map((one) => typeof one)) : null;
    if (types && types.size > 1) found.push(`${at}: an enumeration of ${[...types].join(', ')}`);
    if (typeof pattern === 'string' && /\\p\{/i.test(pattern)) found.push(`${at}: ${pattern}`);
    if ([type].flat().includes('array') && items === undefined) found.push(`${at}: an array of what?`);
    for (const [name, held] of Object.entries(value)) if (name !== 'example') visit(held, `${at}/${name}`);
  };
  visit(document, '#');
  assert.deepEqual(found, []);
});

test('nothing in them is secret, or of this run', () => {
  const found = /127\.0\.0\.1|localhost|\/tmp\/|"cvv":"(?!123")\d|sandbox-secret|Bearer /.exec(JSON.stringify(kept()));
  assert.equal(found, null);
});
