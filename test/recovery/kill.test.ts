// "kill -9 loses nothing acknowledged": a server is killed at random moments under load and at every named step of a commit; after each
// restart the invariants hold, every acknowledged answer is still true, nothing is in flight, and the acquirer's books agree with ours.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { seededRandom, systemClock } from '../../src/base/index.ts';
import { basic, payment, simulated } from '../support/app.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

const SEED = Number(process.env.FLORIN_TEST_SEED ?? 20261121);
const random = seededRandom(SEED);
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'florin-kill-'));
let database: TestDatabase;
let child: ChildProcess | null = null;
let url = '';

const port = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const found = (server.address() as net.AddressInfo).port;
      server.close(() => resolve(found));
    });
  });

async function start(dieAt: { point: string; after: number } | null = null): Promise<void> {
  await killed();
  const free = await port();
  url = `http://127.0.0.1:${free}`;
  const env = { PORT: String(free), DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const started = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'serve-child.ts'), JSON.stringify({ env, connection: database.connection, dieAt })],
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

/** The server that the last check was made with goes on; the first one is started. */
const running = async (): Promise<void> => (child ? undefined : start());

interface Known {
  readonly id: string;
  readonly statuses: readonly string[];
}

/** One request; null when the server died before it answered. */
async function ask(method: string, target: string, body?: unknown, authorization = basic('sandbox', 'sandbox-secret')) {
  try {
    const response = await fetch(`${url}${target}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: (await response.json()) as { orders?: { id: string; status: string }[]; order_id?: string },
    };
  } catch {
    return null;
  }
}

const CARDS = [
  '4111111111111111',
  '2222400060000007',
  '4111111111111111',
  simulated('10', '911'),
  simulated('20', '911'),
  simulated('40', '910'),
];

/** A buyer who goes on until the server is gone; what was acknowledged is remembered. */
async function buyer(known: Known[]): Promise<void> {
  for (;;) {
    const auto = random.int(2);
    const made = await ask(
      'POST',
      '/gateway/orders/authorize',
      payment({
        pan: CARDS[random.int(CARDS.length)],
        options: { auto_charge: auto },
        // Many buyers, or those whose cards are declined would look like a test of stolen ones.
        location: { ip: `10.${random.int(250)}.${random.int(250)}.1` },
      }),
    );
    if (!made) return;
    const order = made.body.orders?.[0];
    if (!order) continue;
    const next = ['charge', 'reverse', 'refund', 'cancel'][random.int(4)] as string;
    const done = await ask('PUT', `/gateway/orders/${order.id}/${next}`, {});
    const after = done?.body.orders?.[0]?.status;
    // Answered: that is the status. Unanswered or unresolved: it may have happened. Refused: nothing happened, but an automatic charge
    // without an answer is still found out.
    const open =
      done?.status === 402
        ? auto
          ? [order.status, 'charged']
          : [order.status]
        : [order.status, 'authorized', 'charged', 'reversed', 'refunded'];
    known.push({ id: order.id, statuses: after ? [after] : open });
    if (!done) return;
  }
}

/** After a restart: invariants, acknowledged answers, nothing in flight, the acquirer's books. */
async function verify(known: readonly Known[], what: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    await ask('POST', '/simulator/clock/advance', { by: '1m' }, 'Bearer sandbox-operator');
    const [left] = await database.query<{ n: bigint }>('select count(*) as n from orders where in_flight is not null');
    if (left?.n === 0n) break;
    assert.ok(performance.now() < deadline, `${what}: operations stay in flight`);
    // Nothing is found out while the killed server counts as living.
    await systemClock.sleep(100);
  }
  const response = await fetch(`${url}/operator/invariants?full=true`, {
    headers: { authorization: 'Bearer sandbox-operator' },
  });
  const invariants = (await response.json()) as {
    ok: boolean;
    checks: { id: string; ok: boolean; violations: unknown[] }[];
  };
  assert.deepEqual(
    invariants.checks.filter((check) => !check.ok),
    [],
    `${what}, seed ${SEED}`,
  );
  for (const { id, statuses } of known) {
    const found = await ask('GET', `/gateway/orders/${id}`);
    assert.equal(found?.status, 200, `${what}: an acknowledged order is lost`);
    assert.ok(
      statuses.includes(found?.body.orders?.[0]?.status ?? ''),
      `${what}: ${id} is ${found?.body.orders?.[0]?.status}, acknowledged as ${statuses.join()}`,
    );
  }
  await compareBooks(what);
}

/** The acquirer's own record against our operations: what it moved is what we booked. */
async function compareBooks(what: string): Promise<void> {
  const ours = await database.query<{ type: string; sum: string }>(
    `select type, sum(amount)::text as sum from operations where status = 'success' and type in ('charge', 'refund') group by type order by type`,
  );
  const theirs = await database.query<{ type: string; sum: string }>(
    `select operation as type, sum(amount)::text as sum from simulator_transactions where effect and operation in ('charge', 'refund') group by operation order by operation`,
  );
  assert.deepEqual(ours, theirs, `${what}: the acquirer moved other sums than we booked`);
  const orphans = await database.query(
    `select subject_id from simulator_transactions a where operation = 'authorize' and effect
       and exists (select from orders o where o.project_id = a.owner_id and o.id = a.subject_id and o.status = 'error')
       and not exists (select from simulator_transactions r where r.owner_id = a.owner_id and r.operation = 'reverse' and r.original_reference = a.reference)`,
  );
  assert.deepEqual(orphans, [], `${what}: a hold survives a lost authorization`);
}

before(async () => {
  database = await testDatabase();
});
after(async () => {
  await killed();
  rmSync(dataDir, { recursive: true, force: true });
});

const KILLS = Number(process.env.FLORIN_TEST_KILLS ?? 12);

test(`killed ${KILLS} times at random moments under load (seed ${SEED})`, async () => {
  const known: Known[] = [];
  for (let i = 0; i < KILLS; i++) {
    await running();
    // What a server compiles for its first answer takes as long as the load lasts on a busy machine.
    assert.equal((await ask('POST', '/gateway/orders/authorize', payment()))?.status, 200);
    // At least one is answered, however slow the machine; a moment later it is over.
    const { length } = known;
    let going = true;
    const load = Promise.all(Array.from({ length: 6 }, () => buyer(known))).finally(() => (going = false));
    while (going && known.length === length) await systemClock.sleep(5);
    await systemClock.sleep(random.int(500));
    await killed();
    await load;
    await start();
    await verify(known.slice(-40), `kill ${i + 1}`);
  }
  assert.ok(known.length >= KILLS, 'each kill had its load');
});

for (const point of ['commit.before', 'commit.after']) {
  for (const step of [0, 1, 2, 3, 4]) {
    test(`killed at ${point}, pass ${step + 1}`, async () => {
      await running();
      const made = await ask('POST', '/gateway/orders/authorize', payment());
      const id = made?.body.orders?.[0]?.id as string;
      await killed();
      await start({ point, after: step });
      const known: Known[] = [];
      const charge = await ask('PUT', `/gateway/orders/${id}/charge`, {});
      if (charge?.status === 200) {
        const refund = await ask('PUT', `/gateway/orders/${id}/refund`, { amount: 2 });
        known.push({ id, statuses: ['charged'] });
        if (refund?.status === 200)
          await ask('POST', '/gateway/orders/authorize', payment({ options: { auto_charge: 1 } }));
      }
      await killed();
      await start();
      await verify(known, `${point} ${step}`);
    });
  }
}
