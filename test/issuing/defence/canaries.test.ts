// Card numbers, CVVs, PINs, activation codes, passwords, tokens and secrets that nobody else uses go through the whole issuing side;
// afterwards they are looked for wherever something is kept: each column of each table, the data directory, the log at its finest
// level, what a tenant is asked by forwarding, every answer but those that are made to tell them (docs/contract/issuing.md#card).
// Rule: a CVV or PIN is short, so that its digits may stand anywhere by chance: a rehearsal with another card shows which codes do.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { type Client, payment, type Reply, type TestApp, testApp } from '../../support/app.ts';
import { canary, codeIn, finder, spellings } from '../../support/canary.ts';
import { cardRequest, issuingClient, UPGRADE } from '../../support/issuing.ts';

const PASSWORD = 'Canary-Password-77x';
const WRONG_PASSWORD = 'Canary-Wrong-88y';
/** What the user, then the operator changes it to. */
const NEXT_PASSWORDS = ['Canary-Second-99z', 'Canary-Third-11w'] as const;
const PASSWORDS = [PASSWORD, WRONG_PASSWORD, ...NEXT_PASSWORDS];
const EMAIL = 'bird@sandbox.test';
const ACTIVATION = ['830517', '047281', '900613'] as const;
const WRONG_ACTIVATION = '612890';
/** A number that a client writes where none belongs. */
const TYPED = canary('491637285046193');

let florin: TestApp;
let log = '';
const answers: string[] = [];
const forwarded: string[] = [];
/** Session tokens and API secrets. */
const tokens: string[] = [];
/** Kept as it is, because requests are signed with it; told to nobody. */
const SIGNING = 'whsec_Y2FuYXJ5LWZvcndhcmRpbmctc2VjcmV0';
const reveals: string[] = [];
const pans: Record<string, string> = { typed: TYPED };
const codes: { cvv: string; pin: string }[] = [];
/** The user; his session, the same where it is told what tokens stand for, and one that is stepped up, of a tenant in PCI scope, to which numbers may be shown. */
let userId: string;
let user: Client;
let told: Client;
let cleared: Client;

const tenant = http.createServer((request, response) => {
  let text = `${request.url} ${JSON.stringify(request.headers)}\n`;
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    forwarded.push(text);
    response.setHeader('content-type', 'application/json');
    response.end('{"decision":"APPROVE"}');
  });
});
after(() => tenant.close());

/** Without the length, which is any number. */
const headersOf = (headers: Headers): string => [...headers].filter(([name]) => name !== 'content-length').join('\n');
const keep = (reply: Reply): Reply => {
  answers.push(`${reply.status} ${headersOf(reply.headers)}\n${reply.text}`);
  return reply;
};
const kept =
  (client: Client): Client =>
  async (...asked) =>
    keep(await client(...asked));
const ok = (reply: Reply, ...statuses: number[]): Reply => {
  assert.ok((statuses.length === 0 ? [200, 201, 204] : statuses).includes(reply.status), reply.text);
  return reply;
};
const operator: Client = async (...asked) => keep(await florin.operator(...asked));

async function login(): Promise<string> {
  const anybody = issuingClient(florin);
  keep(await anybody('POST', '/auth/login', { email: EMAIL, password: { value: WRONG_PASSWORD } }));
  const reply = ok(await anybody('POST', '/auth/login', { email: EMAIL, password: { value: PASSWORD } }));
  tokens.push(reply.body.token);
  return reply.body.token;
}

async function sessions(): Promise<void> {
  told = issuingClient(florin, 'sandbox-secret', await login());
  user = kept(told);
  cleared = issuingClient(florin, 'sandbox-secret', await login());
  ok(keep(await cleared('POST', '/auth/stepup/send-otp', {})));
  ok(keep(await cleared('POST', '/auth/stepup/verify-otp', { verificationCode: '123456' })));
}

