// Ten thousand hostile requests to every endpoint of issuing, and to the simulator's merchant of issued cards: whatever arrives is
// answered in the documented shape, soon, never as a fault of ours; and the books still hold. At most 25 seconds are spent on it.
// FLORIN_TEST_HOSTILE sets another number, FLORIN_TEST_SEED repeats a run's requests.
import assert from 'node:assert/strict';
import http from 'node:http';
import { before, test } from 'node:test';
import { type Random, seededRandom, systemRandom } from '../../../src/base/index.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import {
  cardRequest,
  customer,
  DEBIT,
  fundedCard,
  newCard,
  PASSWORD,
  plasticCard,
  tokenOf,
  UPGRADE,
} from '../../support/issuing.ts';

const COUNT = Number(process.env.FLORIN_TEST_HOSTILE ?? 10_000);
const SEED = Number(process.env.FLORIN_TEST_SEED ?? systemRandom.int(2 ** 31));
const MOST_MS = 25_000;
const LONGEST_MS = 2000;
const SOCKETS = 12;

/** Text that stands in the JSON as it is: what JSON.stringify would not write. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Json = null | boolean | number | string | Json[] | { [name: string]: Json } | Raw;

interface Target {
  readonly method: string;
  /** `CARD`, `ACCOUNT`, `AUTHORIZATION` … stand for ids. */
  readonly path: string;
  readonly body?: object;
  readonly weight?: number;
  /** Another session than the one that all the others need. */
  readonly token?: string;
}

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | null;
}

let florin: TestApp;
let token: string;
/** What the names in a target's path may stand for: the customer's own, so that requests get behind the first check. */
let ids: Readonly<Record<string, string[]>>;
let targets: readonly Target[];

const LIMITS = {
  data: {
    allowedMerchantCategories: ['5411', '5999'],
    blockedMerchantCategories: ['7995'],
    allowedMerchantIds: ['SIMULATED1'],
    blockedMerchantIds: ['EVIL'],
    allowContactless: true,
    allowAtm: false,
    allowECommerce: true,
    allowCashback: true,
    allowCreditAuthorisations: true,
    spendLimit: [{ value: { currency: 'EUR', amount: 100_000 }, interval: 'DAILY' }],
    minTransactionAmount: 1,
    maxTransactionAmount: 50_000,
  },
};
const MORE = {
  tag: 'a-b',
  nameOnCardLine2: 'Second',
  externalHandle: 'h',
  externalData: [{ name: 'a', value: 'b' }],
  authForwardingDefaultTimeoutDecision: 'APPROVE',
  digitalWallets: { walletsEnabled: true, pushProvisioningEnabled: true, artworkReference: 'florin-blue' },
};

