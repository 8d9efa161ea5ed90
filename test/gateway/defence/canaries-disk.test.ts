// What a thief of the disk finds: a whole Florin with its own Postgres takes payments of every kind, then every file of its data
// directory is searched for their cards: heap, write-ahead log, server log, our log at its finest level, and a dump of every table.
// Rule: the clean search comes first; then the canaries are planted, and the same search must find each spelling of each.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { type App, startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { basic, payment, simulated } from '../../support/app.ts';
import { canary, codeIn, codeSpellings, finder, packings, spellings } from '../../support/canary.ts';
import { noneDecides } from '../../support/decisions.ts';
import { openPage } from '../../support/page.ts';

const CVV = '9173';
const HOLDER = 'Canary Bird';
const PANS = {
  charged: canary('453275918264037'),
  challenged: canary('453201847362950'),
  page: canary('448590316274859'),
  nineteen: canary('670598213746059821'),
  declined: simulated('10', '057'),
  lost: simulated('10', '910'),
  lostAfter: simulated('10', '911'),
} as const;

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-canaries-'));
const logFile = path.join(dataDir, 'florin.log');
const cluster = path.join(dataDir, 'postgres', 'data');
let florin: App;

before(async () => {
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent' }, {});
  const stream = { write: (line: string) => appendFileSync(logFile, line) };
  florin = await startApp(config, {
    log: pino({ level: 'trace', base: null }, stream),
    guard: noneDecides,
    link: { answerTimeoutMs: 2000, lostAfterMs: 30, slowMs: 100, lateAfterMs: 30 },
  });
});
after(async () => {
  await florin?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

let keys = 0;
/** Every request with a key of its own, so that its answer is stored. */
async function merchant(method: string, target: string, body: unknown, status: number) {
  const response = await fetch(`${florin.url}/gateway/orders/${target}`, {
    method,
    headers: {
      authorization: basic('sandbox', 'sandbox-secret'),
      'content-type': 'application/json',
      'idempotency-key': `canary-${++keys}`,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, status, text);
  return { order: JSON.parse(text).orders?.[0], location: response.headers.get('location') ?? '' };
}
const card = { cvv: CVV, holder: HOLDER, expiration_month: 11, expiration_year: 2031 };
const authorize = (pan: string, status: number, fields: Record<string, unknown> = {}) =>
  merchant('POST', 'authorize', payment({ pan, card, ...fields }), status);

test('payments of every kind', async () => {
  for (const pan of [PANS.charged, PANS.nineteen]) {
    const { id } = (await authorize(pan, 200, { description: `card ${pan}`, custom_fields: { note: pan } })).order;
    await merchant('PUT', `${id}/charge`, {}, 200);
    await merchant('PUT', `${id}/refund`, { amount: 1 }, 200);
    await merchant('POST', `${id}/rebill`, { amount: 5, cvv: CVV, location: { ip: '192.0.2.9' } }, 200);
  }
  await authorize(PANS.declined, 402);
  await authorize(PANS.lost, 500);
  await authorize(PANS.lostAfter, 500);
  await authorize(PANS.challenged, 201, { options: { force3d: 1 } });

  const { location } = await merchant('POST', 'create', { amount: 3 }, 201);
  const paid = { number: PANS.page, month: '11', year: '2031', cvv: CVV, holder: HOLDER };
  // The port was chosen at the start: the link's own names none.
  const page = await openPage(new URL(new URL(location).pathname, florin.url).toString());
  for (const [fields, status] of [
    [{ ...paid, month: '13' }, 422],
    [paid, 303],
  ] as const) {
    const response = await page.post(fields, '', { origin: new URL(location).origin });
    assert.equal(response.status, status, await response.text());
  }
  // The challenge is open: its code lies sealed on this disk while we search.
  assert.equal((await florin.database.query('select id from vault_cvvs')).length, 1);
});

interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}
const NEEDLES: readonly Needle[] = [
  ...Object.entries(PANS).flatMap(([name, pan]) => [
    ...spellings(pan).map((text) => ({ name: `${name} ${text}`, bytes: Buffer.from(text) })),
    ...Object.entries(packings(pan)).map(([packing, bytes]) => ({ name: `${name} ${packing}`, bytes })),
  ]),
  ...codeSpellings(CVV, HOLDER).map((text) => ({ name: `code ${text}`, bytes: Buffer.from(text, 'latin1') })),
];

const WAL_PAGE = 8192;
/** A segment of the write-ahead log without its pages' headers, which may part a record in the middle of a number. */
function withoutHeaders(segment: Buffer): Buffer {
  const pages: Buffer[] = [];
  for (let at = 0; at < segment.length; at += WAL_PAGE)
    pages.push(segment.subarray(at + (at === 0 ? 40 : 24), at + WAL_PAGE));
  return Buffer.concat(pages);
}

/** Every file of the data directory, its path from there. */
const files = (): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)));

const isWal = (file: string): boolean => /pg_wal[\\/][0-9A-F]{24}$/.test(file);

