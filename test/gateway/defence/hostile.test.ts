// Hostile requests over keep-alive connections: every strange value in every field of every request, every strange name, id, query and
// header field, and then six thousand by chance. Whatever arrives is answered in the failure's shape, soon, and says nothing back.
// FLORIN_TEST_HOSTILE sets another number of those by chance, FLORIN_TEST_SEED repeats a run's requests. The cards are such that the
// issuer never fails: so a 500 is always ours.
import assert from 'node:assert/strict';
import http from 'node:http';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Random, seededRandom, systemRandom } from '../../../src/base/index.ts';
import { basic, payment, type TestApp, testApp } from '../../support/app.ts';

const COUNT = Number(process.env.FLORIN_TEST_HOSTILE ?? 6_000);
const SEED = Number(process.env.FLORIN_TEST_SEED ?? systemRandom.int(2 ** 31));
const SOCKETS = 16;
/** What takes longer hangs, also on a machine that is busy with other tests. */
const LONGEST_MS = 5000;
const PAN = '4111111111111111';
const CVV = '9173';
/** Bytes that a request may leave behind, on average. */
const MOST_KEPT = 1000;

let florin: TestApp;
let orderId: string;
before(async () => {
  florin = await testApp();
  orderId = (await florin.merchant('POST', '/gateway/orders/authorize', payment())).body.orders[0].id;
});