// Long: a table of targets, and the card, account or user that each is aimed at.
before(async () => {
  florin = await testApp();
  token = await tokenOf(florin);
  const ada = await customer(florin);
  const cards = [
    ...(await Promise.all(Array.from({ length: 4 }, () => fundedCard(ada, 100_000)))),
    await newCard(ada, DEBIT),
    await plasticCard(ada, false),
    await plasticCard(ada, true),
  ];
  const authorizations: string[] = [];
  for (const cardId of cards.slice(0, 5)) {
    const purchase = { cardId, amount: 500, currency: 'EUR', channel: 'ecommerce', threeDs: true };
    authorizations.push((await florin.operator('POST', '/simulator/purchases', purchase)).body.authorizationId);
  }
  const transfers = (await ada('GET', '/transfers')).body.transfers.map(({ id }: { id: string }) => id);
  const number = (await florin.operator('GET', `/operator/cards/${cards[0]}/number`)).body;
  ids = { CARD: cards, ACCOUNT: ['2001', '2003', '2004'], AUTHORIZATION: authorizations, TRANSFER: transfers };
  assert.ok(authorizations.every((id) => typeof id === 'string'));

  const request = cardRequest(MORE);
  const cardId = 'CARD';
  const purchase = { amount: 100, currency: 'EUR', mcc: '5411', merchantId: 'M1', country: 'LT', threeDs: true };
  const move = (name: string): Target => ({ method: 'POST', path: `/issuing/cards/${name}/CARD`, body: {} });
  targets = [
    { method: 'POST', path: '/issuing/cards/request', body: request, weight: 8 },
    {
      method: 'POST',
      path: '/issuing/cards/request',
      body: cardRequest({
        ...DEBIT,
        threeDSecureAuthConfig: { linkedUserId: '3001', primaryChannel: 'BIOMETRICS', fallbackChannel: 'OTP_SMS' },
      }),
      weight: 3,
    },
    { method: 'PATCH', path: '/issuing/cards/CARD', body: MORE, weight: 3 },
    { method: 'PUT', path: '/issuing/cards/limits/CARD', body: LIMITS, weight: 6 },
    { method: 'PATCH', path: '/issuing/cards/limits/CARD', body: LIMITS, weight: 2 },
    { method: 'DELETE', path: '/issuing/cards/limits/CARD' },
    { method: 'GET', path: '/issuing/cards/limits/CARD', weight: 2 },
    { method: 'GET', path: '/issuing/cards', weight: 3 },
    { method: 'GET', path: '/issuing/cards/CARD', weight: 2 },
    { method: 'GET', path: '/issuing/cards/transactions/CARD', weight: 2 },
    { method: 'GET', path: '/issuing/cards/payments/CARD', weight: 2 },
    { method: 'GET', path: '/issuing/cards/pin/CARD' },
    { method: 'POST', path: '/issuing/cards/pin/unblock/CARD', body: {} },
    { method: 'POST', path: '/issuing/cards/reveal', body: { token: 'A'.repeat(76) }, weight: 2 },
    { method: 'POST', path: '/issuing/cards/activate/CARD', body: { activationCode: '004711' }, weight: 2 },
    { method: 'POST', path: '/issuing/cards/upgrade/CARD', body: UPGRADE, weight: 2 },
    ...['block', 'unblock', 'unblock', 'unblock', 'report-lost', 'remove'].map(move),
    { method: 'POST', path: '/issuing/cards/replace-damaged/CARD', body: { activationCode: '1' } },
    { method: 'POST', path: '/issuing/cards/replace-lost-stolen/CARD', body: { activationCode: '1' } },
    {
      method: 'POST',
      path: '/issuing/managed-accounts',
      body: { profileId: '1011', friendlyName: 'x', currency: 'EUR', tag: 't' },
    },
    { method: 'GET', path: '/issuing/managed-accounts', weight: 2 },
    { method: 'GET', path: '/issuing/managed-accounts/ACCOUNT' },
    { method: 'GET', path: '/issuing/managed-accounts/statement/ACCOUNT', weight: 2 },
    { method: 'POST', path: '/issuing/managed-accounts/block/ACCOUNT', body: {} },
    { method: 'POST', path: '/issuing/managed-accounts/unblock/ACCOUNT', body: {}, weight: 3 },
    { method: 'POST', path: '/issuing/managed-accounts/remove/ACCOUNT', body: {} },
    {
      method: 'POST',
      path: '/issuing/transfers',
      body: {
        source: { type: 'managed_accounts', id: '2001' },
        destination: { type: 'managed_cards', id: cardId },
        destinationAmount: { currency: 'EUR', amount: 10 },
        tag: 'x',
        description: 'y',
      },
      weight: 6,
    },
    { method: 'GET', path: '/issuing/transfers', weight: 2 },
    { method: 'GET', path: '/issuing/transfers/TRANSFER' },
    {
      method: 'POST',
      path: '/issuing/auth/login',
      body: { email: 'level1@sandbox.test', password: { value: PASSWORD } },
    },
    { method: 'POST', path: '/issuing/auth/logout', body: {}, token: await tokenOf(florin, 'other@sandbox.test') },
    { method: 'POST', path: '/issuing/auth/stepup/send-otp', body: { channel: 'SMS' } },
    { method: 'POST', path: '/issuing/auth/stepup/verify-otp', body: { verificationCode: '000000' }, weight: 2 },
    { method: 'POST', path: '/simulator/purchases', body: { cardId, channel: 'contactless', ...purchase }, weight: 6 },
    {
      method: 'POST',
      path: '/simulator/purchases',
      body: { pan: number.number, cvv: number.cvv, expiry: '3011', pin: '1234', dryRun: false, ...purchase },
      weight: 3,
    },
    ...['clear', 'reverse', 'increment', 'expire'].map((name) => ({
      method: 'POST',
      path: `/simulator/authorizations/AUTHORIZATION/${name}`,
      body: name === 'expire' ? {} : { amount: 5, final: false },
      weight: 2,
    })),
    { method: 'POST', path: '/simulator/refunds', body: { authorizationId: 'AUTHORIZATION', amount: 1 } },
    { method: 'POST', path: '/simulator/refunds', body: { cardId, amount: 1, currency: 'EUR' } },
    { method: 'POST', path: '/simulator/accounts/ACCOUNT/deposit', body: { amount: 100 } },
    { method: 'GET', path: '/simulator/messages', weight: 1 },
    { method: 'GET', path: '/simulator/challenges?cardId=CARD' },
    { method: 'POST', path: '/simulator/challenges/CARD', body: { result: 'success' } },
  ];
});

