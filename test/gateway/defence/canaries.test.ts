// Card numbers that nobody else uses go through every kind of payment; afterwards they are looked for wherever something is kept: each
// column of each table, the data directory, the log at its finest level, every answer.
// docs/contract/gateway.md#card-data-in-the-wrong-place.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import pino from 'pino';
import { payment, type Reply, simulated, type TestApp, testApp } from '../../support/app.ts';
import { canary, codeIn, finder, spellings } from '../../support/canary.ts';
import { openPage } from '../../support/page.ts';

const CVV = '9173';
/** Ordinary ranges of two networks, and the simulator's scheme with digits of our own before the Luhn digit. */
const PANS = {
  visa: canary('453275918264037'),
  mastercard: canary('531846290735184'),
  page: canary('448590316274859'),
  text: canary('491637285046193'),
  long: canary('670598213746059821'),
  declined: simulated('10', '057'),
  lost: simulated('10', '910'),
  lostAfter: simulated('10', '911'),
  challenge: canary('453201847362950'),
  chargeLost: simulated('20', '911'),
} as const;

let florin: TestApp;
let log = '';
const answers: string[] = [];
const orders: string[] = [];

const keep = (reply: Reply): Reply => {
  answers.push(`${reply.status} ${[...reply.headers].join('\n')}\n${reply.text}`);
  const id = reply.body?.orders?.[0]?.id ?? reply.body?.order_id;
  if (id) orders.push(id);
  return reply;
};
const merchant = async (method: string, target: string, body?: unknown, headers?: Record<string, string>) =>
  keep(await florin.merchant(method, target, body, headers));
const card = { cvv: CVV, holder: 'Canary Bird', expiration_month: 11, expiration_year: 2031 };
const authorize = (pan: string, fields: Record<string, unknown> = {}) =>
  merchant('POST', '/gateway/orders/authorize', payment({ pan, card, ...fields }));
const advance = async (by: string) => keep(await florin.operator('POST', '/simulator/clock/advance', { by }));

async function page(url: string, fields: Record<string, string>): Promise<{ status: number; text: string }> {
  return kept(
    await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields),
    }),
  );
}

async function kept(response: Response): Promise<{ status: number; text: string }> {
  const text = await response.text();
  answers.push(`${response.status} ${[...response.headers].join('\n')}\n${text}`);
  return { status: response.status, text };
}

/** Action and hidden fields of a page's form. */
function formOf(html: string): { action: string; fields: Record<string, string> } {
  const form =
    [...html.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)]
      .map(([text]) => text)
      .find((text) => /name="(code|PaRes)"/.test(text)) ?? '';
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name && /type="hidden"/.test(input)) fields[name] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  }
  return { action: new URL(/action="([^"]*)"/.exec(form)?.[1] ?? '', florin.url).toString(), fields };
}

async function finishChallenge({ form3d }: { form3d: Record<string, string> }): Promise<void> {
  const { action = '', MD = '', PaReq = '', TermUrl = '' } = form3d;
  const bank = formOf((await page(action, { MD, PaReq, TermUrl })).text);
  const back = formOf((await page(bank.action, { ...bank.fields, code: '1234', do: 'submit' })).text);
  assert.equal((await page(back.action, back.fields)).status, 303);
}

const found = finder(PANS);

before(async () => {
  const stream = { write: (line: string) => void (log += line) };
  florin = await testApp({}, { log: pino({ level: 'trace', base: null }, stream) });
});

