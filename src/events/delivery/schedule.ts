// When a delivery is tried again, and what an answer means (docs/contract/events.md#tries). Pure.
import { addMs } from '../../base/index.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first try, the second …: ten tries in three days. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

const MOST_RETRY_AFTER_MS = HOUR_MS;
/** Receivers that failed together don't come back together. */
const JITTER = 0.2;

/** What a receiver's server did, as the door outside tells it. */
export interface Answered {
  /** null: there was no answer, for this cause. */
  readonly status: number | null;
  readonly cause: string | null;
  /** Of `retry-after`, in milliseconds from now; null: it said none. */
  readonly retryAfterMs: number | null;
  readonly ms: number;
}

export type Verdict = 'delivered' | 'failed' | 'gone';

/** Only 2xx is a delivery; 410 says that nothing more is wanted. A redirect is an answer like any other. */
export function verdictOf({ status }: Answered): Verdict {
  if (status === null) return 'failed';
  if (status >= 200 && status <= 299) return 'delivered';
  return status === 410 ? 'gone' : 'failed';
}

const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** It has more to do than it can: less is sent at once. */
export const isOverloaded = ({ status, cause }: Answered): boolean =>
  status === null ? cause === 'timeout' : OVERLOADED.has(status);

/** When it is tried again after so many tries; null: no more. `chance`: from 0 to 1. */
export function nextTryAt(tries: number, now: Date, chance: number, retryAfterMs: number | null): Date | null {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return null;
  const spread = wait * (1 - JITTER + 2 * JITTER * chance);
  return addMs(now, Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS))));
}

/** `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3); null: neither. */
export function retryAfterOf(text: string | null | undefined, now: Date): number | null {
  if (!text) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text.trim()) * SECOND_MS;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
