// The gateway's half of `npm run bench`: TPC-B beside authorize over HTTP; then each kind of request
// with empty tables beside the same with a million orders in them, each in a database of its own on the same Postgres.
import type { Connection, Database } from '../src/store/index.ts';
import { type Asked, type Compared, compare, loading, ROUND_SHARE } from './compare.ts';
import { fillOrders } from './fill.ts';
import { load } from './load.ts';
import { baseline } from './pgbench.ts';
import { provenInFull, proving } from './proofs.ts';
import { type Opened, openServer } from './serve.ts';

const PORT = 18_990;
/** pgbench counts whole seconds, and 128 connections take a while to open: a shorter round would tell of that instead. */
const TPCB_ROUND_SECONDS = 2;
/** The p99 is at most five times the median. */
const MOST_WAITING = 1 / 5;
/** Charges of one round: their time is taken to a tenth of a second. */
const CHARGES = 1000;

const BODY = JSON.stringify({
  amount: 12.5,
  currency: 'EUR',
  pan: '4111111111111111',
  card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
  location: { ip: '192.0.2.1' },
});
const CREDENTIALS = { authorization: `Basic ${Buffer.from('sandbox:sandbox-secret').toString('base64')}` };

async function authorizedIds({ server }: Opened): Promise<string[]> {
  const response = await fetch(`${server.url}/gateway/orders/?per_page=2000&status=authorized`, {
    headers: CREDENTIALS,
  });
  return ((await response.json()) as { orders: { id: string }[] }).orders.map(({ id }) => id);
}

const authorizing = ({ server }: Opened): Asked[1] =>
  loading({ url: `${server.url}/gateway/orders/authorize`, method: 'POST', connections: 128, body: BODY });

const reading = ({ server }: Opened, id: string): Asked[1] =>
  loading({ url: `${server.url}/gateway/orders/${id}`, method: 'GET', connections: 32 });

const listing = ({ server }: Opened): Asked[1] =>
  loading({ url: `${server.url}/gateway/orders/`, method: 'GET', connections: 4 });

/** What waiting costs where nothing has to wait: of half the load that the server takes, the slowest hundredth beside the median. */
async function halfLoad({ server }: Opened, perSecond: number, seconds: number): Promise<Compared> {
  const url = `${server.url}/gateway/orders/authorize`;
  const measured = await load({
    url,
    method: 'POST',
    connections: 128,
    body: BODY,
    seconds,
    perSecond: perSecond / 2,
  });
  const ratio = (measured.p50Ms ?? 0) / (measured.p99Ms ?? 1);
  const name = 'authorize at half load';
  return {
    goal: MOST_WAITING,
    ratio,
    sides: [
      { name: `${name}, p99`, measured },
      { name: `${name}, p50`, measured },
    ],
  };
}

/** What the server's process takes, MB. */
async function residentMB({ server }: Opened): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const [, bytes] = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text) ?? [];
  return Math.round(Number(bytes) / 1_000_000);
}

/** Each round charges orders of its own; what it needs is authorized beforehand, unmeasured. */
const charging =
  (opened: Opened): Asked[1] =>
  async (seconds) => {
    const { url } = opened.server;
    await load({
      url: `${url}/gateway/orders/authorize`,
      method: 'POST',
      connections: 64,
      seconds,
      body: BODY,
      amount: CHARGES,
    });
    const paths = (await authorizedIds(opened)).slice(0, CHARGES).map((id) => `/gateway/orders/${id}/charge`);
    return load({ url, method: 'PUT', connections: 64, seconds, body: '{}', paths });
  };

export interface GatewaySize {
  readonly connection: Connection;
  readonly database: Database;
  readonly home: string;
  readonly seconds: number;
  readonly orders: number;
}

/** The first of the answer is authorize over TPC-B. */
export async function benchGateway({ connection, database, home, orders, ...of }: GatewaySize): Promise<Compared[]> {
  const seconds = of.seconds * ROUND_SHARE;
  const open: Opened[] = [];
  const opened = async (name: string): Promise<Opened> => {
    const one = await openServer(connection, home, name, PORT + open.length);
    open.push(one);
    return one;
  };
  try {
    const full = await opened('bench_orders_full');
    const [project] = await full.database.query<{ id: bigint }>(`select id from projects where login = 'sandbox'`);
    await fillOrders(full.database, project?.id as bigint, orders);
    const empty = await opened('bench_orders_empty');
    const tpcb = await baseline(connection, database);
    const suffix = `, ${orders.toLocaleString('en')} orders`;
    const both = (goal: number, name: string, of: (one: Opened) => Asked[1]): Promise<Compared> =>
      compare(seconds, goal, [name, of(empty)], [`${name}${suffix}`, of(full)]);
    // First of all: both servers have been as little and as much in use.
    const filled = await both(0.9, 'authorize', authorizing);
    const long = Math.max(seconds, TPCB_ROUND_SECONDS);
    const beside = await compare(long, 0.65, tpcb, ['authorize', authorizing(empty)]);
    console.log(`memory under a full load: ${await residentMB(empty)} MB, at most 300`);
    const compared = [beside, filled, await halfLoad(empty, beside.sides[1].measured.perSecond, of.seconds)];
    const ids = new Map([
      [empty, (await authorizedIds(empty))[0] as string],
      [full, (await authorizedIds(full))[0] as string],
    ]);
    compared.push(
      await both(0.9, 'GET one order', (one) => reading(one, ids.get(one) as string)),
      await both(0.9, 'list of 2000', listing),
      await both(0.9, 'charge', charging),
    );
    for (const one of open) console.log(`proof of the whole history: ${(await provenInFull(one)).toFixed(1)} s`);
    compared.push(await both(0.9, 'proof of what has changed', (one) => proving(one, { body: BODY })));
    return compared;
  } finally {
    await Promise.all(open.map((one) => one.close()));
  }
}
