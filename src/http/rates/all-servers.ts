// Buckets that all servers of a database share. A server takes tokens of a key in small blocks and spends them without asking; a token
// that is not spent dies at the moment at which it would have flowed over.
// Rule: all servers together allow what one bucket would allow, never more; whoever dies with a block has spent it.
import type { Clock, Log } from '../../base/index.ts';
import type { Db } from '../../store/index.ts';
import {
  allowed,
  FULL,
  type Grant,
  grant,
  LONGEST_WAIT_US,
  microsOf,
  nextTokenUs,
  type Rate,
  type RateLimiter,
  refused,
  stateOf,
  stepOf,
  type Taken,
} from './bucket.ts';
import { rateLimiter, recent } from './memory.ts';
import { bucketsRead, bucketsWrite, type Stored } from './queries.ts';

/** Where the buckets are. */
export interface Buckets {
  read(keys: readonly string[]): ReturnType<typeof bucketsRead>;
  /** False where somebody else has written meanwhile: which ones it wrote. */
  write(buckets: ReadonlyMap<string, Stored>): Promise<ReadonlySet<string>>;
}

export const bucketsIn = (db: Db): Buckets => ({
  read: (keys) => bucketsRead(db, keys),
  write: (buckets) => bucketsWrite(db, buckets),
});

export interface SharedOptions {
  readonly buckets: Buckets;
  /** Runs only; a business clock may be frozen. */
  readonly clock: Clock;
  readonly log: Log;
  /** What a key is called in the database: some hold addresses and the tokens of pages. */
  readonly nameOf: (key: string) => string;
}

/** Tokens for requests to come, of a bucket's; the fewer, the less a client is refused because another server has them. */
const BLOCK_SHARE = 1 / 8;
/** Moments for refusals to come, of those of a second. */
const SPARE_SHARE = 1 / 4;
/** Keys that are asked for at once. */
const MOST_AT_ONCE = 200;
/** Others who are quicker, at most in a row. */
const MOST_TRIES = 50;
/** While the database doesn't answer it is asked so often; meanwhile each server counts by itself. */
const AWAY_US = 1_000_000;

interface Block {
  tokens: number;
  /** When its last token dies; each of the others a step before the next one. */
  readonly untilUs: number;
  readonly stepUs: number;
}

/** What this server knows of a key. Moments are those of its own clock, in microseconds. */
interface Known {
  readonly key: string;
  rate: Rate;
  blocks: Block[];
  fullUs: number;
  /** Before this moment there is no token anywhere but in blocks. */
  nextUs: number;
  /** For refusals to come; and the last moment that was given to anybody. */
  promisesUs: number[];
  lastPromisedUs: number;
  waiting: ((taken: Taken) => void)[];
  asking: boolean;
}

const unknown = (key: string, rate: Rate): Known => ({
  key,
  rate,
  blocks: [],
  fullUs: FULL.fullUs,
  nextUs: Number.NEGATIVE_INFINITY,
  promisesUs: [],
  lastPromisedUs: Number.NEGATIVE_INFINITY,
  waiting: [],
  asking: false,
});