const nested = (depth: number, open: string, close: string) => new Raw(`${open.repeat(depth)}1${close.repeat(depth)}`);

const STRANGE: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53,
  999_999_999_999,
  1_000_000_000_000,
  '',
  ' ',
  [],
  {},
  [[]],
  [{}],
  [null],
  '0',
  '00',
  '-1',
  '1001',
  '2002',
  '3011',
  'null',
  '1e2',
  '٣٣٣٣',
  '１２',
  'EUR',
  'JPY',
  'eur',
  'XXX',
  'KWD',
  'DEBIT_MODE',
  'BIOMETRICS',
  'ALWAYS',
  'credit',
  'atm',
  'managed_cards',
  '\0',
  'a\0b',
  '\u0001\u001f\u007f\u0085',
  '\u2028\u2029',
  '\ud800',
  '\udfff\ud800',
  '🜁'.repeat(30),
  'a\u0301'.repeat(20),
  '\u202etxet',
  '\r\nSet-Cookie: a=b',
  "'; drop table cards; --",
  '%_\\',
  'x'.repeat(51),
  'x'.repeat(5000),
  '9'.repeat(18),
  '9'.repeat(19),
  '9'.repeat(20),
  '9'.repeat(400),
  '9223372036854775807',
  '18446744073709551615',
  new Raw('1e400'),
  new Raw('-0'),
  new Raw('1e-7'),
  new Raw('9'.repeat(400)),
  new Raw('9007199254740993'),
  new Raw('9223372036854775807'),
  new Raw('9223372036854775808'),
  new Raw('NaN'),
  new Raw('01'),
  new Raw('"\\ud800"'),
  new Raw('"\\u0000"'),
  new Raw('"\n"'),
  new Raw('1,'),
  new Raw('{"__proto__":{"isAdmin":true}}'),
  new Raw('{"constructor":{"prototype":{"isAdmin":true}}}'),
  new Raw(`[${'1,'.repeat(300)}1]`),
  new Raw(`[${'"5411",'.repeat(201)}"5411"]`),
  new Raw(`[${'{},'.repeat(30)}{}]`),
  nested(9, '[', ']'),
  nested(3000, '[', ']'),
  nested(3000, '{"a":', '}'),
];

const NAMES: readonly string[] = [
  ...'__proto__ constructor prototype toString hasOwnProperty __defineGetter__ valueOf length then toJSON'.split(' '),
  ...'~0~1 data.mode Mode id tenant_id identityId state'.split(' '),
  '',
  ' ',
  '\0',
  '\u2028',
  'x'.repeat(1000),
];