type Json = null | boolean | number | string | Json[] | { [name: string]: Json } | Raw;
/** Text that stands in the JSON as it is: numbers and syntax that JSON.stringify would not write. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | null;
}

const nested = (depth: number, open: string, close: string) => new Raw(`${open.repeat(depth)}1${close.repeat(depth)}`);

const STRANGE: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  ' ',
  [],
  {},
  [[]],
  [{}],
  '0',
  '-0',
  'null',
  'NaN',
  'Infinity',
  '0x10',
  '1e2',
  '12.345',
  '٣',
  '１２',
  '١٢٫٥٠',
  '\0',
  '\u0000\u0001\u001f\u007f\u0085',
  '\u2028\u2029',
  '\ufeff12',
  '\ud800',
  '\udfff\ud800',
  '🜁'.repeat(50),
  'a\u0301'.repeat(200),
  '\u202etxet',
  '\r\nSet-Cookie: a=b',
  '<script>alert(1)</script>',
  "'; drop table orders; --",
  '{{7*7}}#{7*7}',
  '../../../etc/passwd',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://user:pass@127.0.0.1:1/',
  'https://exa mple.test/',
  'x'.repeat(300),
  'x'.repeat(5000),
  '9'.repeat(400),
  PAN,
  `4111-1111-1111-1111 and ${CVV}`,
  '2026-02-30 25:61:61',
  new Raw('1e400'),
  new Raw('-0'),
  new Raw('1E+2'),
  new Raw('1e-7'),
  new Raw('9'.repeat(400)),
  new Raw(`0.${'0'.repeat(300)}1`),
  new Raw('9007199254740993'),
  new Raw('999999999999999999'),
  new Raw('9223372036854775808'),
  new Raw('NaN'),
  new Raw('-Infinity'),
  new Raw('01'),
  new Raw('.5'),
  new Raw('0x1f'),
  new Raw('undefined'),
  new Raw('"\\ud800"'),
  new Raw('"\\u0000"'),
  new Raw('"\\x41"'),
  new Raw('"\n"'),
  new Raw('1,'),
  new Raw('{"a":1,"a":2}'),
  new Raw('{"__proto__":{"isAdmin":true}}'),
  nested(9, '[', ']'),
  nested(11, '[', ']'),
  nested(11, '{"a":', '}'),
  nested(3000, '[', ']'),
  nested(3000, '{"a":', '}'),
];

const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'valueOf',
  'length',
  'then',
  'toJSON',
  '',
  ' ',
  '/',
  '~0~1',
  '#/card',
  'card.cvv',
  'card[cvv]',
  'pan ',
  'Pan',
  'PAN',
  'pаn',
  '\0',
  '\u2028',
  '\ud800',
  'status',
  'id',
  'project_id',
  'amount_charged',
  'order_id',
  'x'.repeat(1000),
  PAN,
];

const VALID: Readonly<Record<string, Json>> = {
  authorize: payment({
    card: { cvv: CVV, holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
    merchant_order_id: 'A-1',
    segment: 7,
    description: 'Two books',
    client: { name: 'Ada', email: 'ada@example.test', city: 'Vilnius', country: 'LTU', phone: '+37060000000' },
    custom_fields: { a: 'b', 'c-d': 'e' },
    extra_fields: { merchant: 'BOOKS', city: 'Vilnius', country: 'LTU' },
    location: { ip: '192.0.2.1', country: 'LTU' },
    options: { auto_charge: 1, language: 'en', return_url: 'https://shop.example/thanks', expiration_timeout: '15m' },
    secure3d: { browser_details: { browser_ip: '192.0.2.1', browser_color_depth: 24, window_height: 0 } },
  }) as Json,
  create: {
    amount: 10.1,
    currency: 'EUR',
    merchant_order_id: 'A-2',
    client: { name: 'Ada' },
    custom_fields: { a: 'b' },
    options: { return_url: 'https://shop.example/thanks', template: 'plain', mobile: 0, static_link: 1 },
  },
  credit: { amount: 1, pan: PAN, currency: 'EUR', card: { expiration_month: 12, expiration_year: 30 } },
  amount: { amount: '1.00' },
  rebill: { amount: 1, cvv: CVV, location: { ip: '192.0.2.1' }, client: { name: 'Ada' } },
  complete: { PaRes: 'eJx', MD: 'abc' },
};

const ODD_IDS: readonly string[] = [
  '0',
  '-1',
  '1e9',
  '9223372036854775808',
  '9'.repeat(19),
  '9'.repeat(199),
  '9'.repeat(3000),
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  '%2e%2e%2f',
  '..;',
  'null',
  '__proto__',
  '%D9%A1',
  '1%0d%0aX:y',
  "1'or'1'='1",
  'a/b/c',
  '/',
  '//',
  '*',
  ';x=1',
  PAN,
];

const QUERIES: readonly string[] = [
  'expand=operations.cashflow,secure3d',
  'expand=__proto__',
  `expand=${'card,'.repeat(500)}`,
  'per_page=-1',
  'per_page=1e9',
  'per_page=0',
  'per_page=99999999999999999999',
  'per_page=1&per_page=2',
  'after=AAAA',
  'after=%00',
  `after=${'x'.repeat(399)}`,
  'after=eyJhIjoxfQ',
  'created_from=2026-02-30+00:00:00',
  'created_from=9999999-01-01',
  'created_to=%F0%9F%9C%81',
  "client.name=%25_%5C'",
  `client.name=${'a%25'.repeat(200)}`,
  'client.email=%00',
  `status=${'new,'.repeat(1000)}`,
  'issuer.bin=%5B%5D',
  'location.ip=1.2.3.4.5',
  '__proto__[x]=1',
  'constructor.prototype=1',
  'amount=1&amount=2',
  'amount=5',
  `pan=${PAN}`,
  '%',
  '%zz=%zz',
  '%ff=%fe',
  '&&&=&=&',
  '?'.repeat(50),
  'count=1',
  'count=maybe',
  'from=EUR&to=XXX',
  'date=2026-13-01',
  'date=2026-01-01&date_from=2026-01-01',
  `x=${'y'.repeat(4000)}`,
];

const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'x'.repeat(3000) },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { accept: ','.repeat(2000) },
  { accept: 'application/json;q=0' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'idempotency-key': 'a b' },
  { 'idempotency-key': 'same' },
  { 'x-forwarded-for': "1.1.1.1, ' or 1=1" },
  { 'x-http-method-override': 'DELETE' },
  { authorization: 'Basic x' },
  { authorization: `Basic ${Buffer.from('a:\0').toString('base64')}` },
  { authorization: `Basic ${'A'.repeat(4000)}` },
  { expect: '100-continue' },
  { 'if-none-match': '*', range: 'bytes=0-1' },
  { cookie: '__proto__=1; a=b' },
  { host: 'evil.example:99999' },
  { 'x-request-id': `${PAN} \t ${CVV}` },
];

/** The value as JSON text, with what JSON can't say. */
function write(value: Json): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`)}}`;
  return JSON.stringify(value);
}

