// Endpoints that may read much, over HTTP: in turns, bounded, and given up when their client has gone.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createTurns, type Steps, seededRandom, systemClock } from '../../../src/base/index.ts';
import { type Answer, api, createServer, endpointOf, problemEnvelope, type Server } from '../../../src/http/index.ts';
import { silent } from '../../support/database.ts';

const endpoint = endpointOf<string>();
let server: Server;
let port = 0;
let steps = 0;
let waiting: (() => void)[] = [];
/** Lets every step go on that waits now. */
const goOn = (): void => {
  for (const resolve of waiting.splice(0)) resolve();
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

before(async () => {
  server = createServer({ log: silent, clock: systemClock, random: seededRandom(1) });
  api(server, {
    prefix: '/long',
    name: 'Long',
    envelope: problemEnvelope,
    authentication: { check: ({ headers }) => String(headers.authorization), schemes: {} },
    turns: {
      turns: createTurns({
        clock: systemClock,
        shares: { atOnce: 1, perOwner: 1, perThrough: 1, perOwnerThrough: 1 },
        mostOfOwner: 3,
        longestWaitMs: 60_000,
        crowded: () => false,
        rest: 0,
      }),
      ownerOf: (principal) => principal,
    },
    endpoints: [
      endpoint({
        method: 'GET',
        path: '/list',
        operation: 'list',
        summary: 'Three steps',
        right: null,
        cost: () => 1000,
        answers: { 200: { description: 'Rows' } },
        async *handler(): Steps<Answer> {
          for (let i = 0; i < 3; i++) {
            steps++;
            await new Promise<void>((resolve) => waiting.push(resolve));
            yield;
          }
          return { status: 200, body: Buffer.from('{"rows":[1,2,"ü"]}') };
        },
      }),
    ],
  });
  ({ port } = await server.listen({ host: '127.0.0.1', port: 0 }));
});
after(() => server.close());

const ask = (owner: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/long/list`, { headers: { authorization: owner } });

test('more than may wait is 429 with Retry-After, the others are answered in their turn', async () => {
  const first = ask('a');
  await until(() => waiting.length === 1);
  const replies = [ask('a'), ask('a'), ask('a'), ask('a')];
  const refused = await Promise.race(replies);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(((await refused.json()) as { title: string }).title, 'Too many requests');
  const all = Promise.all([first, ...replies]);
  let over = false;
  void all.finally(() => (over = true));
  await until(() => {
    goOn();
    return over;
  });
  const statuses = Map.groupBy(await all, ({ status }) => status);
  assert.deepEqual([statuses.get(200)?.length, statuses.get(429)?.length], [3, 2]);
  assert.equal(await (await first).text(), '{"rows":[1,2,"ü"]}');
});

test('a read whose client has gone makes no further step', async () => {
  steps = 0;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /long/list HTTP/1.1\r\nhost: x\r\nauthorization: b\r\n\r\n');
  await until(() => waiting.length === 1);
  const next = ask('b');
  await until(() => server.underWay() === 2);
  socket.destroy();
  const held = waiting;
  waiting = [];
  // The listener learns of the end of the connection before it is asked for the next step.
  await new Promise((resolve) => server.app.server.getConnections(resolve));
  for (const resolve of held) resolve();
  let status = 0;
  void next.then((reply) => (status = reply.status));
  await until(() => {
    goOn();
    return status !== 0;
  });
  assert.equal(status, 200);
  assert.ok(steps <= 5, `one step of the first, three of the second, one at most that was not known of: ${steps}`);
});