const ODD_IDS: readonly string[] = [
  ...'0 00 -1 1e9 2002 2101 9223372036854775807 9223372036854775808 % %00 %zz %ff%fe %2e%2e%2f %D9%A1'.split(' '),
  ..."null __proto__ 1%0d%0aX:y 1'or'1'='1 a/b/c *".split(' '),
  '',
  '9'.repeat(19),
  '9'.repeat(199),
  '9'.repeat(3000),
];

const QUERIES: readonly string[] = [
  'offset=-1',
  'offset=1e9',
  'offset=9007199254740993',
  'offset=9007199254740991',
  'offset=9223372036854775807',
  'limit=0',
  'limit=100000',
  'limit=1&limit=2',
  'limit=%D9%A1',
  'createdFrom=9007199254740991',
  'createdFrom=8640000000000001',
  'createdTo=8640000000000000',
  'createdFrom=99999999999999999999',
  'fromTimestamp=9007199254740991',
  'toTimestamp=253402300800000',
  'fromTimestamp=-1',
  'orderByTimestamp=asc',
  'orderByTimestamp=ASC&limit=1',
  'format=csv',
  'format=xml',
  'before=1',
  'before=9223372036854775808',
  `before=${'9'.repeat(400)}`,
  'profileId=0',
  `profileId=${'9'.repeat(400)}`,
  `parentManagedAccountId=${'9'.repeat(60)}`,
  'instrumentId=2001',
  'instrumentId=x',
  'state=ACTIVE',
  'state=__proto__',
  'mode=toString',
  'currency=%00%00%00',
  'tag=%00',
  'tag=a%00b',
  'friendlyName=%25_%5C%27',
  'friendlyName=%00',
  'friendlyName=%ED%A0%80',
  'externalHandle=%00',
  'cardNumberFirstSix=%00%00%00%00%00%00',
  'cardNumberLastFour=1234',
  '__proto__[x]=1',
  '__proto__=1&constructor=2',
  'to=%00',
  'to=%2B35699003100&limit=101',
  'limit=1.5',
  '%',
  '%zz=%zz',
  '%ff=%fe',
  '&&&=&=&',
  '?'.repeat(50),
  `x=${'y'.repeat(4000)}`,
];

const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'x'.repeat(3000) },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { accept: 'text/csv' },
  { accept: ','.repeat(2000) },
  { 'idempotency-ref': '' },
  { 'idempotency-ref': 'x'.repeat(300) },
  { 'idempotency-ref': 'a b' },
  { 'idempotency-ref': 'same' },
  { 'request-ref': 'x'.repeat(500) },
  { 'x-http-method-override': 'DELETE' },
  { 'x-secret': '' },
  { 'x-secret': 'x'.repeat(4000) },
  { 'x-secret': 'sandbox-two-secret' },
  { 'authorization-key': 'x' },
  { 'authorization-key': 'A'.repeat(54) },
  { 'authorization-key': `${'_'.repeat(54)}` },
  { 'authorization-key': 'Bearer x' },
  { authorization: 'Basic x' },
  { 'if-none-match': '*', range: 'bytes=0-1' },
  { cookie: '__proto__=1; a=b' },
  { host: 'evil.example:99999' },
];

/** Names in paths and bodies that stand for ids. */
const NAMED = /\b(?:CARD|ACCOUNT|AUTHORIZATION|TRANSFER)\b/g;
/** More cards than this aren't remembered: a few that live are enough. */
const MOST_CARDS = 60;

/** The value as JSON text, with what JSON can't say. */
function write(value: Json): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`)}}`;
  return JSON.stringify(value);
}

