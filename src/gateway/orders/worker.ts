// The worker: runs what is due. Any number of processes may run one; what two of them pick up is decided once on the locked order.
import { addMs, type VirtualClock } from '../../base/index.ts';
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

/** Runs until the signal; other periodic chores come with it. */
export async function runWorker(gateway: Gateway, chores: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let tick = 0; !signal.aborted; tick++) {
    try {
      if (tick % 4 === 0) await recoverOrphans(gateway);
      await runAllDue(gateway, signal);
      if (tick % 120 === 0) await chores();
    } catch (error) {
      gateway.log.error({ err: error }, 'worker failed');
    }
    await gateway.clock.sleep(TICK_MS, signal).catch(() => undefined);
  }
}

/** Moves the clock to `target`, stopping at each moment at which something is due and running it there, in order. */
export async function advanceTo(gateway: Gateway, clock: VirtualClock, target: Date): Promise<void> {
  for (;;) {
    const next = await nextDueAt(gateway.db);
    if (next === null || next > target) break;
    // Never back: what is overdue runs now.
    if (next > clock.now()) clock.set(next);
    if ((await runAllDue(gateway)) === 0) break;
  }
  if (target > clock.now()) clock.set(target);
  await runAllDue(gateway);
}