const AUTHORIZATION = basic('sandbox', 'sandbox-secret');
const WRITES = [
  ['POST', '/gateway/orders/authorize', 'authorize', 50],
  ['POST', '/gateway/orders/create', 'create', 14],
  ['POST', '/gateway/orders/credit', 'credit', 8],
  ['PUT', '/gateway/orders/ID/charge', 'amount', 6],
  ['PUT', '/gateway/orders/ID/refund', 'amount', 6],
  ['PUT', '/gateway/orders/ID/reverse', 'amount', 2],
  ['POST', '/gateway/orders/ID/cancel', 'amount', 2],
  ['POST', '/gateway/orders/ID/rebill', 'rebill', 6],
  ['POST', '/gateway/orders/ID/credit', 'rebill', 2],
  ['POST', '/gateway/orders/ID/complete', 'complete', 2],
  ['POST', '/gateway/orders/ID/complete3d20', 'amount', 1],
  ['POST', '/gateway/orders/ID/resume', 'amount', 1],
] as const;
const READS = [
  '/gateway/ping',
  '/gateway/orders/',
  '/gateway/operations/',
  '/gateway/exchange_rates/',
  '/gateway/orders/ID',
  '/gateway/ORDERS',
  '/gateway//orders',
  '/gateway/orders/ID/../..',
  '/gateway/%2e%2e/operator',
  '/gateway',
  '/gateway/',
];