test('payments of every kind', async () => {
  const approved = await authorize(PANS.visa);
  assert.equal(approved.status, 200, approved.text);
  const id = approved.body.orders[0].id;
  assert.equal((await merchant('PUT', `/gateway/orders/${id}/charge`, {})).status, 200);
  assert.equal((await merchant('PUT', `/gateway/orders/${id}/refund`, { amount: 1 })).status, 200);
  const rebill = { amount: 5, cvv: CVV, location: { ip: '192.0.2.9' } };
  assert.equal((await merchant('POST', `/gateway/orders/${id}/rebill`, rebill)).status, 200);
  const keyed = await authorize(PANS.mastercard, { options: { auto_charge: 1 } });
  assert.equal(keyed.status, 200, keyed.text);
  for (let i = 0; i < 2; i++)
    keep(
      await florin.merchant('POST', '/gateway/orders/authorize', payment({ pan: PANS.visa, card }), {
        'idempotency-key': 'canary',
      }),
    );

  assert.equal((await authorize(PANS.declined)).status, 402);
  assert.equal((await authorize(PANS.lost)).status, 500);
  assert.equal((await authorize(PANS.lostAfter)).status, 500);
  const lost = (await authorize(PANS.chargeLost)).body.orders[0].id;
  assert.equal((await merchant('PUT', `/gateway/orders/${lost}/charge`, {})).status, 500);

  const finished = await authorize(PANS.challenge, {
    options: { force3d: 1, return_url: 'https://shop.example/back' },
  });
  assert.equal(finished.status, 201);
  await finishChallenge(finished.body.orders[0]);
  assert.equal((await authorize(PANS.challenge, { options: { force3d: 1 } })).status, 201);

  const created = await merchant('POST', '/gateway/orders/create', { amount: 3 });
  const location = created.headers.get('location') as string;
  const opened = await openPage(location);
  answers.push(opened.html);
  const paid = { number: PANS.page, month: '11', year: '2031', cvv: CVV, holder: 'Canary Bird' };
  assert.equal((await kept(await opened.post({ ...paid, month: '13' }))).status, 422);
  assert.equal((await kept(await opened.post(paid))).status, 303);
  await kept(await fetch(location));
  const payout = { amount: 1, pan: PANS.mastercard };
  await merchant('POST', '/gateway/orders/credit', payout);
});

test('card numbers where none belongs: in text, names, addresses, headers, wrong requests', async () => {
  const number = PANS.text;
  const parted = (number.match(/.{4}/g) ?? []).join('-');
  const text = `my card is ${parted}, again ${number}.`;
  const reply = await authorize(PANS.visa, {
    description: text,
    segment: number,
    client: { name: text, email: `${number}@example.test`, address: text, phone: number, login: number },
    location: { ip: '192.0.2.1', country: 'GBR', city: number, region: parted },
    secure3d: { browser_details: { browser_user_agent: text, browser_language: number } },
    custom_fields: { note: text, long: PANS.long },
    extra_fields: { merchant: number },
    card: { ...card, holder: `Bird ${number}` },
  });
  assert.equal(reply.status, 200, reply.text);
  const held = await authorize(PANS.visa, {
    description: text,
    client: { name: text },
    custom_fields: { note: text, [number]: 'x' },
  });
  assert.equal(held.status, 200, held.text);
  await merchant('GET', `/gateway/orders/${held.body.orders[0].id}?expand=client,custom_fields,card,location,secure3d`);

  await merchant('GET', `/gateway/orders/?client.name=${number}&status=${number}`);
  await merchant('GET', `/gateway/orders/${number}`);
  await merchant('GET', `/gateway/orders/?pan=${number}&expand=${number}`);
  await merchant('PUT', `/gateway/${number}/orders`, {});
  await merchant('POST', `/gateway/orders/authorize?pan=${number}`, payment({ pan: PANS.visa, card }));
  await merchant('POST', '/gateway/orders/authorize', { [number]: number, pan: [number], card: { cvv: number } });
  await merchant('POST', '/gateway/orders/authorize', `{"pan":"${number}","card":`);
  await merchant(
    'POST',
    '/gateway/orders/authorize',
    payment({ pan: PANS.visa, card, currency: number, amount: number }),
  );
  await merchant('GET', '/gateway/ping', undefined, { 'x-request-id': number, 'user-agent': number, referer: number });
  await merchant('GET', '/gateway/ping', undefined, { 'idempotency-key': number, accept: number });
});

test('time goes on: recovery, settlement, expiry, an abandoned challenge', async () => {
  for (const by of ['1h', '2d', '8d']) assert.equal((await advance(by)).status, 200);
  for (const id of new Set(orders)) {
    await merchant('GET', `/gateway/orders/${id}?expand=card,client,location,secure3d,operations.cashflow`);
    const trace = keep(await florin.operator('GET', `/operator/orders/${id}/trace`));
    assert.equal(trace.status, 200, trace.text);
  }
  await merchant('GET', '/gateway/orders/');
  await merchant('GET', '/gateway/operations/?expand=extra');
  for (const target of ['/operator/audit', '/simulator/books', '/metrics', '/operator/invariants?full=true'])
    keep(await florin.operator('GET', target));
});

