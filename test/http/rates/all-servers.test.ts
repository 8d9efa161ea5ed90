// Buckets that several servers share: together they allow what one bucket would, whoever is asked, dies, or can't ask; and few ask the
// database. The servers here are made of the real thing on buckets in memory, or in Postgres.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Clock, systemClock } from '../../../src/base/index.ts';
import {
  type Buckets,
  bucketsIn,
  purgeRates,
  type Rate,
  type RateLimiter,
  rateLimiter,
  sharedRateLimiter,
  type Taken,
} from '../../../src/http/index.ts';
import { silent, testDatabase } from '../../support/database.ts';

type Stored = Parameters<Buckets['write']>[0] extends ReadonlyMap<string, infer Row> ? Row : never;

interface Shared extends Buckets {
  asked: number;
  away: boolean;
  /** So many times the connection is lost. */
  lost: number;
}

/** What the table does, with the order of its statements as they come. */
function memoryBuckets(clock: Clock): Shared {
  const rows = new Map<string, Stored>();
  const shared: Shared = {
    asked: 0,
    away: false,
    lost: 0,
    async read(keys) {
      shared.asked++;
      if (shared.away || shared.lost-- > 0) throw new Error('away');
      const found = keys.flatMap((key) => (rows.has(key) ? [[key, rows.get(key) as Stored] as const] : []));
      return { nowUs: Math.floor((1.7e12 + clock.elapsed()) * 1000), buckets: new Map(found) };
    },
    async write(buckets) {
      if (shared.away) throw new Error('away');
      const written = [...buckets].filter(([key, { version }]) => (rows.get(key)?.version ?? 0n) === version - 1n);
      for (const [key, bucket] of written) rows.set(key, bucket);
      return new Set(written.map(([key]) => key));
    },
  };
  return shared;
}

const manualClock = (): Clock & { pass(ms: number): void } => {
  let now = 5000;
  return { ...systemClock, elapsed: () => now, pass: (ms) => void (now += ms) };
};

type Server = (clock: Clock, buckets: Buckets) => RateLimiter;
const sharing: Server = (clock, buckets) => sharedRateLimiter({ buckets, clock, log: silent, nameOf: (key) => key });
/** The planted fault. */
const forItself: Server = (clock) => rateLimiter(clock);

interface Step {
  readonly server: number;
  readonly requests: number;
  readonly thenMs: number;
  readonly dies: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    server: fc.nat(2),
    requests: fc.integer({ min: 0, max: 30 }),
    thenMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3000 })),
    dies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);
const rates = fc.record<Rate>({ perSecond: fc.integer({ min: 1, max: 60 }), burst: fc.integer({ min: 1, max: 120 }) });

/** Requests at three servers, as the steps have them: when each one was allowed. */
async function allowedAt(make: Server, rate: Rate, story: readonly Step[]): Promise<number[]> {
  const clock = manualClock();
  const buckets = memoryBuckets(clock);
  const servers = Array.from({ length: 3 }, () => make(clock, buckets));
  const at: number[] = [];
  for (const { server, requests, thenMs, dies } of story) {
    const taken = await Promise.all(
      Array.from({ length: requests }, async (_, i) =>
        // Half of them somewhere else, at the same moment.
        (servers[i % 2 === 0 ? server : (server + 1) % 3] as RateLimiter).take('k', rate),
      ),
    );
    for (const { allowed } of taken) if (allowed) at.push(clock.elapsed());
    // With whatever it holds.
    if (dies) servers[server] = make(clock, buckets);
    clock.pass(thenMs);
  }
  return at;
}

/** In no span of time more than a bucket holds, and what flows in; a second of it may wait for those who were told to come back. */
function assertBounded(at: readonly number[], { perSecond, burst }: Rate): void {
  for (const [i, from] of at.entries())
    for (let j = i; j < at.length; j++) {
      const most = burst + perSecond * (1 + ((at[j] as number) - from) / 1000);
      assert.ok(j - i + 1 <= most + 1e-6, `${j - i + 1} of ${most} from ${from} to ${at[j]}`);
    }
}