before(async () => {
  const stream = { write: (line: string) => void (log += line) };
  florin = await testApp({}, { log: pino({ level: 'trace', base: null }, stream) });
  await new Promise<void>((resolve) => tenant.listen(0, '127.0.0.1', resolve));
  const { port } = tenant.address() as AddressInfo;
  const forwarding = { url: `http://127.0.0.1:${port}/decide`, secret: SIGNING };
  ok(await operator('PATCH', '/operator/tenants/sandbox', { settings: { pciScoped: true, forwarding } }));
  const people = '/operator/tenants/sandbox/identities/4001/users';
  const person = { kind: 'authorised', name: 'Can', surname: 'Ary', email: EMAIL, mobile: '+35699004444' };
  const made = ok(await operator('POST', people, { ...person, password: PASSWORD }));
  userId = made.body.id;
  const secret = ok(await florin.operator('POST', '/operator/tenants/sandbox/secrets', { label: 'canary' }));
  tokens.push(secret.body.secret);
  ok(await kept(issuingClient(florin, secret.body.secret))('POST', '/auth/login', {}), 400);
  await sessions();
});

interface Issued {
  readonly id: string;
  readonly number: string;
  readonly cvv: string;
  readonly pin: string;
  readonly expiryMmyy: string;
}

/** A card whose plastic is ordered. */
async function ordered(): Promise<Issued> {
  const fields = { authForwardingDefaultTimeoutDecision: 'DECLINE', cardholderMobileNumber: '+35699004444' };
  const { id } = ok(await user('POST', '/cards/request', cardRequest(fields))).body;
  ok(await user('POST', `/cards/upgrade/${id}`, { ...UPGRADE, activationCode: ACTIVATION[0] }));
  const { body } = ok(await florin.operator('GET', `/operator/cards/${id}/number`));
  return { id, ...body };
}

const shown = async (id: string): Promise<void> => {
  const { body } = ok(await user('GET', `/cards/${id}`));
  const pin = await user('GET', `/cards/pin/${id}`);
  const known = [body.cardNumber.value, body.cvv.value, ...(pin.status === 200 ? [pin.body.pin.value] : [])];
  for (const token of known) {
    reveals.push(token);
    ok(await told('POST', '/cards/reveal', { token }));
    ok(await user('POST', '/cards/reveal', { token }), 404);
  }
};

async function gatewayPayment(card: Issued): Promise<void> {
  const month = Number(card.expiryMmyy.slice(0, 2));
  const year = 2000 + Number(card.expiryMmyy.slice(2));
  const details = { cvv: card.cvv, holder: 'Can Ary', expiration_month: month, expiration_year: year };
  const body = payment({ pan: card.number, card: details, amount: '10.00', options: { force3d: 1 } });
  const reply = ok(keep(await florin.merchant('POST', '/gateway/orders/authorize', body)), 201);
  const page = async (action: string, fields: Record<string, string>) => {
    const target = new URL(action, florin.url);
    const response = await fetch(target, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
    const html = await response.text();
    answers.push(`${response.status} ${headersOf(response.headers)}\n${html}`);
    const form = /<form[^>]*>[\s\S]*?<\/form>/.exec(html)?.[0] ?? '';
    const hidden: Record<string, string> = {};
    for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g))
      hidden[/name="([^"]*)"/.exec(input)?.[1] ?? ''] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    return { action: /action="([^"]*)"/.exec(form)?.[1] ?? '', hidden };
  };
  const { action, MD, PaReq, TermUrl } = reply.body.orders[0].form3d;
  const bank = await page(action, { MD, PaReq, TermUrl });
  const back = await page(bank.action, { ...bank.hidden, do: 'submit', code: '123456' });
  await page(back.action, back.hidden);
  const order = ok(keep(await florin.merchant('GET', `/gateway/orders/${reply.body.orders[0].id}?expand=card`)));
  assert.equal(order.body.orders[0].status, 'authorized', order.text);
  keep(await florin.operator('GET', `/operator/orders/${reply.body.orders[0].id}/trace`));
}

