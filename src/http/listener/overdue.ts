// Answers in time: a client is told within a fixed time that the outcome is unknown, and the work goes on.
import type { Clock } from '../../base/index.ts';

/** The work takes longer than its client may be kept waiting. */
export class Overdue extends Error {}

interface Pending {
  readonly until: number;
  give(): void;
}

/** Rejects with Overdue when the work isn't over in time. One timer for all: what began first is overdue first. */
export function timeLimit(clock: Clock, limitMs: number): <Value>(work: Promise<Value>) => Promise<Value> {
  const pending = new Set<Pending>();
  let watching = false;

  async function watch(): Promise<void> {
    for (;;) {
      const [first] = pending;
      if (!first) break;
      const wait = first.until - clock.elapsed();
      if (wait > 0) await clock.sleep(Math.min(wait, 250));
      else {
        pending.delete(first);
        first.give();
      }
    }
    watching = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const mine: Pending = { until: clock.elapsed() + limitMs, give: () => reject(new Overdue('no answer in time')) };
      pending.add(mine);
      if (!watching) {
        watching = true;
        void watch();
      }
      work.then(resolve, reject).finally(() => pending.delete(mine));
    });
}