/** Which needles stand in which files. */
async function search(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  // What is in memory only comes to the disk.
  await florin.database.query('checkpoint');
  const hits = new Map<string, Set<string>>();
  for (const file of files()) {
    let content: Buffer;
    try {
      content = readFileSync(path.join(dataDir, file));
    } catch (error) {
      // The server removes files of its own while we read.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    const parts = isWal(file) ? [content, withoutHeaders(content)] : [content];
    const inside = NEEDLES.filter(({ bytes }) => parts.some((part) => part.includes(bytes))).map(({ name }) => name);
    if (inside.length > 0) hits.set(file, new Set(inside));
  }
  return hits;
}

/** A dump of every table as `COPY` writes it, by the server into its own directory. */
async function dump(): Promise<ReadonlyMap<string, string>> {
  const tables = await florin.database.query<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') order by 1`,
  );
  const contents = new Map<string, string>();
  for (const { name } of tables) {
    const file = path.join(cluster, `dump.${name}.copy`);
    await florin.database.query(`copy (select * from "${name}") to '${file.replaceAll("'", "''")}'`);
    contents.set(name, readFileSync(file, 'utf8'));
    rmSync(file);
  }
  return contents;
}

const found = finder(PANS);
/** What a dump or a log says of the canaries. */
const said = (text: string): string[] => [
  ...found(text),
  ...(codeIn(text, CVV) ? ['code'] : []),
  ...(/"(cvv|cvc|cvv2|security_code)"\s*:/i.test(text) ? ['key of a code'] : []),
];

test('no file of the data directory holds a card: heap, write-ahead log, server log, our own log', async () => {
  assert.deepEqual(await search(), new Map());
  const all = files();
  assert.ok(all.filter(isWal).length > 0, 'the write-ahead log was there');
  assert.ok(all.filter((file) => /[\\/]base[\\/]\d+[\\/]\d+$/.test(file)).length > 500, 'the heap was there');
  assert.ok(all.some((file) => file.endsWith('postgres.log')));
  // The search was of files that payments had reached: a masked number stands in both.
  const masked = Buffer.from(`${PANS.charged.slice(0, 6)}******${PANS.charged.slice(-4)}`);
  for (const kind of [isWal, (file: string) => /[\\/]base[\\/]/.test(file)])
    assert.ok(
      all.filter(kind).some((file) => readFileSync(path.join(dataDir, file)).includes(masked)),
      String(kind),
    );
});

test('no line of the log and no row of a dump holds a card or a security code', async () => {
  const log = readFileSync(logFile, 'utf8');
  assert.ok(log.split('\n').length > 20, 'the log says something');
  assert.deepEqual(said(log), []);
  const tables = await dump();
  assert.ok(tables.size > 30, String(tables.size));
  for (const name of ['orders', 'operations', 'vault_cards', 'vault_cvvs', 'events', 'idempotency_records'])
    assert.notEqual(tables.get(name) ?? '', '', name);
  for (const [name, content] of tables) assert.deepEqual(said(content), [], name);
});

test('planted in one row each, every spelling is found in heap, write-ahead log, dump and log', async () => {
  await florin.database.query('create table planted (text text, bytes bytea, json jsonb, number numeric, whole int8)');
  const plant = (column: string, value: string | Buffer): Promise<unknown> =>
    florin.database.query(`insert into planted (${column}) values ($1)`, [value]);
  for (const pan of Object.values(PANS)) {
    for (const text of spellings(pan).slice(0, 6)) await plant('text', `a ${text} b`);
    await plant('text', spellings(pan).at(-1) as string);
    for (const pad of ['', 'x', 'xx']) await plant('text', Buffer.from(pad + pan).toString('base64'));
    const { decimal, big } = packings(pan);
    for (const bytes of [decimal, big]) await plant('bytes', bytes);
    await plant('number', pan);
    await plant('json', `{"pan": ${pan}}`);
    await plant('whole', pan);
  }
  const [plain, spaced, number, quoted, form] = codeSpellings(CVV, HOLDER) as [string, string, string, string, string];
  for (const text of [plain, spaced, number, quoted, form, CVV, JSON.stringify([CVV, HOLDER])])
    await plant('text', text);
  await plant('bytes', Buffer.from(CVV));
  for (const json of [{ cvv: CVV }, card]) await plant('json', JSON.stringify(json));

  const hits = await search();
  for (const [where, kind] of [
    ['heap', (file: string) => /[\\/]base[\\/]/.test(file)],
    ['write-ahead log', isWal],
  ] as const) {
    const seen = new Set([...hits].filter(([file]) => kind(file)).flatMap(([, names]) => [...names]));
    assert.deepEqual(
      NEEDLES.map(({ name }) => name).filter((name) => !seen.has(name)),
      [],
      where,
    );
  }
  const planted = (await dump()).get('planted') as string;
  for (const name of Object.keys(PANS)) assert.ok(said(planted).some((hit) => hit.startsWith(name)));
  for (const hit of ['code', 'key of a code']) assert.ok(said(planted).includes(hit));
  appendFileSync(logFile, `{"msg":"paid with ${PANS.page}","cvv":"${CVV}"}\n`);
  assert.deepEqual(said(readFileSync(logFile, 'utf8')), [`page: ${PANS.page}`, 'code', 'key of a code']);
  assert.ok((await search()).get('florin.log')?.has(`page ${PANS.page}`));
});
