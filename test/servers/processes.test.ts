// PROCESSES=2, as an operator starts it: both serve at one address, by both ports; one that is killed costs nobody a wrong answer and is
// replaced; all end at SIGTERM in time, and a parent that is killed leaves none behind.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { before, test } from 'node:test';
import { basic, payment } from '../support/app.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { atEnd } from '../support/ends.ts';
import { seededOfRun } from '../support/seeded.ts';
import { identityOf, pem } from '../support/tls.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const root = mkdtempSync(path.join(os.tmpdir(), 'florin-processes-'));
const certificate = { cert: path.join(root, 'cert.pem'), key: path.join(root, 'key.pem') };
let database: TestDatabase;

const use = (name: 'first' | 'second'): void => {
  copyFileSync(pem(name), certificate.cert);
  copyFileSync(pem(`${name}.key`), certificate.key);
};

interface Florin {
  readonly parent: ChildProcess;
  readonly url: string;
  readonly clientUrl: string;
  readonly ended: Promise<number | string | null>;
}

let florin: Florin;

async function start(): Promise<Florin> {
  const { host, user, database: name } = database.connection;
  const parent = spawn(process.execPath, [MAIN, 'serve'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PROCESSES: '2',
      PORT: '0',
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host as string)}`,
      DATA_DIR: path.join(root, 'data'),
      LOG_LEVEL: 'silent',
      TLS_CERT_FILE: certificate.cert,
      TLS_KEY_FILE: certificate.key,
      TLS_CLIENT_PORT: '0',
      TLS_CLIENT_CA_FILE: pem('clients'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | string | null>((resolve) =>
    parent.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  let told = '';
  const url = new Promise<RegExpExecArray>((resolve, reject) => {
    parent.stdout?.on('data', (part: Buffer) => {
      told += part.toString();
      const found = /API +(https:\S+)\/gateway[\s\S]*With a certificate +(https:\S+)/.exec(told);
      if (found) resolve(found);
    });
    void ended.then((code) => reject(new Error(`it ended at its start: ${code}`)));
  });
  const [, main = '', clients = ''] = await url;
  return { parent, url: main, clientUrl: clients, ended };
}

before(async () => {
  const copied = seededOfRun();
  database = await testDatabase(copied?.database);
  if (copied) cpSync(copied.dataDir, path.join(root, 'data'), { recursive: true });
  use('first');
  florin = await start();
  atEnd(async () => {
    florin.parent.kill('SIGKILL');
    await florin.ended;
    rmSync(root, { recursive: true, force: true });
  });
});

interface Reply {
  readonly status: number;
  /** Of the process that answered: each has drawn its own. */
  readonly by: string;
  readonly text: string;
}

interface Asked {
  readonly at?: string;
  readonly agent?: Agent;
  readonly trusts?: 'first' | 'second';
  readonly authorization?: string;
  readonly body?: object;
}

/** One request on a connection of its own, unless an agent keeps one; null: the connection was lost. */
function ask(method: string, target: string, asked: Asked = {}): Promise<Reply | null> {
  const { at = florin.url, agent = new Agent({ keepAlive: false }), trusts = 'first', body } = asked;
  const options = {
    method,
    agent,
    ca: readFileSync(pem(trusts)),
    ...identityOf('shop'),
    headers: {
      authorization: asked.authorization ?? basic('sandbox', 'sandbox-secret'),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
  };
  return new Promise((resolve) => {
    const sent = request(`${at}${target}`, options, (reply) => {
      let text = '';
      reply.on('data', (part: Buffer) => (text += part.toString()));
      reply.once('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          by: String(reply.headers['x-request-id']).split('-')[0] as string,
          text,
        }),
      );
      reply.once('error', () => resolve(null));
    });
    sent.once('error', () => resolve(null));
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

const OPERATOR = { authorization: 'Bearer sandbox-operator' };
const sure = (reply: Reply | null): Reply => {
  assert.ok(reply, 'the connection was lost');
  return reply;
};
const readyz = async (): Promise<{ ok: boolean; processes: object; warnings: string[] }> =>
  JSON.parse(sure(await ask('GET', '/readyz')).text);

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await holds()); ) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const pids = (): number[] =>
  readFileSync(`/proc/${florin.parent.pid}/task/${florin.parent.pid}/children`, 'utf8').trim().split(' ').map(Number);

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie has ended, too: nobody has asked for its code yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

test('both serve, at both ports; health and metrics are those of both', async () => {
  const by: Reply[] = [];
  for (let i = 0; i < 8; i++) {
    const at = i < 4 ? florin.url : florin.clientUrl;
    by.push(sure(await ask('GET', '/gateway/ping', { at })));
  }
  assert.ok(by.every(({ status }) => status === 200));
  assert.equal(new Set(by.slice(0, 4).map((reply) => reply.by)).size, 2, 'at the first port');
  assert.equal(new Set(by.slice(4).map((reply) => reply.by)).size, 2, 'at that for certificates');

  const { ok, processes, warnings } = await readyz();
  assert.deepEqual([ok, processes], [true, { wanted: 2, serving: 2 }]);
  assert.ok(!warnings.includes('processes_missing'));

  const { text } = sure(await ask('GET', '/metrics'));
  const counted = [...text.matchAll(/^http_server_request_duration_seconds_count\{(.*\/ping.*)\} (\d+)$/gm)];
  assert.deepEqual(
    counted.map(([, labels]) => /process="(\d)"/.exec(labels ?? '')?.[1]),
    ['1', '2'],
  );
  assert.equal(
    counted.reduce((all, [, , count]) => all + Number(count), 0),
    8,
  );
  const heads = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  assert.equal(new Set(heads).size, heads.length);
  assert.match(text, /^florin_processes_serving 2$/m);
});

test('a certificate that changes is taken by both', async () => {
  use('second');
  await until('the second certificate is not taken', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < 6; i++) seen.add((await ask('GET', '/healthz', { trusts: 'second' }))?.by ?? 'none');
    return !seen.has('none') && seen.size === 2;
  });
  use('first');
  await until('the first one is not taken again', async () => {
    for (let i = 0; i < 6; i++) if (!(await ask('GET', '/healthz'))) return false;
    return true;
  });
});

test('one that is killed under load: no wrong answer, the other one goes on, another takes its place', async () => {
  const known: { readonly id: string; readonly status: string }[] = [];
  const wrong: string[] = [];
  const done = new AbortController();
  /** Goes on over lost connections, as clients do. */
  async function buyer(n: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; !done.signal.aborted; i++) {
      const body = payment({ location: { ip: `10.${n}.${i % 250}.1` }, options: { auto_charge: i % 2 } });
      const reply = await ask('POST', '/gateway/orders/authorize', { agent, body });
      if (!reply) continue;
      const order = reply.status === 200 ? JSON.parse(reply.text).orders[0] : null;
      if (order) known.push({ id: order.id, status: order.status });
      else wrong.push(`${reply.status} ${reply.text}`);
    }
    agent.destroy();
  }
  const buyers = Promise.all([1, 2, 3, 4].map(buyer));
  try {
    await until('nothing is sold', async () => known.length > 20);
    // The first has what only one has to do.
    const [first = 0] = pids();
    process.kill(first, 'SIGKILL');
    const before = known.length;
    await until('the other one does not go on', async () => known.length > before + 20);
    await until('nobody takes its place', async () => {
      const { processes } = await readyz();
      return !pids().includes(first) && JSON.stringify(processes) === '{"wanted":2,"serving":2}';
    });
  } finally {
    done.abort();
    await buyers;
  }
  assert.deepEqual(wrong, []);
  assert.match(sure(await ask('GET', '/metrics')).text, /^florin_process_restarts_total\{process="1"\} 1$/m);

  // What it had in flight is found out by the others.
  await until('operations stay in flight', async () => {
    await ask('POST', '/simulator/clock/advance', { ...OPERATOR, body: { by: '1m' } });
    const [left] = await database.query<{ n: bigint }>('select count(*) as n from orders where in_flight is not null');
    return left?.n === 0n;
  });
  for (const { id, status } of known) {
    const { text } = sure(await ask('GET', `/gateway/orders/${id}`));
    assert.equal(JSON.parse(text).orders[0].status, status, `${id} was told otherwise`);
  }
  const { ok } = JSON.parse(sure(await ask('GET', '/operator/invariants', OPERATOR)).text);
  assert.ok(ok, 'the books hold');
});

test('a parent that is killed takes all with it, and the next one begins at once', async () => {
  const members = pids();
  assert.equal(members.length, 2);
  florin.parent.kill('SIGKILL');
  assert.equal(await florin.ended, 'SIGKILL');
  await until('a server process outlives its parent', async () => !members.some(alive));
  florin = await start();
  assert.equal(sure(await ask('GET', '/gateway/ping')).status, 200);
});

test('SIGTERM ends all of them in time, without a fault', async () => {
  const members = pids();
  const leases = (): Promise<object[]> => database.query('select id from processes');
  const before = (await leases()).length;
  const sentMs = performance.now();
  florin.parent.kill('SIGTERM');
  assert.equal(await florin.ended, 0);
  assert.ok(performance.now() - sentMs < 30_000);
  assert.deepEqual(members.filter(alive), []);
  assert.ok((await leases()).length <= before - 2, 'who ends says so');
});
