// `npm run bench`: (a) a TPC-B-like transaction through our driver with 16 connections, (b) authorize over HTTP, durable, 128
// connections, on one Postgres and in turn; then reads, lists, charges, and the same with a million orders in the table.
// Then the issuing side (issuing.ts). Absolute figures are this machine's; the ratios are what may be compared.
// BENCH_SECONDS, BENCH_ORDERS and BENCH_CARDS make it shorter.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLog, systemClock } from '../src/base/index.ts';
import { openDatabase, startEmbedded } from '../src/store/index.ts';
import { fillOrders } from './fill.ts';
import { benchIssuing } from './issuing.ts';
import { load, type Measured } from './load.ts';
import { type Served, serve } from './serve.ts';
import { prepareTpcb, runTpcb } from './tpcb.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const CARDS = Number(process.env.BENCH_CARDS ?? 1_000_000);
const PORT = 18_993;
const url = `http://127.0.0.1:${PORT}`;
const log = createLog('silent');
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-bench-'));

const authorizeBody = JSON.stringify({
  amount: 12.5,
  currency: 'EUR',
  pan: '4111111111111111',
  card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
  location: { ip: '192.0.2.1' },
});

const embedded = await startEmbedded(dataDir, { log, clock: systemClock });
const database = openDatabase(embedded.connection, { log, connections: 16 });

const authorize = (seconds: number): Promise<Measured> =>
  load({ url: `${url}/gateway/orders/authorize`, method: 'POST', connections: 128, seconds, body: authorizeBody });
const idsOf = async (count: number): Promise<string[]> => {
  const response = await fetch(`${url}/gateway/orders/?per_page=${count}&status=authorized`, {
    headers: { authorization: `Basic ${Buffer.from('sandbox:sandbox-secret').toString('base64')}` },
  });
  return ((await response.json()) as { orders: { id: string }[] }).orders.map(({ id }) => id);
};

interface Round {
  readonly name: string;
  readonly measured: Measured;
}

async function rounds(suffix: string): Promise<Round[]> {
  await authorize(2);
  const measured = await authorize(SECONDS);
  const ids = await idsOf(2000);
  const one = ids[0] as string;
  return [
    { name: `authorize${suffix}`, measured },
    {
      name: `GET one order${suffix}`,
      measured: await load({
        url: `${url}/gateway/orders/${one}`,
        method: 'GET',
        connections: 32,
        seconds: SECONDS / 2,
      }),
    },
    {
      name: `list of 2000${suffix}`,
      measured: await load({ url: `${url}/gateway/orders/`, method: 'GET', connections: 4, seconds: SECONDS / 2 }),
    },
    {
      name: `charge${suffix}`,
      measured: await load({
        url,
        method: 'PUT',
        connections: 64,
        seconds: SECONDS,
        body: '{}',
        paths: ids.map((id) => `/gateway/orders/${id}/charge`),
      }),
    },
  ];
}

let failure: Error | null = null;
let server: Served | null = null;
try {
  await prepareTpcb(database);
  const before = await runTpcb(database, 16, SECONDS);
  server = await serve(dataDir, PORT, embedded.connection);
  const empty = await rounds('');
  const after = await runTpcb(database, 16, SECONDS);
  const tpcb = (before + after) / 2;
  const [project] = await database.query<{ id: bigint }>(`select id from projects where login = 'sandbox'`);
  await fillOrders(database, project?.id as bigint, ORDERS);
  const full = await rounds(`, ${ORDERS.toLocaleString('en')} orders`);
  await server.stop();
  server = null;
  const { compared, invariants } = await benchIssuing({
    connection: embedded.connection,
    home: dataDir,
    seconds: SECONDS,
    cards: CARDS,
  });

  const ratio = (empty[0] as Round).measured.perSecond / tpcb;
  const fullRatio = (full[0] as Round).measured.perSecond / (empty[0] as Round).measured.perSecond;
  const rows = [...empty, ...full, ...compared.flatMap(({ sides }) => sides)].map(({ name, measured: m }) => ({
    what: name,
    'per second': Math.round(m.perSecond),
    'p50 ms': m.p50Ms,
    'p99 ms': m.p99Ms,
    requests: m.requests,
    failed: m.failed,
    'ratio to TPC-B': Number((m.perSecond / tpcb).toFixed(2)),
  }));
  console.table([{ what: 'TPC-B-like, 16 connections', 'per second': Math.round(tpcb) }, ...rows]);
  console.log(
    `authorize / TPC-B-like: ${ratio.toFixed(2)} (goal 0.5)   authorize with ${ORDERS.toLocaleString('en')} orders / empty: ${fullRatio.toFixed(2)} (goal 0.9)`,
  );
  const issuing = compared.map(({ sides: [one, other], ratio: of, goal }) => ({
    what: `${other.name} / ${one.name}`,
    ratio: Number(of.toFixed(3)),
    goal,
  }));
  console.table(issuing);
  console.log(`invariants: ok (${invariants})`);
  mkdirSync(path.join(import.meta.dirname, 'results'), { recursive: true });
  writeFileSync(
    path.join(import.meta.dirname, 'results', 'latest.json'),
    `${JSON.stringify({ cores: os.availableParallelism(), seconds: SECONDS, tpcbPerSecond: Math.round(tpcb), ratio: Number(ratio.toFixed(3)), fullRatio: Number(fullRatio.toFixed(3)), issuing, rows }, null, 2)}\n`,
  );
} catch (error) {
  failure = error instanceof Error ? error : new Error(String(error));
}
await server?.stop();
await database.close();
await embedded.stop();
rmSync(dataDir, { recursive: true, force: true });
if (failure) throw failure;
