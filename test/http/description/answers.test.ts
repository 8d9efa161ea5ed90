// Every answer has a description that says all of it, and the check that holds the tests' answers against it can fail.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSchema, type JsonSchema } from '../../../src/http/fields/schema.ts';
import type { AnyApi, Server } from '../../../src/http/index.ts';
import {
  answerChecker,
  answersOfRun,
  type Checker,
  DESCRIBED,
  type Sent,
  watchAnswers,
} from '../../support/answers.ts';
import { payment, type TestApp, testApp } from '../../support/app.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

let florin: TestApp;
let apis: readonly AnyApi[];
let document: Json;
before(async () => {
  florin = await testApp(
    {},
    {
      watch(server: Server, all) {
        apis = all;
        watchAnswers(server, all);
      },
    },
  );
  document = (await florin.operator('GET', '/openapi.json')).body;
});

const resolved = (value: Json): Json => {
  if (typeof value?.$ref !== 'string') return value;
  return resolved(
    value.$ref
      .slice(2)
      .split('/')
      .reduce((at: Json, name: string) => at[name], document),
  );
};

const described = () => Object.entries<Json>(document.paths).filter(([at]) => DESCRIBED.test(at));

/** Every answer of every operation, with a name. */
const answers = (): { readonly name: string; readonly status: number; readonly answer: Json }[] =>
  described().flatMap(([at, item]) =>
    Object.entries<Json>(item).flatMap(([method, { responses }]) =>
      Object.entries<Json>(responses).map(([status, answer]) => ({
        name: `${method.toUpperCase()} ${at} ${status}`,
        status: Number(status),
        answer: resolved(answer),
      })),
    ),
  );

/** Places in a schema where an object says nothing of its members, or may have any others. */
function openPlaces(schema: Json, at: string): string[] {
  const known = resolved(schema);
  const parts = [
    ...(known.anyOf ?? []),
    ...(known.items ? [known.items] : []),
    ...Object.values(known.properties ?? {}),
  ];
  const values = typeof known.additionalProperties === 'object' ? [known.additionalProperties] : [];
  const says = known.anyOf ?? known.type ?? known.enum ?? known.const;
  const isOpen = [known.type].flat().includes('object') && known.additionalProperties === undefined;
  const here = says === undefined || isOpen ? [at] : [];
  return [...here, ...[...parts, ...values].flatMap((part, i) => openPlaces(part, `${at} ${part.title ?? i}`))];
}

describe('the description of answers', () => {
  test('says of each what its body is, to the last member', () => {
    const bare = answers().filter(({ status, answer }) => (status === 204) === (answer.content !== undefined));
    assert.deepEqual(
      bare.map(({ name }) => name),
      [],
      'answers without schema',
    );
    const open = answers().flatMap(({ name, answer }) =>
      Object.values<Json>(answer.content ?? {}).flatMap(({ schema }) => openPlaces(schema, name)),
    );
    assert.deepEqual(open, [], 'objects that may hold anything');
  });

  test('has for every endpoint what any request may be refused with', () => {
    for (const [at, item] of described()) {
      for (const [method, { responses, parameters, requestBody }] of Object.entries<Json>(item)) {
        const name = `${method.toUpperCase()} ${at}`;
        const wanted = ['400', '401', '406', '429', '500'];
        if (at.includes('{')) wanted.push('404');
        if (['post', 'put', 'patch'].includes(method)) wanted.push('413', '415');
        if (requestBody || parameters.length > 0) wanted.push(at.startsWith('/issuing') ? '400' : '422');
        if (at.startsWith('/issuing')) wanted.push('503');
        const missing = wanted.filter((status) => !(status in responses));
        assert.deepEqual(missing, [], name);
        assert.ok(
          Object.keys(responses).some((status) => status < '400'),
          `${name} succeeds with nothing`,
        );
      }
    }
  });

  test('is JSON Schema 2020-12, one thing a name, and its examples are right', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false, allErrors: true });
    ajv.addVocabulary(['example', 'components']);
    const names = Object.keys(document.components.schemas);
    assert.deepEqual(
      names.filter((name) => /_\d+$/.test(name)),
      [],
    );
    for (const { name, answer } of answers()) {
      for (const { schema, example } of Object.values<Json>(answer.content ?? {})) {
        const validate = ajv.compile({ ...schema, components: document.components });
        if (example !== undefined) assert.ok(validate(example), `${name}: ${JSON.stringify(validate.errors)}`);
      }
    }
  });
});