/** Long: a table of ways to spoil a request; they share one source of chance. */
function generator(random: Random): () => Shot {
  const chance = (percent: number): boolean => random.int(100) < percent;
  const pick = <T>(values: readonly T[]): T => values[random.int(values.length)] as T;
  const weighted = targets.flatMap((target) => Array.from({ length: target.weight ?? 1 }, () => target));

  /** The value with about one part of it changed. */
  function mutate(value: Json): Json {
    if (value instanceof Raw || typeof value !== 'object' || value === null || chance(6)) return pick(STRANGE);
    if (Array.isArray(value)) {
      if (value.length === 0 || chance(20)) return [...value, pick(STRANGE)];
      const at = random.int(value.length);
      return value.map((inner, i) => (i === at ? mutate(inner) : inner));
    }
    const entries = Object.entries(value);
    const at = random.int(entries.length + 1);
    const [name, inner] = entries[at] ?? [pick(NAMES), pick(STRANGE)];
    const kind = random.int(8);
    if (at === entries.length) entries.push([name, inner]);
    else if (kind === 0) entries.splice(at, 1);
    else if (kind === 1) entries.push([name, mutate(inner)]);
    else if (kind === 2) entries[at] = [pick(NAMES), inner];
    else if (kind === 3) entries[at] = [name, { [name]: inner }];
    else entries[at] = [name, mutate(inner)];
    return new Raw(`{${entries.map(([key, part]) => `${JSON.stringify(key)}:${write(part)}`).join(',')}}`);
  }

  function garbage(valid: string): Buffer {
    const kind = random.int(8);
    if (kind === 0) return random.bytes(random.int(300));
    if (kind === 1) return Buffer.from(valid.slice(0, random.int(valid.length)));
    if (kind === 2) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)]);
    if (kind === 3) return Buffer.from(valid, 'utf16le');
    if (kind === 4) return Buffer.from(pick(['null', '[]', '1', '""', 'true', ' ', '{}{}', '{"a":1}x', '<a/>']));
    if (kind === 5) return Buffer.from(`{${`"a":1,`.repeat(1000)}"a":1}`);
    if (kind === 6) return Buffer.from(chance(10) ? valid + ' '.repeat(65_536) : `${' '.repeat(5000)}${valid}`);
    const bytes = Buffer.from(valid);
    for (let i = 0; i < 3; i++) bytes[random.int(bytes.length)] = random.int(256);
    return bytes;
  }

  return () => {
    const { method, path, body, token: own = token } = pick(weighted);
    const named = (text: string) => text.replace(NAMED, (name) => pick(ids[name] as string[]));
    const id = named(path);
    const odd = path.replace(NAMED, () => pick(ODD_IDS));
    const query = chance(method === 'GET' ? 70 : 5) ? `${path.includes('?') ? '&' : '?'}${pick(QUERIES)}` : '';
    // A full page of these lists is long: few ask for one.
    const paged =
      method === 'GET' && !query.includes('limit') && chance(95)
        ? `${path.includes('?') || query !== '' ? '&' : '?'}limit=2`
        : '';
    const headers: Record<string, string> = path.startsWith('/issuing')
      ? { 'x-secret': 'sandbox-secret', 'authorization-key': own }
      : { authorization: 'Bearer sandbox-operator' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (chance(8)) Object.assign(headers, pick(ODD_HEADERS));
    const valid = body === undefined ? null : named(write(body as Json));
    let bytes: Buffer | null = null;
    if (valid !== null && body !== undefined) {
      if (chance(10)) bytes = garbage(valid);
      else if (chance(25)) bytes = Buffer.from(valid);
      else bytes = Buffer.from(named(write(mutate(body as Json))));
    }
    return {
      method: chance(2) ? pick(['DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE', 'PUT']) : method,
      path: (chance(12) ? odd : id) + query + paged,
      headers,
      body: bytes,
    };
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
    const all = { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) };
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
    request.end(body ?? undefined);
  });
}

const FIELD_ERRORS = 'REQUIRED HAS_TEXT REQUIRES SIZE RANGE IN NOT_IN REGEX EXACTLY AT_LEAST AT_MOST ALL_OR_NONE'.split(
  ' ',
);
const CODE = /^[A-Z][A-Z0-9_]+$/;

