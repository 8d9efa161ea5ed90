// Nothing is lost: receivers that fail in every third case, two processes that send, and one of them killed again and again.
// FLORIN_EVENTS, FLORIN_KILLS: larger runs than `npm test` has time for.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { idMaker, idPermutation, systemClock } from '../../src/base/index.ts';
import { createNumbering, cursorPut, eventMaker } from '../../src/events/index.ts';
import { statementsFor } from '../../src/store/index.ts';
import { silent, type TestDatabase, testDatabase } from '../support/database.ts';
import { atEnd } from '../support/ends.ts';
import type { ChildSetup } from './sender-child.ts';

const EVENTS = Number(process.env.FLORIN_EVENTS ?? 400);
const KILLS = Math.max(1, Number(process.env.FLORIN_KILLS ?? 3));
const OWNER = 7n;
const ENDPOINTS = 3;
/** So many tries are between two kills. */
const EVERY = Math.floor((EVENTS * ENDPOINTS) / (2 * KILLS));

interface Received {
  readonly bodies: Set<string>;
  /** Answers with 2xx that went out. */
  taken: number;
  tries: number;
}

interface Inbox {
  readonly url: string;
  /** By endpoint and event. */
  readonly received: Map<string, Received>;
  /** All of them. */
  tries(): number;
}

/** A third of what comes fails: refused, cut off, late, or taken while the answer is lost. */
async function faultyInbox(): Promise<Inbox> {
  const received = new Map<string, Received>();
  let tries = 0;
  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const key = `${request.url} ${request.headers['webhook-id']}`;
    const one = received.get(key) ?? { bodies: new Set(), taken: 0, tries: 0 };
    received.set(key, one);
    one.bodies.add(body);
    one.tries++;
    tries++;
    const fate = Math.random();
    if (fate < 0.1) response.writeHead(503).end();
    else if (fate < 0.2) request.socket.destroy();
    else {
      one.taken++;
      if (fate < 0.3) setTimeout(() => response.writeHead(200).end('late'), 20);
      else response.writeHead(204).end();
    }
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, tries: () => tries };
}

function begin(setup: ChildSetup) {
  const child = fork(path.join(import.meta.dirname, 'sender-child.ts'), [JSON.stringify(setup)], { stdio: 'inherit' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  atEnd(kill);
  return { ready, kill };
}

async function write(database: TestDatabase, count: number): Promise<void> {
  const maker = eventMaker({
    permutation: idPermutation(Buffer.alloc(16, 1)),
    mode: 'sandbox',
    ownerType: 'project',
    nameOf: () => 'shop',
  });
  const ids = idMaker(systemClock, 1);
  const numbering = createNumbering({ database, clock: systemClock, log: silent });
  for (let i = 0; i < count; i++) {
    const resource = { type: 'order', id: BigInt((i % 50) + 1), sequence: Math.floor(i / 50) + 1 } as const;
    const draft = { owner: OWNER, type: 'order.charged', resource, object: { i }, before: null } as const;
    await database.transaction((inside) => maker.write(inside, { now: systemClock.now(), ids, cause: 'api' }, draft));
    if (i % 20 === 0) numbering.wake(OWNER);
  }
  await numbering.settle();
}

interface Run {
  readonly lost: number;
  readonly changed: number;
  readonly twice: number;
  readonly written: number;
}

async function run(plant: ChildSetup['plant'], patienceMs: number): Promise<Run> {
  const [database, inbox] = await Promise.all([testDatabase(), faultyInbox()]);
  const receivers = Array.from({ length: ENDPOINTS }, (_, i) => ({
    id: String(i + 1001),
    url: `${inbox.url}/${i + 1}`,
    ordered: i === 2,
  }));
  for (const { id } of receivers) {
    for (const { text, values } of statementsFor([cursorPut(OWNER, BigInt(id), 0n)]))
      await database.query(text, values);
    await database.query('update webhook_cursors set succeeded_at = $3 where owner_id = $1 and webhook_id = $2', [
      OWNER,
      BigInt(id),
      systemClock.now(),
    ]);
  }
  const startMs = systemClock.now().getTime();
  let node = 20;
  const setup = (): ChildSetup => ({
    connection: database.connection,
    owner: OWNER.toString(),
    receivers,
    startMs,
    node: node++,
    plant,
  });
  const wanted = EVENTS * ENDPOINTS;
  const taken = (): number => [...inbox.received.values()].filter((one) => one.taken > 0).length;
  const children = [begin(setup()), begin(setup())];
  const writing = write(database, EVENTS);
  for (let kills = 0; kills < KILLS; kills++) {
    await children[kills % 2]?.ready;
    // In the middle of it: something of it has arrived, and not all.
    const before = inbox.tries();
    while (inbox.tries() < before + EVERY && taken() < wanted) await systemClock.sleep(5);
    await children[kills % 2]?.kill();
    children[kills % 2] = begin(setup());
  }
  await writing;
  const until = systemClock.elapsed() + patienceMs;
  while (taken() < wanted && systemClock.elapsed() < until) await systemClock.sleep(50);
  // What is still on its way ends, and the cursors with it.
  const behind = `select from webhook_cursors c join event_heads h using (owner_id) where c.position < h.position`;
  while ((await database.query(behind)).length > 0 && systemClock.elapsed() < until) await systemClock.sleep(50);
  for (const child of children) await child.kill();
  const all = [...inbox.received.values()];
  return {
    lost: wanted - taken(),
    changed: all.filter(({ bodies }) => bodies.size > 1).length,
    twice: all.reduce((sum, { taken: times }) => sum + Math.max(0, times - 1), 0),
    written: (await database.query('select from event_log')).length,
  };
}

test('each event reaches each endpoint with the same bytes; twice only what was on its way at a kill', async () => {
  const { lost, changed, twice, written } = await run(null, 60_000 + EVENTS * 20);
  assert.equal(written, EVENTS);
  assert.equal(lost, 0);
  assert.equal(changed, 0);
  // Eight places an endpoint, and what was answered within the last writing of the cursor.
  assert.ok(twice <= KILLS * ENDPOINTS * 64, `${twice} were taken twice`);
});

test('a cursor that moves before the outcome is found', async () => {
  const { lost } = await run('cursor_before_outcome', 4_000);
  assert.ok(lost > 0, 'nothing was lost, though the cursor was ahead of what was sent');
});