describe('several servers', () => {
  const bounded = (make: Server) =>
    fc.asyncProperty(rates, steps, async (rate, story) => assertBounded(await allowedAt(make, rate, story), rate));

  test('allow together what one bucket allows, whoever is asked and whoever dies', async () => {
    await fc.assert(bounded(sharing), { numRuns: 300 });
  });

  test('would be found out if each counted for itself', async () => {
    await assert.rejects(fc.assert(bounded(forItself), { numRuns: 300 }));
  });

  test('who waits as long as told is not refused a second time, wherever he was refused and comes back', async () => {
    const cases = fc.tuple(rates, fc.integer({ min: 1, max: 150 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([rate, count]) => {
        fc.pre((count - rate.burst) / rate.perSecond < 55);
        const clock = manualClock();
        const buckets = memoryBuckets(clock);
        const servers = [sharing(clock, buckets), sharing(clock, buckets)] as const;
        const taken = await Promise.all(Array.from({ length: count }, async (_, i) => servers[i & 1]?.take('k', rate)));
        const waiting = taken.flatMap((one, i) => (one?.allowed ? [] : [{ i, seconds: one?.retryAfterSeconds ?? 0 }]));
        let now = 0;
        for (const { i, seconds } of waiting.sort((a, b) => a.seconds - b.seconds)) {
          clock.pass((seconds - now) * 1000);
          now = seconds;
          const again = await servers[(i + 1) & 1]?.take('k', rate);
          assert.ok(again?.allowed, `refused again after ${seconds} s`);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a server', () => {
  const rate: Rate = { perSecond: 100, burst: 200 };

  test('whose client asks often waits for the database once, and asks it seldom', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const server = sharing(clock, buckets);
    let waits = 0;
    for (let i = 0; i < 1000; i++) {
      const taken = server.take('k', rate);
      if (taken instanceof Promise) waits++;
      assert.ok((await taken).allowed);
      // What it asks for besides is answered meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      clock.pass(20);
    }
    assert.equal(waits, 1);
    assert.ok(buckets.asked < 200, `${buckets.asked} questions for 1000 requests`);
  });

  test('whose client floods it refuses by itself', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const server = sharing(clock, buckets);
    await Promise.all(Array.from({ length: 20_000 }, async () => server.take('k', rate)));
    const before = buckets.asked;
    for (let i = 0; i < 10_000; i++) assert.equal((await server.take('k', rate)).retryAfterSeconds, 60);
    assert.equal(buckets.asked, before);
  });

  test('tells what is left of what all have asked, and of a refusal one wait', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const [one, two] = [sharing(clock, buckets), sharing(clock, buckets)];
    const small: Rate = { perSecond: 1, burst: 4 };
    const states: string[] = [];
    for (const server of [one, two, one, two, one, two]) {
      const { allowed, retryAfterSeconds, state } = await server.take('k', small);
      states.push(`${allowed} r=${state.remaining} t=${state.resetSeconds} wait ${retryAfterSeconds}`);
    }
    assert.deepEqual(states, [
      'true r=3 t=1 wait 0',
      'true r=2 t=2 wait 0',
      'true r=1 t=3 wait 0',
      'true r=0 t=4 wait 0',
      'false r=0 t=4 wait 1',
      'false r=0 t=4 wait 2',
    ]);
  });

  test('whose database is away counts by itself, asks it once a second, and shares again when it is back', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const [one, two] = [sharing(clock, buckets), sharing(clock, buckets)];
    const small: Rate = { perSecond: 0.001, burst: 6 };
    const passes = async (server: RateLimiter): Promise<boolean> => (await server.take('k', small)).allowed;
    buckets.away = true;
    for (const server of [one, two]) for (let i = 0; i < 8; i++) assert.equal(await passes(server), i < 6, `${i}`);
    assert.equal(buckets.asked, 4);
    buckets.away = false;
    clock.pass(1001);
    const passed: boolean[] = [];
    for (let i = 0; i < 4; i++) passed.push(await passes(one), await passes(two));
    assert.deepEqual(passed, [true, true, true, true, true, true, false, false]);
  });

  test('that loses its connection asks once more before it counts by itself', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const small: Rate = { perSecond: 0.001, burst: 6 };
    const servers = Array.from({ length: 8 }, () => sharing(clock, buckets));
    let passed = 0;
    for (const server of servers) {
      buckets.lost = 1;
      if ((await server.take('k', small)).allowed) passed++;
    }
    assert.equal(passed, 6);
  });

  test('asks for many keys at once', async () => {
    const clock = manualClock();
    const buckets = memoryBuckets(clock);
    const server = sharing(clock, buckets);
    const taken: Taken[] = await Promise.all(Array.from({ length: 1000 }, async (_, i) => server.take(`${i}`, rate)));
    assert.ok(taken.every(({ allowed }) => allowed));
    assert.ok(buckets.asked <= 7, `${buckets.asked}`);
  });
});

test('in Postgres: four servers at once, with many keys and one, allow each key what it has; what is full is forgotten', async () => {
  const database = await testDatabase();
  const servers = Array.from({ length: 4 }, () =>
    sharedRateLimiter({ buckets: bucketsIn(database), clock: systemClock, log: silent, nameOf: (key) => `k ${key}` }),
  );
  const small: Rate = { perSecond: 0.0001, burst: 20 };
  const taken = await Promise.all(
    Array.from({ length: 1200 }, async (_, i) => ({
      key: i % 3 === 0 ? 'hot' : `${i % 20}`,
      allowed: (await servers[i % 4]?.take(i % 3 === 0 ? 'hot' : `${i % 20}`, small))?.allowed,
    })),
  );
  const passed = Map.groupBy(
    taken.filter(({ allowed }) => allowed),
    ({ key }) => key,
  );
  assert.equal(passed.size, 21);
  for (const [key, those] of passed) assert.ok(those.length <= 20 && those.length >= 12, `${key}: ${those.length}`);
  await database.query(`update rate_buckets set full_us = 0, promised_us = 0 where key <> 'k hot'`);
  await purgeRates(database);
  assert.deepEqual(await database.query('select key from rate_buckets'), [{ key: 'k hot' }]);
});