/** Everything that happens to a card, and by sessions that may see its number too, each request safe to repeat. */
async function whole(card: Issued, run: string): Promise<void> {
  const { id, number, cvv, pin } = card;
  let refs = 0;
  const ref = () => ({ 'idempotency-ref': `${run}-${++refs}` });
  const money = (amount: number) => ({ currency: 'EUR', amount });
  const move = {
    source: { type: 'managed_accounts', id: '2001' },
    destination: { type: 'managed_cards', id },
    destinationAmount: money(20_000),
    description: `for card ${TYPED}`,
  };
  ok(await user('POST', '/transfers', move, ref()));
  ok(await user('POST', `/cards/activate/${id}`, { activationCode: WRONG_ACTIVATION }, ref()), 409);
  const again = ref();
  for (let i = 0; i < 2; i++)
    ok(await cleared('POST', `/cards/activate/${id}`, { activationCode: ACTIVATION[0] }, again));
  await shown(id);
  const seen = ok(await cleared('GET', `/cards/${id}`));
  assert.deepEqual([seen.body.cardNumber.value, seen.body.cvv.value], [number, cvv], 'a session that may see it');
  ok(await cleared('GET', `/cards/pin/${id}`));
  for (const session of [user, cleared])
    ok(await session('PATCH', `/cards/${id}`, { friendlyName: `Mine ${TYPED}`, nameOnCardLine2: TYPED }, ref()));
  ok(await cleared('PUT', `/cards/limits/${id}`, { data: { allowAtm: true } }, ref()));

  const buy = async (fields: object) =>
    ok(await operator('POST', '/simulator/purchases', { amount: 1000, currency: 'EUR', threeDs: true, ...fields }));
  await buy({ pan: number, cvv });
  await buy({ pan: number, cvv, dryRun: true });
  await buy({ cardId: id, cvv: cvv === '000' ? '001' : '000', merchantName: `SHOP ${TYPED}` });
  const { body: paid } = await buy({ pan: number, channel: 'chip', pin });
  assert.equal(paid.approved, true, JSON.stringify(paid));
  ok(await operator('POST', `/simulator/authorizations/${paid.authorizationId}/clear`, {}));
  ok(await operator('POST', '/simulator/refunds', { authorizationId: paid.authorizationId, amount: 1000 }));
  const wrongPin = pin === '0000' ? '0001' : '0000';
  for (let i = 0; i < 3; i++) await buy({ cardId: id, channel: 'chip', pin: wrongPin });
  ok(await user('GET', `/cards/pin/${id}`), 409);
  ok(await user('POST', `/cards/pin/unblock/${id}`, undefined, ref()));
  await gatewayPayment(card);

  for (const [target, accept] of [
    [`/cards/payments/${id}`, 'application/json'],
    [`/cards/transactions/${id}`, 'application/json'],
    [`/cards/transactions/${id}?format=csv`, '*/*'],
    [`/cards/limits/${id}`, 'application/json'],
    ['/cards?limit=100', 'application/json'],
    [`/cards?cardNumberFirstSix=${number.slice(0, 6)}&cardNumberLastFour=${number.slice(-4)}`, 'application/json'],
    ['/transfers', 'application/json'],
  ] as const)
    ok(await user('GET', target, undefined, { accept }));
  ok(await cleared('POST', `/cards/replace-damaged/${id}`, { activationCode: ACTIVATION[1] }, ref()));
  ok(await cleared('POST', `/cards/activate/${id}`, { activationCode: ACTIVATION[1] }, ref()));
  ok(await user('POST', `/cards/report-stolen/${id}`, undefined, ref()));
  const next = ok(await cleared('POST', `/cards/replace-lost-stolen/${id}`, { activationCode: ACTIVATION[2] }, ref()));
  const { body } = ok(await florin.operator('GET', `/operator/cards/${next.body.id}/number`));
  pans[`${run} replacement`] = body.number;
  ok(await user('GET', `/cards/${next.body.id}`));
  ok(await operator('POST', `/operator/cards/${next.body.id}/block`));
}

