// The worker: runs what is due. Any number of processes may run one; what two of them pick up is decided once on the locked order.
import { addMs } from '../../base/index.ts';
import type { Timeline } from '../../store/index.ts';
import { runDue } from './due.ts';
import type { Gateway } from './gateway.ts';
import { nextDueAt, ordersDue, ordersOrphaned } from './queries.ts';

/** Class of the advisory locks by which processes show that they live. */
export const PROCESS_LOCKS = 7_046;

const BATCH = 200;
const TICK_MS = 500;
/** Handlers that run side by side: enough to fill a commit group. */
const AT_ONCE = 32;

/** Everything that is due at the clock's now, until nothing is; the number of orders touched. */
export async function runAllDue(gateway: Gateway, signal?: AbortSignal): Promise<number> {
  let touched = 0;
  for (;;) {
    const due = await ordersDue(gateway.db, gateway.clock.now(), BATCH);
    const done = await each(due, ({ project_id, id }) => runDue(gateway, project_id, id), gateway);
    touched += done;
    if (done === 0 || signal?.aborted) return touched;
  }
}

/** Finishes the operations of processes that are gone, before anything else touches their orders. */
export async function recoverOrphans(gateway: Gateway): Promise<number> {
  let touched = 0;
  for (;;) {
    const orphans = await ordersOrphaned(gateway.db, addMs(gateway.clock.now(), 3 * 60_000), PROCESS_LOCKS, BATCH);
    const done = await each(orphans, ({ project_id, id }) => runDue(gateway, project_id, id, true), gateway);
    touched += done;
    if (done === 0) return touched;
  }
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<boolean>, { log }: Gateway): Promise<number> {
  let done = 0;
  for (let i = 0; i < items.length; i += AT_ONCE) {
    const results = await Promise.allSettled(items.slice(i, i + AT_ONCE).map(work));
    for (const result of results) {
      if (result.status === 'fulfilled') done += Number(result.value);
      else log.error({ err: result.reason }, 'work on an order failed');
    }
  }
  return done;
}

/** Runs until the signal; what other rooms have due, and periodic chores, come with it. */
export async function runWorker(
  gateway: Gateway,
  others: readonly Timeline[],
  chores: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let tick = 0; !signal.aborted; tick++) {
    try {
      if (tick % 4 === 0) await recoverOrphans(gateway);
      await runAllDue(gateway, signal);
      for (const timeline of others) await timeline.runDue(signal);
      if (tick % 120 === 0) await chores();
    } catch (error) {
      gateway.log.error({ err: error }, 'worker failed');
    }
    await gateway.clock.sleep(TICK_MS, signal).catch(() => undefined);
  }
}

/** What orders have due. */
export const orderTimeline = (gateway: Gateway): Timeline => ({
  nextDueAt,
  runDue: (signal) => runAllDue(gateway, signal),
});
