// What the browser tests share: a whole Florin, a shop to come back to, and payers with a browser of their own each.
// Rule: a journey fails on any console error, page error, refused policy, server error or request to a stranger that it didn't announce.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { type TestApp, testApp } from '../support/app.ts';
import { sharedBrowser } from '../support/chromium.ts';
import { orderOf, type Shop, shopOf } from '../support/shop.ts';

export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
}

/** A shop's site: it greets whoever comes, notes it, and shows a page of others in a frame at `/frame?page=…`. */
export interface Store {
  readonly origin: string;
  /** The same server under the name of somebody else. */
  readonly strangerOrigin: string;
  readonly visits: Visit[];
  readonly close: () => void;
}

const FRAMING = (page: string): string =>
  `<!doctype html><title>Shop</title><h1>Basket</h1><iframe title="Pay" width="390" height="800" src="${page}"></iframe>`;

async function openStore(): Promise<Store> {
  const visits: Visit[] = [];
  const greet = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://shop.localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const query = Object.fromEntries(searchParams);
    if (path !== '/favicon.ico') visits.push({ method: request.method ?? '', path, query, body });
    // Kept where the site is visited, and refused where it is a third party.
    response.setHeader('set-cookie', 'seen=1; SameSite=None; Secure');
    response.setHeader('content-type', 'text/html');
    response.end(path === '/frame' ? FRAMING(query.page ?? '') : '<!doctype html><title>Shop</title><h1>Thanks</h1>');
  };
  const server = http.createServer((request, response) => {
    void greet(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://shop.localhost:${port}`,
    strangerOrigin: `http://stranger.localhost:${port}`,
    visits,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface Payer {
  readonly context: BrowserContext;
  readonly page: Page;
  /** A console error, refused policy or the like that belongs to the journey: it has to come. */
  announce(pattern: RegExp): void;
}

export interface Made {
  readonly id: string;
  readonly url: string;
}

export interface World {
  readonly florin: TestApp;
  readonly shop: Shop;
  readonly store: Store;
  /** Somebody with a browser of his own. */
  payer(options?: BrowserContextOptions): Promise<Payer>;
  /** An order with a payment page. */
  made(options?: Readonly<Record<string, unknown>>, fields?: Readonly<Record<string, unknown>>): Promise<Made>;
  /** The order's status, and a line for each operation: type, status, amount, and the cashflow's incoming, fee, reserve, receivable. */
  told(id: string): Promise<readonly string[]>;
}

/** Somebody's browser: what goes wrong in it, and what of that he said would. */
interface Seat {
  readonly kind: string;
  readonly context: BrowserContext;
  problems: string[];
  announced: RegExp[];
}

/** Watches everything that a browser does, for whoever has it. */
function watch(seat: Seat, { florin, store }: Pick<World, 'florin' | 'store'>): void {
  const { context } = seat;
  const told = (problem: string): void => {
    seat.problems.push(problem);
  };
  const known = [florin.url, store.origin, store.strangerOrigin].map((url) => new URL(url).host);
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) told(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => told(`page: ${error.error().message}`));
  context.on('request', (request) => {
    const { host, pathname, protocol } = new URL(request.url());
    if (protocol !== 'http:' || !known.includes(host)) told(`a stranger: ${request.url()}`);
    if (pathname === '/csp-report') told(`policy: ${request.postData()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 500) told(`server: ${response.status()} ${response.url()}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page that is left before it has come is left.
    if (why !== 'net::ERR_ABORTED') told(`failed: ${why} ${request.url()}`);
  });
}

interface Flow {
  readonly type: string;
  readonly status: string;
  readonly amount: string;
  readonly cashflow?: Readonly<Record<string, string>>;
}

const lineOf = ({ type, status, amount, cashflow }: Flow): string =>
  [
    `${type} ${status} ${amount}`,
    ...(cashflow ? [['incoming', 'fee', 'reserve', 'receivable'].map((name) => cashflow[name]).join(' ')] : []),
  ].join(': ');

/** Waits longer than any step should take on a busy machine. */
const PATIENCE_MS = 15_000;

/**
 * One Florin and one shop for a test file; `journey` is a test with payers, whose browsers it watches and closes.
 * Long: what the journeys of a file do with them is one state.
 */
export function checkoutWorld(env: Record<string, string> = {}) {
  let base: Pick<World, 'florin' | 'shop' | 'store'>;
  before(async () => {
    const [florin, store] = await Promise.all([testApp(env), openStore(), sharedBrowser()]);
    base = { florin, store, shop: shopOf(florin) };
  });
  after(() => base.store.close());

  /** Left by journeys that went well. A browser's context costs more than most journeys. */
  const empty: Seat[] = [];

  async function seatFor(options: BrowserContextOptions): Promise<Seat> {
    const kind = JSON.stringify(options);
    const at = empty.findIndex((seat) => seat.kind === kind);
    const [left] = at < 0 ? [] : empty.splice(at, 1);
    if (left) return Object.assign(left, { problems: [], announced: [] });
    const context = await (await sharedBrowser()).newContext({ locale: 'en-GB', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const seat: Seat = { kind, context, problems: [], announced: [] };
    watch(seat, base);
    return seat;
  }

  /** The next one finds no pages with their histories, no cookies and no routes. */
  async function leave(seat: Seat): Promise<void> {
    await Promise.all(seat.context.pages().map((page) => page.close()));
    await seat.context.unrouteAll();
    await seat.context.clearCookies();
    empty.push(seat);
  }

  async function run(work: (world: World) => Promise<void>): Promise<void> {
    const { shop, store } = base;
    store.visits.length = 0;
    const opened: Seat[] = [];
    const world: World = {
      ...base,
      async payer(options = {}) {
        const seat = await seatFor(options);
        opened.push(seat);
        const { context, announced } = seat;
        return { context, page: await context.newPage(), announce: (pattern) => announced.push(pattern) };
      },
      async made(options = {}, fields = {}) {
        const reply = await shop.create({
          amount: 12.5,
          currency: 'EUR',
          description: 'Two books',
          ...fields,
          options,
        });
        assert.equal(reply.status, 201, reply.text);
        return { id: orderOf(reply).id, url: reply.headers.get('location') as string };
      },
      async told(id) {
        const { status, operations } = await shop.get(id, 'operations.cashflow');
        return [status, ...(operations as Flow[]).map(lineOf)];
      },
    };
    try {
      await work(world);
      for (const { problems, announced } of opened) {
        const unannounced = problems.filter((problem) => !announced.some((pattern) => pattern.test(problem)));
        assert.deepEqual(unannounced, [], 'what the browser complained about');
        const missing = announced.filter((pattern) => !problems.some((problem) => pattern.test(problem)));
        assert.deepEqual(missing, [], 'what was announced and did not come');
      }
      for (const seat of opened.splice(0)) await leave(seat);
    } catch (error) {
      // A journey that stops somewhere tells where.
      const pages = opened.flatMap(({ context }) => context.pages());
      const seen = await Promise.all(pages.map(async (page) => `${page.url()} "${await page.title()}"`));
      const problems = opened.flatMap((one) => one.problems);
      throw new Error(`stopped at ${seen.join(', ')}; ${problems.join('; ')}`, { cause: error });
    } finally {
      await Promise.all(opened.map(({ context }) => context.close()));
    }
  }

  return {
    journey: (name: string, work: (world: World) => Promise<void>): void => {
      test(name, () => run(work));
    },
    /** The last test of each file. */
    booksHold: (): void => {
      test('the books hold', () => base.shop.booksHold());
    },
  };
}

export const CARDS = {
  approved: '4111111111111111',
  challenge: '4999991092000004',
  declined: '4999991005100008',
  fraud: '4000000000000002',
} as const;

type Seen = Page | FrameLocator;

/** Types a card as people do; nothing is sent yet. */
export async function typeCard(page: Seen, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Month').fill('12');
  await page.getByLabel('Year').fill('30');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on card').fill('Ada Example');
}

export const payButton = (page: Seen) => page.getByRole('button', { name: /^Pay( |$)/ });

export async function pay(page: Seen, number: string): Promise<void> {
  await typeCard(page, number);
  await payButton(page).click();
}

/** Waits for the page that has this heading. */
export const heading = (page: Seen, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name, level: 1 }).waitFor();
