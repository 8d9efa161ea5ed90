// What telling costs: payments with an endpoint that is told all beside payments with none, full events beside thin ones, how fast a backlog
// is sent, how late an event is, what hanging endpoints take from a healthy one, and what old events take from payments.
// Rule: who is told all has been told all before the next round begins, so that no round pays for the one before.
import { fork } from 'node:child_process';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Connection, Database } from '../../src/store/index.ts';
import { type Asked, type Compared, compare, ROUND_SHARE } from '../compare.ts';
import { load, type Measured } from '../load.ts';
import { type Opened, openServer } from '../serve.ts';
import type { Came } from './receiver.ts';

const PORT = 18_980;
const CONCURRENCY = 64;
/** Sixteen an owner is the most. */
const AN_OWNER = 11;
const HANGING_OWNERS = 9;

const BODY = JSON.stringify({
  amount: 12.5,
  currency: 'EUR',
  pan: '4111111111111111',
  card: { cvv: '123', holder: 'Ada Example', expiration_month: 12, expiration_year: 2030 },
  location: { ip: '192.0.2.1' },
});
const OPERATOR = { authorization: 'Bearer sandbox-operator', 'content-type': 'application/json' };

interface Receiver {
  readonly url: string;
  came(ask: 'look' | 'reset'): Promise<Came>;
  end(): void;
}

async function receiver(): Promise<Receiver> {
  const child = fork(path.join(import.meta.dirname, 'receiver.ts'));
  const answer = <Value>(): Promise<Value> =>
    new Promise((resolve) => child.once('message', (value) => resolve(value as Value)));
  const port = await answer<number>();
  return {
    url: `http://127.0.0.1:${port}`,
    came(ask) {
      const came = answer<Came>();
      child.send(ask);
      return came;
    },
    end: () => void child.send('end'),
  };
}