/** The value with each part of it replaced by each strange value, with each strange name beside its own, and without each part. */
function* spoilt(value: Json): Generator<Json> {
  yield* STRANGE;
  if (value instanceof Raw || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries = Object.entries(value);
  const object = (parts: readonly (readonly [string, Json])[]): Json =>
    new Raw(`{${parts.map(([name, part]) => `${JSON.stringify(name)}:${write(part)}`).join(',')}}`);
  for (const [at, [name, inner]] of entries.entries()) {
    for (const part of spoilt(inner)) yield object(entries.with(at, [name, part]));
    yield object(entries.toSpliced(at, 1));
    yield object([...entries, [name, inner]]);
  }
  for (const name of NAMES) yield object([...entries, [name, 'x']]);
}

/** Each kind of what is strange at each place where it may stand. */
function* everyKind(): Generator<Shot> {
  const json = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
  const writing = WRITES.map(([method, path, kind]): Shot => {
    return { method, path: path.replace('ID', orderId), headers: json, body: write(VALID[kind] as Json) };
  });
  const reading = READS.map((path): Shot => {
    const short = path.endsWith('s/') ? `${path}?per_page=2` : path.replace('ID', orderId);
    return { method: 'GET', path: short, headers: { authorization: AUTHORIZATION }, body: null };
  });
  const tried = new Set<string>();
  for (const [i, [, , kind]] of WRITES.entries()) {
    // The same body on another path: its parts were tried, it is tried whole.
    const bodies = tried.has(kind) ? STRANGE : spoilt(VALID[kind] as Json);
    for (const body of bodies) yield { ...(writing[i] as Shot), body: write(body) };
    tried.add(kind);
  }
  for (const shot of [...writing, ...reading]) {
    for (const odd of ODD_HEADERS) yield { ...shot, headers: { ...shot.headers, ...odd } };
    for (const id of shot.path.includes(orderId) ? ODD_IDS : [])
      yield { ...shot, path: shot.path.replace(orderId, id) };
    for (const query of QUERIES) yield { ...shot, path: `${shot.path}${shot.path.includes('?') ? '&' : '?'}${query}` };
  }
  for (const shot of reading)
    for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE']) yield { ...shot, method };
}

function generator(random: Random): () => Shot {
  const chance = (percent: number): boolean => random.int(100) < percent;
  const pick = <T>(values: readonly T[]): T => values[random.int(values.length)] as T;

  /** The value with about one part of it changed; objects written by hand where names stand twice. */
  function mutate(value: Json): Json {
    if (value instanceof Raw || typeof value !== 'object' || value === null || Array.isArray(value) || chance(8))
      return pick(STRANGE);
    const entries = Object.entries(value);
    const at = random.int(entries.length + 1);
    const [name, inner] = entries[at] ?? [pick(NAMES), pick(STRANGE)];
    const kind = random.int(8);
    if (at === entries.length) entries.push([name, inner]);
    else if (kind === 0) entries.splice(at, 1);
    else if (kind === 1) entries.push([name, mutate(inner)]);
    else if (kind === 2) entries[at] = [pick(NAMES), inner];
    else if (kind === 3) entries[at] = [name, [inner]];
    else if (kind === 4) entries[at] = [name, { [name]: inner }];
    else entries[at] = [name, mutate(inner)];
    return new Raw(`{${entries.map(([key, part]) => `${JSON.stringify(key)}:${write(part)}`).join(',')}}`);
  }

  function garbage(): string | Buffer {
    const valid = write(VALID.authorize as Json);
    const kind = random.int(9);
    if (kind === 0) return random.bytes(random.int(300));
    if (kind === 1) return valid.slice(0, random.int(valid.length));
    if (kind === 2) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)]);
    if (kind === 3) return Buffer.from(valid, 'utf16le');
    if (kind === 4)
      return pick(['null', '[]', '1', '""', 'true', ' ', '\n', '{}{}', '{"a":1}x', '// x\n{}', '<a/>', '{a:1}']);
    if (kind === 5) return write(pick(STRANGE));
    if (kind === 6) return `{${`"a":1,`.repeat(2000)}"a":1}`;
    if (kind === 7) return chance(10) ? valid + ' '.repeat(65_536) : `${' '.repeat(20_000)}${valid}`;
    const bytes = Buffer.from(valid);
    for (let i = 0; i < 3; i++) bytes[random.int(bytes.length)] = random.int(256);
    return bytes;
  }

  function body(kind: string): string | Buffer {
    if (chance(12)) return garbage();
    let value = VALID[kind] as Json;
    // A second mutation meets the first as text, so it replaces a whole: most requests have one.
    value = mutate(value);
    return write(value);
  }

  const weighted = WRITES.flatMap((entry) => Array.from({ length: entry[3] }, () => entry));

  return () => {
    const headers: Record<string, string> = { authorization: AUTHORIZATION };
    const id = chance(60) ? orderId : pick(ODD_IDS);
    const query = chance(20) ? `?${pick(QUERIES)}` : '';
    if (chance(20)) {
      if (chance(30)) Object.assign(headers, pick(ODD_HEADERS));
      const method = chance(85) ? 'GET' : pick(['DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE']);
      // A full page of these lists is long: few ask for one.
      const target = pick(READS);
      const paged = target.endsWith('s/') && !query.includes('per_page');
      const odd = paged ? `${query || '?'}&per_page=2` : query;
      return { method, path: target.replace('ID', id) + odd, headers, body: null };
    }
    const [method, path, kind] = pick(weighted);
    headers['content-type'] = 'application/json';
    if (chance(10)) Object.assign(headers, pick(ODD_HEADERS));
    return { method, path: path.replace('ID', id) + query, headers, body: body(kind) };
  };
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS });

function fire({ method, path, headers, body }: Shot): Promise<Answered> {
  const { hostname, port } = new URL(florin.url);
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const bytes = body === null ? null : Buffer.from(body as string);
    const all = { ...headers, ...(bytes ? { 'content-length': String(bytes.length) } : {}) };
    const request = http.request({ hostname, port, method, path, headers: all, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          ms: performance.now() - from,
        }),
      );
    });
    request.on('error', reject);
    request.end(bytes ?? undefined);
  });
}

