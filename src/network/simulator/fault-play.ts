// Faults as they look from the caller's side: answers that are lost, late, doubled or broken, around work that has its effect or not.
// Rule: a fault never changes what the work does or says; it changes only what of it arrives, and when.
import type { Clock } from '../../base/index.ts';
import { NoAnswer } from '../message.ts';
import type { Fault } from './cards.ts';
import { exchange } from './exchange.ts';

export interface FaultTimes {
  /** How long a caller waits for an answer that is on its way. */
  readonly answerTimeoutMs?: number;
  /** How long a caller waits for an answer that will not come: a deadline cut short, as the simulator knows. */
  readonly lostAfterMs?: number;
  /** Outcome 912. */
  readonly slowMs?: number;
  /** Outcome 916: how long after the deadline the answer comes. */
  readonly lateAfterMs?: number;
}

interface Play {
  readonly effect: boolean;
  /** Milliseconds after the effect at which an answer arrives, one each. */
  readonly answersAfterMs: readonly number[];
  readonly deadlineMs: number;
  /** The caller learns at once that nothing usable comes. */
  readonly breaks?: 'reset' | 'malformed';
}

function playsWith(times: FaultTimes): Readonly<Record<Fault, Play>> {
  const { answerTimeoutMs = 20_000, lostAfterMs = 1000, slowMs = 15_000, lateAfterMs = 2000 } = times;
  return {
    lost_before: { effect: false, answersAfterMs: [], deadlineMs: lostAfterMs },
    lost_after: { effect: true, answersAfterMs: [], deadlineMs: lostAfterMs },
    slow: { effect: true, answersAfterMs: [slowMs], deadlineMs: answerTimeoutMs },
    twice: { effect: true, answersAfterMs: [0, 0], deadlineMs: answerTimeoutMs },
    malformed: { effect: true, answersAfterMs: [], deadlineMs: 0, breaks: 'malformed' },
    reset: { effect: false, answersAfterMs: [], deadlineMs: 0, breaks: 'reset' },
    late: { effect: true, answersAfterMs: [lostAfterMs + lateAfterMs], deadlineMs: lostAfterMs },
  };
}

/** Plays a fault around the work that has the effect and gives the answer. Throws NoAnswer when none comes in time. */
export type FaultPlay = <Answer>(
  fault: Fault,
  work: () => Promise<Answer>,
  onLate: (answer: Answer) => void,
) => Promise<Answer>;

export interface FaultPlayOptions {
  readonly clock: Clock;
  readonly times: FaultTimes;
  /** Every wait ends with it: the connection is reset. */
  readonly stopped: AbortSignal;
  /** Counts that the answers' fate is added to. */
  readonly counts: { duplicatesDropped: number; late: number };
}

export function createFaultPlay({ clock, times, stopped, counts }: FaultPlayOptions): FaultPlay {
  const plays = playsWith(times);
  return async <Answer>(fault: Fault, work: () => Promise<Answer>, onLate: (answer: Answer) => void) => {
    const { effect, answersAfterMs, deadlineMs, breaks } = plays[fault];
    const result = effect ? { answer: await work() } : null;
    if (breaks) throw new NoAnswer(breaks);
    const pending = exchange<Answer>({
      clock,
      deadlineMs,
      onLate: (answer) => {
        counts.late++;
        onLate(answer);
      },
      onDuplicate: () => {
        counts.duplicatesDropped++;
      },
    });
    const onStop = (): void => pending.fail(new NoAnswer('reset'));
    stopped.addEventListener('abort', onStop, { once: true });
    for (const ms of answersAfterMs) {
      if (!result) break;
      if (ms === 0) pending.deliver(result.answer);
      else clock.sleep(ms, stopped).then(() => pending.deliver(result.answer), onStop);
    }
    try {
      return await pending.answer;
    } finally {
      stopped.removeEventListener('abort', onStop);
    }
  };
}