async function operator(one: Opened, method: string, at: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${one.server.url}/operator${at}`, {
    method,
    headers: OPERATOR,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Its id. It is told everything, at once. */
async function endpoint(one: Opened, project: string, url: string, change: object = {}): Promise<string> {
  const made = { url, events: ['*'], concurrency: CONCURRENCY, ...change };
  const { id } = await operator(one, 'POST', `/projects/${project}/webhooks`, made);
  return id as string;
}

const authorize = (one: Opened, of: { seconds: number; amount?: number; perSecond?: number }): Promise<Measured> =>
  load({ url: `${one.server.url}/gateway/orders/authorize`, method: 'POST', connections: 128, body: BODY, ...of });

/** Everything that has a position was sent, and everything has one. */
async function told({ database }: Opened): Promise<void> {
  for (;;) {
    const behind = await database.query(
      `select from webhook_cursors c join event_heads h using (owner_id) where c.position < h.position
       union all select from event_queue limit 1`,
    );
    if (behind.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Authorizations for so long; what follows from them is waited for unmeasured. */
const authorizing =
  (one: Opened): Asked[1] =>
  async (seconds) => {
    const measured = await authorize(one, { seconds });
    await told(one);
    return measured;
  };

/** Its first delivery: until then an endpoint gets one request in ten seconds. */
async function known(one: Opened): Promise<void> {
  await authorize(one, { seconds: 1, amount: 1 });
  await told(one);
}

const ownerOf = async ({ database }: Opened, project: string): Promise<bigint> => {
  const [row] = await database.query<{ id: bigint }>('select id from projects where login = $1', [project]);
  return row?.id as bigint;
};

let fillings = 0;

/** Puts copies of the newest event of `like` at the end of an owner's log; `text` of each, its own unless told. */
async function fillEvents(
  database: Database,
  like: bigint,
  owner: bigint,
  count: number,
  text?: string,
): Promise<void> {
  const BATCH = 250_000;
  // Ids of minutes before this one, another for each filling: nobody's.
  fillings++;
  const before = BigInt(fillings * 60_000) << 22n;
  for (let from = 1; from <= count; from += BATCH) {
    await database.query(
      `with model as (select * from events where owner_id = $1 order by id desc limit 1),
         head as (insert into event_heads as h (owner_id, position) values ($2, $4::int8 - $3::int8 + 1)
           on conflict (owner_id) do update set position = h.position + excluded.position returning position),
         made as (select m.*, m.id - $6::int8 - n as new_id,
             h.position - ($4::int8 - n) as at
           from model m, head h, generate_series($3::int8, $4::int8) n),
         logged as (insert into event_log (owner_id, position, event_id, subject_id, type, created_at)
           select $2, at, new_id, new_id, type, created_at from made)
       insert into events (owner_id, id, subject_id, sequence, subject_type, type, body, created_at)
       select $2, new_id, new_id, 1, subject_type, type, coalesce($5, body), created_at from made`,
      [like, owner, from, Math.min(count, from + BATCH - 1), text ?? null, before],
    );
  }
  for (const table of ['events', 'event_log']) await database.query(`vacuum analyze ${table}`);
  await database.query('checkpoint');
}

/** How many a second a backlog is sent with. */
async function draining(one: Opened, project: string, webhook: string, count: number): Promise<Measured> {
  const at = `/projects/${project}/webhooks/${webhook}`;
  await operator(one, 'PATCH', at, { enabled: false });
  const owner = await ownerOf(one, project);
  await fillEvents(one.database, await ownerOf(one, 'sandbox'), owner, count);
  const from = performance.now();
  await operator(one, 'PATCH', at, { enabled: true });
  const sent = `select from webhook_cursors c join event_heads h using (owner_id) where c.owner_id = $1 and c.position >= h.position`;
  while ((await one.database.query(sent, [owner])).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (performance.now() - from) / 1000;
  return { perSecond: count / seconds, p50Ms: null, p99Ms: null, requests: count, failed: 0 };
}

const comparedOf = (
  goal: number,
  ratio: number,
  first: readonly [string, Measured],
  second: readonly [string, Measured],
): Compared => ({
  goal,
  ratio,
  sides: [
    { name: first[0], measured: first[1] },
    { name: second[0], measured: second[1] },
  ],
});

/** At half of what the server takes: how late the slowest hundredth of events is, beside how long the slowest hundredth of requests took. */
async function lateness(one: Opened, at: Receiver, perSecond: number, seconds: number): Promise<Compared> {
  await at.came('reset');
  const measured = await authorize(one, { seconds, perSecond: perSecond / 2 });
  await told(one);
  const { count, p50Ms, p99Ms } = await at.came('reset');
  const late: Measured = { perSecond: count / seconds, p50Ms, p99Ms, requests: count, failed: 0 };
  const name = 'at half load, p99';
  return comparedOf(1 / 1.5, (measured.p99Ms ?? 0) / p99Ms, [`events ${name}`, late], [`authorize ${name}`, measured]);
}

/** A backlog is sent to a healthy endpoint, alone and beside 99 of other projects that hang. */
async function beside99(one: Opened, at: Receiver, healthy: string, count: number): Promise<Compared> {
  const alone = await draining(one, 'sandbox', healthy, count);
  const like = await ownerOf(one, 'sandbox');
  for (let i = 1; i <= HANGING_OWNERS; i++) {
    const login = `hanging-${i}`;
    await operator(one, 'POST', '/projects', { login, name: login, accounting_currency: 'EUR' });
    const theirs: string[] = [];
    for (let j = 0; j < AN_OWNER; j++) theirs.push(await endpoint(one, login, `${at.url}/hang/${i}/${j}`));
    await one.database.query('update webhook_cursors set succeeded_at = now() where owner_id = $1', [
      await ownerOf(one, login),
    ]);
    await fillEvents(one.database, like, await ownerOf(one, login), 100);
  }
  const beside = await draining(one, 'sandbox', healthy, count);
  const ratio = beside.perSecond / alone.perSecond;
  return comparedOf(
    0.95,
    ratio,
    ['a healthy endpoint, alone', alone],
    ['a healthy endpoint, beside 99 hanging', beside],
  );
}

export interface EventsSize {
  readonly connection: Connection;
  readonly home: string;
  readonly seconds: number;
  /** Events that are sent at once, after they were not. */
  readonly backlog: number;
  /** Events of before. */
  readonly old: number;
}

export async function benchEvents({ connection, home, backlog, old, ...of }: EventsSize): Promise<Compared[]> {
  const seconds = of.seconds * ROUND_SHARE;
  const at = await receiver();
  const open: Opened[] = [];
  let port = PORT;
  const opened = async (name: string): Promise<Opened> => {
    const one = await openServer(connection, home, name, port++);
    open.push(one);
    return one;
  };
  try {
    const none = await opened('bench_events_none');
    const full = await opened('bench_events_full');
    const thin = await opened('bench_events_thin');
    const all = await endpoint(full, 'sandbox', at.url);
    await endpoint(thin, 'sandbox', at.url, { payload: 'thin' });
    for (const one of open) await known(one);
    const name = 'authorize, one endpoint on all';
    const compared = [
      await compare(seconds, 0.65, ['authorize, no endpoint', authorizing(none)], [name, authorizing(full)]),
      await compare(seconds, 0.85, [`${name}, thin`, authorizing(thin)], [`${name}, full`, authorizing(full)]),
    ];
    const beside = compared[0]?.sides[1].measured as Measured;
    compared.push(await lateness(full, at, beside.perSecond, of.seconds));
    const drained = await draining(full, 'sandbox', all, backlog);
    const what = `${backlog.toLocaleString('en')} events at once`;
    compared.push(comparedOf(1, drained.perSecond / beside.perSecond, [name, beside], [what, drained]));
    const healthy = await endpoint(thin, 'sandbox', at.url);
    await known(thin);
    compared.push(await beside99(thin, at, healthy, Math.ceil(backlog / 10)));
    // Postgres has only so many connections.
    for (const one of open.splice(1)) await one.close();
    const ancient = await opened('bench_events_old');
    await authorize(ancient, { seconds: 1, amount: 1 });
    const owner = await ownerOf(ancient, 'sandbox');
    // Short texts: nobody reads them.
    await fillEvents(ancient.database, owner, owner, old, '{}');
    const before: Asked = ['authorize, no old events', authorizing(none)];
    compared.push(
      await compare(seconds, 0.9, before, [`authorize, ${old.toLocaleString('en')} old events`, authorizing(ancient)]),
    );
    return compared;
  } finally {
    at.end();
    await Promise.all(open.map((one) => one.close()));
  }
}
