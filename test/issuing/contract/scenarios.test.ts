// GET /simulator/scenarios: every one is sent as it is listed, and answered exactly so; and the list is complete by the contract.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { type TestApp, testApp } from '../../support/app.ts';

interface Scenario {
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body: object | string | null;
  };
  readonly expect: {
    readonly status: number;
    readonly errorCode?: string;
    readonly code?: string;
    readonly invalidField?: object;
    readonly failureType?: string;
    readonly failureMessage?: string;
    readonly field?: { readonly uri: string; readonly message: string };
  };
}

let florin: TestApp;
let scenarios: readonly Scenario[];
const list = async (): Promise<readonly Scenario[]> => {
  const reply = await florin.operator('GET', '/simulator/scenarios');
  assert.equal(reply.status, 200, reply.text);
  return reply.body.scenarios;
};

before(async () => {
  florin = await testApp();
  scenarios = await list();
});

async function send({
  request: { method, path: target, headers, body },
  // biome-ignore lint/suspicious/noExplicitAny: failures of two APIs
}: Scenario): Promise<{ status: number; body: any }> {
  const response = await fetch(`${florin.url}${target}`, {
    method,
    headers,
    ...(body === null ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function assertScenario(scenario: Scenario): Promise<void> {
  const { expect, id } = scenario;
  const { status, body } = await send(scenario);
  const shown = `${id}: ${status} ${JSON.stringify(body)}`;
  assert.equal(status, expect.status, shown);
  if (id.startsWith('issuing.')) {
    // Literally: 403 and 409 have an errorCode, 400 the wrong fields, everything else a code.
    const named = status === 400 ? 'syntaxErrors' : status === 403 || status === 409 ? 'errorCode' : 'code';
    assert.deepEqual(Object.keys(body).sort(), [named, 'message'].sort(), shown);
    assert.deepEqual([body.errorCode, body.code], [expect.errorCode, expect.code], shown);
    const invalidFields = expect.invalidField ? [expect.invalidField] : [];
    if (status === 400) assert.deepEqual(body.syntaxErrors, { invalidFields }, shown);
  }
  if (expect.failureType !== undefined) assert.equal(body.failure_type, expect.failureType, shown);
  if (expect.failureMessage !== undefined) assert.equal(body.failure_message, expect.failureMessage, shown);
  if (expect.field) {
    const [first] = body.errors as { uri: string; message: string }[];
    assert.deepEqual({ uri: first?.uri, message: first?.message }, expect.field, shown);
  }
}

test('every scenario is answered exactly as it says, and again from a list of the next start that was read a minute ago', async () => {
  assert.ok(scenarios.length > 90, `${scenarios.length} scenarios`);
  assert.equal(new Set(scenarios.map(({ id }) => id)).size, scenarios.length, 'ids are unique');
  for (const scenario of scenarios) await assertScenario(scenario);
  await florin.restart();
  const read = await list();
  assert.equal((await florin.operator('POST', '/simulator/clock/advance', { by: '1m' })).status, 200);
  for (const scenario of read) await assertScenario(scenario);
});

/** Codes that the contract lists, kept here in its own words. */
const words = (text: string): string[] => text.match(/[A-Z][A-Z_]{3,}(?:15SEC)?/g) ?? [];

const CREATION = words(
  `PAYMENT_MODEL_CONSTRAINTS_VIOLATED, PROFILE_NOT_FOUND, PROFILE_INACTIVE, CURRENCY_NOT_SUPPORTED_BY_PROFILE,
   PROVIDER_NOT_SUPPORTED_BY_PROFILE, INSTRUMENT_NOT_FOUND, COUNTRY_INVALID, OWNER_IDENTITY_NOT_VERIFIED,
   IDENTITY_LIMITS_EXCEEDED, PROGRAMME_LIMITS_EXCEEDED, INNOVATOR_LIMITS_EXCEEDED, SYSTEM_LIMITS_EXCEEDED,
   PARENT_MANAGED_ACCOUNT_NOT_ACTIVE, PARENT_MANAGED_ACCOUNT_NOT_FOUND, WALLETS_NOT_ENABLED,
   WALLET_ARTWORK_NOT_SPECIFIED, WALLET_ARTWORK_INVALID, IDENTITY_KYC_LEVEL_STEPUP_REQUIRED,
   PUSHPROVISIONING_NOT_ENABLED, AUTH_FORWARDING_NOT_ENABLED, THREEDS_DETAILS_NOT_PROVIDED,
   USER_NOT_ENROLLED_FOR_BIOMETRICS, BIOMETRIC_AUTHENTICATION_NOT_SUPPORTED, LINKED_USER_NOT_FOUND, USER_INACTIVE,
   INVALID_CHANNELS_SELECTED, INVALID_PRIMARY_CHANNEL_SELECTED, USER_MOBILE_NUMBER_DOES_NOT_EXIST,
   MORE_THAN_ONE_MOBILE_NUMBER_PROVIDED, MOBILE_NUMBER_ALREADY_EXISTS, EXTERNAL_AUTHY_AUTHENTICATION_NOT_SUPPORTED,
   USER_NOT_ENROLLED_FOR_EXTERNAL_AUTHY`,
);
const ACTIVATION = words(
  'INSTRUMENT_NOT_PHYSICAL, INSTRUMENT_ALREADY_ACTIVATED, ACTIVATION_CODE_INVALID, INSTRUMENT_BLOCKED, INSTRUMENT_DESTROYED',
);

test('409 errorCode values on card creation: all 32, each by one request', () => {
  assert.equal(CREATION.length, 32);
  const ids = new Set(scenarios.map(({ id }) => id));
  assert.deepEqual(
    CREATION.filter((code) => !ids.has(`issuing.cards.request.${code}`)),
    [],
  );
});

test('409 errorCode values on activation: all 5', () => {
  const ids = new Set(scenarios.map(({ id }) => id));
  assert.deepEqual(
    ACTIVATION.filter((code) => !ids.has(`issuing.cards.activate.${code}`)),
    [],
  );
});

test('every status code of both documents: 400 401 403 404 409 429 500 503 of issuing, 401 402 422 500 of the gateway', () => {
  const statuses = (api: string): Set<number> =>
    new Set(scenarios.filter(({ id }) => id.startsWith(`${api}.`)).map(({ expect }) => expect.status));
  const issuing = statuses('issuing');
  for (const status of [400, 401, 403, 404, 409, 410, 429, 500, 503])
    assert.ok(issuing.has(status), `issuing ${status}`);
  const gateway = statuses('gateway');
  for (const status of [400, 401, 402, 404, 405, 415, 422, 500]) assert.ok(gateway.has(status), `gateway ${status}`);
});

test('every conflict that the reference tells of an operation has its request', async () => {
  const { paths } = (await (await fetch(`${florin.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  };
  const missing: string[] = [];
  for (const [template, operations] of Object.entries(paths)) {
    if (!template.startsWith('/issuing/')) continue;
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '\\w+')}$`);
    for (const [method, { responses }] of Object.entries(operations))
      for (const status of [409, 410, 423]) {
        const told = responses[status];
        if (!told || told.$ref) continue;
        // Of the header, not of the operation.
        for (const code of words(JSON.stringify(told)))
          if (
            code !== 'IDEMPOTENCY_REF_REUSED' &&
            !scenarios.some(
              ({ request, expect }) =>
                request.method === method.toUpperCase() &&
                pattern.test(request.path) &&
                expect.status === status &&
                (expect.errorCode ?? expect.code) === code,
            )
          )
            missing.push(`${method} ${template}: ${status} ${code}`);
      }
  }
  assert.deepEqual(missing, []);
});

test('every field code that a rule of ours gives, and the others are called reserved in the reference', async () => {
  const CODES = words(
    'REQUIRED, HAS_TEXT, REQUIRES, SIZE, RANGE, IN__, NOT_IN, REGEX, EXACTLY, AT_LEAST, AT_MOST, ALL_OR_NONE',
  ).map((code) => code.replace('__', ''));
  const given = new Set(
    scenarios.flatMap(({ expect }) => (expect.invalidField ? [(expect.invalidField as { error: string }).error] : [])),
  );
  const { components } = (await (await fetch(`${florin.url}/openapi.json`)).json()) as {
    components: { schemas: { InvalidField: { properties: { error: { enum: string[]; description: string } } } } };
  };
  const { error } = components.schemas.InvalidField.properties;
  assert.deepEqual([...error.enum].sort(), [...CODES].sort());
  const reserved = /Reserved[^:]*: ([A-Z_, ]+)/.exec(error.description)?.[1]?.split(', ') ?? [];
  assert.deepEqual([...given, ...reserved].sort(), [...CODES].sort());
});

test('429 tells x-ratelimit-limit and x-ratelimit-reset', async () => {
  const limited = scenarios.find(({ id }) => id === 'issuing.service.TOO_MANY_REQUESTS') as Scenario;
  const { method, path: target, headers, body } = limited.request;
  const response = await fetch(`${florin.url}${target}`, { method, headers, body: JSON.stringify(body) });
  assert.equal(response.status, 429);
  assert.match(response.headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
  assert.match(response.headers.get('x-ratelimit-reset') ?? '', /^\d+$/);
});

test('creation checks come in the documented order', () => {
  // The table of docs/contract/issuing.md#conflicts-on-creation is the order of the list that provokes them.
  const source = readFileSync(path.join(import.meta.dirname, '../../../src/issuing/scenarios/creation.ts'), 'utf8');
  const order = [...source.matchAll(/code: '([A-Z_]+)'/g)].map((match) => match[1]);
  assert.equal(order[0], 'PROFILE_NOT_FOUND');
  assert.equal(order.at(-1), 'INSTRUMENT_NOT_FOUND');
});

test('asked for by many at once, the list is whole for each', async () => {
  const fresh = await testApp();
  const replies = await Promise.all(Array.from({ length: 4 }, () => fresh.operator('GET', '/simulator/scenarios')));
  assert.deepEqual(
    replies.map(({ status, body }) => [status, body.scenarios?.length]),
    Array(4).fill([200, scenarios.length]),
  );
});