/** What is wrong with a failure of the issuing API by its document; null: nothing. */
function wrongShape(status: number, body: Record<string, unknown>): string | null {
  if (typeof body.message !== 'string' || body.message === '') return 'no message';
  const names = Object.keys(body).sort().join();
  if (status === 400) {
    if (names !== 'message,syntaxErrors') return `400 with ${names}`;
    const { invalidFields } = body.syntaxErrors as { invalidFields: unknown };
    if (!Array.isArray(invalidFields)) return 'no invalidFields';
    for (const { params, fieldName, error } of invalidFields) {
      if (!Array.isArray(params) || params.some((part) => typeof part !== 'string')) return 'params';
      if (typeof fieldName !== 'string') return 'fieldName';
      if (!FIELD_ERRORS.includes(error)) return `error ${error}`;
    }
    return null;
  }
  const name = status === 403 || status === 409 ? 'errorCode' : 'code';
  if (names !== [name, 'message'].sort().join()) return `${status} with ${names}`;
  return CODE.test(String(body[name])) ? null : name;
}

/** What is wrong with an answer; null: nothing. */
function wrongWith({ method, path, headers }: Shot, { status, text, ms }: Answered): string | null {
  if (ms > LONGEST_MS) return `took ${Math.round(ms)} ms`;
  if (status < 200 || status >= 500 || (status >= 300 && status < 400)) return `status ${status}`;
  if (status === 204) return text === '' ? null : '204 with a body';
  const csv = path.includes('format=csv') || headers.accept === 'text/csv';
  if (method === 'HEAD' || (status === 200 && csv)) return null;
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (status < 300) return null;
  if (path.startsWith('/issuing/')) return wrongShape(status, body);
  return body.status === status && typeof body.title === 'string' ? null : 'no problem document';
}

test(`${COUNT} hostile requests, seed ${SEED}`, async (t) => {
  const next = generator(seededRandom(SEED));
  const statuses = new Map<string, number>();
  const failures: string[] = [];
  const until = performance.now() + MOST_MS;
  let left = COUNT;
  const shoot = async (): Promise<void> => {
    while (left > 0 && failures.length < 10 && performance.now() < until) {
      left--;
      const shot = next();
      const answer = await fire(shot).catch((error: Error) => ({ status: 0, text: error.message, ms: 0 }));
      const kind = `${shot.path.startsWith('/issuing') ? 'issuing' : 'simulator'} ${answer.status}`;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      // Some requests end a card for good: new ones take their place.
      if (answer.status === 200 && shot.method === 'POST' && /cards\/request/.test(shot.path)) {
        ids.CARD?.push(JSON.parse(answer.text).id);
        if ((ids.CARD?.length ?? 0) > MOST_CARDS) ids.CARD?.shift();
      }
      const wrong = wrongWith(shot, answer);
      if (wrong)
        failures.push(
          `${wrong}: ${shot.method} ${shot.path.slice(0, 200)} ${String(shot.body).slice(0, 900)} -> ${answer.status} ${answer.text.slice(0, 400)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: SOCKETS }, shoot));
  agent.destroy();
  const seen = [...statuses].sort(([a], [b]) => a.localeCompare(b)).map(([kind, count]) => `${kind}: ${count}`);
  t.diagnostic(`seed ${SEED}, ${COUNT - left} requests; ${seen.join(', ')}`);
  assert.deepEqual(failures, [], `seed ${SEED}`);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  // Not all of it may have been refused at the door: some has to reach cards, and their conflicts.
  for (const kind of ['issuing 200', 'issuing 204', 'issuing 400', 'issuing 404', 'issuing 409', 'simulator 200'])
    assert.ok((statuses.get(kind) ?? 0) > 0 || COUNT < 5000, `no answer ${kind}`);
});

test('afterwards the books hold, and the door is open', async () => {
  const { body } = await florin.operator('GET', '/operator/invariants?full=true');
  assert.deepEqual(
    body.checks.filter((check: { ok: boolean }) => !check.ok),
    [],
  );
  assert.equal(body.ok, true);
  const ada = await customer(florin);
  assert.equal((await ada('GET', '/managed-accounts/2001')).status, 200);
  const id = await newCard(ada);
  assert.equal((await ada('GET', `/cards/${id}`)).status, 200);
});