/** Numbers written where none belongs, and requests that go wrong with secrets in them. */
async function wrongPlaces(card: Issued): Promise<void> {
  for (const number of [TYPED, card.number]) {
    const spaced = number.replace(/(.{4})/g, '$1 ').trim();
    const fields = {
      friendlyName: `Card ${number}`,
      nameOnCardLine2: spaced,
      billingAddress: { addressLine1: `Street ${number}`, city: spaced, postCode: 'VLT 1000', country: 'MT' },
      externalData: [{ name: 'note', value: `pays with ${spaced}` }],
    };
    const made = ok(await user('POST', '/cards/request', cardRequest(fields)));
    ok(await user('PATCH', `/cards/${made.body.id}`, { friendlyName: spaced }));
    for (const [method, target, body] of [
      ['GET', `/cards/${number}`, undefined],
      ['GET', `/cards?friendlyName=${number}&tag=${number}`, undefined],
      ['GET', `/cards?limit=${number}`, undefined],
      ['GET', `/nothing/${number}`, undefined],
      ['POST', `/cards/activate/${number}`, { activationCode: number }],
      ['POST', '/cards/reveal', { token: number }],
      ['POST', '/cards/request', { type: number, data: { profileId: number, currency: number, [number]: number } }],
      ['POST', '/cards/request', `{"type":"${number}"`],
      ['POST', '/auth/login', { email: number, password: { value: number } }],
      ['POST', '/auth/stepup/verify-otp', { verificationCode: number }],
      ['POST', '/transfers', { source: { type: 'managed_cards', id: number } }],
    ] as const)
      await user(method, target, body);
    await user('GET', '/cards', undefined, { 'idempotency-ref': number, 'user-agent': number, referer: number });
    for (const headers of [{ 'x-secret': number }, { 'authorization-key': number }] as Record<string, string>[])
      await kept(issuingClient(florin))('GET', '/cards', undefined, headers);
  }
  for (const secret of [...tokens, PASSWORD, ACTIVATION[0]]) {
    await kept(issuingClient(florin, secret, secret))('GET', `/cards/${secret}?tag=${secret}`);
    await user('POST', '/auth/stepup/send-otp', { channel: secret });
  }
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Every value that is text, or may carry some, with where it stands. */
async function* values(): AsyncGenerator<{ readonly at: string; readonly value: string }> {
  const columns = await florin.database.query<Column>(
    `select c.relname::text as "table", a.attname::text as "column", t.typname::text as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_type t on t.oid = a.atttypid
      where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'm')
        and a.attnum > 0 and not a.attisdropped order by 1, 2`,
  );
  assert.ok(columns.length > 150, String(columns.length));
  for (const { table, column, type } of columns) {
    const bytes = type === 'bytea' ? `encode("${column}", 'escape')` : 'null';
    const rows = await florin.database.query<{ value: string; bytes: string | null }>(
      `select "${column}"::text as value, ${bytes} as bytes from "${table}" where "${column}" is not null`,
    );
    for (const { value, bytes: escaped } of rows)
      yield { at: `${table}.${column} ${type}`, value: `${value}\n${escaped ?? ''}` };
  }
}

const isText = (at: string): boolean => !/ (int\d|timestamptz|date|bool|numeric|float8)$/.test(at);
/** Without what is a number in JSON, and in a log or the metrics counts milliseconds, bytes and requests: secrets are text. */
const withoutNumbers = (text: string): string =>
  text
    .replace(/(?<=[:[,]\s?)-?\d+(\.\d+)?(?=\s?[,}\]])/g, '0')
    .replace(/^(\w+(?:\{[^}\n]*\})?) \d+(\.\d+)?$/gm, '$1 0');

/** All that is kept, as one text. */
async function everything(): Promise<string> {
  const found: string[] = [];
  for await (const { at, value } of values()) if (isText(at)) found.push(value);
  return withoutNumbers([...found, log, ...answers, ...forwarded].join('\n'));
}

test('a rehearsal, and then the same with a card whose codes nobody else uses', { timeout: 300_000 }, async () => {
  const rehearsal = await ordered();
  pans.rehearsal = rehearsal.number;
  await whole(rehearsal, 'rehearsal');
  const chance = new Set((await everything()).match(/(?<![\w.:-])\d{3,4}(?![\w.:-])/g));
  let card = await ordered();
  for (let i = 0; chance.add(card.number.slice(-4)).has(card.pin) || chance.has(card.cvv); i++) {
    assert.ok(i < 40, `${chance.size} codes stand there by chance`);
    card = await ordered();
  }
  pans.card = card.number;
  codes.push({ cvv: card.cvv, pin: card.pin });
  await whole(card, 'card');
  await wrongPlaces(card);
  assert.ok(forwarded.length >= 4, `${forwarded.length} were asked of the tenant`);
});

