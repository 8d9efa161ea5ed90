// What one tenant feels of another: the median of its own small requests while its neighbour asks for all it can get, beside the same with
// nobody there. Rule: the asked-for answers are thrown away unread, so that the measuring itself costs the measured nothing.
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Connection } from '../src/store/index.ts';
import { type Asked, type Compared, compare, ROUND_SHARE } from './compare.ts';
import { load, type Measured } from './load.ts';
import { openServer } from './serve.ts';

const PORT = 18_994;
/** Orders of the neighbour: more than a page of its list. */
const ORDERS = 2500;
const CLIENTS = 8;
/** Three times the quiet median at most. */
const GOAL = 1 / 3;

const basic = (project: string): string => `Basic ${Buffer.from(`${project}:${project}-secret`).toString('base64')}`;
const payment = JSON.stringify({
  amount: 12.5,
  currency: 'EUR',
  pan: '4111111111111111',
  card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
  client: { name: 'Ada Example', email: 'ada@shop.example' },
  location: { ip: '192.0.2.1' },
  custom_fields: { cart: 'A-1001' },
  options: { auto_charge: 1 },
});
const LONG_READ = `/gateway/orders/?per_page=2000&expand=${[
  'card',
  'client',
  'location',
  'custom_fields',
  'issuer',
  'secure3d',
  'operations.cashflow',
].join(',')}`;
const LOGIN = JSON.stringify({ email: 'consumer@sandbox.test', password: { value: 'Sandbox-12345' } });

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status, once the last byte is there. */
const ask = (url: string, { method, path, headers, body }: Request): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers: { 'content-type': 'application/json', ...headers } });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      answer.once('error', reject);
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    asked.end(body);
  });

/** One after the other for so long: `perSecond` is that of the median. */
async function one(url: string, asked: Request, seconds: number): Promise<Measured> {
  const took: number[] = [];
  let failed = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || took.length < 20) {
    const from = performance.now();
    const status = await ask(url, asked);
    took.push(performance.now() - from);
    if (status >= 300) failed++;
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => Number((took[Math.floor(took.length * share)] ?? 0).toFixed(2));
  return { perSecond: 1000 / at(0.5), p50Ms: at(0.5), p99Ms: at(0.99), requests: took.length, failed };
}

/** While so many clients ask for the other thing again and again. What they are refused for asking too much isn't counted. */
async function beside(url: string, noisy: Request, measure: () => Promise<Measured>): Promise<Measured> {
  let stopped = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!stopped) await ask(url, noisy);
  });
  const measured = await measure();
  stopped = true;
  await Promise.all(clients);
  return measured;
}

export async function benchNeighbours(of: {
  readonly connection: Connection;
  readonly home: string;
  readonly seconds: number;
}): Promise<Compared[]> {
  const { server, close } = await openServer(of.connection, of.home, 'bench_neighbours', PORT);
  const { url } = server;
  const seconds = of.seconds * ROUND_SHARE;
  const made = { url: `${url}/gateway/orders/authorize`, method: 'POST', seconds, body: payment } as const;
  const pair = (name: string, asked: Request, noise: string, noisy: Request): Promise<Compared> => {
    const quiet: Asked = [`${name}, quiet`, (time) => one(url, asked, time)];
    const busy: Asked = [`${name}, ${noise}`, (time) => beside(url, noisy, () => one(url, asked, time))];
    return compare(seconds, GOAL, quiet, busy);
  };
  try {
    for (const [project, amount] of [
      ['sandbox', ORDERS],
      ['sandbox-two', 64],
    ] as const) {
      const { failed } = await load({ ...made, connections: 64, amount, headers: { authorization: basic(project) } });
      if (failed > 0) throw new Error(`${failed} payments failed`);
    }
    const theirs = { authorization: basic('sandbox') };
    const own = { authorization: basic('sandbox-two') };
    return [
      await pair(
        'small reads',
        { method: 'GET', path: '/gateway/orders/?per_page=10', headers: own },
        `${CLIENTS} clients of per_page=2000 with every expand beside`,
        { method: 'GET', path: LONG_READ, headers: theirs },
      ),
      await pair(
        'payments',
        { method: 'POST', path: '/gateway/orders/authorize', headers: own, body: payment },
        `${CLIENTS} logins at once beside`,
        { method: 'POST', path: '/issuing/auth/login', headers: { 'x-secret': 'sandbox-secret' }, body: LOGIN },
      ),
    ];
  } finally {
    await close();
  }
}