test('the search finds what is there', () => {
  for (const pan of Object.values(PANS)) {
    for (const spelling of spellings(pan)) assert.notDeepEqual(found(`a ${spelling} b`), []);
    for (const inside of [`${pan}`, `{"pan":"${pan}"}`, `..${pan}.`])
      assert.notDeepEqual(found(Buffer.from(inside).toString('base64')), [], inside);
  }
  const bytes = `\\x${Buffer.from(CVV).toString('hex')}`;
  for (const text of [`"cvv": "${CVV}"`, `cvv=${CVV}`, CVV, `a ${CVV}, b`, bytes]) assert.ok(codeIn(text, CVV), text);
  for (const text of [`1${CVV}`, `${CVV}-3`, `${bytes}00`]) assert.equal(codeIn(text, CVV), false, text);
});

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

test('no column of any table holds a card number', async () => {
  const columns = await florin.database.query<Column>(
    `select c.relname::text as "table", a.attname::text as "column", t.typname::text as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       join pg_type t on t.oid = a.atttypid
      where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'm') and a.attnum > 0 and not a.attisdropped
      order by 1, 2`,
  );
  assert.ok(columns.length > 150, String(columns.length));
  const hits: string[] = [];
  let values = 0;
  for (const { table, column, type } of columns) {
    const rows = await florin.database.query<{ value: string; bytes: string | null }>(
      `select "${column}"::text as value, ${type === 'bytea' ? `encode("${column}", 'escape')` : 'null'} as bytes
         from "${table}" where "${column}" is not null`,
    );
    for (const { value, bytes } of rows) {
      values++;
      for (const hit of found(`${value}\n${bytes ?? ''}`)) hits.push(`${table}.${column} ${hit}`);
    }
  }
  assert.deepEqual(hits, []);
  assert.ok(values > 1000, String(values));
});

test('no security code is kept: none sealed any more, none in the rows of the orders', async () => {
  assert.deepEqual(await florin.database.query('select id from vault_cvvs'), []);
  const tables = await florin.database.query<Column>(
    `select c.table_name::text as "table", c.column_name::text as "column", c.data_type::text as type
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb')`,
  );
  const hits: string[] = [];
  for (const { table, column, type } of tables) {
    const rows = await florin.database.query<{ value: string }>(
      `select "${column}"::text as value from "${table}" where "${column}" is not null`,
    );
    for (const { value } of rows) {
      if (type === 'jsonb' && /"(cvv|cvc|cvv2|security_code)"\s*:/i.test(value)) hits.push(`${table}.${column} key`);
      if (codeIn(value, CVV)) hits.push(`${table}.${column} value`);
    }
  }
  assert.deepEqual(hits, []);
});

test('no file of the data directory, no line of the log, no answer holds a card number', () => {
  let files = 0;
  for (const entry of readdirSync(florin.dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    files++;
    assert.deepEqual(found(readFileSync(path.join(entry.parentPath, entry.name), 'latin1')), [], entry.name);
  }
  assert.ok(files > 0);
  assert.ok(log.split('\n').length > 50, 'the log says something');
  assert.deepEqual(found(log), []);
  assert.doesNotMatch(log, /Canary Bird/);
  assert.equal(codeIn(log, CVV), false);
  assert.ok(answers.length > 60, String(answers.length));
  for (const answer of answers) assert.deepEqual(found(answer), [], answer.slice(0, 2000));
});

test('the books hold; an amount changed by hand turns the check red that owns it, and back', async () => {
  const checks = async (): Promise<{ ok: boolean; red: string[] }> => {
    const { body } = await florin.operator('GET', '/operator/invariants?full=true');
    const red = (body.checks as { id: string; ok: boolean }[]).filter(({ ok }) => !ok).map(({ id }) => id);
    return { ok: body.ok, red };
  };
  assert.deepEqual(await checks(), { ok: true, red: [] });
  const [order] = await florin.database.query<{ project_id: bigint; id: bigint }>(
    `select project_id, id from orders where status = 'charged' and amount_charged > 1 limit 1`,
  );
  assert.ok(order);
  const change = (by: number) =>
    florin.database.query('update orders set amount_charged = amount_charged + $3 where project_id = $1 and id = $2', [
      order.project_id,
      order.id,
      by,
    ]);
  await change(-1);
  const planted = await checks();
  assert.equal(planted.ok, false);
  assert.ok(planted.red.includes('amounts_are_operations'), planted.red.join());
  await change(1);
  assert.deepEqual(await checks(), { ok: true, red: [] });
});