test('every request has a shape that can be checked', () => {
  for (const { endpoints } of apis)
    for (const { params, query, body } of endpoints)
      for (const schema of [params, query, body]) if (schema) compileSchema(schema as JsonSchema).check({});
});

describe('the check of answers', () => {
  let checker: Checker;
  let order: Json;
  before(async () => {
    checker = answerChecker(apis);
    order = (await florin.merchant('POST', '/gateway/orders/authorize', payment())).body.orders[0];
  });
  const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
  const sent = (changes: Partial<Sent> = {}): Sent => ({
    method: 'POST',
    route: '/gateway/orders/authorize',
    status: 200,
    headers: JSON_TYPE,
    body: JSON.stringify({ orders: [order] }),
    ...changes,
  });
  const problemsOf = (changes: Partial<Sent>): string[] => [...checker.check(sent(changes)).problems];
  const orders = (changes: object): Partial<Sent> => ({ body: JSON.stringify({ orders: [{ ...order, ...changes }] }) });

  test('passes a right answer, and says which it was', () => {
    assert.deepEqual(checker.check(sent()), { name: 'POST /gateway/orders/authorize 200', problems: [] });
  });

  const WRONG: readonly [what: string, changes: () => Partial<Sent>, problem: RegExp][] = [
    [
      'a member too many',
      () => orders({ colour: 'CANARY' }),
      /orders\/\* must NOT have additional properties \(colour\)/,
    ],
    ['a member too few', () => orders({ segment: undefined }), /orders\/\* must have required property 'segment'/],
    ['an amount that is a number', () => orders({ amount: 12.5 }), /orders\/\*\/amount must be string/],
    ['an amount of another form', () => orders({ amount: 'CANARY' }), /orders\/\*\/amount must match pattern/],
    ['an unknown word', () => orders({ status: 'CANARY' }), /orders\/\*\/status must be equal to one of/],
    ['another status', () => ({ status: 299 }), /^POST \/gateway\/orders\/authorize 299 is not documented$/],
    [
      'another type',
      () => ({ headers: { 'content-type': 'text/plain' } }),
      /content type text\/plain is not documented/,
    ],
    ['a header field too many', () => ({ headers: { ...JSON_TYPE, link: 'CANARY' } }), /link is not documented/],
    ['a header field too few', () => ({ route: '/gateway/orders/create', status: 201 }), /location is missing/],
    ['a failure in another shape', () => ({ status: 402, body: '{"error":"CANARY"}' }), / 402: \/ must have required/],
    [
      'an unknown path in no envelope',
      () => ({ route: '/gateway/colours', status: 404, body: '{}' }),
      /^\/gateway 404/,
    ],
  ];
  for (const [what, changes, problem] of WRONG) {
    test(`finds ${what}, and repeats no value`, () => {
      const found = problemsOf(changes());
      assert.ok(
        found.some((text) => problem.test(text)),
        JSON.stringify(found),
      );
      assert.doesNotMatch(JSON.stringify(found), /CANARY/);
    });
  }

  test('turns a run red', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'florin-answers-'));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--test', path.join(import.meta.dirname, 'planted-answer-child.ts')], {
      env: { ...env, FLORIN_TEST_ANSWERS: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    const { wrong, unseen } = answersOfRun(folder);
    rmSync(folder, { recursive: true });
    assert.equal(code, 1, said);
    assert.match(said, /GET \/gateway\/ping 200: \/ must NOT have additional properties \(colour\)/);
    assert.deepEqual(wrong, ['GET /gateway/ping 200: / must NOT have additional properties (colour)']);
    assert.ok(unseen.includes('POST /gateway/orders/authorize 200'));
    assert.ok(!unseen.includes('GET /gateway/ping 200'));
  });

  test('misses what any server of a run declares: the first may have a half of the APIs', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'florin-answers-'));
    writeFileSync(path.join(folder, 'declared-one'), 'GET /a 200\nGET /a 404');
    writeFileSync(path.join(folder, 'declared-two'), 'GET /a 200\nGET /b 200\nGET /b 404');
    writeFileSync(path.join(folder, 'seen-1'), 'GET /a 200\nGET /b 404\n');
    const { unseen } = answersOfRun(folder);
    rmSync(folder, { recursive: true });
    assert.deepEqual(unseen.toSorted(), ['GET /a 404', 'GET /b 200']);
  });
});