test('the search finds what is there', () => {
  const found = finder(pans);
  for (const pan of Object.values(pans))
    for (const spelling of spellings(pan)) assert.notDeepEqual(found(`a ${spelling} b`), []);
  for (const { cvv, pin } of codes)
    for (const code of [cvv, pin])
      for (const text of [`{"cvv":"${code}"}`, `cvv=${code}`, code, `{"a": ["${code}"]}`])
        assert.ok(codeIn(withoutNumbers(text), code), text);
  assert.equal(withoutNumbers('{"a":123,"b":[1,23],"c":"123"}'), '{"a":0,"b":[0,0],"c":"123"}');
});

async function stored(): Promise<string[]> {
  const found = finder(pans);
  const hits: string[] = [];
  let looked = 0;
  for await (const { at, value } of values()) {
    looked++;
    for (const hit of found(value)) hits.push(`${at} ${hit}`);
    for (const secret of [...tokens, ...PASSWORDS]) if (value.includes(secret)) hits.push(`${at} ${secret}`);
    if (!isText(at)) continue;
    const text = withoutNumbers(value);
    for (const code of [...ACTIVATION, WRONG_ACTIVATION]) if (codeIn(text, code)) hits.push(`${at} activation code`);
    for (const { cvv, pin } of codes) {
      if (codeIn(text, cvv)) hits.push(`${at} CVV`);
      if (codeIn(text, pin)) hits.push(`${at} PIN`);
    }
  }
  assert.ok(looked > 3000, String(looked));
  return [...new Set(hits)];
}

test('no column of any table holds a card number, a CVV, a PIN, an activation code, a password, a token or a secret', async () => {
  assert.ok((await florin.database.query('select 1 from idempotency_records')).length >= 16, 'answers are kept');
  assert.deepEqual(await stored(), []);
});

test('time goes on, people look at everything', async () => {
  for (const by of ['2h', '8d', '31d']) ok(await operator('POST', '/simulator/clock/advance', { by }));
  await sessions();
  for (const target of [
    '/operator/audit',
    '/operator/invariants?full=true',
    '/operator/tenants/sandbox',
    '/operator/tenants/sandbox/secrets',
    '/operator/tenants/sandbox/identities/4001/users',
    '/simulator/messages',
    '/simulator/books',
    '/metrics',
    '/openapi.json',
  ])
    await operator('GET', target);
  const [own, given] = NEXT_PASSWORDS;
  const change = (from: string, to: string) =>
    user('POST', '/users/password', { oldPassword: { value: from }, newPassword: { value: to } });
  ok(await change(WRONG_PASSWORD, own), 409);
  ok(await change(PASSWORD, own), 204);
  ok(await operator('POST', `/operator/tenants/sandbox/users/${userId}/password`, { value: given }), 204);
  const value = { email: EMAIL, password: { value: given } };
  const again = ok(await issuingClient(florin)('POST', '/auth/login', value));
  tokens.push(again.body.token);
  user = kept(issuingClient(florin, 'sandbox-secret', again.body.token));
  ok(await user('GET', '/users'));
  ok(await user('POST', '/auth/logout'));
});

test('nor does one when all of that is long over', async () => assert.deepEqual(await stored(), []));

test('no line of the log, no file, nothing that is forwarded, no answer holds one', () => {
  const found = finder(pans);
  const secrets = [...tokens, SIGNING, ...reveals, ...PASSWORDS, ...ACTIVATION, WRONG_ACTIVATION];
  const searched = (name: string, text: string, but: readonly string[] = []): void => {
    assert.deepEqual(found(text), [], name);
    const plain = withoutNumbers(text);
    for (const secret of secrets)
      if (!but.includes(secret)) assert.equal(text.includes(secret), false, `${name}: ${secret}`);
    for (const { cvv, pin } of codes)
      for (const code of [cvv, pin])
        assert.equal(codeIn(plain, code), false, `${name}: ${code}\n${plain.slice(0, 3000)}`);
  };
  assert.ok(log.split('\n').length > 50, 'the log says something');
  for (const line of log.split('\n')) searched('log', line);
  assert.ok(forwarded.length > 0);
  for (const text of forwarded) searched('forwarded', text);
  assert.ok(answers.length > 100, String(answers.length));
  // The first time a token is told.
  for (const answer of answers) searched('answer', answer, reveals);
  for (const entry of readdirSync(florin.dataDir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) searched(entry.name, readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
});

test('the books hold', async () => {
  assert.equal((await florin.operator('GET', '/operator/invariants?full=true')).body.ok, true);
});
