// kill -9 of an issuer under load, at random moments: after each restart the invariants hold, every acknowledged answer is still true,
// nothing is PENDING, and what nobody answered happened wholly or not at all: repeated with its idempotency-ref it happens once.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { seededRandom, systemClock } from '../../../src/base/index.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { cardRequest, DEBIT, tokenOf } from '../../support/issuing.ts';

const SEED = Number(process.env.FLORIN_TEST_SEED ?? 20261121);
const KILLS = Number(process.env.FLORIN_TEST_KILLS ?? 6);
const CUSTOMERS = 5;
const random = seededRandom(SEED);
const pick = <T>(values: readonly T[]): T => values[random.int(values.length)] as T;
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-kill-'));
let database: TestDatabase;
let child: ChildProcess | null = null;
let url = '';
let token = '';

/** The tenant's own server, which is asked about each payment: so that some wait for its word while the issuer dies. */
const tenant = http.createServer((request, response) => {
  request.resume();
  const later = AbortSignal.timeout(random.int(60));
  later.addEventListener('abort', () => {
    response.setHeader('content-type', 'application/json');
    response.end('{"decision":"APPROVE"}');
  });
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

async function start(): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const told = {
    env: { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'silent' },
    connection: database.connection,
    dieAt: null,
  };
  const started = spawn(
    process.execPath,
    [path.join(import.meta.dirname, '../../recovery/serve-child.ts'), JSON.stringify(told)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child = started;
  await new Promise<void>((resolve, reject) => {
    started.stdout?.once('data', () => resolve());
    started.once('exit', (code, signal) => reject(new Error(`the server ended at start: ${code ?? signal}`)));
  });
}

async function killed(): Promise<void> {
  const dying = child;
  child = null;
  if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
  const gone = new Promise((resolve) => dying.once('exit', resolve));
  dying.kill('SIGKILL');
  await gone;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly body: any;
}

/** One request; null when the server died before it answered. */
async function ask(method: string, target: string, body?: object, ref?: string): Promise<Answer | null> {
  const headers: Record<string, string> = target.startsWith('/issuing')
    ? { 'x-secret': 'sandbox-secret', 'authorization-key': token }
    : { authorization: 'Bearer sandbox-operator' };
  try {
    const response = await fetch(`${url}${target}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json', ...(ref ? { 'idempotency-ref': ref } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Asked while the server lives: an answer, and this one. */
async function told(method: string, target: string, body?: object, ref?: string, status = 200) {
  const answer = await ask(method, target, body, ref);
  assert.equal(answer?.status, status, `${method} ${target}: ${JSON.stringify(answer?.body)}`);
  return answer?.body;
}

/** What is known of a payment that was approved. */
interface Payment {
  readonly id: string;
  readonly amount: number;
  cleared: number;
  open: number;
}

interface Books {
  actual: number;
  held: number;
}

/** One who owns an instrument that nobody else moves money of: so its balances are known but for the request that died. */
interface Customer {
  readonly cards: string[];
  readonly transfers: string[];
  readonly declined: string[];
  readonly payments: Payment[];
  /** What the payments are made with, and what pays for them. */
  readonly card: string;
  readonly instrument: string;
  readonly debit: boolean;
  known: Books;
  /** The books as the unanswered request would have left them; and how to repeat it. */
  maybe: { readonly books: Books; readonly repeat?: () => Promise<void>; readonly payment?: Payment } | null;
}

let refs = 0;
const EUR = (amount: number) => ({ currency: 'EUR', amount });
const readBooks = async ({ debit, instrument }: Customer): Promise<Books> => {
  const { balances } = await told('GET', `/issuing/${debit ? 'managed-accounts' : 'cards'}/${instrument}`);
  return { actual: balances.actualBalance, held: balances.actualBalance - balances.availableBalance };
};

async function newCustomer(debit: boolean): Promise<Customer> {
  let instrument: string;
  let card: string;
  if (debit) {
    const account = { profileId: '1011', friendlyName: 'Load', currency: 'EUR' };
    instrument = (await told('POST', '/issuing/managed-accounts', account)).id;
    await told('POST', `/simulator/accounts/${instrument}/deposit`, { amount: 100_000 });
    const asked = cardRequest({ ...DEBIT, parentManagedAccountId: instrument });
    card = (await told('POST', '/issuing/cards/request', asked)).id;
  } else {
    card = (await told('POST', '/issuing/cards/request', cardRequest())).id;
    instrument = card;
    await told('POST', '/issuing/transfers', transferOf(100_000, card, false, true));
  }
  const empty = { transfers: [], declined: [], payments: [], maybe: null };
  return { cards: [card], card, instrument, debit, known: { actual: 100_000, held: 0 }, ...empty };
}

const transferOf = (amount: number, instrument: string, debit: boolean, into: boolean) => {
  const own = { type: debit ? 'managed_accounts' : 'managed_cards', id: instrument };
  const main = { type: 'managed_accounts', id: '2001' };
  const [source, destination] = into ? [main, own] : [own, main];
  return { source, destination, destinationAmount: EUR(amount), description: 'load' };
};

type Step = (of: Customer) => Promise<boolean>;

const transfer: Step = async (of) => {
  const into = random.int(2) === 0;
  const amount = 1 + random.int(500);
  const body = transferOf(amount, of.instrument, of.debit, into);
  const ref = `load-${++refs}`;
  const books = { ...of.known, actual: of.known.actual + (into ? amount : -amount) };
  const repeat = async (): Promise<void> => {
    of.transfers.push((await told('POST', '/issuing/transfers', body, ref)).id);
  };
  of.maybe = { books, repeat };
  const answer = await ask('POST', '/issuing/transfers', body, ref);
  if (!answer) return false;
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  of.transfers.push(answer.body.id);
  Object.assign(of, { known: books, maybe: null });
  return true;
};

const create: Step = async (of) => {
  const ref = `load-${++refs}`;
  const body = cardRequest({ friendlyName: ref });
  const repeat = async (): Promise<void> => {
    of.cards.push((await told('POST', '/issuing/cards/request', body, ref)).id);
  };
  of.maybe = { books: of.known, repeat };
  const answer = await ask('POST', '/issuing/cards/request', body, ref);
  if (!answer) return false;
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  of.cards.push(answer.body.id);
  of.maybe = null;
  return true;
};

const purchase: Step = async (of) => {
  const amount = 1 + random.int(300);
  const books = { ...of.known, held: of.known.held + amount };
  of.maybe = { books };
  const body = { cardId: of.card, amount, currency: 'EUR', channel: 'ecommerce', threeDs: true };
  const answer = await ask('POST', '/simulator/purchases', body);
  if (!answer) return false;
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  of.maybe = null;
  const { approved, authorizationId: id } = answer.body;
  if (approved) {
    of.payments.push({ id, amount, cleared: 0, open: amount });
    of.known = books;
  } else of.declined.push(id);
  return true;
};

/** The merchant takes what it was promised, or gives it up. */
const finish: Step = async (of) => {
  const payment = of.payments.find(({ open }) => open > 0);
  if (!payment) return true;
  const clears = random.int(3) > 0;
  const amount = random.int(2) === 0 ? payment.open : 1 + random.int(payment.open);
  const books = clears
    ? { actual: of.known.actual - amount, held: of.known.held - payment.open }
    : { ...of.known, held: of.known.held - amount };
  const next = clears
    ? { ...payment, cleared: payment.cleared + amount, open: 0 }
    : { ...payment, open: payment.open - amount };
  of.maybe = { books, payment: next };
  const target = `/simulator/authorizations/${payment.id}/${clears ? 'clear' : 'reverse'}`;
  const answer = await ask('POST', target, { amount });
  if (!answer) return false;
  assert.equal(answer.body.approved, true, JSON.stringify(answer.body));
  Object.assign(payment, next);
  Object.assign(of, { known: books, maybe: null });
  return true;
};

const STEPS: readonly Step[] = [transfer, transfer, create, purchase, purchase, finish, finish];

async function spend(of: Customer): Promise<void> {
  while (await pick(STEPS)(of));
}

/** After a restart: what was acknowledged is so, what was not is so or not, and can be repeated. */
async function verify(of: Customer, what: string): Promise<void> {
  const shown = (books: Books) => `${books.actual} ${books.held}`;
  const { maybe } = of;
  if (maybe?.repeat) {
    await maybe.repeat();
    of.known = maybe.books;
  } else if (maybe) {
    const found = await readBooks(of);
    const both = [shown(of.known), shown(maybe.books)];
    assert.ok(both.includes(shown(found)), `${what}: funds are ${shown(found)}, neither of ${both.join(' or ')}`);
    if (maybe.payment && shown(found) === shown(maybe.books))
      Object.assign(of.payments.find(({ id }) => id === maybe.payment?.id) as Payment, maybe.payment);
    of.known = found;
  }
  of.maybe = null;
  assert.equal(shown(await readBooks(of)), shown(of.known), `${what}: the funds of an acknowledged answer`);
  for (const id of of.cards.splice(0)) {
    const { body } = (await ask('GET', `/issuing/cards/${id}`)) ?? {};
    assert.equal(body?.state?.state, 'ACTIVE', `${what}: an acknowledged card is lost`);
  }
  for (const id of of.transfers.splice(0))
    assert.equal((await told('GET', `/issuing/transfers/${id}`)).state, 'COMPLETED', what);
  const { payments } = await told('GET', `/issuing/cards/payments/${of.card}`);
  type Row = { id: string; held: number; cleared: number; state: string };
  const rows = new Map((payments as Row[]).map((row) => [row.id, row]));
  for (const { id, cleared, open } of of.payments.slice(-20)) {
    const row = rows.get(id);
    assert.deepEqual(
      [row?.state, row?.cleared, row?.held],
      [open > 0 ? 'OPEN' : 'CLOSED', cleared, open],
      `${what}: payment ${id} of ${rows.size}`,
    );
  }
  for (const id of of.declined.splice(0)) assert.equal(rows.get(id)?.state ?? 'DECLINED', 'DECLINED', what);
}

async function recovered(what: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    await told('POST', '/simulator/clock/advance', { by: '15s' });
    const rows = await database.query(`select id from authorizations where state = 'PENDING'`);
    if (rows.length === 0) return;
    assert.ok(performance.now() < deadline, `${what}: ${rows.length} stay PENDING`);
    // Nothing is found out while the killed server counts as living.
    await systemClock.sleep(100);
  }
}

before(async () => {
  database = await testDatabase();
  await new Promise<void>((resolve) => tenant.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await killed();
  tenant.close();
  tenant.closeAllConnections();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Until so many transfers and cards were asked for, and a moment longer: a busy machine comes as far as an idle one. */
async function underLoad(load: Promise<unknown>, goal: number, what: string): Promise<void> {
  let ended = false;
  const end = (): boolean => (ended = true);
  void load.then(end, end);
  while (refs < goal && !ended) await systemClock.sleep(5);
  if (ended) {
    // What a customer found wrong says more than that nobody was left.
    await load;
    assert.fail(`${what}: nobody was answered any more, and the server was not killed yet`);
  }
  await systemClock.sleep(random.int(50));
}

test(`killed ${KILLS} times at random moments under load (seed ${SEED})`, async (t) => {
  await start();
  token = await tokenOf({ url });
  const forwarding = {
    url: `http://127.0.0.1:${(tenant.address() as AddressInfo).port}/`,
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  };
  await told('PATCH', '/operator/tenants/sandbox', { settings: { forwarding } });
  const customers: Customer[] = [];
  for (let i = 0; i < CUSTOMERS; i++) customers.push(await newCustomer(i % 2 === 1));
  let pending = 0;
  let unanswered = 0;
  for (let i = 1; i <= KILLS; i++) {
    const what = `kill ${i}, seed ${SEED}`;
    const load = Promise.all(customers.map(spend));
    await underLoad(load, refs + CUSTOMERS + random.int(4 * CUSTOMERS), what);
    await killed();
    await load;
    pending += (await database.query(`select id from authorizations where state = 'PENDING'`)).length;
    unanswered += customers.filter(({ maybe }) => maybe !== null).length;
    await start();
    await recovered(what);
    token = await tokenOf({ url });
    for (const of of customers) await verify(of, what);
    const invariants = await told('GET', '/operator/invariants?full=true');
    assert.deepEqual(
      invariants.checks.filter(({ ok }: { ok: boolean }) => !ok),
      [],
      what,
    );
    assert.equal(invariants.ok, true);
  }
  const payments = customers.reduce((sum, of) => sum + of.payments.length, 0);
  t.diagnostic(
    `${refs} transfers and cards, ${payments} payments, ${unanswered} unanswered, ${pending} pending at death`,
  );
  assert.ok(refs > KILLS * CUSTOMERS && payments > KILLS && unanswered > 0 && pending > 0, 'the load did something');
});
