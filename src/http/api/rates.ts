// Rate limits: one token bucket a key, in this process, on the monotonic clock (a business clock may be frozen).
// Rule: who was refused and waits as long as told finds a token, however many were refused at the same moment.
import type { Clock } from '../../base/index.ts';
import { Failure, type RateState } from '../failure.ts';

export interface Rate {
  readonly perSecond: number;
  /** Tokens of a full bucket: what may be spent at once. */
  readonly burst: number;
}

export interface Taken {
  readonly allowed: boolean;
  /** 0 when allowed. Whole seconds: the header has no finer unit. */
  readonly retryAfterSeconds: number;
  readonly state: RateState;
}

export interface RateLimiter {
  take(key: string, rate: Rate): Taken;
}

interface Bucket {
  tokens: number;
  atMs: number;
  /** The moment for which the last refused request was given a token. */
  promisedMs: number;
}

/** A client that goes on without waiting doesn't push its own future further than this. */
const LONGEST_WAIT_MS = 60_000;

/** With more keys than this the one that was quiet longest is forgotten, and so begins with a full bucket. */
const MOST_KEYS = 50_000;

export function rateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();

  function bucketOf(key: string, rate: Rate, now: number): Bucket {
    const known = buckets.get(key);
    // Put back at the end, so that the first is the one that was quiet longest.
    if (known) buckets.delete(key);
    else if (buckets.size >= MOST_KEYS) buckets.delete(buckets.keys().next().value as string);
    const bucket = known ?? { tokens: rate.burst, atMs: now, promisedMs: Number.NEGATIVE_INFINITY };
    buckets.set(key, bucket);
    // Those who were told to come back come up to a second after their token: it must not have flowed over meanwhile.
    const capacity = now <= bucket.promisedMs + 1000 ? rate.burst + rate.perSecond : rate.burst;
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.atMs) / 1000) * rate.perSecond);
    bucket.atMs = now;
    return bucket;
  }

  return {
    take(key, rate) {
      const now = clock.elapsed();
      const bucket = bucketOf(key, rate, now);
      const allowed = bucket.tokens >= 1 - ROUNDING;
      let retryAfterSeconds = 0;
      if (allowed) bucket.tokens = Math.max(0, bucket.tokens - 1);
      else {
        const stepMs = 1000 / rate.perSecond;
        const nextMs = now + ((1 - bucket.tokens) / rate.perSecond) * 1000;
        bucket.promisedMs = Math.min(
          Math.max(bucket.promisedMs + stepMs, nextMs),
          Math.max(nextMs, now + LONGEST_WAIT_MS),
        );
        retryAfterSeconds = Math.ceil((bucket.promisedMs - now) / 1000 - ROUNDING);
      }
      return { allowed, retryAfterSeconds, state: stateOf(bucket, rate) };
    },
  };
}

/** Sums of fractions fall a little short: a token or a second that is missing a millionth is whole. */
const ROUNDING = 1e-6;

const stateOf = (bucket: Bucket, rate: Rate): RateState => ({
  limit: rate.burst,
  remaining: Math.floor(Math.min(rate.burst, bucket.tokens) + ROUNDING),
  windowSeconds: Math.max(1, Math.ceil(rate.burst / rate.perSecond)),
  resetSeconds: Math.ceil(Math.max(0, rate.burst - bucket.tokens) / rate.perSecond),
});

/** Both fields tell the same wait: the one until this client's token, behind those that were promised before. */
export const tooMany = ({ retryAfterSeconds, state }: Taken): Failure =>
  new Failure('rate_limited', { retryAfterSeconds, rate: { ...state, resetSeconds: retryAfterSeconds } });