/** What is wrong with an answer; null: nothing. */
function wrongWith({ method }: Shot, { status, text: all, ms }: Answered): string | null {
  // The one field that is left as it was sent, also when it looks like a card number.
  const text = all.replace(/"merchant_order_id":"(?:[^"\\]|\\.)*"/g, '');
  if (ms > LONGEST_MS) return `took ${Math.round(ms)} ms`;
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) return `status ${status}`;
  if (text.includes(PAN) || text.includes('4111-1111')) return 'says the card number back';
  // Within an order's id the four digits stand by chance.
  if (status >= 400 && /(?<!\d)9173(?!\d)/.test(text)) return 'says the CVV back';
  if (status < 300 || method === 'HEAD') return null;
  let failure: { failure_type?: unknown; failure_message?: unknown; order_id?: unknown; errors?: unknown };
  try {
    failure = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  const { failure_type, failure_message, order_id, errors } = failure;
  if (!['declined', 'fraud', 'rejected', 'validation'].includes(failure_type as string)) return 'failure_type';
  if (typeof failure_message !== 'string' || failure_message === '') return 'failure_message';
  if (order_id !== null && !(typeof order_id === 'string' && /^\d+$/.test(order_id))) return 'order_id';
  if ((status === 422) !== (failure_type === 'validation')) return 'validation is 422';
  if (status !== 422) return errors === undefined ? null : 'errors without a validation';
  if (!Array.isArray(errors) || errors.length === 0) return 'no errors';
  for (const { message, uri } of errors) {
    if (typeof message !== 'string' || message === '') return 'error without message';
    if (typeof uri !== 'string' || !uri.startsWith('#/')) return 'error without uri';
  }
  return null;
}

/** Bytes that are in use when nothing is left to be collected: what ends with its holder goes a turn later. */
async function used(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let i = 0; i < 3; i++) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test(`every kind of hostile request, and ${COUNT} by chance, seed ${SEED}`, async (t) => {
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const run = async (shots: Iterator<Shot>): Promise<number> => {
    let sent = 0;
    const shoot = async (): Promise<void> => {
      while (failures.length < 10) {
        const { value: shot, done } = shots.next();
        if (done) return;
        sent++;
        const answer = await fire(shot).catch((error: Error) => ({ status: 0, text: error.message, ms: 0 }));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const wrong = wrongWith(shot, answer);
        if (wrong)
          failures.push(
            `${wrong}: ${shot.method} ${shot.path.slice(0, 200)} ${JSON.stringify(shot.headers).slice(0, 300)} ` +
              `${String(shot.body).slice(0, 900)} -> ${answer.status} ${answer.text.slice(0, 400)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: SOCKETS }, shoot));
    return sent;
  };
  const next = generator(seededRandom(SEED));
  function* byChance(): Generator<Shot> {
    for (let left = COUNT; left > 0; left--) yield next();
  }

  // What caches and pools take for good is taken by then.
  const kinds = await run(everyKind());
  const before = await used();
  await run(byChance());
  const kept = ((await used()) - before) / Math.max(COUNT, 1);
  agent.destroy();

  t.diagnostic(
    `${kinds} kinds, seed ${SEED}, ${[...statuses].sort((a, b) => String(a).localeCompare(String(b))).join(' ')}, ` +
      `${Math.round(kept)} bytes a request kept`,
  );
  assert.deepEqual(failures, [], `seed ${SEED}`);
  assert.ok(kept < MOST_KEPT, `each request leaves ${kept} bytes behind`);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  // Not all of it may have been refused at the door: some has to reach orders, and some their limits.
  for (const status of [200, 201, 402, 404, 405, 406, 415, 422])
    assert.ok((statuses.get(status) ?? 0) > 0, `no answer ${status}`);
});

test('afterwards the books hold, and the door is open', async () => {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
  assert.equal((await florin.merchant('GET', '/gateway/ping')).status, 200);
  assert.equal((await florin.merchant('GET', `/gateway/orders/${orderId}`)).status, 200);
});
