// A token bucket as arithmetic: one number says when it is full again, a second one who is to come back when. In memory and in the
// database it is the same. Rule: who was refused and waits as long as told finds a token, however many were refused at the same moment.
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

/** Answers at once where it knows; else when the database has said so. */
export interface RateLimiter {
  take(key: string, rate: Rate): Taken | Promise<Taken>;
}

/** Moments of one clock in whole microseconds, so that sums are exact. */
export interface Bucket {
  /** When nothing would be missing any more. */
  readonly fullUs: number;
  /** The moment for which the last refused request was given a token. */
  readonly promisedUs: number;
}

export const FULL: Bucket = { fullUs: Number.NEGATIVE_INFINITY, promisedUs: Number.NEGATIVE_INFINITY };

export interface Wish {
  /** Requests that wait. */
  readonly need: number;
  /** Tokens for requests to come: at most a quarter of what is left, and none while somebody was told to come back for one. */
  readonly extra: number;
  /** Moments for refusals to come; only taken where somebody is refused. */
  readonly spare: number;
}

export interface Grant {
  readonly bucket: Bucket;
  /** Of the requests that wait, the first so many. */
  readonly granted: number;
  readonly extra: number;
  /** When each of the others is to come back, and then the spare ones. */
  readonly promisesUs: readonly number[];
}

/** A client that goes on without waiting doesn't push its own future further than this. */
export const LONGEST_WAIT_US = 60_000_000;

/** From one token to the next. */
export const stepOf = ({ perSecond }: Rate): number => Math.max(1, Math.ceil(1e6 / perSecond - 1e-6));

export const microsOf = (clock: Pick<Clock, 'elapsed'>): number => Math.floor(clock.elapsed() * 1000);

/** Those who were told to come back come up to a second after their token: it must not have flowed over meanwhile. */
const LATE_US = 1_000_000;

export function grant(bucket: Bucket, rate: Rate, now: number, { need, extra, spare }: Wish): Grant {
  const step = stepOf(rate);
  const expected = now <= bucket.promisedUs + LATE_US;
  // Never emptier than empty: a rate that was changed meanwhile, or a clock that was set back, locks nobody out for long.
  const fullUs = Math.min(Math.max(bucket.fullUs, expected ? now - LATE_US : now), now + rate.burst * step);
  const tokens = Math.floor((now + rate.burst * step - fullUs) / step);
  const granted = Math.min(need, tokens);
  const more = expected ? 0 : Math.min(extra, Math.floor((tokens - granted) / 4));
  const after = fullUs + (granted + more) * step;
  const refused = need - granted;
  const promisesUs: number[] = [];
  let { promisedUs } = bucket;
  for (let i = 0; refused > 0 && i < refused + spare; i++) {
    promisedUs = promiseAfter({ fullUs: after, promisedUs }, rate, now);
    promisesUs.push(promisedUs);
  }
  return { bucket: { fullUs: after, promisedUs }, granted, extra: more, promisesUs };
}

/** The moment at which there is a token again. */
export const nextTokenUs = ({ fullUs }: Bucket, rate: Rate): number => fullUs - (rate.burst - 1) * stepOf(rate);

/** The moment for one more who is refused. */
function promiseAfter(bucket: Bucket, rate: Rate, now: number): number {
  const nextUs = nextTokenUs(bucket, rate);
  return Math.min(Math.max(bucket.promisedUs + stepOf(rate), nextUs), Math.max(nextUs, now + LONGEST_WAIT_US));
}

export const stateOf = ({ fullUs }: Pick<Bucket, 'fullUs'>, rate: Rate, now: number): RateState => {
  const missingUs = Math.max(0, fullUs - now);
  return {
    limit: rate.burst,
    remaining: Math.max(0, Math.floor((rate.burst * stepOf(rate) - missingUs) / stepOf(rate))),
    windowSeconds: Math.max(1, Math.ceil(rate.burst / rate.perSecond)),
    resetSeconds: Math.ceil(missingUs / 1e6),
  };
};

export const allowed = (state: RateState): Taken => ({ allowed: true, retryAfterSeconds: 0, state });

export const refused = (promisedUs: number, now: number, state: RateState): Taken => ({
  allowed: false,
  retryAfterSeconds: Math.max(1, Math.ceil((promisedUs - now) / 1e6)),
  state: { ...state, remaining: 0 },
});

/** Both fields tell the same wait: the one until this client's token, behind those that were promised before. */
export const tooMany = ({ retryAfterSeconds, state }: Taken): Failure =>
  new Failure('rate_limited', { retryAfterSeconds, rate: { ...state, resetSeconds: retryAfterSeconds } });