/** Tokens to spend without asking; what has died is forgotten. */
function heldAt(known: Known, now: number): number {
  for (const block of known.blocks)
    block.tokens = Math.min(block.tokens, Math.floor((block.untilUs - now) / block.stepUs));
  known.blocks = known.blocks.filter(({ tokens }) => tokens > 0);
  return known.blocks.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** What the answer to one request tells of the bucket, as far as this server knows. */
const shown = (known: Known, held: number, now: number): ReturnType<typeof stateOf> =>
  stateOf({ fullUs: known.fullUs - held * stepOf(known.rate) }, known.rate, now);

/** The answer from what is known; null: the database has to be asked. */
function answer(known: Known, now: number): Taken | null {
  const held = heldAt(known, now);
  const [oldest] = known.blocks;
  if (oldest) {
    oldest.tokens--;
    return allowed(shown(known, held - 1, now));
  }
  if (now >= known.nextUs) return null;
  const state = shown(known, 0, now);
  const promise = known.promisesUs.shift();
  if (promise !== undefined) return refused(promise, now, state);
  // Nobody is given a later moment.
  if (known.lastPromisedUs >= now + LONGEST_WAIT_US) return refused(now + LONGEST_WAIT_US, now, state);
  return null;
}

const blockOf = ({ burst }: Rate): number => Math.floor(burst * BLOCK_SHARE);

const wishOf = ({ rate, waiting }: Known, held: number) => ({
  need: waiting.length,
  extra: Math.max(0, blockOf(rate) - held),
  spare: Math.floor(rate.perSecond * SPARE_SHARE),
});

/** Long: what is known, and the one way of asking, shared by all keys. */
export function sharedRateLimiter({ buckets, clock, log, nameOf }: SharedOptions): RateLimiter {
  const knownOf = recent<{ known?: Known }>(() => ({}));
  const alone = rateLimiter(clock);
  const asked = new Set<Known>();
  let running = false;
  let awayUntilUs = Number.NEGATIVE_INFINITY;

  function ask(known: Known): void {
    asked.add(known);
    if (running) return;
    running = true;
    void run();
  }

  async function run(): Promise<void> {
    while (asked.size > 0) {
      const those = new Map<string, Known>();
      for (const known of asked) {
        // A key that was forgotten meanwhile may be there twice.
        if (those.size === MOST_AT_ONCE || those.has(known.key)) continue;
        those.set(known.key, known);
        asked.delete(known);
      }
      await askFor([...those.values()]);
    }
    running = false;
  }

  async function askFor(those: readonly Known[]): Promise<void> {
    const waiting = those.map((known) => known.waiting.splice(0));
    try {
      const open = new Map(
        those.map((known, i) => [nameOf(known.key), { known, waiting: waiting[i] as Known['waiting'] }]),
      );
      // One that fails is a lost connection, two are an outage.
      await exchange(open).catch(() => exchange(open));
    } catch (error) {
      awayUntilUs = microsOf(clock) + AWAY_US;
      log.warn({ err: error }, 'rates could not be shared; this server counts by itself');
      for (const [i, known] of those.entries())
        for (const resolve of waiting[i] as Known['waiting']) resolve(alone.take(known.key, known.rate));
    }
    for (const known of those) {
      // Who came meanwhile.
      for (const resolve of known.waiting.splice(0)) {
        const taken = answer(known, microsOf(clock)) ?? (away() ? alone.take(known.key, known.rate) : null);
        if (taken) resolve(taken);
        else known.waiting.push(resolve);
      }
      if (known.waiting.length > 0) ask(known);
      else known.asking = false;
    }
  }

  const away = (): boolean => microsOf(clock) < awayUntilUs;

  interface Asking {
    readonly known: Known;
    readonly waiting: readonly ((taken: Taken) => void)[];
  }

  /** By name; who is answered is taken out. */
  async function exchange(open: Map<string, Asking>): Promise<void> {
    for (let tries = 0; open.size > 0; tries++) {
      if (tries === MOST_TRIES) throw new Error('others are always quicker');
      const sentUs = microsOf(clock);
      const { nowUs, buckets: found } = await buckets.read([...open.keys()]);
      const readUs = microsOf(clock);
      const grants = new Map<string, Grant>();
      const rows = new Map<string, Stored>();
      for (const [name, { known, waiting }] of open) {
        const before = found.get(name) ?? { ...FULL, version: 0n };
        const wish = { ...wishOf(known, heldAt(known, readUs)), need: waiting.length };
        const given = grant(before, known.rate, nowUs, wish);
        grants.set(name, given);
        rows.set(name, { ...given.bucket, version: before.version + 1n });
      }
      for (const name of await buckets.write(rows)) {
        take(open.get(name) as Asking, grants.get(name) as Grant, { sentUs, readUs, nowUs });
        open.delete(name);
      }
    }
  }

  /** Where the two clocks stood is known to the length of the question: tokens die early, and promises are kept late. */
  function take(
    { known, waiting }: Asking,
    { bucket, granted, extra, promisesUs }: Grant,
    { sentUs, readUs, nowUs }: { readonly sentUs: number; readonly readUs: number; readonly nowUs: number },
  ): void {
    const early = sentUs - nowUs;
    const late = readUs - nowUs;
    const now = microsOf(clock);
    known.fullUs = bucket.fullUs + late;
    known.nextUs = nextTokenUs(bucket, known.rate) + early;
    known.lastPromisedUs = bucket.promisedUs + early;
    const moments = promisesUs.map((moment) => moment + late);
    known.promisesUs = moments.slice(waiting.length - granted);
    if (extra > 0) known.blocks.push({ tokens: extra, untilUs: bucket.fullUs + early, stepUs: stepOf(known.rate) });
    const held = heldAt(known, now);
    for (const [i, resolve] of waiting.entries()) {
      const state = shown(known, held, now);
      resolve(i < granted ? allowed(state) : refused(moments[i - granted] as number, now, state));
    }
  }

  return {
    take(key, rate) {
      const entry = knownOf(key);
      entry.known ??= unknown(key, rate);
      const { known } = entry;
      known.rate = rate;
      const now = microsOf(clock);
      const taken = answer(known, now);
      if (!known.asking && !away() && taken?.allowed && heldAt(known, now) < blockOf(rate) / 2) {
        known.asking = true;
        ask(known);
      }
      if (taken) return taken;
      if (away()) return alone.take(key, rate);
      return new Promise((resolve) => {
        known.waiting.push(resolve);
        if (known.asking) return;
        known.asking = true;
        ask(known);
      });
    },
  };
}
