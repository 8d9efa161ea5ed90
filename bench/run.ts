// `npm run bench`: the gateway's half and the issuer's, on one Postgres that fsyncs. Absolute figures are this machine's; the ratios are
// what may be compared. BENCH_SECONDS, BENCH_ORDERS, BENCH_CARDS,
// BENCH_BACKLOG and BENCH_EVENTS make it shorter.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createLog, systemClock } from '../src/base/index.ts';
import { openDatabase, startEmbedded } from '../src/store/index.ts';
import { benchEvents } from './events/events.ts';
import { benchGateway } from './gateway.ts';
import { benchIssuing } from './issuing.ts';
import { benchNeighbours } from './neighbours.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const CARDS = Number(process.env.BENCH_CARDS ?? 1_000_000);
const BACKLOG = Number(process.env.BENCH_BACKLOG ?? 100_000);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000_000);
const log = createLog('silent');
const home = mkdtempSync(path.join(os.tmpdir(), 'florin-bench-'));
const embedded = await startEmbedded(home, { log, clock: systemClock });
const { connection } = embedded;
const database = openDatabase(connection, { log, connections: 16 });

let failure: Error | null = null;
try {
  const gateway = await benchGateway({ connection, database, home, seconds: SECONDS, orders: ORDERS });
  const issuing = await benchIssuing({ connection, home, seconds: SECONDS, cards: CARDS });
  const neighbours = await benchNeighbours({ connection, home, seconds: SECONDS });
  const events = await benchEvents({ connection, home, seconds: SECONDS, backlog: BACKLOG, old: EVENTS });
  const compared = [...gateway, ...issuing.compared, ...neighbours, ...events];
  const rows = compared
    .flatMap(({ sides }) => sides)
    .map(({ name, measured: m }) => ({
      what: name,
      'per second': Math.round(m.perSecond),
      'p50 ms': m.p50Ms,
      'p99 ms': m.p99Ms,
      'requests a round': m.requests,
      failed: m.failed,
    }));
  const ratios = compared.map(({ sides: [one, other], ratio, goal }) => ({
    what: `${other.name} / ${one.name}`,
    ratio: Number(ratio.toFixed(3)),
    goal,
  }));
  console.table(rows);
  console.table(ratios);
  console.log(`invariants: ok (${issuing.invariants})`);
  const results = path.join(import.meta.dirname, 'results');
  mkdirSync(results, { recursive: true });
  writeFileSync(
    path.join(results, 'latest.json'),
    `${JSON.stringify({ cores: os.availableParallelism(), seconds: SECONDS, ratios, rows }, null, 2)}\n`,
  );
} catch (error) {
  failure = error instanceof Error ? error : new Error(String(error));
}
await database.close();
await embedded.stop();
rmSync(home, { recursive: true, force: true });
if (failure) throw failure;
