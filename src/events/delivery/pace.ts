// How much of an endpoint's is on its way at once, and whether anything is sent at all. A pure state: it is told what happened and when.
// Rule: an endpoint that never answered well gets little, one that is overloaded less, one that is down a probe now and then.
import { type Answered, isOverloaded, verdictOf } from './schedule.ts';

const FAILURES = 5;
const FIRST_PROBE_MS = 10_000;
const LAST_PROBE_MS = 300_000;
/** Strangers are spared: until the first delivery one request in this time. */
const STRANGER_MS = 10_000;
const GOOD_MS = 1_000;

export interface Pace {
  /** May one more be sent, with so many on their way? `nowMs`: monotonic. */
  allows(onTheirWay: number, nowMs: number): boolean;
  /** Of those that may be on their way now, so many may be replayed: what is new has the other half. One where there is only one place. */
  replays(): number;
  /** When it may allow what it doesn't now, without an answer before; null: only an answer helps. */
  nextMs(nowMs: number): number | null;
  /** Nothing is sent but one probe at a time. */
  isOpen(): boolean;
  sent(nowMs: number): void;
  answered(answer: Answered, nowMs: number): void;
  /** The owner's setting changed. */
  limit(most: number): void;
}

export function createPace(most: number, known: boolean): Pace {
  let bound = most;
  let limit = most;
  let failures = 0;
  let openUntilMs = 0;
  let probeMs = FIRST_PROBE_MS;
  let stranger = !known;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  let goodSinceMs = Number.NEGATIVE_INFINITY;

  const isOpen = (): boolean => failures >= FAILURES;

  return {
    isOpen,
    replays: () => Math.max(1, Math.floor(limit / 2)),
    allows(onTheirWay, nowMs) {
      if (isOpen()) return onTheirWay === 0 && nowMs >= openUntilMs;
      if (stranger) return onTheirWay === 0 && nowMs - lastSentMs >= STRANGER_MS;
      return onTheirWay < limit;
    },
    nextMs(nowMs) {
      const at = isOpen() ? openUntilMs : stranger ? lastSentMs + STRANGER_MS : null;
      return at !== null && at > nowMs ? at : null;
    },
    sent(nowMs) {
      lastSentMs = nowMs;
    },
    answered(answer, nowMs) {
      if (verdictOf(answer) === 'delivered') {
        failures = 0;
        probeMs = FIRST_PROBE_MS;
        stranger = false;
        if (nowMs - goodSinceMs >= GOOD_MS && limit < bound) {
          limit++;
          goodSinceMs = nowMs;
        }
        return;
      }
      if (isOpen()) probeMs = Math.min(probeMs * 2, LAST_PROBE_MS);
      failures++;
      if (isOpen()) openUntilMs = nowMs + probeMs;
      if (isOverloaded(answer)) limit = Math.max(1, Math.floor(limit / 2));
      goodSinceMs = nowMs;
    },
    limit(wanted) {
      bound = wanted;
      limit = Math.min(limit, wanted);
    },
  };
}
