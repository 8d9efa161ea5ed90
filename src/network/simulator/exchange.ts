// The pairing of an answer with the request that waits for it.
// Rule: a request is settled once: the first answer in time counts; a doubled one is dropped, one after the deadline is reported apart.
import type { Clock } from '../../base/index.ts';
import { NoAnswer } from '../message.ts';

export interface Exchange<Answer> {
  /** Rejects with NoAnswer at the deadline or when the exchange fails. */
  readonly answer: Promise<Answer>;
  deliver(answer: Answer): void;
  fail(error: unknown): void;
}

export interface ExchangeOptions<Answer> {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** An answer to a request that was given up. */
  readonly onLate?: (answer: Answer) => void;
  /** One more answer to a request that was answered. */
  readonly onDuplicate?: () => void;
}

/** One sending (a reference and its attempt) waiting for its answer, until a deadline in real time. */
export function exchange<Answer>({
  clock,
  deadlineMs,
  onLate,
  onDuplicate,
}: ExchangeOptions<Answer>): Exchange<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = new AbortController();
  let state: 'waiting' | 'answered' | 'given up' = 'waiting';
  const fail = (error: unknown): void => {
    if (state !== 'waiting') return;
    state = 'given up';
    timer.abort();
    reject(error);
  };
  clock.sleep(deadlineMs, timer.signal).then(
    () => fail(new NoAnswer('timeout')),
    () => undefined,
  );
  return {
    answer: promise,
    fail,
    deliver(answer) {
      if (state === 'answered') return onDuplicate?.();
      if (state === 'given up') return onLate?.(answer);
      state = 'answered';
      timer.abort();
      resolve(answer);
    },
  };
}
